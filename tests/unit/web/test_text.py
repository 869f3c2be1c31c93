"""How values are written on pages."""

import math
from datetime import UTC, datetime

import pytest

from arena.ladder.stats import Estimate
from arena.web.text import count, interval, milliseconds, number, percent, plain, said, when, without_hidden


@pytest.mark.parametrize(
    "char", ["\u202e", "\u2066", "\u200f", "\u061c", "\u200b", "\ufeff", "\x1b", "\x00", "\x7f", "\x85", "\u2028"]
)
def test_characters_that_turn_or_hide_others_are_made_visible(char):
    assert plain(f"a{char}b") == f"a\\u{ord(char):04x}b" == without_hidden(f"a{char}b")


def test_letters_of_every_script_stay_as_they_are():
    assert plain("Žluťoučký 雪 שלג ثلج ❄\n\tx") == "Žluťoučký 雪 שלג ثلج ❄\n\tx"


def test_a_long_text_is_cut_and_says_so():
    assert plain("x" * 10_000, 20) == "x" * 20 + "…"


def test_figures_are_short_and_none_is_a_dash():
    assert [
        number(None),
        number(2.345),
        milliseconds(3.21),
        milliseconds(999),
        milliseconds(2345),
        percent(0.123, 1),
    ] == [
        *("–", "2.35", "3.2 ms", "999 ms", "2.3 s", "12.3 %"),
    ]
    assert [count(1, "match", "matches"), count(2, "match", "matches"), count(0, "seat")] == [
        *("1 match", "2 matches", "0 seats"),
    ]


def test_an_interval_without_an_end_says_so():
    style = "{:+.0f}"
    assert interval(Estimate(12.4, -3, 27), style, " Elo") == "+12 (-3 to +27) Elo"
    assert interval(Estimate(12.4, -math.inf, math.inf), style) == "+12, no interval yet"
    assert interval(Estimate(math.inf, 100, math.inf), style) == "beyond measure: everything was won"
    assert interval(Estimate(5, -math.inf, 27), style) == "+5 (any to +27)"


def test_a_moment_is_told_to_people_and_machines():
    told = when(datetime(2030, 1, 2, 12, 34, 56, tzinfo=UTC))
    assert told == '<time datetime="2030-01-02T12:34:56Z">2030-01-02 12:34</time>'
    assert when(None) == "–"


def test_what_a_line_quotes_is_code_and_nothing_in_it_is_markup():
    assert said("wait, then `arena bots`") == "wait, then <code>arena bots</code>"
    assert said("<b>`<i>`\u202e ` alone") == "&lt;b&gt;<code>&lt;i&gt;</code>\\u202e ` alone"
    assert not said("")
