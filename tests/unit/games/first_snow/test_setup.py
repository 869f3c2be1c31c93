"""Setup: what chance decides, and what everybody begins with."""

from collections import Counter

import pytest

from arena.core import CHANCE, KeyedStream
from arena.core.errors import UnknownName, UsageError
from arena.games.first_snow import GAME
from arena.games.first_snow.phases import Phase


@pytest.fixture
def fresh():
    return GAME.new("standard", 2, GAME.components(None, ""))


def test_both_players_start_with_ten_points_and_nothing_to_carry(fresh, carried):
    assert fresh.scores == (10, 10)
    assert carried(fresh, 0) == carried(fresh, 1) == ("", "", "")


def test_all_cards_start_on_their_summer_side(fresh):
    assert fresh.winter == 0


@pytest.mark.parametrize(("drawn", "order"), [("first seat 0", (0, 1, 1, 0)), ("first seat 1", (1, 0, 0, 1))])
def test_chance_draws_who_is_first_and_the_order_is_a_b_b_a(fresh, do, drawn, order):
    assert fresh.to_act is CHANCE
    assert do(fresh, drawn).order == order


def test_one_random_card_is_flipped_to_winter_before_round_1(fresh, do, legal_texts):
    do(fresh, "first seat 0")
    assert (fresh.to_act, fresh.phase) == (CHANCE, Phase.COOL)
    assert legal_texts(fresh) == [f"cool {card}" for card in range(1, 7)]
    do(fresh, "cool 4")
    assert (fresh.winter, fresh.round) == (0b001000, 1)


def test_chance_is_even(fresh, do):
    assert GAME.weights(fresh) == (1, 1)
    do(fresh, "first seat 1")
    assert GAME.weights(fresh) == (1,) * 6
    drawn = Counter(GAME.draw(fresh, KeyedStream(bytes([seed] * 16))) for seed in range(255))
    assert len(drawn) == 6
    assert min(drawn.values()) > 20


def test_chance_labels_name_the_event_and_not_the_course_of_play(playout):
    class Listening:
        def __init__(self):
            self.labels = []

        def below(self, n, label):
            self.labels.append(label)
            return 0

    for seed in (1, 2):
        heard = Listening()
        for state in playout(seed):
            if state.to_act is CHANCE:
                GAME.draw(state, heard)
        assert heard.labels == ["setup/first-seat", "setup/cool", *(f"round {number}/cool" for number in range(1, 6))]


def test_an_unknown_variant_or_a_wrong_number_of_seats_is_refused():
    components = GAME.components(None, "")
    with pytest.raises(UnknownName, match="first-snow has no variant 'blitz'; it has: standard"):
        GAME.new("blitz", 2, components)
    with pytest.raises(UsageError, match="played by 2 bots, not 3"):
        GAME.new("standard", 3, components)
