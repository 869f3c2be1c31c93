"""Programs that read a line a turn and write one, through the SDK's bridge, in the real sandbox."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path

import psutil
import pytest
from refereeing import referee_process

from arena.core.manifest import BRIDGE

HONEST = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    {each}
    if message["type"] == "turn":
        {turn}
"""
ANSWER = 'print(json.dumps({"action": 0}), flush=True)'


def program(*, each: str = "pass", turn: str = ANSWER) -> str:
    return HONEST.format(each=each, turn=turn)


SAY_ALL = program(
    each="print(line, file=sys.stderr)", turn='print(\'{"ply":%d,"action":1.0}\' % message["ply"], flush=True)'
)

# What the program does, and what its author is told.
BROKEN = {
    "banner": ('print("hello, world", flush=True)' + program(), "line 1 of the program's output came before it was"),
    "no-json": (program(turn='print("take 3", flush=True)'), 'line 1 of the program\'s output is no JSON: "take 3"; '),
    "no-answer": (program(turn='print("[0]", flush=True)'), 'line 1 of the program\'s output is no answer: "[0]"; '),
    "wide": (
        program(turn='print("x" * 70000, flush=True)'),
        "line 1 of the program's output has more than 65536 bytes",
    ),
    "truth": (program(turn="print('{\"action\":true}', flush=True)"), "has no whole number of 32 bits as its action"),
    "late": (program(turn='print(\'{"action":0,"ply":1}\', flush=True)'), "answers another ply than the one asked"),
    # Both in one piece: a second line that comes later may be taken for the answer to the next turn.
    "twice": (
        program(turn="print('{\"action\":0}\\n' * 2, end='', flush=True)"),
        "line 2 of the program's output came before it was asked for ply",
    ),
    "leaver": (program(turn="sys.exit(3)"), "the program ended with status 3 before it answered ply"),
    "loser": ("import sys; sys.exit(4)", "the program ended with status 4"),
}


def test_the_template_plays_a_match_in_the_sandbox(arena, tmp_path: Path) -> None:
    assert arena("new", tmp_path / "lines", "--game", "icefall", "--language", "stdio").code == 0
    played = arena("play", "icefall", tmp_path / "lines", "random", "--seed", 5, "--json").json
    assert (played["end"], played["seats"][0]["end"]) == ("COMPLETED", "PLAYED")


def test_a_program_is_told_the_match_in_lines_with_numbers_as_numbers(arena, stdio_bot) -> None:
    played = arena("play", "first-snow", stdio_bot("hearer", SAY_ALL), "random", "--seed", 3)
    lines = [json.loads(line) for line in played.err.splitlines() if line.startswith("{")]
    assert "PLAYED" in played.out
    start, first, over = lines[0], lines[1], lines[-1]
    assert (start["type"], start["game"], start["seat"], start["clock"]["bank_ms"]) == (
        "start",
        "first-snow",
        0,
        10_000,
    )
    assert isinstance(start["bot_seed"], int)
    assert start["history"] == []
    assert (first["type"], first["ply"], first["view"]["phase"]) == ("turn", 2, "PHASE_BEAR")
    assert first["legal_actions"][2] == {"set_bear": {"card": 3}}
    assert first["texts"][2] == "bear 3"
    assert lines[2]["view"]["bears"][0] == {"set": True, "card": 2}
    assert (over["type"], over["end"]) == ("game_over", "COMPLETED")
    assert over["seats"][0]["end"] == "PLAYED"
    assert over["view"]["phase"] == "PHASE_OVER"


WRONG = [("banner", "no-json", "no-answer"), ("wide", "truth", "late"), ("twice", "leaver")]


@pytest.mark.parametrize("names", WRONG)
def test_what_a_program_does_wrong_is_said_with_its_line(arena, stdio_bot, names: tuple[str, ...]) -> None:
    folders = [stdio_bot(name, BROKEN[name][0]) for name in names]
    played = arena("play", "icefall", *folders, "random", "--seed", 7)
    for name in names:
        assert BROKEN[name][1] in played.err, (name, played.err)
    assert played.out.count("CRASHED") == len(names)


def test_a_program_that_ends_between_its_turns_is_noticed_at_once(arena, stdio_bot) -> None:
    played = arena("play", "icefall", "random", stdio_bot("loser", BROKEN["loser"][0]), "--clock", "none", "--seed", 7)
    assert BROKEN["loser"][1] in played.err
    assert "CRASHED" in played.out


def test_a_program_gives_up_by_saying_so(arena, stdio_bot) -> None:
    folder = stdio_bot("quitter", program(turn="print('{\"resign\":true}', flush=True)"))
    assert arena("play", "icefall", folder, "random", "--seed", 7, "--json").json["seats"][0]["end"] == "RESIGNED"


def test_a_bot_of_lines_does_not_play_in_this_process(arena, stdio_bot) -> None:
    refused = arena("play", "icefall", stdio_bot("lines", ""), "random", "--in-process")
    assert refused.err.endswith("lines reads and writes lines; --in-process plays bots of the Python SDK only\n")


def test_a_command_that_cannot_be_started_is_named(arena, stdio_bot) -> None:
    folder = stdio_bot("missing", "")
    (folder / "bot.toml").write_text('name = "missing"\ngames = ["*"]\nlanguage = "stdio"\ncommand = ["./none"]\n')
    played = arena("play", "icefall", folder, "random", "--seed", 7)
    assert "error: ./none cannot be started: No such file or directory; mend `command` in bot.toml" in played.err


async def test_a_program_does_not_outlive_its_bridge(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("import os, sys, time\nprint(os.getpid(), file=sys.stderr)\ntime.sleep(600)")
    async with referee_process(tmp_path) as referee:
        match = await referee.host(clock="none")
        bridge = await asyncio.create_subprocess_exec(
            sys.executable, *BRIDGE[1:], "python", "bot.py", cwd=tmp_path, stderr=asyncio.subprocess.PIPE,
            env={**os.environ, "WHITEOUT_ADDRESS": match.address, "WHITEOUT_TICKET": match.tickets[0]},
        )  # fmt: skip
        assert bridge.stderr is not None
        child = psutil.Process(int(await asyncio.wait_for(bridge.stderr.readline(), 20)))
        bridge.kill()
        await bridge.wait()
        gone, alive = psutil.wait_procs([child], timeout=10)
        assert (len(gone), alive) == (1, [])
