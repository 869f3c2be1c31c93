"""Finished matches, most with real logs, for pages that show them: every game and ending, five seats, 771 plies."""

from dataclasses import dataclass
from pathlib import Path

from playing import World

import arena.games
from arena.core import Seat
from arena.match import Clock, Match, MatchResult, SeatEnd, SeatLabel, Setup
from arena.match.replay import Replay
from arena.services import dispatch
from arena.store import Store

GOLDEN = Path(arena.games.__file__).parent
CLOCK = Clock.parse("10s+0.1s,start=10s,margin=50ms")
SEED = bytes(range(16))
BOTS = ("alpha", "beta", "gamma", "delta", "omega")

HOSTILE = "<img src=x onerror=alert(1)>\u202egnihtemos"


@dataclass(frozen=True)
class Log:
    """A log and its result."""

    text: str
    result: MatchResult


def golden(path: str) -> Log:
    """One of the games' own logs, such as "snowblind/golden/epic-4"."""
    text = (GOLDEN / f"{path}.jsonl").read_text(encoding="utf-8")
    result = Replay(text.encode().splitlines(keepends=True)).result
    assert result is not None
    return Log(text, result)


def played(
    game: str, variant: str, seats: int, *, plies: int = 10_000, ends: dict[int, SeatEnd] | None = None, names=()
) -> Log:
    """A match with a clock in which every turn takes a while, cut short by forfeits (or aborted) after some plies."""
    labels = tuple(SeatLabel(names[seat] if names else f"bot-{seat}", "1") for seat in range(seats))
    match = Match(Setup(game, variant, labels, SEED, clock=CLOCK, meta={"started": "2030-01-02T12:00:00+00:00"}))
    if ends is not None and not plies:
        match.forfeit({Seat(seat): end for seat, end in ends.items()})
    else:
        match.start()
    while match.decision is not None and match.plies < plies:
        ask = match.decision
        match.answer(ask.ply, len(ask.legal) // 2, think_ms=120 + ask.ply, charged_ms=0)
    if match.result is None and ends is not None:
        match.forfeit({Seat(seat): end for seat, end in ends.items()})
        while match.decision is not None:
            match.answer(match.decision.ply, 0, think_ms=150)
    if match.result is None:
        match.abort("the match took longer than its cap")
    return Log(match.log_text(), match.result)


@dataclass
class Stage:
    """A store with matches; of_name: their numbers."""

    world: World
    of_name: dict[str, int]


def stage(store: Store) -> Stage:
    """Fill an empty, migrated store."""
    world = World(store)
    made = Stage(world, {})
    for bot in BOTS:
        world.submit(bot, games='"first-snow", "frost-shelter", "snowblind"')
    both = {Seat(0): SeatEnd.NO_SHOW, Seat(1): SeatEnd.NO_SHOW}
    _play(
        made,
        "snow",
        {
            "completed": golden("first_snow/golden/standard-2"),
            "forfeit": played("first-snow", "standard", 2, plies=30, ends={1: SeatEnd.TIMEOUT}, names=(HOSTILE, "b")),
            "void": played("first-snow", "standard", 2, plies=0, ends=both),
            "aborted": played("first-snow", "standard", 2, plies=20),
        },
        deals=2,
    )
    five = golden("frost_shelter/golden/standard-5")
    lone = played("frost-shelter", "standard", 5, plies=60, ends={3: SeatEnd.CRASHED})
    _play(
        made,
        "shelter",
        {"five": five, "out": lone} | {f"five-{n}": five for n in range(3)},
        game="frost-shelter",
        seats=5,
    )
    long = golden("snowblind/golden/epic-4")
    _play(
        made, "pole", {"long": long} | {f"long-{n}": long for n in range(3)}, game="snowblind", seats=4, variant="epic"
    )
    _play(made, "closed", {"closed": golden("first_snow/golden/standard-2")}, deals=1)
    _lose(made, "lost")
    return made


def _play(made: Stage, tournament: str, logs: dict[str, Log], seats: int = 2, deals: int = 1, **options) -> None:
    world, names = made.world, list(logs.items())
    options |= {} if seats == 2 else {"seats": seats}
    world.started(tournament, *BOTS[:seats], deals=deals, **options)
    while names and (claim := world.claim()) is not None:
        for leg in claim.legs:
            if not names:
                return
            name, log = names.pop(0)
            world.wait(seconds=1)
            world.record(claim, leg, log.result, log=log.text)
            made.of_name[name] = leg.match_id


def _lose(made: Stage, name: str) -> None:
    """Let workers fail at a match until the arena gives it up, without a log; the other match of its deal is played."""
    world = made.world
    world.started(name, *BOTS[:2], deals=1)
    for _ in range(dispatch.MAX_LOST):
        claim = world.claim()
        lost = claim.legs[0].match_id
        dispatch.give_up(
            world.store, claim.block_id, claim.attempt, world.now, match_id=lost, reason="the machine was switched off"
        )
        world.wait(minutes=10)
    made.of_name[name] = lost
    claim, log = world.claim(), golden("first_snow/golden/standard-2")
    for leg in claim.legs:
        world.record(claim, leg, log.result, log=log.text)


def cut(log: Log, lines: int) -> str:
    """The log as it is when its writer stopped in the middle of a line."""
    kept = log.text.splitlines(keepends=True)[: lines + 1]
    return "".join(kept[:-1]) + kept[-1][:20]
