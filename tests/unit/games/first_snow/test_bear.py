"""The polar bears: where they may be, whom they meet, what an attack does, and who knows of them."""

from arena.core import FastStream
from arena.games.first_snow import GAME
from arena.games.first_snow.phases import Phase


def hidden(state, viewer):
    return [bear.card for bear in GAME.view(state, viewer).bears]


def test_a_bear_is_a_number_from_1_to_6(table, legal_texts):
    state = table()
    state.phase, state.to_act, state.known_legal = Phase.BEAR, 0, None
    assert legal_texts(state) == [f"bear {card}" for card in range(1, 7)]


def test_nobody_takes_the_card_of_their_own_bear(table, legal_texts):
    assert legal_texts(table(bears=(2, 5))) == ["take 1", "take 3", "take 4", "take 5", "take 6"]


def test_two_equal_bears_are_allowed_and_attack_nobody(table, lay):
    state = lay(table(bears=(6, 6)), "start 3 left", "right 4 right", "left 1 left", "left 2 left")
    assert state.bears == (6, 6)
    assert state.attacked == -1


def test_a_camp_on_the_card_of_the_opponents_bear_meets_it_at_once(table, lay):
    state = lay(table(bears=(6, 3)), "start 3 left")
    assert GAME.view(state, None).attacked_card == 3
    assert GAME.view(state, None).events[-1].encounter.card == 3


def test_taking_the_bears_card_meets_nobody_before_the_camp_is_placed(table, do):
    state = do(table(bears=(6, 3)), "take 3")
    assert hidden(state, 0) == [6, 0]
    assert GAME.view(state, None).attacked_card == 0


def test_the_neighbouring_half_of_a_location_meets_no_bear(table, lay):
    # The outer camps reach over to the cards 3 and 6, where the bears roam; only the card under the die counts.
    texts = ("start 4 right", "left 2 right", "left 1 left", "right 5 right")
    state = lay(table(bears=(6, 3), order=(1, 0, 0, 1)), *texts)
    assert {(3, 1), (5, 6)} <= {(stay.left, stay.right) for stay in state.plan}
    assert state.attacked == -1


def test_a_camp_beside_the_bears_card_does_not_take_the_mark_over(table, lay):
    state = lay(table(bears=(6, 3), order=(0, 0, 1, 1)), "start 3 left", "right 2 left")
    assert GAME.view(state, None).attacked_card == 3


def test_a_later_encounter_takes_the_mark_over(table, lay):
    state = lay(table(bears=(5, 3)), "start 3 left")
    assert GAME.view(state, None).attacked_card == 3
    lay(state, "right 5 right")
    assert GAME.view(state, None).attacked_card == 5


def test_at_most_one_camp_is_attacked_in_a_round(table, lay):
    state = lay(table(bears=(5, 3)), "start 3 left", "right 5 right", "left 1 left", "left 2 left")
    assert GAME.view(state, None).attacked_card == 5
    assert [(stay.seat, stay.night) for stay in state.plan] == [(1, True), (0, False), (0, True)]


def test_the_attacked_camp_moves_to_the_other_one_which_is_a_night_camp_alone(table, lay):
    """Rulebook example: red met the bear, left that location and fled to its second camp."""
    state = lay(table(bears=(6, 3)), "start 3 left", "right 4 right", "left 1 left", "left 2 left")
    assert state.row == (5, 2, 1, 3, 4, 6)
    own = [stay for stay in state.plan if stay.seat == 0]
    assert [(stay.night, stay.left, stay.right) for stay in own] == [(True, 5, 2)]


def test_an_attack_at_night_makes_the_day_camp_the_night_camp(table, lay):
    state = lay(table(bears=(6, 2)), "start 3 left", "right 4 right", "left 1 left", "left 2 left")
    own = [stay for stay in state.plan if stay.seat == 0]
    assert [(stay.night, stay.left, stay.right) for stay in own] == [(True, 1, 3)]


def test_the_attacked_die_keeps_its_number_for_the_next_order(table, lay):
    # Without the die of the attacked camp on 3, or with the number of the refuge on 5, the order would be another one.
    state = lay(table(bears=(6, 3)), "start 3 left", "right 4 right", "left 2 left", "left 5 left")
    while state.phase is not Phase.COOL:
        state.apply(GAME.default_action(state))
    assert state.order == (1, 0, 1, 0)


def test_the_deserted_location_blocks_others_until_all_camps_stand(table, do, lay, legal_texts):
    state = do(lay(table(bears=(6, 3)), "start 3 left"), "take 4")
    assert "place left, camp right" not in legal_texts(state)


def test_a_bear_is_hidden_from_the_other_seat_and_the_public_until_it_meets_somebody(table, lay):
    state = table(bears=(6, 3))
    assert (hidden(state, 0), hidden(state, 1), hidden(state, None)) == ([6, 0], [0, 3], [0, 0])
    lay(state, "start 3 left")
    assert (hidden(state, 0), hidden(state, 1), hidden(state, None)) == ([6, 3], [0, 3], [0, 3])


def test_both_bears_are_shown_when_the_landscape_is_finished(table, lay):
    state = lay(table(bears=(6, 5)), "start 3 left", "right 4 right", "left 1 left", "left 2 left")
    for viewer in (0, 1, None):
        assert hidden(state, viewer) == [6, 5]


def test_bears_are_set_anew_every_round(playout):
    rounds = set()
    for state in playout(3):
        if state.phase is Phase.BEAR and state.to_act == 0:
            assert state.bears == (0, 0)
            rounds.add(state.round)
    assert rounds == {1, 2, 3, 4, 5, 6}


def test_whoever_sets_the_second_bear_learns_nothing_of_the_first(table):
    turns = set()
    for card in range(1, 7):
        state = table(bears=(card,))
        turn = GAME.turn(GAME.view(state, 1), state.legal_actions())
        turns.add(turn.SerializeToString(deterministic=True))
    assert len(turns) == 1


def test_samples_draw_a_hidden_bear_from_exactly_the_cards_it_can_be_on(table, lay, do):
    # Camps on 3 and 4 met nobody, and seat 1 has taken 1, which it could not if its bear were there.
    state = do(lay(table(bears=(6, 5)), "start 3 left", "right 4 right"), "take 1")
    stream = FastStream(1)
    drawn = {GAME.sample(GAME.view(state, 0), state.components, stream).bears for _ in range(200)}
    assert drawn == {(6, 2), (6, 5), (6, 6)}


def test_a_card_taken_by_the_other_seat_can_still_be_under_the_bear_before_its_camp_stands(table, do):
    state = do(table(bears=(6, 5)), "take 1")
    stream = FastStream(1)
    drawn = {GAME.sample(GAME.view(state, None), state.components, stream).bears for _ in range(900)}
    assert {bears[1] for bears in drawn} == {1, 2, 3, 4, 5, 6}
    assert {bears[0] for bears in drawn} == {2, 3, 4, 5, 6}


def test_what_is_implied_is_told_apart_from_what_is_hidden(table, lay):
    bear_0, bear_1 = GAME.secrets(2)
    state = table(bears=(6, 3))
    assert (bear_0.value(state), bear_1.value(state)) == (6, 3)
    assert bear_1.implied(state, 1)
    assert not bear_1.implied(state, 0)
    lay(state, "start 3 left")
    assert bear_1.implied(state, 0)
    assert bear_1.implied(state, None)
    assert not bear_0.implied(state, 1)
