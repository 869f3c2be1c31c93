"""What commands print of strangers' texts cannot steer a terminal, and stays readable."""

import json

import pytest

from arena.cli.output import error, note, print_json, print_table, say

STEERING = (
    "red \x1b[31m clear \x1b[2J title \x1b]0;x\x07 C1 \x9b2J back \b\r right-to-left \u202e nul \0"
    " emoji \U0001f600 tag \U000e0041"
)


@pytest.mark.parametrize("tell", [note, error, say, lambda text: print_table(("a", "b"), [(text, 1)])])
def test_a_strangers_text_cannot_steer_the_terminal(tell, capsys):
    tell(f"first {STEERING}")

    shown = "".join(capsys.readouterr())
    assert shown.replace("\n", "").isprintable()
    for kept in ("first red", "\\x1b[31m", "\\x9b2J", "\\u202e", "emoji \U0001f600"):
        assert kept in shown


def test_lines_and_tabs_stay_as_they_are(capsys):
    say("one\n\ttwo")

    assert capsys.readouterr().out == "one\n\ttwo\n"


def test_json_says_the_same_without_steering(capsys):
    print_json({"said": STEERING, "many": [1, "zwei ß"]})

    shown = capsys.readouterr().out
    assert shown.replace("\n", "").isprintable()
    assert "zwei ß" in shown
    assert json.loads(shown) == {"said": STEERING, "many": [1, "zwei ß"]}
