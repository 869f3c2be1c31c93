"""`arena replay`: what each seat saw."""

import json
from pathlib import Path

import pytest

FIRST = """
from bots.sdk import Bot, run

class First(Bot):
    def choose(self, turn):
        return turn.legal_actions[0]

run(First)
"""
RAISING = FIRST.replace("return", "1 / 0 #")


def facts(path: Path) -> list[dict]:
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    return [{name: value for name, value in line.items() if name != "meta"} for line in lines]


def test_replay_lists_the_events_everybody_saw(arena, log: Path) -> None:
    said = arena("replay", log)
    assert said.code == 0
    assert "as the public saw it" in said.out
    assert "COMPLETED" in said.out


def test_replay_shows_a_seat_its_view_and_its_choices(arena, log: Path) -> None:
    line = next(line for line in facts(log) if line.get("actor") == 0)
    said = arena("replay", log, "--ply", line["ply"], "--seat", 0)
    assert "as seat 0 (random) saw it" in said.out
    assert "seat 0 is to choose" in said.out
    assert "seat 0 is to choose" not in arena("replay", log, "--ply", line["ply"], "--seat", 1).out
    assert "is to choose" not in arena("replay", log, "--ply", line["ply"], "--public").out


def test_replay_of_a_position_never_shows_the_seed(arena, log: Path) -> None:
    seed = json.loads(log.read_text().splitlines()[0])["seed"]
    for options in ((), ("--ply", 5), ("--ply", 5, "--seat", 0), ("--json",), ("--ply", 5, "--json")):
        assert seed not in arena("replay", log, *options).out


def test_replay_shows_seats_different_things(arena, log: Path) -> None:
    views = [arena("replay", log, "--ply", 9, "--seat", seat, "--json").json["view"] for seat in (0, 1)]
    assert views[0] != views[1]


def test_replay_draws_a_position(arena, log: Path, tmp_path: Path) -> None:
    said = arena("replay", log, "--ply", 9, "--seat", 0, "--svg", tmp_path / "p.svg")
    assert said.code == 0
    assert (tmp_path / "p.svg").read_text().lstrip().startswith(("<svg", "<?xml"))


def test_replay_gives_json(arena, log: Path) -> None:
    steps = arena("replay", log, "--json").json
    assert [step["ply"] for step in steps if "ply" in step] == list(range(len(steps) - 1))


def test_replay_says_that_a_log_is_incomplete(arena, log: Path) -> None:
    log.write_bytes(log.read_bytes()[:3000])
    said = arena("replay", log)
    assert said.code == 0
    assert "incomplete" in said.err


def test_replay_shows_forfeits(arena, make_bot, tmp_path: Path) -> None:
    folder = make_bot("bad", RAISING)
    log = tmp_path / "f.jsonl"
    arena("play", "icefall", "random", "random", folder, "--in-process", "--seed", 1, "--log", log)
    assert "seat 2 forfeits: CRASHED" in arena("replay", log).out


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (("--ply", 9999), 2, "there is no ply 9999; the log has 0 to "),
        (("--seat", 5), 2, "there is no seat 5; the match has 0 to 1"),
        (("--seat", 0, "--public"), 2, "not both"),
        (("--svg", "no/such.svg"), 2, "there is no folder no"),
    ],
)
def test_replay_refuses_bad_input(arena, log: Path, options, code: int, said: str) -> None:
    outcome = arena("replay", log, *options)
    assert outcome.code == code
    assert said in outcome.err


def test_replay_of_a_changed_log_names_the_line(arena, log: Path) -> None:
    log.write_text(log.read_text().replace('"action":"deal', '"action":"peel', 1))
    said = arena("replay", log)
    assert said.code == 1
    assert "line 2" in said.err
