"""Positions of First Snow for the tests: a table where cards are laid, and single camps to resolve."""

import pytest

from arena.core import CHANCE, FastStream
from arena.games.first_snow import GAME, FirstSnowState
from arena.games.first_snow.actions import Place, SetBear, Side, TakeCard
from arena.games.first_snow.camp import pool_of
from arena.games.first_snow.components import Half, Resource, Tool
from arena.games.first_snow.landscape import Camp, Stay
from arena.games.first_snow.phases import Phase
from arena.games.first_snow.resolving import arrive


def pool(text):
    """Return the pool for a text such as "2 fish, 1 wood"."""
    counts = {}
    for item in filter(None, text.split(", ")):
        number, name = item.split()
        counts[Resource[name.upper()]] = int(number)
    return pool_of(counts)


def tools(text):
    """Return the set of tools for a text such as "net bow"."""
    return sum(1 << Tool[name.upper()] for name in text.split())


def cards(*numbers):
    """Return the set of these cards."""
    return sum(1 << (number - 1) for number in numbers)


def blank(winter, carries, good, damaged):
    state = FirstSnowState(GAME.components(None, ""))
    state.winter = cards(*winter)
    state.order = (0, 1, 1, 0)
    state.pools = tuple(pool(text) for text in carries)
    state.good = tuple(tools(text) for text in good)
    state.damaged = tuple(tools(text) for text in damaged)
    return state


@pytest.fixture
def table():
    """Return a function that makes a state in which the bears are set and the first card is to be taken."""

    def make(*, bears=(6, 6), order=(0, 1, 1, 0), winter=(1,), carries=("", ""), good=("", ""), damaged=("", "")):
        state = blank(winter, carries, good, damaged)
        state.order = tuple(order)
        state.phase = Phase.BEAR
        state.to_act = 0
        for card in bears:
            state.apply(SetBear(card))
        return state

    return make


@pytest.fixture
def lay():
    """Return a function that takes cards and places them, each told like "start 3 right" or "left 2 left"."""

    def make(state, *texts):
        for text in texts:
            side, card, half = text.split()
            state.apply(TakeCard(int(card)))
            state.apply(Place(Side(side), Half[half.upper()]))
        return state

    return make


@pytest.fixture
def stay():
    """Return a function that makes a state in which seat 0 has just arrived at a camp between two cards.

    Nobody else has a camp to resolve, so the round closes when the camp is done.
    """

    def make(left, right, *, night=True, then=None, winter=(1,), carries="", good="", damaged=""):
        state = blank(winter, (carries, ""), (good, ""), (damaged, ""))
        first, second, *others = [card for card in (5, 4, 3, 2, 6, 1) if card not in (left, right)]
        state.row = (first, second, left, right, *others)
        state.bears = (6, 6)
        state.camps = tuple(Camp(seat, card, Half.LEFT) for seat, card in ((0, 2), (1, 3), (1, 4), (0, 5)))
        state.plan = (Stay(0, night, left, right), *([Stay(0, True, *then)] if then else []))
        arrive(state)
        return state

    return make


@pytest.fixture
def playout():
    """Return a function that yields every state of one random game, the last included."""

    def walk(seed, game=GAME, components=None):
        stream = FastStream(seed)
        state = game.new("standard", 2, components or game.components(None, ""))
        yield state
        while state.to_act is not None:
            legal = state.legal_actions()
            action = game.draw(state, stream) if state.to_act is CHANCE else legal[stream.below(len(legal), "")]
            state.apply(action)
            yield state

    return walk


@pytest.fixture
def legal_texts():
    """Return a function that gives the notation of all legal actions."""
    return lambda state: [GAME.actions.text_of(action) for action in state.legal_actions()]


@pytest.fixture
def do():
    """Return a function that applies actions told in notation."""

    def make(state, *texts):
        for text in texts:
            state.apply(GAME.actions.parse(text))
        return state

    return make


@pytest.fixture
def carried():
    """Return a function that shows what a seat carries: resources, good tools, damaged tools."""

    def show(state, seat=0):
        def names(bits):
            return " ".join(tool.name.lower() for tool in Tool if bits >> tool & 1)

        counts = [(state.pools[seat] >> 8 * kind & 0xFF, kind.name.lower()) for kind in Resource]
        resources = ", ".join(f"{number} {name}" for number, name in counts if number)
        return resources, names(state.good[seat]), names(state.damaged[seat])

    return show


@pytest.fixture
def pool_of_text():
    """Return a function that reads a pool such as "2 fish, 1 wood"."""
    return pool
