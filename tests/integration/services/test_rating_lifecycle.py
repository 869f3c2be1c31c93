"""Ratings while tournaments are paused, resumed, cancelled, joined late and left: always the sequential fold's.

Whatever happens in whatever order, each rated match that is final is folded exactly once, and the ratings are, bit for
bit, those of a fold over the final matches in order of their rating numbers.
"""

from random import Random

import pytest
from playing import World, finished, unrated

from arena.core.errors import Conflict
from arena.ladder.rating import Rating, fold
from arena.ladder.standings import is_rated
from arena.match.result import MatchEnd
from arena.services import dispatch, ratings, tournaments
from arena.services.matches import list_matches
from arena.store import open_store
from arena.store.states import Format, MatchState, TournamentState

BOTS = ("ada", "bert", "cleo", "dora", "emil", "fips")
CUPS = ("one", "two", "three")


class Walk:
    """A random walk through everything that can happen to three tournaments of one pool."""

    def __init__(self, store, seed: int) -> None:
        self.world = World(store)
        self.chance = Random(seed)
        self.claims = []
        for bot in BOTS:
            self.world.submit(bot)
        for name, kind in zip(CUPS, (Format.ROUND_ROBIN, Format.ROUND_ROBIN, Format.LADDER), strict=True):
            entered = self.chance.sample(BOTS, 4)
            self.world.create(name, *entered, deals=3 if kind is Format.ROUND_ROBIN else 6, format=kind)
            tournaments.start(store, self.world.admin, name, self.world.now)

    def step(self) -> None:
        """Do one thing that can be done now."""
        deeds = (self.claim, self.claim, self.claim, self.record, self.record, self.record, self.record, self.hand_back,
                 self.pause, self.resume, self.resume, self.join, self.leave)  # fmt: skip
        self.world.wait(seconds=1)
        try:
            self.chance.choice(deeds)()
        except Conflict:  # such as pausing what is over
            return

    def claim(self) -> None:
        claim = self.world.claim()
        if claim is not None:
            self.claims.append((claim, list(claim.legs)))

    def record(self) -> None:
        if not self.claims:
            return
        claim, legs = self.chance.choice(self.claims)
        leg = legs.pop(0)
        self.world.record(claim, leg, self.result(leg.match_id))
        if not legs:
            self.claims.remove((claim, legs))

    def hand_back(self) -> None:
        if self.claims:
            claim, _ = self.claims.pop(self.chance.randrange(len(self.claims)))
            dispatch.release(self.world.store, claim.block_id, claim.attempt, self.world.now)

    def pause(self) -> None:
        tournaments.pause(self.world.store, self.world.admin, self.chance.choice(CUPS))

    def resume(self) -> None:
        tournaments.resume(self.world.store, self.world.admin, self.chance.choice(CUPS), self.world.now)

    def join(self) -> None:
        world = self.world
        tournaments.enter(
            world.store, world.admin, world.now, tournament=self.chance.choice(CUPS), bot=self.chance.choice(BOTS)
        )

    def leave(self) -> None:
        name, world = self.chance.choice(CUPS), self.world
        entered = [one.bot for one in tournaments.entrants(world.store, name) if not one.withdrawn]
        if len(entered) > 2:
            bot = self.chance.choice(entered)
            tournaments.withdraw(world.store, world.admin, world.now, tournament=name, bot=bot)

    def cancel(self, name: str) -> None:
        tournaments.cancel(self.world.store, self.world.admin, name, self.world.now)
        running = tournaments.get(self.world.store, name).name
        self.claims = [(claim, legs) for claim, legs in self.claims if claim.tournament != running]

    @staticmethod
    def result(match_id: int):
        kind = Random(match_id).random()
        if kind < 0.1:
            return unrated(2, MatchEnd.VOID)
        if kind < 0.25:
            return finished(1, 1)
        return finished(1, 2) if kind < 0.7 else finished(2, 1)

    def finals(self):
        """Every final match that has a rating number, in the order of these."""
        found = list_matches(self.world.store, state=MatchState.FINAL, page_size=1000).items
        return sorted((match for match in found if match.rating_seq is not None), key=lambda match: match.rating_seq)

    def check(self, *, settled: bool = False) -> None:
        """Compare the stored ratings with the fold over what has been folded, by the changes that are kept."""
        changes = [change for bot in BOTS for change in ratings.history(self.world.store, bot, page_size=1000).items]
        folded = {change.match_id for change in changes}
        rated = [match for match in self.finals() if is_rated(match.end)]
        assert folded <= {match.id for match in rated}
        assert len(changes) == 2 * len(folded)
        if settled:
            assert folded == {match.id for match in rated}
        draws = ratings.get_pool(self.world.store, 1).draw_probability
        counted = [match for match in rated if match.id in folded]
        expected = fold(
            (([seat.version_id for seat in match.seats], [seat.rank for seat in match.seats]) for match in counted),
            draws,
        )
        for row in ratings.leaderboard(self.world.store, 1).items:
            assert Rating(row.mu, row.sigma) == expected.get(row.version_id, Rating())
            assert not settled or row.pending == 0

    def finish(self) -> None:
        """Let everything that can be played be played."""
        while self.claims:
            self.hand_back()
        for name in CUPS:
            if tournaments.get(self.world.store, name).state is TournamentState.PAUSED:
                tournaments.resume(self.world.store, self.world.admin, name, self.world.now)
        while True:
            self.world.wait(seconds=1)
            self.claim()
            if not self.claims:
                return
            while self.claims:
                self.record()


def walk(store, seed: int, steps: int) -> Walk:
    found = Walk(store, seed)
    cancelled_at = {found.chance.randrange(steps // 2, steps): name for name in found.chance.sample(CUPS, 1)}
    for number in range(steps):
        found.step()
        if number in cancelled_at:
            try:
                found.cancel(cancelled_at[number])
            except Conflict:
                continue
        if number % 20 == 0:
            found.check()
    found.check()
    found.finish()
    found.check(settled=True)
    return found


@pytest.mark.parametrize("seed", range(6))
def test_whatever_happens_ratings_are_the_sequential_fold_of_what_is_final(tmp_path, sqlite_template, seed):
    store = open_store(sqlite_template.new_url(tmp_path))
    found = walk(store, seed, 90)
    assert len(found.finals()) > 10
    store.close()


@pytest.mark.parametrize("seed", [100])
def test_it_is_so_on_postgresql_bit_for_bit_as_on_sqlite(tmp_path, sqlite_template, postgres, seed):
    tables = []
    for url in (sqlite_template.new_url(tmp_path), postgres.new_url()):
        store = open_store(url)
        walk(store, seed, 80)
        tables.append([(row.bot, row.mu, row.sigma) for row in ratings.leaderboard(store, 1).items])
        store.close()
    assert tables[0] == tables[1]


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1000, 1150))
def test_many_long_walks_end_in_the_sequential_fold(tmp_path, sqlite_template, seed):
    store = open_store(sqlite_template.new_url(tmp_path))
    walk(store, seed, 400)
    store.close()
