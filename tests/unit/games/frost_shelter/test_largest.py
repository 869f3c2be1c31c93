"""The largest lists of legal actions and the largest views, as RULES.md states them."""

import re
from importlib.resources import files

import pytest

from arena.core import CHANCE, FastStream
from arena.games.frost_shelter import GAME
from arena.games.frost_shelter.phases import between

LISTS = 200
VIEWS = 4096
ROW = re.compile(r"^\| ([2-5]) \| (\d+) \| (\d+) \| (\d+) \|$", re.MULTILINE)


def stated():
    """Return for each number of players: most actions of a seat, most events of chance, most bytes of a view."""
    text = files("arena.games.frost_shelter").joinpath("RULES.md").read_text(encoding="utf-8")
    return {int(seats): tuple(map(int, numbers)) for seats, *numbers in ROW.findall(text)}


def bound(state, seat):
    """Return a number of bytes that a view cannot have: 6 for a card, 20 for a happening, 320 for all the rest."""
    hand = state.hands[seat].bit_count()
    cards = sum(colony.bit_count() for colony in state.colonies) + 3 * len(state.trick)
    cards += hand + state.pool.bit_count() + state.spent.bit_count()
    return 320 + 6 * cards + 20 * len(between(state.head, state.since[seat]))


def measured(seats, playouts):
    """Measure random playouts: lists at every ply, the acting seat's view at every decision, all views at the end.

    A view that cannot be the largest is not made: making them is most of the work.
    """
    numbers, stream = GAME.components(None, ""), FastStream(seats)
    actions = events = size = 0
    for _ in range(playouts):
        state = GAME.new("standard", seats, numbers)
        while state.to_act is not None:
            legal = state.legal_actions()
            if state.to_act is CHANCE:
                events = max(events, len(legal))
                state.apply(GAME.draw(state, stream))
            else:
                actions = max(actions, len(legal))
                if bound(state, state.to_act) > size:
                    size = max(size, GAME.view(state, state.to_act).ByteSize())
                state.apply(legal[stream.below(len(legal), "")])
        size = max(size, *(GAME.view(state, seat).ByteSize() for seat in (None, *range(seats))))
    return actions, events, size


def test_no_view_reaches_the_bound_by_which_views_are_left_out(seats, walked):
    for state in walked(seats, 3):
        if state.to_act is not CHANCE and state.to_act is not None:
            assert GAME.view(state, state.to_act).ByteSize() < bound(state, state.to_act)


def test_the_stated_numbers_are_within_the_bounds(seats):
    actions, events, size = stated()[seats]
    assert max(actions, events) < LISTS
    assert size <= VIEWS


def test_a_hundred_playouts_stay_within_what_is_stated(seats):
    assert all(now <= known for now, known in zip(measured(seats, 100), stated()[seats], strict=True))


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_ten_thousand_playouts_give_what_is_stated(seats):
    *lists, size = measured(seats, 10_000)
    *known, largest = stated()[seats]
    assert lists == known
    # Another version of Python may draw other playouts.
    assert 0.9 * largest < size <= largest
