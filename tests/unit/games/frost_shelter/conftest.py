"""Positions of Frost Shelter, set up by hand or reached by playing."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from arena.core import CHANCE, FastStream
from arena.games.frost_shelter import GAME
from arena.games.frost_shelter.actions import ACTIONS, SEATS, Piece, Resource, card_of
from arena.games.frost_shelter.phases import Phase, between
from arena.games.frost_shelter.rules import State

TEXT = ["fuel", "water", "food", "tools"]


class Table:
    """Sets up states and plays on in the notation of logs."""

    def __init__(self) -> None:
        self.numbers = GAME.components(None, "")

    def cards(self, text: str) -> int:
        """Read a set of cards such as "fuel 1 7, tools 3"."""
        found = 0
        for part in filter(None, text.split(",")):
            name, *values = part.split()
            for value in values:
                found |= 1 << card_of(Resource(TEXT.index(name)), int(value))
        return found

    def state(
        self,
        seats: int,
        *,
        event: str = "Blizzard",
        relic: str = "tools",
        leader: int = 0,
        number: int = 1,
        hands: list[str] | None = None,
        colonies: list[str] | None = None,
        damage: list[int] | None = None,
        pool: str = "",
        kit: dict[int, list[Piece]] | None = None,
        expeditions: list[int] | None = None,
        components: object = None,
    ) -> State:
        """Return a state at the start of a trick; enter another phase from there."""
        state = State(seats, components or self.numbers)
        names = [card.name for card in state.components.events]
        place = names.index(event)
        others = [other for other in range(len(names)) if other != place]
        state.revealed = (*others[: number - 1], place)
        state.event = state.components.events[place]
        state.relic = TEXT.index(relic)
        spare = [other for other in range(4) if other != state.relic]
        state.relics = (*spare[: number - 1], state.relic)
        state.leader = leader
        state.hands = [self.cards(text) for text in hands or [""] * seats]
        state.colonies = [self.cards(text) for text in colonies or [""] * seats]
        state.damage = list(damage or [0] * seats)
        state.pool = self.cards(pool)
        for seat, pieces in (kit or {}).items():
            for piece in pieces:
                state.kit[3 * seat + piece] += 1
        for seat in expeditions or []:
            state.expeditions |= 1 << seat
        state.enter(Phase.PLAY)
        return state

    def resolution(self, seats: int, **given: object) -> State:
        """Return a state with empty hands where the Event is being resolved."""
        state = self.state(seats, **given)
        state.enter(Phase.CHEST)
        return state

    def harpoons(self, seats: int, **given: object) -> State:
        """Return a state before the first trick where Harpoons are asked for."""
        state = self.state(seats, **given)
        state.enter(Phase.HARPOON)
        return state

    def legal(self, state: State) -> list[str]:
        """Return the legal actions in notation."""
        return [ACTIONS.text_of(action) for action in state.legal_actions()]

    def do(self, state: State, *texts: str) -> State:
        """Apply actions given in notation."""
        for text in texts:
            state.apply(ACTIONS.parse(text))
        return state

    def told(self, state: State) -> list[tuple[str, int, object]]:
        """Return all that happened: kind, seat, and the action in notation or the number."""
        return [
            (what.value, seat, detail if isinstance(detail, int) else ACTIONS.text_of(detail))
            for what, seat, detail in between(state.head, None)
        ]

    def deal(self, state: State, seed: int = 1) -> State:
        """Let chance act until a seat is asked."""
        stream = FastStream(seed)
        while state.to_act is CHANCE:
            state.apply(GAME.draw(state, stream))
        return state


def walk(seats: int, seed: int, choose: Callable[[State], object] | None = None) -> Iterator[State]:
    """Play one game and yield the state before every ply and at the end; it is one object, changed in place."""
    stream = FastStream(seed)
    state = GAME.new("standard", seats, GAME.components(None, ""))
    while state.to_act is not None:
        yield state
        if state.to_act is CHANCE:
            state.apply(GAME.draw(state, stream))
        else:
            legal = state.legal_actions()
            state.apply(choose(state) if choose else legal[stream.below(len(legal), "")])
    yield state


@pytest.fixture(scope="session")
def table() -> Table:
    return Table()


@pytest.fixture(scope="session")
def walked() -> Callable[..., Iterator[State]]:
    return walk


@pytest.fixture(params=[2, 3, 4, 5])
def seats(request: pytest.FixtureRequest) -> int:
    return int(request.param)


@pytest.fixture(scope="session")
def all_seats() -> tuple[int, ...]:
    return tuple(map(int, SEATS))
