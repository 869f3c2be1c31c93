"""docs/protocol.md shows numbers and lines; they are those of the code."""

import re
from pathlib import Path

import pytest

from arena.core import KeyedStream
from arena.match import Clock, MatchEnd, SeatEnd, SeatLabel, Setup, play_local

PAGE = (Path(__file__).parents[3] / "docs" / "protocol.md").read_text()
VECTORS = re.findall(r"^\| `([0-9a-f]{32})` \| `([^`]*)` \| (\d+) \| (\d+) \|$", PAGE, flags=re.MULTILINE)


def test_the_page_has_vectors() -> None:
    assert len(VECTORS) >= 5


@pytest.mark.parametrize(("seed", "label", "n", "number"), VECTORS)
def test_the_vectors_of_the_page_hold(seed: str, label: str, n: str, number: str) -> None:
    assert KeyedStream(bytes.fromhex(seed)).below(int(n), label) == int(number)


def test_the_lines_of_the_page_are_those_of_a_log() -> None:
    setup = Setup(
        game="first-snow",
        variant="standard",
        seats=(SeatLabel("first", "1"),) * 2,
        seed=(7).to_bytes(16, "big"),
        clock=Clock.parse("10s+0.1s"),
        match_id="17",
        meta={"started": "2026-01-31T12:00:00+00:00"},
    )
    log = play_local(setup, [lambda match, decision: 0] * 2).log_text().splitlines()
    shown = [line for line in PAGE.splitlines() if line.startswith('{"kind":')]
    assert shown == [*log[:4], log[-1]]


@pytest.mark.parametrize("end", [*MatchEnd, *SeatEnd])
def test_the_page_tells_every_end(end: str) -> None:
    assert f"| `{end}` |" in PAGE
