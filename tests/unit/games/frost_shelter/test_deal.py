"""Setup, reveals, dealing and naming the Leader."""

from collections import Counter

import pytest

from arena.core import CHANCE, KeyedStream
from arena.games.frost_shelter import GAME
from arena.games.frost_shelter.actions import ACTIONS
from arena.games.frost_shelter.chance import label
from arena.games.frost_shelter.phases import Phase
from arena.games.frost_shelter.reading import own_text


def new(seats):
    return GAME.new("standard", seats, GAME.components(None, ""))


def test_the_first_leader_is_drawn_evenly(seats, table):
    state = new(seats)
    assert table.legal(state) == [f"leader {seat}" for seat in range(seats)]
    assert list(GAME.weights(state)) == [1] * seats


def test_everybody_starts_without_damage(seats):
    assert new(seats).damage == [0] * seats


def test_each_seat_is_dealt_one_tarp_or_chest_and_the_rest_lies_in_the_row(seats, table):
    state = table.do(new(seats), "leader 0")
    for seat in range(seats):
        assert table.legal(state) == ["equip tarp", "equip chest"]
        table.do(state, "equip chest")
        assert state.kit[3 * seat : 3 * seat + 3] == [0, 1, 0]
    assert [state.row(piece) for piece in range(3)] == [5, 5 - seats, 3]


def test_equipment_is_drawn_by_the_pieces_that_are_left(table):
    state = table.do(new(3), "leader 0", "equip tarp", "equip tarp")
    assert list(GAME.weights(state)) == [3, 5]


def test_a_piece_of_which_none_is_left_is_not_dealt(table):
    numbers = GAME.components(own_text().replace("tarp = { pieces = 5", "tarp = { pieces = 0"), "mine.toml")
    state = table.do(GAME.new("standard", 2, numbers), "leader 0")
    assert table.legal(state) == ["equip chest"]


@pytest.mark.parametrize(("seats", "hand"), [(2, 10), (3, 9), (4, 8), (5, 7)])
def test_hands_have_10_9_8_7_cards_for_2_3_4_5_players(seats, hand, table):
    state = table.deal(new(seats))
    assert [cards.bit_count() for cards in state.hands] == [hand] * seats


def test_an_event_card_and_a_relic_card_are_revealed_for_each_event(walked, seats):
    for seed in range(4):
        *_, last = walked(seats, seed)
        assert len(set(last.revealed)) == 3
        assert len(set(last.relics)) == 3


def test_a_relic_drawn_before_cannot_come_again(table, walked):
    second = next(s for s in walked(2, 1) if s.phase is Phase.RELIC and len(s.revealed) == 2)
    legal = table.legal(second)
    assert len(legal) == 3
    assert ACTIONS.texts[24 + second.relics[0]] not in legal


@pytest.mark.parametrize(("phase", "number"), [(Phase.EVENT, 8), (Phase.RELIC, 4)])
def test_coming_events_and_relics_are_drawn_when_they_are_revealed_and_stand_nowhere_before(phase, number, walked):
    for state in walked(3, 1):
        if state.phase is phase:
            drawn = {GAME.draw(state.copy(), KeyedStream(seed.to_bytes(16, "big"))) for seed in range(200)}
            assert drawn == set(state.legal_actions())
            assert len(drawn) == number
            number -= 1


def test_relics_are_drawn_by_the_cards_that_are_left(table):
    numbers = GAME.components(own_text().replace("fuel = 1\nwater = 1", "fuel = 3\nwater = 2"), "mine.toml")
    state = table.do(GAME.new("standard", 2, numbers), "leader 0", "equip tarp", "equip tarp", "event 0")
    assert list(GAME.weights(state)) == [3, 2, 1, 1]
    table.do(state, "relic fuel")
    state.enter(Phase.EVENT)
    table.do(state, "event 1")
    assert list(GAME.weights(state)) == [2, 2, 1, 1]


def test_the_whole_deck_is_dealt_anew_for_each_event(walked):
    for state in walked(5, 3):
        if state.phase is Phase.DEAL and state.pos == 0:
            assert len(state.legal_actions()) == 40


def test_reveal_deal_leader_harpoons_tricks_resolution_purchases_is_the_order_of_an_event(walked, seats):
    order = [
        *(Phase.EVENT, Phase.RELIC, Phase.DEAL, Phase.LEADER, Phase.HARPOON, Phase.PLAY),
        *(Phase.CHEST, Phase.PURCHASE),
    ]
    for seed in range(6):
        passed = [(len(s.revealed) + (s.phase is Phase.EVENT), s.phase) for s in walked(seats, seed)]
        main = [(event, order.index(phase)) for event, phase in passed if phase in order]
        assert main == sorted(main)


