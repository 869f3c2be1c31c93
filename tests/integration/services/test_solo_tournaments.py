"""A tournament of solo play: the same deals for everybody, paired differences, and a house that does not move."""

from dataclasses import replace

import pytest
from playing import finished

from arena.ladder.rating import HOUSE, Rating, update
from arena.match.result import MatchEnd, SeatEnd
from arena.services import ratings, tournaments


def solo(leg, *, won, score):
    return replace(finished(1 if won else 2), scores=(score,))


class Deals:
    """Numbers the deals of a tournament by their seeds, from 1, as the blocks come: deal after deal."""

    def __init__(self):
        self.seeds = []

    def number(self, leg):
        if leg.seed not in self.seeds:
            self.seeds.append(leg.seed)
        return self.seeds.index(leg.seed) + 1


@pytest.fixture
def ada_wins():
    """Ada wins all deals with 20, bert those from the second on with 15."""
    deals = Deals()

    def decide(leg):
        ada = leg.seats[0].bot == "ada"
        return solo(leg, won=ada or deals.number(leg) > 1, score=20 if ada else 15)

    return decide


def test_every_bot_plays_the_same_deals(world):
    world.started("alone", "ada", "bert", game="icefall", variant="solo", deals=3)
    seeds = {}
    for claim in world.claim_all():
        for leg in claim.legs:
            seeds.setdefault(leg.seats[0].bot, []).append(leg.seed)
            world.record(claim, leg, solo(leg, won=True, score=1))
    assert sorted(seeds["ada"]) == sorted(seeds["bert"])
    assert len(set(seeds["ada"])) == 3


def test_standings_of_solo_play_show_paired_differences(world, ada_wins):
    world.started("alone", "ada", "bert", game="icefall", variant="solo", deals=4)
    world.play_all(ada_wins)
    ((one, other, pair),) = tournaments.standings(world.store, "alone").paired
    assert (one.bot, other.bot, pair.deals, pair.left_out) == ("ada", "bert", 4, 0)
    assert pair.won.mean == pytest.approx(0.25)
    assert pair.score.mean == 5


def test_a_forfeited_deal_is_left_out_of_the_differences(world, ada_wins):
    world.started("alone", "ada", "bert", game="icefall", variant="solo", deals=2)
    deals = Deals()

    def decide(leg):
        if deals.number(leg) == 2 and leg.seats[0].bot == "bert":
            return finished(2, end=MatchEnd.FORFEIT, seat_ends=(SeatEnd.CRASHED,))
        return ada_wins(leg)

    world.play_all(decide)
    ((_, _, pair),) = tournaments.standings(world.store, "alone").paired
    assert (pair.deals, pair.left_out) == (1, 1)


def test_a_tournament_of_several_seats_has_no_paired_differences(world):
    world.started("cup", "ada", "bert")
    world.play_all()
    assert tournaments.standings(world.store, "cup").paired == ()


def test_solo_play_is_rated_against_a_house_that_does_not_move(world):
    made = world.started("alone", "ada", "bert", game="icefall", variant="solo", deals=3)
    world.play_all(lambda leg: solo(leg, won=leg.seats[0].bot == "ada", score=0))
    found = {row.bot: row.mu for row in ratings.leaderboard(world.store, made.pool_id).items}
    for bot, rank in (("ada", 1), ("bert", 2)):
        alone = Rating()
        for _ in range(3):
            (alone,) = update([alone], [rank], 0.0)
        # What the other bot did to the house has changed nothing for this one.
        assert found[bot] == pytest.approx(alone.mu)
    assert (HOUSE.mu, HOUSE.sigma < 0.01) == (25, True)
