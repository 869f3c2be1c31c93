"""How a tournament stands: its table, head-to-head, strengths, balance and think times; nothing of a closed deal."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from arena.ladder.balance import Balance, Share, balance
from arena.ladder.solo import Paired, paired
from arena.ladder.standings import HeadToHead, Played, Standing, head_to_head, is_rated, places, share_intervals
from arena.ladder.standings import standings as standings_of
from arena.ladder.stats import Estimate
from arena.ladder.strength import Result, Strength, strengths
from arena.services.lookup import find_tournament
from arena.services.packing import unpack_times
from arena.store import Store, Transaction, tournaments
from arena.store import statistics as repository
from arena.store.records import Entrant, MatchCounts, Tournament
from arena.store.solo import read_solo_games


@dataclass(frozen=True, slots=True)
class ThinkTimes:
    """Milliseconds that turns of an entrant took: the middle one, and the one that 95 % were shorter than."""

    p50_ms: int
    p95_ms: int


@dataclass(frozen=True, slots=True)
class Detail:
    """What costs more than a moment for many matches.

    share: interval of the points share, None without a rated match. strength: among all entrants. against: by version
    id of the opponent. think: None without an asked turn.
    """

    share: Estimate | None
    strength: Strength
    against: dict[int, HeadToHead]
    think: ThinkTimes | None


@dataclass(frozen=True, slots=True)
class EntrantStanding:
    """A line of the table: who, how it stands, and what the schedule gives it; detail only where it is asked for."""

    place: int
    entrant: Entrant
    standing: Standing
    planned: Share
    detail: Detail | None = None


@dataclass(frozen=True, slots=True)
class Standings:
    """The table of a tournament, best first, as of the final matches of the deals that are open now.

    closed: final matches of closed deals, not counted yet. paired: what every two entrants that play alone differ in on
    the same deals, in the order of the table.
    """

    tournament: Tournament
    counts: MatchCounts
    closed: int
    rows: tuple[EntrantStanding, ...]
    balance: Balance[int]
    paired: tuple[tuple[Entrant, Entrant, Paired], ...] = field(default=())


def standings(store: Store, tournament: str, *, detail: bool = False) -> Standings:
    """Return the table as of now; withdrawn entrants stay in it. Raises NotFound (NO_SUCH_TOURNAMENT)."""
    with store.read() as tx:
        found = find_tournament(tx, tournament)
        entered = {entrant.version_id: entrant for entrant in tournaments.list_entrants(tx, found.id)}
        played = list(repository.read_played(tx, found.id))
        table = standings_of(list(entered), played)
        order = places(table)
        even = balance(list(entered), found.seats, repository.read_planned(tx, found.id))
        details = _details(tx, found.id, list(entered), played) if detail else {}
        alone = read_solo_games(tx, found.id) if found.seats == 1 else ()
        pairs = paired([one for _, one in order], alone)
        return Standings(
            tournament=found,
            counts=tournaments.count_matches(tx, found.id),
            closed=repository.count_closed(tx, found.id),
            rows=tuple(
                EntrantStanding(place, entered[one], table[one], even.shares[one], details.get(one))
                for place, one in order
            ),
            balance=even,
            paired=tuple((entered[one], entered[other], pair) for (one, other), pair in pairs.items()),
        )


def _details(
    tx: Transaction, tournament_id: int, entered: Sequence[int], played: Sequence[Played[int]]
) -> dict[int, Detail]:
    shares = share_intervals(played)
    blocks, deals = _blocks(played)
    strong = strengths(entered, blocks, deals).of
    met = head_to_head(played)
    times = _think_times(repository.read_times(tx, tournament_id))
    return {
        one: Detail(
            share=shares.get(one),
            strength=strong[one],
            against={other: met[one, other] for other in entered if (one, other) in met},
            think=times.get(one),
        )
        for one in entered
    }


def _blocks(played: Iterable[Played[int]]) -> tuple[list[list[Result[int]]], list[int]]:
    """Return the rated matches block by block, and each block's deal."""
    blocks: dict[tuple[int, int], list[Result[int]]] = defaultdict(list)
    for match in played:
        if is_rated(match.end):
            blocks[match.block, match.deal].append(Result(match.players, match.ranks))
    return list(blocks.values()), [deal for _, deal in blocks]


def _think_times(stored: Iterable[tuple[int, bytes]]) -> dict[int, ThinkTimes]:
    took: dict[int, list[int]] = defaultdict(list)
    for version_id, content in stored:
        took[version_id] += unpack_times(content)[0]
    return {version_id: _quantiles(times) for version_id, times in took.items() if times}


def _quantiles(times: Sequence[int]) -> ThinkTimes:
    ordered = np.sort(np.array(times))
    p50, p95 = (int(ordered[min(len(ordered) - 1, len(ordered) * share // 100)]) for share in (50, 95))
    return ThinkTimes(p50, p95)
