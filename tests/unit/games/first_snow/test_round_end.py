"""The end of a round and of the game: order, cooling, the last points and the tie-break."""

import pytest

from arena.core import CHANCE
from arena.games.first_snow import GAME
from arena.games.first_snow.phases import Phase
from arena.games.first_snow.resolving import settle

ALL = (1, 2, 3, 4, 5, 6)


def finish(state):
    """Play on by default actions until chance or the end."""
    while state.to_act not in (CHANCE, None):
        state.apply(GAME.default_action(state))
    return state


def test_the_next_order_is_that_of_the_camp_dice_ascending(table, lay):
    state = finish(lay(table(bears=(6, 6)), "start 5 left", "right 2 right", "right 4 right", "left 1 left"))
    assert [camp.seat for camp in sorted(state.camps, key=lambda camp: camp.card)] == [0, 1, 1, 0]
    assert state.order == (0, 1, 1, 0)
    state = finish(lay(table(bears=(6, 6)), "start 1 left", "right 5 right", "right 4 right", "left 2 left"))
    assert state.order == (0, 0, 1, 1)


def test_the_player_with_the_lowest_die_resolves_both_camps_first(table, lay):
    state = lay(table(bears=(6, 6)), "start 5 left", "right 1 right", "right 4 right", "left 2 left")
    assert [(stay.seat, stay.night) for stay in state.plan] == [(1, False), (1, True), (0, False), (0, True)]


def test_what_one_seat_does_at_its_camps_leaves_the_other_seat_alone(playout):
    for seed in range(30):
        before = None
        for state in playout(seed):
            facts = [(state.pools[seat], state.good[seat], state.damaged[seat], state.scores[seat]) for seat in (0, 1)]
            # An actor's ply may lead on to the other seat's camp; up to there the other seat's facts stand still.
            if before is not None and before[0] == state.to_act and before[1] is state.plan and state.plan:
                other = 1 - state.to_act
                assert facts[other] == before[2][other]
            before = (state.to_act, state.plan, facts)


def test_one_of_the_remaining_summer_cards_is_flipped_at_random(table, lay, legal_texts):
    state = finish(
        lay(table(bears=(6, 6), winter=(2, 5)), "start 5 left", "right 1 right", "right 4 right", "left 2 left")
    )
    assert (state.to_act, state.phase) == (CHANCE, Phase.COOL)
    assert legal_texts(state) == ["cool 1", "cool 3", "cool 4", "cool 6"]


def test_a_single_summer_card_is_still_a_ply_of_chance(table, lay, legal_texts):
    texts = ("start 5 left", "right 1 right", "right 4 right", "left 2 left")
    state = finish(lay(table(bears=(6, 6), winter=(1, 2, 4, 5, 6)), *texts))
    assert legal_texts(state) == ["cool 3"]


def test_a_new_round_begins_with_all_cards_free_and_goods_kept(table, lay, do, carried):
    state = finish(lay(table(bears=(6, 6)), "start 5 left", "right 1 right", "right 4 right", "left 2 left"))
    before = (carried(state, 0), carried(state, 1), state.scores)
    do(state, "cool 3")
    assert (state.row, state.camps, state.round, state.phase) == ((), (), 2, Phase.BEAR)
    assert (carried(state, 0), carried(state, 1), state.scores) == before


def test_the_game_has_six_rounds(playout):
    for seed in range(20):
        rounds = [state.round for state in playout(seed)]
        assert rounds == sorted(rounds)
        assert rounds[-1] == 6


def test_the_game_ends_when_no_summer_card_is_left_to_flip(table, lay):
    texts = ("start 5 left", "right 1 right", "right 4 right", "left 2 left")
    state = finish(lay(table(bears=(6, 6), winter=ALL), *texts))
    assert (state.to_act, state.phase) == (None, Phase.OVER)
    assert state.legal_actions() == ()


def test_every_good_tool_is_a_point_at_the_end_and_a_damaged_one_none(stay, do):
    state = stay(6, 4, winter=ALL, carries="2 grass", good="net bow coat", damaged="spear")
    do(state, "repair net with grass", "repair bow with grass")
    assert state.phase is Phase.OVER
    assert state.scores == (10 + 2, 10)


@pytest.mark.parametrize(
    ("scores", "order", "ranks", "reason"),
    [
        ((30, 29), (1, 1, 0, 0), (1, 2), "points"),
        ((29, 30), (0, 1, 1, 0), (2, 1), "points"),
        ((30, 30), (0, 1, 1, 0), (1, 2), "lowest-camp"),
        ((30, 30), (1, 0, 0, 0), (2, 1), "lowest-camp"),
    ],
)
def test_more_points_win_and_the_lowest_camp_die_breaks_a_tie(scores, order, ranks, reason):
    outcome = settle(scores, order)
    assert (outcome.ranks, outcome.scores, outcome.reason) == (ranks, scores, reason)


def test_the_tie_break_looks_at_the_dice_of_the_last_round(table, lay):
    # Seat 0 goes first in this round, but the lowest camp of the round is that of seat 1.
    texts = ("start 5 left", "right 1 right", "right 4 right", "left 2 left")
    state = lay(table(bears=(6, 6), order=(0, 1, 1, 0), winter=ALL), *texts)
    ahead = finish(state.copy()).scores
    state.scores = (state.scores[0] + ahead[1], state.scores[1] + ahead[0])
    outcome = finish(state).outcome
    assert outcome.scores[0] == outcome.scores[1]
    assert (outcome.ranks, outcome.reason) == ((2, 1), "lowest-camp")


def test_there_is_never_a_draw(playout):
    for seed in range(60):
        *_, last = playout(seed)
        assert sorted(last.outcome.ranks) == [1, 2]
    assert not GAME.spec.variants[0].draws


@pytest.mark.parametrize(("before", "after"), [(16, 20), (18, 22), (27, 31), (98, 102)])
def test_points_go_on_beyond_the_nine_of_the_score_card(stay, do, before, after):
    """Rulebook example: the tenth point of a row moves the die up to 20."""
    state = stay(2, 3, winter=(3,), carries="3 fish")
    state.scores = (before, 20)
    assert do(state, "eat fish").scores == (after, 20)
