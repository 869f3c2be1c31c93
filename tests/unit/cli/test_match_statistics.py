"""What `arena match` says beside shares: ties, savings, and commands to go on with."""

import shlex
from pathlib import Path

import pytest

from arena.cli.resuming import Again
from arena.cli.sequential import read_sequential
from arena.cli.series import Series
from arena.cli.setting import read_setting
from arena.core.errors import UsageError

CALL = ("match", "random", "quiet", "--game", "icefall", "--in-process", "--seed", 1)


def told(err: str) -> list[str]:
    """The command after "to go on: " as the words of a command line, without `arena`."""
    return shlex.split(err.rpartition("to go on: ")[2])[1:]


def test_the_command_of_an_undecided_test_goes_on_where_it_stopped(arena, tmp_path: Path) -> None:
    call = (*CALL, "--record", tmp_path / "r.jsonl", "--alpha", 0.01, "--beta", 0.2, "--json")
    first = arena(*call, "--sprt", "0,5", "--blocks", 3)
    again = arena(*told(first.err))
    assert again.json["sprt"]["blocks"] == 6
    assert (again.json["sprt"]["alpha"], again.json["sprt"]["beta"]) == (0.01, 0.2)
    assert first.json["sprt"]["bounds"] == again.json["sprt"]["bounds"]


def test_the_command_to_go_on_asks_for_everything_that_was_asked_for(tmp_path: Path) -> None:
    numbers = tmp_path / "my numbers.toml"
    numbers.write_text("", encoding="utf-8")
    setting = read_setting(
        "first-snow",
        ["greedy", "random"],
        variant=None,
        seed="7",
        clock="5s+0.1s",
        components=None,
        in_process=False,
        unsafe=True,
    )
    sequential = read_sequential("-5,30", 0.01, None, entrants=2, first=4)
    record = tmp_path / "r.jsonl"
    again = Again(setting, ("greedy", "random"), "5s+0.1s", numbers, sequential, record, json=True)
    assert shlex.split(again.command(4, 50)) == [
        *("arena", "match", "greedy", "random", "--game", "first-snow", "--variant", "standard", "--seed", "7"),
        *("--first-block", "4", "--blocks", "50", "--sprt", "-5,30", "--alpha", "0.01", "--clock", "5s+0.1s"),
        *("--components", str(numbers), "--record", str(record), "--unsafe-no-sandbox", "--json"),
    ]
    assert again.command(4, 50) in again.after_interrupt(Series(setting, None), 4, 50)


def test_a_record_of_another_clock_is_not_gone_on_with(tmp_path: Path) -> None:
    options = {"variant": None, "seed": "7", "components": None, "in_process": False, "unsafe": False}
    record = tmp_path / "r.jsonl"
    Series(read_setting("first-snow", ["random", "random"], clock="5s+0.1s", **options), record)
    with pytest.raises(UsageError, match="its clock is '5s"):
        Series(read_setting("first-snow", ["random", "random"], clock="none", **options), record)


@pytest.mark.parametrize(
    "options", [("--alpha", 0.01), ("--sprt", "0,5", "--alpha", 0), ("--sprt", "0,5", "--beta", 0.7)]
)
def test_errors_without_a_test_or_out_of_range_are_refused_in_one_line(arena, options) -> None:
    said = arena(*CALL, *options)
    assert (said.code, said.err.count("\n")) == (2, 1)
    assert said.err.startswith("error: --")


def test_ratio_bounds_and_counts_of_blocks_are_printed(arena) -> None:
    said = arena(*CALL, "--sprt", "0,5", "--blocks", 3)
    assert "log-likelihood ratio " in said.out
    assert "(bounds -3.00, 3.00); 3 blocks: " in said.out
    assert " of 1 points" in said.out or " of 2 points" in said.out


def test_ties_and_savings_of_any_number_of_bots_are_told(arena) -> None:
    found = arena("match", *("random",) * 3, "--game", "icefall", "--in-process", "--seed", 1, "--json").json
    assert 0 <= found["ties"] < 1
    assert all(bot["saved_by_blocks"] is None or bot["saved_by_blocks"] <= 1 for bot in found["bots"])
    two = arena(*CALL, "--json").json
    assert two["bots"][0]["saved_by_blocks"] == pytest.approx(two["first_against_second"]["saved_by_blocks"])
