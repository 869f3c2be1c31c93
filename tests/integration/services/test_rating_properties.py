"""Ratings whatever happens in whatever order: hypothesis claims, records, pauses, resumes, withdraws and cancels."""

from contextlib import suppress
from itertools import pairwise
from random import Random

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from playing import World, finished, unrated

from arena.core.errors import LeaseLost
from arena.ladder.rating import fold
from arena.match.result import MatchEnd, SeatEnd
from arena.services import matches, ratings, tournaments
from arena.store import open_store
from arena.store.states import MatchState, TournamentState

BOTS = ("ada", "bert", "cleo", "dora")
KINDS = st.sampled_from([(2, "race"), (3, "race"), (1, "solo")])
STEPS = st.lists(
    st.one_of(
        st.just(("claim", 0)),
        st.tuples(st.just("record"), st.integers(0, 99)),
        st.sampled_from([("pause", 0), ("resume", 0), ("withdraw", 0), ("cancel", 0)]),
    ),
    max_size=60,
)


def some_result(seats: int, chance: Random):
    """Any result: ordinary, tied, forfeited or unrated."""
    if seats == 1:
        return chance.choice([finished(1), finished(2), unrated(1, MatchEnd.ABORTED)])
    kind = chance.random()
    if kind < 0.15:
        return unrated(seats, chance.choice([MatchEnd.VOID, MatchEnd.ABORTED]))
    ranks = [
        1 + sum(other > mine for other in shown) for shown in [chance.choices(range(seats), k=seats)] for mine in shown
    ]
    if kind < 0.3:
        ends = tuple(SeatEnd.TIMEOUT if rank == max(ranks) else SeatEnd.PLAYED for rank in ranks)
        return finished(*ranks, end=MatchEnd.FORFEIT, seat_ends=ends)
    return finished(*ranks)


class Course:
    """A tournament that goes as the steps say, and then to its end."""

    def __init__(self, world: World, seats: int, variant: str, chance: Random) -> None:
        self.world, self.seats, self.chance = world, seats, chance
        self.world.started("cup", *BOTS, game="icefall", variant=variant, seats=seats)
        self.open = []

    def step(self, what: str, which: int) -> None:
        state = tournaments.get(self.world.store, "cup").state
        over = state in {TournamentState.FINISHED, TournamentState.CANCELLED}
        if what == "claim":
            claim = self.world.claim()
            self.open += [(claim, leg) for leg in claim.legs] if claim is not None else []
        elif what == "record" and self.open:
            claim, leg = self.open.pop(which % len(self.open))
            with suppress(LeaseLost):  # a cancelled tournament takes its blocks out of play
                self.world.record(claim, leg, some_result(self.seats, self.chance))
        elif over:
            return
        elif what == "pause":
            tournaments.pause(self.world.store, self.world.admin, "cup")
        elif what == "resume":
            tournaments.resume(self.world.store, self.world.admin, "cup", self.world.now)
        elif what == "withdraw" and not tournaments.entrants(self.world.store, "cup")[-1].withdrawn:
            tournaments.withdraw(self.world.store, self.world.admin, self.world.now, tournament="cup", bot=BOTS[-1])
        elif what == "cancel" and self.chance.random() < 0.3:
            tournaments.cancel(self.world.store, self.world.admin, "cup", self.world.now)

    def finish(self) -> None:
        self.step("resume", 0)
        while True:
            while self.open:
                self.step("record", self.chance.randrange(100))
            self.step("claim", 0)
            if not self.open:
                return


def expected(store) -> dict[int, tuple[float, float, int]]:
    """The ratings that follow from the results alone, in the order of rating_seq."""
    found = [match for match in matches.list_matches(store, page_size=1000).items if match.state is MatchState.FINAL]
    rated = sorted(
        (one for one in found if one.end in {MatchEnd.COMPLETED, MatchEnd.FORFEIT}), key=lambda one: one.rating_seq
    )
    folded = [([seat.version_id for seat in one.seats], [seat.rank for seat in one.seats]) for one in rated]
    sequential = fold(folded, ratings.get_pool(store, 1).draw_probability)
    counts = {version: sum(version in players for players, _ in folded) for version in sequential}
    return {version: (one.mu, one.sigma, counts[version]) for version, one in sequential.items()}


@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(kind=KINDS, steps=STEPS, seed=st.integers(0, 2**32))
def test_ratings_follow_from_the_results_whatever_happened_on_the_way(
    tmp_path_factory, sqlite_template, kind, steps, seed
):
    store = open_store(sqlite_template.new_url(tmp_path_factory.mktemp("course")))
    course = Course(World(store), *kind, Random(seed))
    for step in steps:
        course.step(*step)
    course.finish()
    rows = ratings.leaderboard(store, 1).items
    assert all(row.pending == 0 for row in rows)
    assert {row.version_id: (row.mu, row.sigma, row.matches) for row in rows if row.matches} == expected(store)
    for bot in BOTS:
        changes = ratings.history(store, bot, page_size=1000).items
        assert len({change.match_id for change in changes}) == len(changes)
        for newer, older in pairwise(changes):
            assert (newer.mu_before, newer.sigma_before) == (older.mu_after, older.sigma_after)
            assert newer.rating_seq > older.rating_seq
    store.close()
