"""What is exported is text to whatever opens it, whoever wrote it."""

import csv
import io

import pytest

from arena.api.export import Export
from arena.v1 import match_pb2, tournament_pb2
from arena.web.text import csv_lines

FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "x\r=1"]


def inert(text: str) -> str:
    """A text as no spreadsheet reckons with it: quoted, on one line."""
    return ("" if text.startswith("x") else "'") + text.replace("\r", " ")


@pytest.mark.parametrize("text", FORMULAS)
def test_no_text_of_a_tournaments_csv_is_a_formula(text: str) -> None:
    seat = match_pb2.MatchSeat(seat=0, bot=text, author=text, version=1)
    match = match_pb2.Match(id="1", reason=text, seats=[seat])
    written = Export(
        tournament_pb2.GetTournamentResponse(), tournament_pb2.GetStandingsResponse(),
        tournament_pb2.GetProofResponse(), [match], site="",
    ).csv()  # fmt: skip
    (row,) = list(csv.DictReader(io.StringIO(written, newline="")))
    assert {row["reason"], row["bot"], row["author"]} == {inert(text)}


@pytest.mark.parametrize("text", FORMULAS)
def test_no_text_of_a_pages_csv_is_a_formula_and_numbers_stay_numbers(text: str) -> None:
    _, row = csv.reader(io.StringIO(csv_lines(("a", "b", "c"), [(text, -1.5, None)]), newline=""))
    assert row == [inert(text), "-1.5", ""]
