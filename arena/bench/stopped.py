"""How long turns take beside an opponent that computes with many processes all the time, which the referee stops.

Three opponents take turns: one that answers at once, one that computes with CHILDREN processes beside the one that
plays, and one that sleeps for as long as that one's turns take. Beside the second and the third, the turns that are
timed differ by the computing alone; beside the first and the third, by the waiting. The rarest turns decide a p99, so
ratios come with an interval: from rounds drawn again and again out of those that were played (Efron's bootstrap).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from statistics import median
from typing import Final

from arena.bench.measuring import PROGRAMS
from arena.hosting.matches import HostedBot, play_hosted
from arena.hosting.referee import Referee
from arena.match.setup import SeatLabel, Setup

ROUNDS: Final = 40
CHILDREN: Final = 8
_DRAWS: Final = 400
_LABEL: Final = SeatLabel("bot", "1")
_CAP_MS: Final = 1_800_000_000
"""Half an hour, as the finer referee counts."""


@dataclass(frozen=True, slots=True)
class Turns:
    """Microseconds of turns by the referee's clock: half, 95 and 99 of a hundred took no longer. count: how many."""

    count: int
    p50: int
    p95: int
    p99: int

    @classmethod
    def of(cls, times: list[int]) -> Turns:
        """Return the figures of all these."""
        ordered = sorted(times)
        return cls(len(times), *(ordered[len(times) * share // 100] for share in (50, 95, 99)))


@dataclass(frozen=True, slots=True)
class Ratio:
    """One p99 by another, and where it lies 95 times in 100."""

    value: float
    low: float
    high: float

    @classmethod
    def of(cls, above: list[list[int]], below: list[list[int]]) -> Ratio:
        """Return that of the turns of these rounds; both lists have the same rounds, one list of times each."""
        rounds = range(len(above))
        chance = random.Random(0)
        drawn = sorted(_ratio(above, below, chance.choices(rounds, k=len(rounds))) for _ in range(_DRAWS))
        return cls(_ratio(above, below, rounds), drawn[_DRAWS // 40], drawn[-1 - _DRAWS // 40])


@dataclass(frozen=True, slots=True)
class StoppedFigures:
    """The turns of a bot that answers at once, by its opponent. slept_us: how long the sleeping one slept.

    beside_sleeping, beside_quick: the p99 beside the computing opponent by that beside the other one.
    """

    quick: Turns
    sleeping: Turns
    computing: Turns
    slept_us: int
    beside_sleeping: Ratio
    beside_quick: Ratio


async def measure_stopped(rounds: int, advance: Callable[[], None]) -> StoppedFigures:
    """Play so many matches of First Snow against each opponent; advance is called after each. Raises Unavailable."""
    found: dict[str, list[list[int]]] = {"quick": [], "computing": [], "sleeping": []}
    pauses: list[int] = []
    async with Referee(program=(str(PROGRAMS / "fine_referee.py"),)) as referee:
        for number in range(rounds):
            for name, times in found.items():
                sleep = round(median(pauses)) if name == "sleeping" else 0
                opponent = _bot(sleep, CHILDREN if name == "computing" else 0)
                own, others = await _play(referee, number, name, opponent)
                times.append(own)
                if name == "computing":
                    pauses.extend(others)
                advance()
    turns = {name: Turns.of([*chain.from_iterable(times)]) for name, times in found.items()}
    return StoppedFigures(
        turns["quick"],
        turns["sleeping"],
        turns["computing"],
        round(median(pauses)),
        Ratio.of(found["computing"], found["sleeping"]),
        Ratio.of(found["computing"], found["quick"]),
    )


def _ratio(above: list[list[int]], below: list[list[int]], rounds: Sequence[int]) -> float:
    """Return the p99 of some rounds by that of the same rounds of others."""
    one, other = (Turns.of([time for each in rounds for time in times[each]]) for times in (above, below))
    return one.p99 / other.p99


def _bot(sleep_us: int, children: int) -> HostedBot:
    return HostedBot(PROGRAMS / "beside", ("python", "bot.py", str(sleep_us), str(children)))


async def _play(referee: Referee, number: int, name: str, opponent: HostedBot) -> tuple[list[int], list[int]]:
    """Return the times of both seats' turns but the first, at which a bot may not have been stopped yet."""
    setup = Setup(
        game="first-snow",
        variant="standard",
        seats=(_LABEL, _LABEL),
        components="",
        seed=number.to_bytes(16, "big"),
        clock=None,
        unsafe=False,
        match_id=f"{name} {number}",
    )
    match = await play_hosted(setup, (_bot(0, 0), opponent), referee, cap_ms=_CAP_MS)
    own, others = (list(seat.think_ms)[1:] for seat in match.seats)
    return own, others
