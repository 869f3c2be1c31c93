"""How costs grow with what an arena holds: matches, bots, seats, plies of a log; in CPU, that of SQLite included.

An arena is filled through its own use cases; only the playing is left out. The exponent of a row says how its
cost grows from the smallest size to the largest: 0 not at all, 1 linearly.
"""

from __future__ import annotations

import asyncio
import gc
import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from random import Random
from typing import Final

from arena.bench import again
from arena.bench.instant import archive, now
from arena.bench.measuring import answer_of, program, quantile, tell
from arena.core.errors import UsageError
from arena.core.registry import find_variant, load_game
from arena.hosting.temporary import owned_folder
from arena.match.local import Chooser, play_local
from arena.match.replay import Replay
from arena.match.result import MatchEnd, MatchResult, SeatEnd
from arena.match.setup import SeatLabel, Setup
from arena.match.verify import Status, verify_log
from arena.services import accounts, dispatch, matches, ratings, results, standings, submissions, tournaments
from arena.services.results import Recording, SeatOutput, SeatTimes
from arena.store import Store, migrate, open_store, sqlite_url
from arena.store.records import Account, Leg, Tournament
from arena.store.states import Format

MATCHES: Final = 10_000
BOTS: Final = 400
FEWEST_BOTS: Final = 4
SEATS: Final = (2, 3, 4, 5)
WORKERS: Final = (1, 2, 3)
_OF_WORKERS: Final = {
    "claim": "claim, a match's share",
    "record": "record",
    "asleep": "asleep, waiting for locks, the disk or a server",
}
LINES: Final = (50, 200, 1_000, 2_000)
"""Of a log; no game that people play comes to more than 600."""
_BOTS_OF_MATCHES: Final = 8
_LAST_BLOCKS: Final = 25
"""Blocks whose claims and records are timed, at the end of each size."""
_TIMES: Final = 9
_TURNS: Final = 50
_LOG_BYTES: Final = 15_000


@dataclass(frozen=True, slots=True)
class Growth:
    """One thing to be done, at several sizes. ms: CPU once, by size. of: what the sizes are."""

    what: str
    of: str
    sizes: tuple[int, ...]
    ms: tuple[float, ...]

    @property
    def exponent(self) -> float:
        """How the cost grows from the smallest size to the largest: 1 is linear."""
        return math.log(self.ms[-1] / self.ms[0]) / math.log(self.sizes[-1] / self.sizes[0])


