"""What all games share in reading component files."""

from datetime import date

import pytest

from arena.core.component_file import LONGEST, FieldCheck, read_toml, shown
from arena.core.errors import BadComponents

CHECK = FieldCheck("mine.toml")


def said(call):
    with pytest.raises(BadComponents) as caught:
        call()
    assert caught.value.message.startswith("mine.toml: ")
    assert "\n" not in caught.value.message
    assert len(caught.value.message) < 300
    return caught.value.message.removeprefix("mine.toml: ")


def test_a_file_is_read_to_the_last_allowed_character_and_no_further():
    text = "a = 1 #"
    assert read_toml(text + "x" * (LONGEST - len(text)), "mine.toml") == {"a": 1}
    assert said(lambda: read_toml(text + "x" * LONGEST, "mine.toml")) == f"file: is longer than {LONGEST} characters"


@pytest.mark.parametrize("text", ["a", "a = 1\na = 2", "\x00", "a = " + "[" * 9000, "a = " + "9" * 9000])
def test_what_is_no_toml_is_refused(text):
    assert said(lambda: read_toml(text, "mine.toml")).startswith("file: is no TOML: ")


def test_a_byte_order_mark_is_no_part_of_the_numbers():
    assert read_toml("\ufeffa = 1", "mine.toml") == {"a": 1}


def test_a_key_that_cannot_be_printed_is_shown_in_one_line():
    assert said(lambda: CHECK.keys({"a\n\x1b[31m": 1}, "file", ())).startswith(r"'a\n\x1b[31m': is unknown")


def test_a_long_key_is_shortened():
    assert said(lambda: CHECK.keys({"a" * 5000: 1}, "file", ())).startswith(f"'{'a' * 56}...: is unknown")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (7, "7"),
        (True, "True"),
        (0.5, "0.5"),
        ("two", "'two'"),
        ("two\nlines", r"'two\nlines'"),
        ("x" * 5000, f"'{'x' * 56}..."),
        (10**4000, f"1{'0' * 56}..."),
        (date(2026, 11, 30), "2026-11-30"),
        ([1, 2], "a list"),
        ({"a": 1}, "a table"),
    ],
)
def test_values_are_shown_short_and_in_one_line(value, text):
    assert shown(value) == text


def test_a_number_that_python_does_not_write_is_shown_as_that():
    assert shown(1 << 20_000) == "a number far too long"


@pytest.mark.parametrize("value", [-1, 4, 2.0, True, "2", None, [2]])
def test_what_is_no_whole_number_within_the_limits_is_refused(value):
    assert CHECK.whole(3, "a.b", 0, 3) == 3
    assert said(lambda: CHECK.whole(value, "a.b", 0, 3)).startswith("a.b: must be a whole number from 0 to 3, not ")


@pytest.mark.parametrize("value", ["fish", "", 1, ["wood"], {"wood": 1}])
def test_what_is_none_of_the_words_is_refused(value):
    assert CHECK.word("wood", "a", ("wood", "fur")) == "wood"
    assert said(lambda: CHECK.word(value, "a", ("wood", "fur"))).startswith("a: must be one of wood, fur, not ")


def test_a_list_has_no_more_and_no_fewer_entries_than_allowed():
    assert CHECK.entries([1, "x"], "a", 1, 2) == [1, "x"]
    assert said(lambda: CHECK.entries([], "a", 1, 2)) == "a: must have 1 to 2 entries, not 0"
    assert said(lambda: CHECK.entries([1, 2, 3], "a", 1, 2)) == "a: must have 1 to 2 entries, not 3"
    assert said(lambda: CHECK.entries("12", "a", 1, 2)) == "a: must be a list, not '12'"


def test_a_table_has_exactly_its_keys():
    assert CHECK.table({"a": 1, "b": 2}, "t", ("a", "b")) == {"a": 1, "b": 2}
    assert said(lambda: CHECK.table({"a": 1}, "t", ("a", "b"))) == "t.b: is missing"
    assert said(lambda: CHECK.table({"a": 1, "b": 2, "c": 3}, "t", ("a", "b"))) == "t.c: is unknown; there are a, b"
    assert said(lambda: CHECK.table(7, "t", ("a", "b"))) == "t: must be a table with a, b"
