"""`arena replay LOG --as-seat S --to BOT`: a bot is asked what a log asked a seat."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from rudebots import raw

from arena.cli.logfile import open_log
from arena.match.entries import Header
from arena.match.log import LogWriter, read_log

HEARER = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    message.pop("bank_ms", None)
    print(json.dumps(message), file=sys.stderr)
    if message["type"] == "turn":
        print('{"action":%d}' % (len(message["legal_actions"]) - 1), flush=True)
"""

RAISES = """
from bots.sdk import Bot, run
class Raises(Bot):
    def choose(self, turn):
        if turn.ply > 9:
            raise RuntimeError("an avalanche")
        return turn.legal_actions[0]
run(Raises)
"""

COMES_BACK = raw("""
turns = []
def on_turn(outgoing, turn):
    turns.append(turn.ply)
    if len(turns) == 2:
        raise grpc.RpcError
    say(outgoing, turn.ply)
""")


@pytest.fixture
def bot(tmp_path: Path):
    def make(name: str, source: str) -> Path:
        (tmp_path / name).mkdir()
        (tmp_path / name / "bot.toml").write_text(f'name = "{name}"\ngames = ["*"]\n')
        (tmp_path / name / "bot.py").write_text(source)
        return tmp_path / name

    return make


@pytest.fixture
def played(arena, tmp_path: Path):
    """Play a match in this process and return its log."""

    def play(*arguments: object) -> Path:
        log = tmp_path / "match.jsonl"
        assert arena("play", *arguments, "--in-process", "--seed", 7, "--log", log).code == 0
        return log

    return play


def lines(text: str) -> list[object]:
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


@pytest.mark.parametrize("game", ["first-snow", "frost-shelter", "icefall", "snowblind"])
def test_a_bot_decides_again_what_it_decided_in_every_game(arena, played, game: str) -> None:
    log = played(game, "greedy", "random")  # random follows its bot_seed
    said = arena("replay", log, "--as-seat", 1, "--to", "random", "--in-process", "--json")
    assert said.code == 0
    assert said.json["asked"] > 3
    assert said.json["differences"] == []


def test_a_program_is_told_what_the_seat_was_told_to_the_last_word(arena, stdio_bot, tmp_path: Path) -> None:
    folder, log = stdio_bot("hearer", HEARER), tmp_path / "match.jsonl"
    then = arena("play", "icefall", folder, "random", "--seed", 3, "--log", log)
    now = arena("replay", log, "--as-seat", 0, "--to", folder)
    assert now.code == 0
    assert len(lines(then.err)) > 5
    assert lines(now.err) == lines(then.err)
    assert "hearer now decides otherwise in 0" in now.out


def test_what_a_bot_decides_otherwise_is_listed_in_words(arena, played, stdio_bot) -> None:
    log = played("icefall", "random", "random")
    said = arena("replay", log, "--as-seat", 1, "--to", stdio_bot("last", HEARER))
    assert said.code == 0
    assert "seat 1 (random@builtin) was asked " in said.out
    heading = next(line for line in said.out.splitlines() if line.startswith("ply"))
    assert heading.split("  ")[0] == "ply"
    assert "in the log" in heading


def test_where_the_seat_forfeited_the_log_says_so(arena, played, bot) -> None:
    log = played("icefall", bot("raises", RAISES), "random")
    said = arena("replay", log, "--as-seat", 0, "--to", "random", "--in-process", "--json").json
    assert said["differences"][-1]["recorded"] == "forfeits: CRASHED"
    assert said["differences"][-1]["now"]


def test_a_truncated_log_is_asked_up_to_its_end(arena, played, tmp_path: Path) -> None:
    log = played("icefall", "random", "random")
    whole = arena("replay", log, "--as-seat", 0, "--to", "random", "--json").json
    log.write_bytes(b"".join(log.read_bytes().splitlines(keepends=True)[:14]))
    said = arena("replay", log, "--as-seat", 0, "--to", "random", "--json")
    assert (said.code, said.json["complete"], said.json["differences"]) == (0, False, [])
    assert 0 < said.json["asked"] < whole["asked"]
    assert "is incomplete" in said.err


def test_a_bot_that_comes_back_goes_on_where_it_was(arena, played, bot) -> None:
    log = played("icefall", "random", "random")
    said = arena("replay", log, "--as-seat", 0, "--to", bot("back", COMES_BACK), "--json")
    assert said.json["asked"] == arena("replay", log, "--as-seat", 0, "--to", "random", "--json").json["asked"]


def test_a_bot_that_fails_is_named_with_the_ply_and_its_words(arena, played, bot) -> None:
    log = played("icefall", "random", "random")
    raises = bot("raises", RAISES)
    said = arena("replay", log, "--as-seat", 0, "--to", raises)
    assert said.code == 1
    assert said.err.startswith("error: raises failed at ply 1")
    assert said.err.endswith("RuntimeError: an avalanche\n")
    said = arena("replay", log, "--as-seat", 0, "--to", raises, "--in-process")
    assert said.code == 1
    assert "error: raises raised after " in said.err


def resealed(log: Path, change) -> None:
    """Write a log again with another header, its hashes right."""
    writer = LogWriter()
    with open_log(log) as raw_lines:
        entries = [line.entry for line in read_log(raw_lines)]
    for entry in entries:
        writer.add(change(entry) if isinstance(entry, Header) else entry)
    log.write_text(writer.text())


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"rules": 99}, "was played by rules version 99 of icefall, installed is "),
        ({"components": "0" * 64}, "was played with other component numbers of icefall than those installed"),
    ],
)
def test_a_match_of_other_rules_or_numbers_is_refused(arena, played, change: dict[str, object], said: str) -> None:
    log = played("icefall", "random", "random")
    resealed(log, lambda header: replace(header, **change))
    refused = arena("replay", log, "--as-seat", 0, "--to", "random")
    assert refused.code == 1
    assert said in refused.err


def test_a_log_without_its_seed_says_what_the_bot_lacks(arena, played) -> None:
    log = played("icefall", "random", "random")
    resealed(log, lambda header: replace(header, seed=None))
    assert (
        "the bot gets 0 as its bot_seed" in arena("replay", log, "--as-seat", 0, "--to", "greedy", "--in-process").err
    )


def test_a_match_with_a_component_file_is_asked_with_it(arena, played, tmp_path: Path) -> None:
    numbers = Path(__file__).parents[3] / "arena" / "games" / "first_snow" / "components.toml"
    own = numbers.read_text()
    (tmp_path / "own.toml").write_text(
        own.replace('bow = { cost = ["wood", "grass"] }', 'bow = { cost = ["wood", "wood"] }')
    )
    assert (tmp_path / "own.toml").read_text() != own
    log = played("first-snow", "random", "random", "--components", tmp_path / "own.toml")
    said = arena("replay", log, "--as-seat", 0, "--to", "random", "--json")
    assert (said.code, said.json["differences"]) == (0, [])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--as-seat", 0), "--as-seat S and --to BOT belong together"),
        (("--to", "random"), "--as-seat S and --to BOT belong together"),
        (("--as-seat", 0, "--to", "random", "--ply", 3), "--ply shows a log, --to asks a bot"),
        (("--in-process",), "--in-process belongs to --as-seat S --to BOT"),
        (("--as-seat", 9, "--to", "random"), "there is no seat 9"),
        (("--as-seat", 0, "--to", "nobody"), "no bot 'nobody' here"),
    ],
)
def test_options_that_do_not_go_together_are_refused(arena, played, options, said: str) -> None:
    refused = arena("replay", played("icefall", "random", "random"), *options)
    assert refused.code == 2
    assert said in refused.err
