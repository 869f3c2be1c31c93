"""RULES.md is complete: every ruling and section stands there, every row names a test that exists."""

import re
from pathlib import Path

import pytest
from rules_page import missing_tests, page_of, repeated, rows_of, rulings, unfit

RULINGS = set(range(1, 20))
SECTIONS = {
    *("Quick Game", "How to Play", "Turn Sequence", "Actions", "Roll for Exposure", "The Captain and the Flag"),
    *("End of Round", "Scoring", "Solo Rules", "Epic Game"),
}


@pytest.fixture(scope="module")
def rows():
    return rows_of(page_of("snowblind").split("## Rules\n")[1].split("\n## ")[0])


def test_every_row_has_a_rule_a_source_and_a_test(rows):
    assert len(rows) > 70
    assert unfit(rows) == []


def test_every_named_test_exists(rows):
    assert missing_tests(rows, Path(__file__).parent) == []


def test_every_ruling_is_there(rows):
    assert rulings(rows) == RULINGS


def test_every_section_of_the_rulebook_is_there(rows):
    assert {name for _, source, _ in rows for name in re.findall(r"rulebook, ([\w ]+)", source)} == SECTIONS


def test_no_rule_stands_there_twice(rows):
    assert repeated(rows) == set()
