"""RULES.md is complete: every ruling and section stands there, every row names a test that exists."""

from pathlib import Path

import pytest
from rules_page import missing_tests, page_of, repeated, rows_of, rulings, unfit

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


@pytest.fixture(scope="module")
def rows():
    return rows_of(page_of("first_snow"))


def test_every_row_has_a_rule_a_source_and_a_test(rows):
    assert len(rows) > 60
    assert unfit(rows) == []


def test_every_named_test_exists(rows):
    assert missing_tests(rows, Path(__file__).parent) == []


def test_every_ruling_is_there(rows):
    assert rulings(rows) == set(RULINGS)


def test_every_section_of_the_rulebook_is_there(rows):
    sources = " ".join(source for _, source, _ in rows)
    missing = [section for section in SECTIONS if f"rulebook, {section}" not in sources]
    assert not missing


def test_no_rule_stands_there_twice(rows):
    assert repeated(rows) == set()


def test_every_worked_example_is_a_test(rows):
    examples = [row for row in rows if "example" in row[1]]
    assert len(examples) >= 11
