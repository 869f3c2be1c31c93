"""What holds in every state of every game."""

from copy import deepcopy

import pytest
from attributes import attributes_of
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.core import CHANCE, FastStream
from arena.core.errors import IllegalAction
from arena.games.frost_shelter import GAME
from arena.games.frost_shelter.actions import ACTIONS
from arena.games.frost_shelter.components import Cost, Price
from arena.games.frost_shelter.payment import affordable
from arena.games.frost_shelter.phases import Phase

NUMBERS = GAME.components(None, "")
SHARED = ("components", "event")
"""What all states have in common; it never changes."""


FEW_CARDS = st.sets(st.integers(0, 39), max_size=6).map(lambda cards: sum(1 << card for card in cards))
"""Colonies with which much cannot be paid."""


def places(state):
    return [*state.hands, *state.colonies, state.table, state.pool, state.spent, state.undealt()]


@given(seats=st.integers(2, 5), seed=st.integers(0, 2**32))
@settings(max_examples=25, deadline=None)
def test_every_card_is_in_exactly_one_place_at_every_state(seats, seed, walked):
    for state in walked(seats, seed):
        found = 0
        for cards in places(state):
            assert not found & cards
            found |= cards
        assert found == NUMBERS.deck
        laid = sum(1 << play.card for play in state.trick)
        taken = state.pool
        for colony in state.colonies:
            taken |= colony
        assert not laid & ~(state.table | taken), "a card of the trick is on the table, in a colony or in the pool"
        assert not state.table & ~laid, "nothing but the trick lies on the table"


@given(seats=st.integers(2, 5), seed=st.integers(0, 2**32))
@settings(max_examples=15, deadline=None)
def test_pieces_are_held_or_in_the_row_and_damage_falls_only_by_the_infirmary(seats, seed, walked):
    before = None
    for state in walked(seats, seed):
        for piece in range(3):
            assert 0 <= state.row(piece) <= NUMBERS.equipment[piece].pieces
        assert min(state.damage) >= 0
        if before is not None:
            phase, damage = before
            for old, new in zip(damage, state.damage, strict=True):
                # A healing ply may pass on to the next seat, whose damage then grows.
                assert new >= old or (phase is Phase.INFIRMARY and new == old - 1)
        before = state.phase, list(state.damage)


@given(seats=st.integers(2, 5), seed=st.integers(0, 2**32), stop=st.integers(0, 400))
@settings(max_examples=25, deadline=None)
def test_a_copy_lives_a_life_of_its_own(seats, seed, stop, walked):
    for ply, state in enumerate(walked(seats, seed)):
        if ply == stop and state.to_act is not None:
            twin = state.copy()
            before = {name: deepcopy(getattr(state, name)) for name in attributes_of(type(state)) if name not in SHARED}
            stream = FastStream(seed)
            while twin.to_act is not None:
                legal = twin.legal_actions()
                twin.apply(GAME.draw(twin, stream) if twin.to_act is CHANCE else legal[0])
            assert {name: getattr(state, name) for name in before} == before
            return


@given(seats=st.integers(2, 5), seed=st.integers(0, 2**32), number=st.integers(0, len(ACTIONS) - 1))
@settings(max_examples=25, deadline=None)
def test_an_action_that_is_not_legal_is_refused_and_changes_nothing(seats, seed, number, walked):
    action = ACTIONS.by_id(number)
    for ply, state in enumerate(walked(seats, seed)):
        if ply % 17 == seed % 17 and action not in state.legal_actions():
            before = {name: deepcopy(getattr(state, name)) for name in attributes_of(type(state)) if name not in SHARED}
            with pytest.raises(IllegalAction):
                state.apply(action)
            assert {name: getattr(state, name) for name in before} == before


def test_a_seat_is_never_asked_with_nothing_to_do(walked, seats):
    """A list with one action happens only where the rules leave one card to play, and then the match applies it."""
    for seed in range(6):
        for state in walked(seats, seed):
            if state.to_act not in (None, CHANCE) and len(state.legal_actions()) < 2:
                assert state.phase is Phase.PLAY


def test_seats_choose_among_20_actions_at_most(walked, seats):
    for seed in range(10):
        for state in walked(seats, seed):
            assert state.to_act in (None, CHANCE) or len(state.legal_actions()) <= 20


@given(
    colony=st.one_of(FEW_CARDS, st.integers(0, (1 << 40) - 1)),
    relic=st.integers(0, 3),
    cards=st.lists(st.sampled_from(list(Price)[:6]), min_size=1, max_size=6),
)
def test_a_cost_of_named_and_any_cards_is_affordable_if_and_only_if_some_cards_pay_it(colony, relic, cards):
    counts = [(colony >> 10 * kind & 1023).bit_count() for kind in range(4)]
    for price in cards:
        if price != Price.ANY:
            counts[relic if price == Price.RELIC else price] -= 1
    left = sum(counts)
    expected = min(counts) >= 0 and left >= cards.count(Price.ANY)
    assert affordable(colony, Cost.of(tuple(cards)), relic) == expected


@given(colony=st.one_of(FEW_CARDS, st.integers(0, (1 << 40) - 1)), number=st.integers(1, 4))
def test_same_and_different_cards_are_affordable_if_the_colony_has_them(colony, number):
    counts = [(colony >> 10 * kind & 1023).bit_count() for kind in range(4)]
    assert affordable(colony, Cost.of((Price.SAME,) * number), 0) == (max(counts) >= number)
    assert affordable(colony, Cost.of((Price.DIFFERENT,) * number), 0) == (sum(map(bool, counts)) >= number)
