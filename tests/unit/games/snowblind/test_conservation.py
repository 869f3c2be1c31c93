"""Nothing appears or vanishes but by the rules, at every state of random games."""

import pytest

from arena.games.snowblind.actions import Hunt, Perish, Revive, Spend, Supply, Trade
from arena.games.snowblind.state import BARRELS, CAMPS, CRATES, DICE, FOOD, HAND, LYING, RESEARCH
from arena.games.snowblind.state import FACTS as WIDTH

GAMES = [("quick", 2), ("quick", 4), ("epic", 3), ("solo", 1), ("solo-whiteout", 1)]


def men(state, seat):
    return sum(state.count(seat, slot) for slot in range(2 * LYING))


def crates(state):
    return sum(state.count(seat, CRATES) + 3 * state.count(seat, BARRELS) for seat in range(state.seats))


@pytest.mark.parametrize(("variant", "seats"), GAMES)
def test_dice_camps_food_and_research_are_conserved_at_every_state(playout, variant, seats):
    for seed in range(15):
        start = None
        for state in playout(variant, seats, seed):
            every = range(seats)
            dice = [sum(state.dice[die::DICE]) for die in range(DICE)]
            camps = [state.count(seat, CAMPS) + state.facts[seat * WIDTH + HAND] for seat in every]
            food = state.food + sum(state.count(seat, FOOD) for seat in every)
            research = state.research + sum(state.facts[RESEARCH::WIDTH])
            start = start or (dice, camps, food, research)
            assert (dice, camps, food, research) == start


@pytest.mark.parametrize(("variant", "seats"), GAMES)
def test_men_leave_only_by_perishing_and_crates_only_by_being_spent_or_traded(playout, variant, seats):
    for seed in range(15):
        before = None
        for state in playout(variant, seats, seed):
            now = (sum(men(state, seat) for seat in range(seats)), crates(state))
            if before is not None:
                _, _, last = state.record
                gone = isinstance(last, Spend | Revive) and last.supply is Supply.CRATE
                traded = isinstance(last, Trade) and last.trade
                assert now == (before[0] - isinstance(last, Perish), before[1] - (gone or traded)), last
                assert not isinstance(last, Hunt) or now == before
            before = now