def steps_to(largest: int, fewest: int = 1) -> tuple[int, ...]:
    """Return a hundredth, a tenth and the whole of a size, nothing below the fewest."""
    return tuple(sorted({max(fewest, largest // 100), max(fewest, largest // 10), largest}))


def grow_matches(sizes: Sequence[int]) -> list[Growth]:
    """Measure one arena of eight bots at so many matches, one size after the other."""
    with _arena() as (store, admin, _):
        names = _submit(store, admin, _BOTS_OF_MATCHES)
        a_deal = _BOTS_OF_MATCHES * (_BOTS_OF_MATCHES - 1)
        cup = _start(store, admin, names, deals=-(-sizes[-1] // a_deal))
        found: dict[str, list[float]] = {}
        done = 0
        for size in sizes:
            done += _play(store, size - done - 2 * _LAST_BLOCKS)
            begun = time.process_time()
            last = _play(store, max(2, size - done))
            found.setdefault("claim and record", []).append(1000 * (time.process_time() - begun) / last)
            done += last
            _look(store, cup, found)
    return _rows(found, "matches", sizes)


def grow_bots(sizes: Sequence[int]) -> list[Growth]:
    """Measure an arena for each number of bots, of which one has met all the others once."""
    found: dict[str, list[float]] = {}
    for size in sizes:
        with _arena() as (store, admin, _):
            names = _submit(store, admin, size)
            cup = _start(store, admin, names[1:], heads=names[:1], format=Format.GAUNTLET)
            _play(store, 2 * size - 2 * _LAST_BLOCKS)
            begun = time.process_time()
            last = _play(store, 2 * size)
            found.setdefault("claim and record", []).append(1000 * (time.process_time() - begun) / last)
            _look(store, cup, found)
    return _rows(found, "bots", sizes)


def grow_seats() -> list[Growth]:
    """Measure claims and records of matches with two to five seats."""
    costs: list[float] = []
    for seats in SEATS:
        with _arena() as (store, admin, _):
            names = _submit(store, admin, max(SEATS))
            _start(store, admin, names, game="frost-shelter", seats=seats, deals=4)
            _play(store, seats)  # the first one puts statements together
            begun = time.process_time()
            played = _play(store, 8 * seats)
            costs.append(1000 * (time.process_time() - begun) / played)
    return [Growth("claim and record", "seats", SEATS, tuple(costs))]


def grow_logs() -> list[Growth]:
    """Measure verifying, replaying and storing the beginnings of a log, and all of it."""
    with again.installed() as game, _arena() as (store, admin, _):
        whole = _random_log(game, "long", 2)[: LINES[-1]]

        def verified(lines: list[bytes]) -> None:
            if verify_log(lines).status is Status.BROKEN:
                raise RuntimeError("a log that was just written does not verify")

        names = _submit(store, admin, 2)
        _start(store, admin, names, deals=len(LINES) * _TIMES)
        work: dict[str, Callable[[list[bytes]], object]] = {
            "arena verify": verified,
            "opening a replay": Replay,
            "a replay's last position": lambda lines: Replay(lines).seek(len(lines) - 2),
            "claim and record two": lambda lines: _play(store, 2, log=b"".join(lines).decode()),
        }
        return [
            Growth(what, "lines of a log", LINES, tuple(_cost(partial(do, whole[:lines])) for lines in LINES))
            for what, do in work.items()
        ]


def grow_workers(deals: int, database: str | None = None) -> list[Growth]:
    """Measure claims and records of workers side by side, and for how long they wait for each other's locks.

    Each number of workers has a tournament to itself, one after the other in one arena. deals: of a tournament, of 56
    matches each. database: the URL of an empty one, None for a new SQLite file; the CPU of a server is not measured.
    Raises UsageError (NOT_EMPTY, BAD_DATABASE_URL), Unavailable.
    """
    found: dict[str, list[float]] = {}
    with _arena(database) as (store, admin, url):
        names = _submit(store, admin, _BOTS_OF_MATCHES)
        for workers in WORKERS:
            _start(store, admin, names, cup=f"cup-{workers}", deals=deals)
            told = asyncio.run(_side_by_side(url, workers))
            matches = sum(one["matches"] for one in told)
            for what in _OF_WORKERS:
                found.setdefault(what, []).append(sum(one[what] for one in told) / matches)
    return _rows({words: found[what] for what, words in _OF_WORKERS.items()}, "workers", WORKERS)


async def _side_by_side(url: str, workers: int) -> list[dict[str, float]]:
    """Let so many programs record all that is queued; return what each says of it."""
    async with AsyncExitStack() as stack:
        started = [await stack.enter_async_context(program("recorder.py", url, f"{n}")) for n in range(workers)]
        for each in started:
            await answer_of(each)
        for each in started:
            tell(each, "go")
        return [await answer_of(each) for each in started]


@contextmanager
def _arena(database: str | None = None) -> Iterator[tuple[Store, Account, str]]:
    gc.collect()  # what earlier arenas left would be collected while this one is measured
    with owned_folder("whiteout-bench-") as folder:
        url = database or f"{sqlite_url(folder)}?synchronous=normal"
        migrate(url)
        store = open_store(url)
        try:
            first = accounts.bootstrap(store, now())
            if first is None:
                raise UsageError("the database is in use already; give an empty one", reason="NOT_EMPTY")
            yield store, accounts.authenticate(store, first.secret, now()), url
        finally:
            store.close()


def _submit(store: Store, admin: Account, number: int) -> list[str]:
    names = [f"bot-{each}" for each in range(number)]
    for name in names:
        packed = archive(name)
        submissions.submit(store, admin, packed, sha256(packed).hexdigest(), now())
    return names


def _start(
    store: Store,
    admin: Account,
    names: Sequence[str],
    *,
    cup: str = "cup",
    heads: Sequence[str] = (),
    game: str = "first-snow",
    seats: int = 0,
    deals: int = 1,
    format: Format = Format.ROUND_ROBIN,  # noqa: A002 - as the use case has it
) -> Tournament:
    entered, heading = (tuple((name, 0) for name in some) for some in (names, heads))
    tournaments.create(
        store, admin, now(), name=cup, game=game, entrants=entered, heads=heading, format=format, seats=seats,
        deals=deals, clock="none",
    )  # fmt: skip
    return tournaments.start(store, admin, cup, now())


def _play(store: Store, at_least: int, log: str = "") -> int:
    """Claim and record blocks until so many matches are over or nothing is queued; return how many."""
    played = 0
    while played < at_least and (claim := dispatch.claim(store, "bench", now())) is not None:
        for leg in claim.legs:
            results.record(store, recording(claim.block_id, claim.attempt, leg, log), now())
            played += 1
    return played


def recording(block: int, attempt: int, leg: Leg, log: str = "") -> Recording:
    """Return a result by which the same bot always wins.

    log: what is stored behind the match's number; "" for one of the usual size that says nothing.
    """
    seats = len(leg.seats)
    order = sorted(range(seats), key=lambda seat: leg.seats[seat].version_id)
    ranks = tuple(order.index(seat) + 1 for seat in range(seats))
    result = MatchResult(MatchEnd.COMPLETED, (SeatEnd.PLAYED,) * seats, ranks, ranks, "points", 110)
    times = SeatTimes((1,) * _TURNS, (0,) * _TURNS)
    log = f"{leg.match_id}\n" + (log or Random(leg.match_id).randbytes(_LOG_BYTES // 2).hex())
    outputs = (SeatOutput(b"", truncated=False),) * seats
    return Recording(block, attempt, leg.match_id, result, log, outputs, (times,) * seats, (_TURNS,) * seats)


def _look(store: Store, cup: Tournament, found: dict[str, list[float]]) -> None:
    """Time what people look at."""
    last = matches.list_matches(store, tournament=cup.name).items[-1]
    work: dict[str, Callable[[], object]] = {
        "a leaderboard's first page": lambda: ratings.leaderboard(store, cup.pool_id),
        "a tournament's standings": lambda: standings.standings(store, cup.name),
        "a tournament's progress": lambda: tournaments.progress(store, cup.name),
        "a page of matches": lambda: matches.list_matches(store, tournament=cup.name),
        "one match": lambda: matches.get_match(store, last.id),
    }
    for what, do in work.items():
        found.setdefault(what, []).append(_cost(do))


def _cost(do: Callable[[], object]) -> float:
    """Return the milliseconds of CPU that something takes, the lower quartile of some tries."""
    spent: list[float] = []
    for _ in range(_TIMES):
        begun = time.process_time()
        do()
        spent.append(1000 * (time.process_time() - begun))
    return quantile(spent)


def _rows(found: dict[str, list[float]], of: str, sizes: Sequence[int]) -> list[Growth]:
    return [Growth(what, of, tuple(sizes), tuple(ms)) for what, ms in found.items()]


def _random_log(game: str, variant: str, seats: int) -> list[bytes]:
    """Return the lines of a match between seats that choose at random, the same ones every time."""
    stream = Random(seats)
    played = load_game(game)
    setup = Setup(
        game=game,
        variant=find_variant(played, variant).id,
        seats=tuple(SeatLabel(f"seat-{seat}", "1") for seat in range(seats)),
        seed=bytes(16),
    )
    choose: Chooser = lambda _match, decision: stream.randrange(len(decision.legal))  # noqa: E731 - one a seat
    return play_local(setup, [choose] * seats).log_text().encode().splitlines(keepends=True)
