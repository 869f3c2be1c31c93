"""`arena check`: bots that break the protocol in one way each, all checked at once, and the command's own words."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path

import pytest
from rudebots import CROWDED, GATHERING, NOISY, RUDE, START, raw

import arena.cli.checking.trial
from arena.cli.checking.course import Plan, cases_of, check_program
from arena.cli.checking.findings import Finding, Verdict
from arena.cli.checking.trial import play_trial
from arena.hosting.referee import Referee

CLOCK = "2s+0s,start={start},margin=100ms"
PATIENT = CLOCK.format(start="30s")
AT_ONCE = 4


class Uncounted:
    def advance(self, text: str = "") -> None:
        """Count nothing."""


async def check_all(programs: Mapping[str, str], folder: Path) -> dict[str, dict[str, Finding]]:
    """Check every program at one variant of Icefall; return its findings by their names."""
    places = asyncio.Semaphore(AT_ONCE)

    async def one(number: int, name: str, source: str) -> dict[str, Finding]:
        (folder / name).mkdir()
        (folder / name / "bot.py").write_text(source)
        clock = CLOCK.format(start=START[name]) if name in START else PATIENT
        plan = Plan(folder / name, ("python", "bot.py"), cases_of(["icefall"], clock)[:1], 10 * number, sandboxed=True)
        async with places:
            found = await check_program(plan, referee, nullcontext(Uncounted()))
        return {each.check: each for each in found.findings}

    async with Referee() as referee:
        numbered = enumerate(programs.items(), 1)
        found = await asyncio.gather(*(one(number, name, source) for number, (name, source) in numbered))
    return dict(zip(programs, found, strict=True))


@pytest.fixture(scope="module")
def checked() -> dict[str, dict[str, Finding]]:
    programs = {name: source for name, (source, _, _) in RUDE.items()}
    with tempfile.TemporaryDirectory(prefix="rude-") as folder:
        more = {"polite": raw(), "noisy": NOISY, "gathering": GATHERING}
        return asyncio.run(check_all(programs | more, Path(folder)))


@pytest.mark.parametrize("name", RUDE)
def test_what_a_bot_breaks_is_the_line_that_fails(checked: dict[str, dict[str, Finding]], name: str) -> None:
    _, check, said = RUDE[name]
    finding = checked[name][check]
    assert finding.verdict is Verdict.FAILED, checked[name]
    assert said in finding.what
    assert finding.mend


def test_a_client_that_keeps_to_the_protocol_passes_everything(checked: dict[str, dict[str, Finding]]) -> None:
    slow = {"first answer": Verdict.WARNING}  # of a machine that is busy
    for check, finding in checked["polite"].items():
        assert finding.verdict in {Verdict.OK, slow.get(check)}, finding
    assert [*checked["polite"]] == [
        "handshake", "first answer", "plays icefall race", "clock", "ply", "reconnect", "repeated turn", "game over",
        "exit", "output", "memory", "processes",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "check", "said"),
    [("noisy", "output", "200001 bytes"), ("gathering", "processes", " of 64 processes and threads")],
)
def test_what_is_close_to_a_limit_is_a_warning(checked, name: str, check: str, said: str) -> None:
    finding = checked[name][check]
    assert (finding.verdict, said in finding.what) == (Verdict.WARNING, True), finding


async def test_what_a_bot_keeps_to_the_end_is_seen_however_seldom_anybody_looked(tmp_path: Path, monkeypatch) -> None:
    """On a busy machine a whole match may pass between two looks."""
    monkeypatch.setattr(arena.cli.checking.trial, "LOOK_EVERY_S", 600.0)
    (tmp_path / "bot.py").write_text(CROWDED)
    (case,) = cases_of(["icefall"], PATIENT)[:1]
    async with Referee() as referee:
        played = await play_trial(tmp_path, ("python", "bot.py"), case, referee, number=1, sandboxed=True)
    assert played.ran.status == 0
    assert played.ran.processes > 45
    assert played.ran.memory_bytes > 10_000_000


def test_one_way_of_breaking_it_does_not_fail_the_others(checked: dict[str, dict[str, Finding]]) -> None:
    for name in ("chatterbox", "sore-loser", "stayer", "clinging"):
        failed = {each.check for each in checked[name].values() if each.verdict is Verdict.FAILED}
        assert RUDE[name][1] in failed
        assert not failed & {"handshake", "first answer", "plays icefall race", "clock", "reconnect", "repeated turn"}


def test_the_command_checks_a_folder_as_it_would_be_submitted(arena, stdio_bot) -> None:
    folder = stdio_bot("talker", "print('ready')\nimport sys\nsys.stdin.read()")
    (folder / "bot.toml").write_text((folder / "bot.toml").read_text().replace('"*"', '"icefall"'))
    said = arena("check", folder, "--clock", PATIENT)
    assert said.code == 1
    assert "ok       archive" in said.out
    assert "FAILED   plays icefall race" in said.out
    assert "line 1 of the program's output came before it was asked" in said.out
    assert "not run  reconnect" in said.out
    assert said.out.endswith("talker: a check failed\n")


def test_the_logs_of_a_check_can_be_kept_and_asked(arena, tmp_path: Path) -> None:
    said = arena("check", "random", "--game", "icefall", "--seed", 2**128 - 1, "--logs", tmp_path, "--json")
    assert (said.code, said.json["ok"], said.json["bot"]) == (0, True, "random")
    assert {row["check"] for row in said.json["checks"]} >= {"plays icefall race", "plays icefall solo", "reconnect"}
    assert "failed" not in {row["verdict"] for row in said.json["checks"]}
    names = {path.name for path in tmp_path.glob("*.jsonl")}
    assert names == {f"icefall-{variant}.jsonl" for variant in ("race", "forecast", "solo", "race-broken")}
    assert arena("verify", *(tmp_path / name for name in names)).code == 0
    with (tmp_path / "icefall-race.jsonl").open() as log:
        assert json.loads(log.readline())["seed"] == "f" * 32
    asked = arena("replay", tmp_path / "icefall-race.jsonl", "--as-seat", 0, "--to", "random", "--in-process", "--json")
    assert asked.json["differences"] == []


def test_a_folder_for_logs_that_is_not_there_is_refused(arena, tmp_path: Path) -> None:
    assert "there is no folder" in arena("check", "random", "--logs", tmp_path / "none").err


def test_a_folder_that_cannot_be_submitted_fails_its_first_check(arena, stdio_bot) -> None:
    folder = stdio_bot("linked", "")
    (folder / "more.py").symlink_to("bot.py")
    said = arena("check", folder, "--game", "icefall")
    assert said.code == 1
    assert "FAILED   archive" in said.out
    assert "mend: put the file itself into the folder" in said.out


def test_a_game_it_does_not_name_is_refused(arena, stdio_bot) -> None:
    folder = stdio_bot("one", "")
    (folder / "bot.toml").write_text('name = "one"\ngames = ["icefall"]\n')
    assert arena("check", folder, "--game", "first-snow").err == (
        "error: one does not play first-snow; its bot.toml names icefall\n"
    )
