"""Every registered game, variant and number of seats as test cases, and seeded walks through each of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import pytest

from arena.core import CHANCE, AnyGame, FastStream, KeyedStream, Seat, Variant
from arena.core.registry import game_ids, load_game

MAX_PLIES = 20_000
WALKS = 3


@dataclass(frozen=True)
class Position:
    """A state met on a walk; where says in a failing message how to get there again."""

    ply: int
    state: Any
    where: str


@dataclass(frozen=True)
class Case:
    """One way to play one game: variant and number of seats."""

    game: AnyGame
    variant: Variant
    seats: int

    def __str__(self) -> str:
        return f"{self.game.spec.id} {self.variant.id}, {self.seats} seats"

    @cached_property
    def components(self) -> Any:
        """The game's own component numbers."""
        return self.game.components(None, "")

    @property
    def viewers(self) -> list[Seat | None]:
        """Every seat, and None for the public."""
        return [None, *(Seat(seat) for seat in range(self.seats))]

    def new(self) -> Any:
        """Return the state before anything is drawn."""
        return self.game.new(self.variant.id, self.seats, self.components)

    def fingerprint(self, state: Any) -> tuple[object, ...]:
        """Return everything that can be seen of a state, to tell whether it has changed."""
        views = tuple(serialised(self.game.view(state, viewer)) for viewer in self.viewers)
        return (*views, state.to_act, state.outcome, tuple(state.legal_actions()))

    def walk(self, seed: int) -> list[Any]:
        """Return the actions of one playout: keyed chance as in a match, every decision at random."""
        return _walk(self, seed)

    def positions(self, seed: int, *, at_most: int = MAX_PLIES) -> Iterator[Position]:
        """Walk again and stop at up to so many states, spread evenly, the first and the last among them.

        A stop is a state of its own: what is done to it does not disturb the walk.
        """
        actions = self.walk(seed)
        stride = max(1, -(-len(actions) // max(1, at_most - 1)))
        state = self.new()
        for ply, action in enumerate([*actions, None]):
            # The offset varies which plies are met from seed to seed.
            if ply in (0, len(actions)) or (ply + seed) % stride == 0:
                yield Position(ply, state.copy(), f"{self}, seed {seed}, ply {ply}")
            if action is not None:
                state.apply(action)

    def all_positions(self, *, walks: int = WALKS, at_most: int = MAX_PLIES) -> Iterator[Position]:
        """Positions of several walks in a row."""
        for seed in range(1, walks + 1):
            yield from self.positions(seed, at_most=at_most)


@cache
def _walk(case: Case, seed: int) -> list[Any]:
    chance = KeyedStream(seed.to_bytes(16, "big"))
    choice = FastStream(seed)
    state = case.new()
    actions: list[Any] = []
    while (actor := state.to_act) is not None:
        where = f"{case}, seed {seed}, ply {len(actions)}"
        assert len(actions) < MAX_PLIES, f"{where}: the game does not end"
        if actor is CHANCE:
            action = case.game.draw(state, chance)
        else:
            legal = state.legal_actions()
            assert legal, f"{where}: seat {actor} is to act and has no legal action"
            action = legal[choice.below(len(legal), "")]
        state.apply(action)
        actions.append(action)
    return actions


def serialised(message: Any) -> bytes:
    """Return a message's deterministic bytes."""
    return bytes(message.SerializeToString(deterministic=True))


def _cases() -> Iterator[Any]:
    for game_id in game_ids():
        game = _load(game_id)
        if isinstance(game, Exception):
            yield pytest.param(game, id=game_id)
            continue
        for variant in game.spec.variants:
            for seats in range(variant.min_seats, variant.max_seats + 1):
                yield pytest.param(Case(game, variant, seats), id=f"{game_id}-{variant.id}-{seats}")


def _load(game_id: str) -> AnyGame | Exception:
    # A game that cannot be loaded fails its own tests and leaves the others alone.
    try:
        return load_game(game_id)
    except Exception as error:  # noqa: BLE001 - whatever it is, it becomes a failing test
        return error


def _loaded(param: Any) -> Any:
    if isinstance(param, Exception):
        pytest.fail(f"the game does not load: {param!r}")
    return param


@pytest.fixture(params=list(_cases()), scope="session")
def case(request: pytest.FixtureRequest) -> Case:
    """One registered game in one variant with one number of seats."""
    found: Case = _loaded(request.param)
    return found


@pytest.fixture(params=[pytest.param(_load(game_id), id=game_id) for game_id in game_ids()], scope="session")
def game(request: pytest.FixtureRequest) -> AnyGame:
    """One registered game."""
    found: AnyGame = _loaded(request.param)
    return found


@pytest.fixture(scope="session")
def cases_of() -> Any:
    """Return all cases of a game."""
    every = [param.values[0] for param in _cases()]
    return lambda game: [found for found in every if isinstance(found, Case) and found.game is game]
