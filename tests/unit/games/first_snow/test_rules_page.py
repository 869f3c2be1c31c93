"""RULES.md is complete: every ruling and section stands there, every row names a test that exists."""

import re
from importlib.resources import files
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[4]
RULINGS = range(1, 21)
SECTIONS = (
    "Components",
    "Setup",
    "Goal",
    "Land cards",
    "Resources",
    "Inventory cards",
    "Score card",
    "Prepare the polar bear",
    "Add a land card to the landscape",
    "Place a camp",
    "Check for the polar bear",
    "Finish the landscape",
    "Resolve the polar bear",
    "Resolve the camps",
    "Craft new tools",
    "Damage and repair tools",
    "Score food",
    "Score warmth",
    "Take the remaining resources",
    "Readjust the turn order",
    "Cool the land",
    "Game end",
)
TEST = re.compile(r"`(\w+\.py)::(\w+)`")


@pytest.fixture(scope="module")
def rows():
    text = files("arena.games.first_snow").joinpath("RULES.md").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [row for row in cells if row[0] != "rule" and not set(row[0]) <= {"-"}]


def test_every_row_has_a_rule_a_source_and_a_test(rows):
    assert len(rows) > 60
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
    named = {int(number) for _, source, _ in rows for number in re.findall(r"ruling (\d+)", source)}
    assert named == set(RULINGS)


def test_every_section_of_the_rulebook_is_there(rows):
    sources = " ".join(source for _, source, _ in rows)
    missing = [section for section in SECTIONS if f"rulebook, {section}" not in sources]
    assert not missing


def test_no_rule_stands_there_twice(rows):
    rules = [rule for rule, _, _ in rows]
    assert len(rules) == len(set(rules))


def test_every_worked_example_is_a_test(rows):
    examples = [row for row in rows if "example" in row[1]]
    assert len(examples) >= 11
