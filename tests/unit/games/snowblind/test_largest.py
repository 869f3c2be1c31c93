"""The largest lists of legal actions and the largest views, as RULES.md states them."""

import re
from importlib.resources import files

import pytest

from arena.core import CHANCE, FastStream
from arena.games.snowblind import GAME

VARIANTS = {variant.id: variant.max_seats for variant in GAME.spec.variants}
ROW = re.compile(r"^\| ([a-z-]+) \| (\d+) \| (\d+) \| (\d+) \|$", re.MULTILINE)


def stated():
    """Return for each variant: playouts, most legal actions, most bytes of a view."""
    text = files("arena.games.snowblind").joinpath("RULES.md").read_text(encoding="utf-8")
    return {variant: tuple(map(int, numbers)) for variant, *numbers in ROW.findall(text)}


def measured(variant, playouts):
    """Measure random playouts with all seats: lists at every ply, views at every decision and at the end."""
    numbers, stream, seats = GAME.components(None, ""), FastStream(len(variant)), VARIANTS[variant]
    actions = size = 0
    for _ in range(playouts):
        state = GAME.new(variant, seats, numbers)
        while state.to_act is not None:
            legal = state.legal_actions()
            actions = max(actions, len(legal))
            if state.to_act is CHANCE:
                state.apply(GAME.draw(state, stream))
            else:
                size = max(size, GAME.view(state, state.to_act).ByteSize())
                state.apply(legal[stream.below(len(legal), "")])
        size = max(size, *(GAME.view(state, seat).ByteSize() for seat in (None, *range(seats))))
    return actions, size


@pytest.fixture(params=VARIANTS)
def variant(request):
    return request.param


def test_twenty_playouts_stay_within_what_is_stated(variant):
    assert all(now <= known for now, known in zip(measured(variant, 20), stated()[variant][1:], strict=True))


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_as_many_playouts_as_stated_find_what_is_stated(variant):
    """The playouts are the same on every machine, so the bounds are those numbers and no others."""
    playouts, *bounds = stated()[variant]
    assert measured(variant, playouts) == tuple(bounds)
