"""RULES.md is complete: every ruling and section stands there, every row names a test that exists."""

import re
from pathlib import Path

import pytest
from rules_page import TEST, missing_tests, page_of, repeated, rows_of, rulings, unfit

RULINGS = set(range(1, 18))
SECTIONS = {
    *("Setup 1", "Setup 2", "Setup 3", "Setup 4", "Setup 5", "Setup 6"),
    *("Flow", "Flow 1", "Flow 2", "Flow 3", "Flow 5", "Flow 6"),
    *("Competing", "Trick", "Resolution", "End"),
}
"""Sections of the rulebook with numbers or exceptions; Flow 4 is Resolution, which has one of its own."""


@pytest.fixture(scope="module")
def rows():
    return rows_of(page_of("frost_shelter").split("## Rules\n")[1].split("\n## ")[0])


def test_every_row_has_a_rule_a_source_and_a_test(rows):
    assert len(rows) > 70
    assert unfit(rows) == []


def test_every_named_test_exists(rows):
    assert missing_tests(rows, Path(__file__).parent) == []


def test_every_ruling_is_there(rows):
    assert rulings(rows) == RULINGS


def test_every_section_of_the_rulebook_is_there(rows):
    assert {name for _, source, _ in rows for name in re.findall(r"rulebook, ([\w ]+)", source)} == SECTIONS


def test_every_test_of_the_rules_proves_a_row(rows):
    """Tests of tricks, picks, resolution, purchases and the end are there for a rule: it must be on the page."""
    here = Path(__file__).parent
    named = {name for _, _, proof in rows for _, name in TEST.findall(proof)}
    for file in ("test_trick.py", "test_expedition.py", "test_resolution.py", "test_purchases.py", "test_end.py"):
        every = set(re.findall(r"^def (test_\w+)\(", (here / file).read_text(encoding="utf-8"), re.MULTILINE))
        assert not every - named, f"{file}: tests of no rule: {sorted(every - named)}"


def test_no_rule_stands_there_twice(rows):
    assert repeated(rows) == set()


def test_every_phase_a_seat_decides_has_its_default_on_the_page():
    text = page_of("frost_shelter")
    page = text.split("## A seat that has forfeited")[1].split("\n## ")[0]
    phases = "Leader, leading, following, winnings, payment, Harpoon, Expedition, Chest, options, Tarp, Infirmary"
    assert not [phase for phase in f"{phases}, purchases".split(", ") if phase not in page]
