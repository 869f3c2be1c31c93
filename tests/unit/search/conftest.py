"""Search bots with a number of iterations instead of time, and what they are asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from arena.core import CHANCE, AnyGame, Seat
from bots.builtin.search.bot import Search
from bots.builtin.search.pace import Settings
from bots.sdk import MatchInfo, Turn

Seated = Callable[..., "Asked"]


class Asked:
    """A search bot at a seat that is told nothing but the bytes of its turns."""

    def __init__(self, match: MatchInfo, iterations: int) -> None:
        class Quick(Search):
            settings = Settings(iterations=iterations)

        self.game = match.game
        self.bot = Quick(match)

    def choose(self, state: Any, ply: int = 0) -> Any:
        game = self.game
        seen = game.turn(game.view(state, state.to_act), state.legal_actions()).SerializeToString()
        view, legal = game.parse_turn(seen)
        return self.bot.choose(Turn(ply, 0, view, legal))


@pytest.fixture
def seated() -> Seated:
    """Return a function that seats a search bot: game, variant, seats, seat, iterations, bot_seed."""

    def make(
        game: AnyGame, variant: str, seats: int, seat: int = 0, *, iterations: int = 60, bot_seed: int = 1
    ) -> Asked:
        match = MatchInfo(game, variant, seats, Seat(seat), game.components(None, ""), bot_seed)
        return Asked(match, iterations)

    return make


def surely(game: AnyGame, state: Any, seat: Seat) -> bool:
    """Whether the seat can come out first, whatever chance and the others do."""
    actor = state.to_act
    if actor is None:
        return bool(state.outcome.ranks[seat] == 1 and state.outcome.ranks.count(1) == 1)
    wins = (surely(game, after(state, action), seat) for action in state.legal_actions())
    return any(wins) if actor == seat and actor is not CHANCE else all(wins)


def after(state: Any, action: Any) -> Any:
    twin = state.copy()
    twin.apply(action)
    return twin


@pytest.fixture
def winning() -> Callable[[AnyGame, Any], list[str]]:
    """Return a function that tells, in notation, which actions of a position win for certain: it tries everything."""

    def find(game: AnyGame, state: Any) -> list[str]:
        seat = state.to_act
        legal = state.legal_actions()
        return [game.actions.text_of(action) for action in legal if surely(game, after(state, action), seat)]

    return find