def test_in_the_first_event_nobody_is_asked_for_the_leader(walked, seats):
    assert not [s for s in walked(seats, 2) if s.phase is Phase.LEADER and len(s.revealed) == 1]


def named_by(table, damage, leader):
    state = table.state(len(damage), damage=damage, leader=leader, number=2)
    state.enter(Phase.LEADER)
    return state


def test_the_most_damaged_names_any_leader(table):
    state = named_by(table, [3, 9, 4], 0)
    assert state.to_act == 1
    assert table.legal(state) == ["leader 0", "leader 1", "leader 2"]
    table.do(state, "leader 2")
    assert state.leader == 2


@pytest.mark.parametrize(("leader", "chooser"), [(0, 1), (1, 2), (2, 3), (3, 0)])
def test_of_the_tied_the_first_clockwise_after_the_last_leader_names_the_leader(leader, chooser, table):
    assert named_by(table, [5, 5, 5, 5], leader).to_act == chooser


def test_the_last_leader_comes_last_among_the_tied(table):
    assert named_by(table, [7, 2, 7], 0).to_act == 2
    assert named_by(table, [7, 2, 2], 0).to_act == 0


def test_labels_name_the_card_and_not_the_course_of_play(walked):
    labels = [[label(s) for s in walked(3, seed) if s.to_act is CHANCE] for seed in (1, 2)]
    assert labels[0] == labels[1]
    assert len(set(labels[0])) == len(labels[0])
    assert labels[0][:5] == ["first leader", "equipment/seat 0", "equipment/seat 1", "equipment/seat 2", "event 1"]
    assert labels[0][5:7] == ["event 1/relic", "event 1/seat 0/card 1"]


def test_equal_seeds_give_equal_events_relics_and_hands_whatever_is_played(walked):
    drawn = []
    for seed in (1, 2):
        # The walk's own stream makes the plays; what matters is drawn again from one seed.
        stream = KeyedStream(bytes(16))
        state, found = new(3), []
        for step in range(2000):
            if state.to_act is None:
                break
            if state.to_act is CHANCE:
                action = GAME.draw(state, stream)
                found.append(action)
            else:
                legal = state.legal_actions()
                action = legal[(step * seed) % len(legal)]
            state.apply(action)
        drawn.append(found)
    assert drawn[0] == drawn[1]


def test_deals_are_uniform():
    """Every card is equally likely in every place of the deal: chi-square over a thousand seeds."""
    places = (0, 7, 20, 34)
    seen = {place: Counter() for place in places}
    rounds = 1000
    for seed in range(rounds):
        stream = KeyedStream(seed.to_bytes(16, "big"))
        state = new(5)
        while state.to_act is CHANCE:
            action = GAME.draw(state, stream)
            if state.phase is Phase.DEAL and state.pos in places:
                seen[state.pos][action] += 1
            state.apply(action)
    for place in places:
        assert len(seen[place]) == 40
        chi = sum((count - rounds / 40) ** 2 / (rounds / 40) for count in seen[place].values())
        # 39 degrees of freedom: mean 39, deviation 8.8; five deviations never happen by chance.
        assert chi < 39 + 5 * 8.84


def test_two_cards_of_a_hand_are_no_likelier_together_than_others():
    pairs = Counter()
    rounds = 2000
    for seed in range(rounds):
        stream = KeyedStream((seed + 9000).to_bytes(16, "big"))
        state = new(5)
        while state.to_act is CHANCE and not (state.phase is Phase.DEAL and state.pos == 7):
            state.apply(GAME.draw(state, stream))
        hand = state.hands[0]
        pairs["neighbours"] += (hand & hand >> 1).bit_count()
        pairs["resource"] += sum((hand >> 10 * kind & 1023).bit_count() ** 2 for kind in range(4))
    # A hand of 7 of 40: 39 neighbouring pairs, each whole with odds 7/40 x 6/39; 4 x E[k^2], k hypergeometric.
    assert abs(pairs["neighbours"] / rounds - 39 * (7 / 40) * (6 / 39)) < 0.1
    assert abs(pairs["resource"] / rounds - 4 * (1.75**2 + 7 * 0.25 * 0.75 * 33 / 39)) < 0.3
