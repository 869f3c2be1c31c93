"""`arena match --sprt`: stopping when it is decided, comparing two bots."""

from pathlib import Path

import pytest


def test_a_sequential_test_stops_when_it_is_decided(arena) -> None:
    call = ("match", "greedy", "random", "--game", "first-snow", "--seed", 1, "--in-process")
    said = arena(*call, "--sprt", "0,300")
    assert said.code == 0
    assert "decided for 300 Elo; log-likelihood ratio" in said.out
    assert "(bounds -3.00, 3.00)" in said.out
    assert "likelihood of superiority" in said.out


def test_an_undecided_sequential_test_prints_how_to_go_on(arena) -> None:
    call = ("match", "random", "random", "--game", "icefall", "--seed", 1, "--in-process")
    said = arena(*call, "--sprt", "0,5", "--blocks", 2)
    assert said.code == 0
    assert "undecided" in said.out
    assert "--first-block 1 --blocks 4 --sprt 0,5 --in-process" in said.err


@pytest.mark.parametrize("notation", ["30,0", "0", "a,b", "0,5000"])
def test_a_sequential_test_of_nonsense_is_refused_in_one_line(arena, notation: str) -> None:
    said = arena("match", "random", "random", "--game", "icefall", "--in-process", "--sprt", notation)
    assert said.code == 2
    assert said.err.startswith("error: --sprt")
    assert said.err.count("\n") == 1


def test_a_sequential_test_of_three_bots_is_refused(arena) -> None:
    said = arena("match", "random", "random", "random", "--game", "icefall", "--in-process", "--sprt", "0,30")
    assert (said.code, said.err) == (2, "error: --sprt compares two bots, not 3\n")


def test_two_bots_are_compared_in_json(arena) -> None:
    call = ("match", "greedy", "random", "--game", "first-snow", "--seed", 1, "--in-process", "--json")
    found = arena(*call, "--sprt", "0,300").json
    assert found["first_against_second"]["wins"] == 2 * found["blocks"]
    assert found["first_against_second"]["elo"]["high"] is None
    assert found["sprt"]["verdict"] == "HIGH"


def test_a_sequential_test_goes_on_from_its_record(arena, tmp_path: Path) -> None:
    call = ("match", "greedy", "random", "--game", "first-snow", "--in-process", "--record", tmp_path / "r.jsonl")
    assert "undecided" in arena(*call, "--seed", 1, "--sprt", "0,300", "--blocks", 2).out
    whole = arena(*call, "--sprt", "0,300")
    assert "blocks: 7 of 2 points" in whole.out
    assert arena(*call, "--sprt", "0,300").out == whole.out
