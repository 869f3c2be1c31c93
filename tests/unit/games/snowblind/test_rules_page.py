"""RULES.md is complete: every ruling and section stands there, every row names a test that exists."""

import re
from importlib.resources import files
from pathlib import Path

import pytest

RULINGS = set(range(1, 20))
SECTIONS = {
    *("Quick Game", "How to Play", "Turn Sequence", "Actions", "Roll for Exposure", "The Captain and the Flag"),
    *("End of Round", "Scoring", "Solo Rules", "Epic Game"),
}
TEST = re.compile(r"`(\w+\.py)::(\w+)`")


@pytest.fixture(scope="module")
def rows():
    text = files("arena.games.snowblind").joinpath("RULES.md").read_text(encoding="utf-8")
    rules = text.split("## Rules\n")[1].split("\n## ")[0]
    lines = [line for line in rules.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_every_row_has_a_rule_a_source_and_a_test(rows):
    assert len(rows) > 70
    for row in rows:
        assert len(row) == 3, row
        assert all(row), row
        assert TEST.findall(row[2]), f"no test in: {row[0]}"


def test_every_named_test_exists(rows):
    here = Path(__file__).parent
    for rule, _, proof in rows:
        for file, name in TEST.findall(proof):
            source = (here / file).read_text(encoding="utf-8")
            assert re.search(rf"^def {name}\(", source, re.MULTILINE), f"{file}::{name} does not exist (rule: {rule})"


def test_every_ruling_is_there(rows):
    assert {int(number) for _, source, _ in rows for number in re.findall(r"ruling (\d+)", source)} == RULINGS


def test_every_section_of_the_rulebook_is_there(rows):
    assert {name for _, source, _ in rows for name in re.findall(r"rulebook, ([\w ]+)", source)} == SECTIONS


def test_no_rule_stands_there_twice(rows):
    rules = [rule for rule, _, _ in rows]
    assert len(rules) == len(set(rules))
