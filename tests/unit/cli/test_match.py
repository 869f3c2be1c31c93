"""`arena match` in this process: statistics, records."""

from pathlib import Path

import pytest

from arena.cli.botref import builtin_folders

FIRST = """
from bots.sdk import Bot, run

class First(Bot):
    def choose(self, turn):
        return turn.legal_actions[0]

run(First)
"""
RAISING = FIRST.replace("return", "1 / 0 #")


def test_match_prints_points_with_an_interval(arena) -> None:
    said = arena("match", "random", "random", "--game", "icefall", "--blocks", 3, "--seed", 1, "--in-process")
    assert said.code == 0
    assert "3 blocks of 2 matches" in said.out
    assert "random #1" in said.out
    assert "95 % interval" in said.out


def test_match_plays_every_seat_order_of_one_deal(arena) -> None:
    said = arena(
        "match", "random", "random", "random", "--game", "icefall", "--blocks", 2, "--seed", 1, "--in-process", "--json"
    ).json
    assert said["blocks"] == 2
    assert [sum(bot["ends"].values()) for bot in said["bots"]] == [6, 6, 6]


def test_match_alone_meets_the_house(arena) -> None:
    said = arena(
        "match",
        "random",
        "--game",
        "icefall",
        "--variant",
        "solo",
        "--blocks",
        4,
        "--seed",
        1,
        "--in-process",
        "--json",
    )
    assert 0 <= said.json["bots"][0]["points_share"]["mean"] <= 1


def test_the_same_seed_gives_the_same_statistics(arena) -> None:
    call = ("match", "random", "random", "--game", "icefall", "--blocks", 4, "--seed", 3, "--in-process", "--json")
    assert arena(*call).out == arena(*call).out


def test_a_block_with_a_forfeit_is_left_out_and_told(arena, make_bot) -> None:
    folder = make_bot("bad", RAISING)
    said = arena("match", folder, "random", "--game", "icefall", "--blocks", 2, "--seed", 1, "--in-process")
    assert said.code == 0
    assert "2 more with a forfeit" in said.out
    assert "block 1, leg 1: bad (seat 0) CRASHED" in said.err


def test_a_record_is_gone_on_with(arena, tmp_path: Path) -> None:
    record = tmp_path / "r.jsonl"
    call = ("match", "random", "random", "--game", "icefall", "--in-process", "--json", "--record", record)
    arena(*call, "--blocks", 2, "--seed", 3)
    kept = record.read_text()
    record.write_text(kept[:-5])  # an interrupt in the middle of a line
    longer = arena(*call, "--blocks", 4).json
    assert longer == arena(*call[:-2], "--blocks", 4, "--seed", 3).json
    assert len(record.read_text().splitlines()) == 1 + 4 * 2


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text: text.replace('"icefall"', '"other"', 1), "its game is 'other'"),
        (lambda text: "nonsense\n", "no record of a match"),
        (lambda text: "[]\n", "no record of a match"),
        (lambda text: "{}\n", "no record of a match"),
    ],
)
def test_the_record_of_another_match_is_refused(arena, tmp_path: Path, change, said: str) -> None:
    record = tmp_path / "r.jsonl"
    call = ("match", "random", "random", "--game", "icefall", "--in-process", "--record", record, "--blocks", 1)
    arena(*call, "--seed", 3)
    before = change(record.read_text())
    record.write_text(before)
    outcome = arena(*call)
    assert outcome.code == 2
    assert said in outcome.err
    assert record.read_text() == before


def test_a_match_given_a_component_file_with_faults_is_refused(arena, tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_text("x = 1")
    said = arena("match", "random", "random", "--game", "icefall", "--in-process", "--components", tmp_path / "c.toml")
    assert said.code == 2


@pytest.mark.parametrize("bot", sorted(builtin_folders()))
def test_every_built_in_bot_plays_first_snow_to_the_end(arena, bot: str) -> None:
    played = arena("play", "first-snow", bot, "random", "--in-process", "--seed", 5, "--json").json
    assert played["end"] == "COMPLETED"
