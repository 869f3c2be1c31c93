"""Matches of Icefall, the small outside game: 1 to 4 seats, chance, hidden hands, ties."""

import io
import json
from collections.abc import Callable, Iterator
from random import Random

import pytest

from arena.match import Clock, Decision, Match, SeatLabel, Setup

SEED = (7).to_bytes(16, "big")


@pytest.fixture
def setup_of() -> Callable[..., Setup]:
    def make(seats: int = 2, clock: str = "none", **facts: object) -> Setup:
        labels = tuple(SeatLabel(f"bot-{seat}", "1") for seat in range(seats))
        variant = "race" if seats > 1 else "solo"
        given = {"game": "icefall", "variant": variant, "seed": SEED, "clock": Clock.parse(clock)} | facts
        return Setup(seats=labels, **given)

    return make


@pytest.fixture
def first_snow() -> dict[str, str]:
    """The facts of a match of First Snow, which has plies with a single legal action."""
    return {"game": "first-snow", "variant": "standard"}


@pytest.fixture
def started(setup_of: Callable[..., Setup]) -> Callable[..., Match]:
    def make(seats: int = 2, **facts: object) -> Match:
        match = Match(setup_of(seats, **facts))
        match.start()
        return match

    return make


@pytest.fixture
def finish() -> Callable[..., Match]:
    """Answer at random to the end; charged_ms comes from the given numbers, then 0."""

    def play(match: Match, seed: int = 1, charges: Iterator[int] | None = None) -> Match:
        random = Random(seed)
        while match.decision is not None:
            ask: Decision = match.decision
            charged = next(charges, 0) if charges else 0
            match.answer(ask.ply, random.randrange(len(ask.legal)), think_ms=charged + 50, charged_ms=charged)
        return match

    return play


@pytest.fixture
def lines_of() -> Callable[[Match], list[dict]]:
    return lambda match: [json.loads(line) for line in match.log_text().splitlines()]


@pytest.fixture
def opened() -> Callable[..., io.BytesIO]:
    """A log's text or bytes as an open file."""
    return lambda log: io.BytesIO(log if isinstance(log, bytes) else log.encode())
