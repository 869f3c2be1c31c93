"""How fast the rules play: random playouts and copies of every game, side by side with other libraries' games.

All contenders take turns in short slices, so that whatever else the machine does meets them alike; a figure is the
median of its slices, in seconds of CPU. A step is one action made, chance's and forced ones included.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from statistics import median
from time import process_time
from types import ModuleType
from typing import Any, Final, Protocol

from arena.core import CHANCE, AnyGame, FastStream, State, Variant
from arena.core.registry import game_ids, load_game

SLICES: Final = 5
COPIES: Final = 200
"""Copies between two looks at the clock."""


class Contender(Protocol):
    """Something that can be played at random."""

    @property
    def name(self) -> str:
        """What is played."""

    def playout(self) -> int:
        """Play a whole game at random and return the number of steps."""

    def copier(self) -> Callable[[], object] | None:
        """Return what copies a state from the middle of a game, None where there is no such thing."""


@dataclass(frozen=True, slots=True)
class Speed:
    """One contender's figures, per second of CPU; copies: None where states cannot be copied."""

    name: str
    steps: float
    playouts: float
    copies: float | None

    @property
    def length(self) -> float:
        """Steps a playout, on average."""
        return self.steps / self.playouts


class Table:
    """One of the arena's own games, in one variant with one number of seats."""

    def __init__(self, game: AnyGame, variant: Variant, seats: int, seed: int = 1) -> None:
        self.game = game
        self.variant = variant
        self.seats = seats
        self._components = game.components(None, "")
        self._stream = FastStream(seed)
        self._random = Random(seed).random

    @property
    def name(self) -> str:
        """Game, variant and seats."""
        return f"{self.game.spec.id} {self.variant.id}, {self.seats}"

    def playout(self) -> int:
        """Play a whole game at random and return the number of steps."""
        return self._play(self._new(), -1)

    def copier(self) -> Callable[[], object]:
        """Return the copy method of a state from the middle of a game."""
        state = self._new()
        self._play(state, self.playout() // 2)
        copy: Callable[[], object] = state.copy
        return copy

    def _new(self) -> State:
        state: State = self.game.new(self.variant.id, self.seats, self._components)
        return state

    def _play(self, state: Any, steps: int) -> int:
        """Play so many steps (-1: to the end) and return how many were made."""
        draw, stream, random = self.game.draw, self._stream, self._random
        done = 0
        while done != steps and (actor := state.to_act) is not None:
            if actor is CHANCE:
                action = draw(state, stream)
            else:
                legal = state.legal_actions()
                action = legal[int(random() * len(legal))]
            state.apply(action)
            done += 1
        return done


def tables() -> Iterator[Table]:
    """Every installed game and variant, with the fewest and the most seats."""
    for game_id in game_ids():
        game = load_game(game_id)
        for variant in game.spec.variants:
            for seats in sorted({variant.min_seats, variant.max_seats}):
                yield Table(game, variant, seats)


def measure(contenders: Sequence[Contender], seconds: float, advance: Callable[[], None]) -> list[Speed]:
    """Measure all contenders by turns, each for so many seconds of CPU; advance is called after every slice."""
    span = seconds / (2 * SLICES)
    copiers = [contender.copier() for contender in contenders]
    plays: list[list[tuple[float, float]]] = [[] for _ in contenders]
    copies: list[list[float]] = [[] for _ in contenders]
    for _ in range(SLICES):
        for number, contender in enumerate(contenders):
            plays[number].append(_playouts(contender, span))
            copier = copiers[number]
            if copier is not None:
                copies[number].append(_copies(copier, span))
            advance()
    return [
        Speed(
            contender.name,
            steps=median(steps for steps, _ in plays[number]),
            playouts=median(playouts for _, playouts in plays[number]),
            copies=median(copies[number]) if copies[number] else None,
        )
        for number, contender in enumerate(contenders)
    ]


def is_compiled(rules: ModuleType) -> bool:
    """Whether a module was built by mypyc (make compiled)."""
    return not (rules.__file__ or "").endswith(".py")


def _playouts(contender: Contender, span: float) -> tuple[float, float]:
    """Return steps and playouts a second."""
    steps = playouts = 0
    start = process_time()
    while True:
        steps += contender.playout()
        playouts += 1
        passed = process_time() - start
        if passed >= span:
            return steps / passed, playouts / passed


def _copies(copy: Callable[[], object], span: float) -> float:
    """Return copies a second."""
    made = 0
    start = process_time()
    while True:
        for _ in range(COPIES):
            copy()
        made += COPIES
        passed = process_time() - start
        if passed >= span:
            return made / passed
