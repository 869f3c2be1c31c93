"""Forming the landscape: taking and placing cards, camps, and the finish."""

import pytest

from arena.games.first_snow import landscape
from arena.games.first_snow.components import Half
from arena.games.first_snow.landscape import Camp
from arena.games.first_snow.phases import Phase


def test_bears_are_set_before_the_first_card_is_taken(do):
    from arena.games.first_snow import GAME

    state = do(GAME.new("standard", 2, GAME.components(None, "")), "first seat 1", "cool 1")
    assert (state.phase, state.to_act) == (Phase.BEAR, 0)
    do(state, "bear 3")
    assert (state.phase, state.to_act) == (Phase.BEAR, 1)
    do(state, "bear 3")
    assert (state.phase, state.to_act) == (Phase.TAKE, 1)


def test_the_first_card_starts_the_landscape_and_the_camp_takes_either_half(table, do, legal_texts):
    state = do(table(), "take 3")
    assert legal_texts(state) == ["place start, camp left", "place start, camp right"]
    assert do(state, "place start, camp left").row == (3,)


def test_later_cards_go_to_either_end(table, lay, do, legal_texts):
    """Rulebook example: card 3 lies, card 2 goes to its left or to its right."""
    state = do(lay(table(), "start 3 left"), "take 2")
    sides = {text.split(",")[0] for text in legal_texts(state)}
    assert sides == {"place left", "place right"}
    assert do(state.copy(), "place left, camp left").row == (2, 3)
    assert do(state.copy(), "place right, camp left").row == (3, 2)


def test_a_placed_card_cannot_be_taken_again(table, lay, legal_texts):
    state = lay(table(bears=(1, 1)), "start 3 left", "right 5 right")
    assert legal_texts(state) == ["take 2", "take 4", "take 6"]


def test_the_camp_is_not_placed_on_an_occupied_location(table, lay, do, legal_texts):
    """Rulebook example: the right half would complete a location where the other player camps already."""
    state = do(lay(table(), "start 3 left"), "take 2")
    assert legal_texts(state) == ["place left, camp left", "place right, camp left", "place right, camp right"]


def test_the_own_camp_blocks_a_location_too(table, lay, do, legal_texts):
    state = do(lay(table(order=(0, 0, 1, 1)), "start 3 right"), "take 2")
    assert "place right, camp left" not in legal_texts(state)


def test_the_outer_half_is_always_free(table, lay, do, legal_texts):
    state = lay(table(bears=(1, 1)), "start 3 left", "right 5 right", "left 2 left")
    assert legal_texts(do(state, "take 4")) == ["place left, camp left", "place right, camp right"]


def test_the_order_of_the_dice_is_followed_so_that_a_player_may_place_twice_running(table, lay):
    state = table(order=(0, 1, 1, 0))
    actors = [state.to_act]
    for text in ("start 3 left", "right 2 right", "right 4 right"):
        lay(state, text)
        actors.append(state.to_act)
    assert actors == [0, 1, 1, 0]


def test_the_first_camp_is_the_day_camp_whatever_its_number(table, lay):
    """Rulebook example: blue took card 5 first, so its second camp is the night camp."""
    state = lay(table(order=(0, 1, 1, 0)), "start 1 left", "right 5 right", "left 2 left", "left 3 left")
    assert [(stay.seat, stay.night, stay.left) for stay in state.plan] == [
        (0, False, 2),
        (0, True, 4),
        (1, False, 5),
        (1, True, 3),
    ]


def test_the_lower_leftover_card_goes_far_left_and_the_higher_far_right(table, lay):
    state = lay(table(bears=(6, 6)), "start 3 left", "right 4 right", "left 1 left", "left 2 left")
    assert state.row == (5, 2, 1, 3, 4, 6)


def test_a_finished_landscape_has_six_cards_and_four_camps_on_four_locations(playout):
    for seed in range(40):
        for state in playout(seed):
            if len(state.camps) == landscape.CAMPS:
                assert sorted(state.row) == [1, 2, 3, 4, 5, 6]
                spots = [state.row.index(camp.card) - (camp.half == Half.LEFT) for camp in state.camps]
                assert len(set(spots)) == 4
                assert all(0 <= spot < 5 for spot in spots)


def test_a_location_is_a_right_half_and_the_next_left_half():
    row = (5, 2, 1, 3, 4, 6)
    camps = (Camp(0, 2, Half.RIGHT), Camp(1, 3, Half.LEFT), Camp(1, 4, Half.RIGHT), Camp(0, 2, Half.LEFT))
    found = {(stay.left, stay.right) for stay in landscape.stays(row, camps, -1)}
    assert found == {(2, 1), (1, 3), (4, 6), (5, 2)}


def test_the_outermost_halves_form_no_location(playout):
    for seed in range(40):
        for state in playout(seed):
            pairs = list(zip(state.row, state.row[1:], strict=False))
            assert all((stay.left, stay.right) in pairs for stay in state.plan)


def test_each_seat_places_two_camps_a_round_on_cards_of_its_own(playout):
    for seed in range(40):
        for state in playout(seed):
            if len(state.camps) == landscape.CAMPS:
                assert sorted(camp.seat for camp in state.camps) == [0, 0, 1, 1]
                assert len({camp.card for camp in state.camps}) == 4


@pytest.mark.parametrize(("row", "whole"), [((1, 2, 3, 4), (5, 1, 2, 3, 4, 6)), ((6, 5, 4, 3), (1, 6, 5, 4, 3, 2))])
def test_the_finish_sorts_what_is_left(row, whole):
    assert landscape.finished(row) == whole
