"""Greedy: looks at the state after each of its actions and takes the best one, in any game.

What "best" means for a game stands in a file of its own beside this one, named like the game's id with underscores
(first_snow.py) and offering `evaluate(state, seat) -> float`: how good the state is for the seat, more is better. It
may change the state, which is a copy. A game without such a file is judged by how it ends when everybody plays
default actions from there on.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any, Final, TypeAlias

from arena.core import CHANCE, AnyGame, KeyedStream, Seat, State, Stream, pick
from arena.core.chance import SEED_BYTES
from bots.sdk import Bot, MatchInfo, Turn, run

Evaluate: TypeAlias = Callable[[Any, Seat], float]

SAMPLES: Final = 6
"""States looked at in a turn where something is hidden from the seat; otherwise one is the truth."""

_TIE: Final = 1e-9


class Greedy(Bot):
    """Takes the action with the highest value, averaged over states that fit the view; ties are broken by lot."""

    def __init__(self, match: MatchInfo) -> None:
        super().__init__(match)
        self._stream = KeyedStream(match.bot_seed.to_bytes(SEED_BYTES, "big"))
        self._evaluate = find_evaluator(match.game)
        self._secrets = match.game.secrets(match.seats)

    def choose(self, turn: Turn) -> Any:
        """Return the action whose outcome looks best; the bot seed and the ply settle ties."""
        if len(turn.legal_actions) == 1:
            return turn.legal_actions[0]
        totals = [0.0] * len(turn.legal_actions)
        for number in range(SAMPLES):
            state = self._sample(turn, number)
            for place, action in enumerate(turn.legal_actions):
                after = state.copy()
                after.apply(action)
                totals[place] += self._evaluate(after, self.match.seat)
            if not self._hides_something(state):
                break
        best = max(totals)
        equal = [action for action, total in zip(turn.legal_actions, totals, strict=True) if total >= best - _TIE]
        return pick(self._stream, f"ply {turn.ply}/tie", equal)

    def _sample(self, turn: Turn, number: int) -> Any:
        stream = _Prefixed(self._stream, f"ply {turn.ply}/sample {number}")
        return self.match.game.sample(turn.view, self.match.components, stream)

    def _hides_something(self, state: State) -> bool:
        seat = self.match.seat
        return any(secret.value(state) is not None and not secret.implied(state, seat) for secret in self._secrets)


class _Prefixed:
    """A stream whose labels begin with a prefix, and which numbers the draws, so that no two are the same."""

    __slots__ = ("_drawn", "_prefix", "_stream")

    def __init__(self, stream: Stream, prefix: str) -> None:
        self._stream = stream
        self._prefix = prefix
        self._drawn = 0

    def below(self, n: int, label: str) -> int:
        self._drawn += 1
        return self._stream.below(n, f"{self._prefix}/{self._drawn}/{label}")


def find_evaluator(game: AnyGame) -> Evaluate:
    """Return the evaluator that lies beside this file for the game, else the one that plays on by default actions."""
    name = game.spec.id.replace("-", "_")
    path = Path(__file__).with_name(f"{name}.py")
    if not path.is_file():
        return partial(by_default_playout, game)
    # By its path, because this folder may lie anywhere and is no part of an installed package.
    spec = spec_from_file_location(f"greedy_{name}", path)
    assert spec is not None  # noqa: S101 - narrows the type: it is a Python file
    assert spec.loader is not None  # noqa: S101 - narrows the type
    module = module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    evaluate: Evaluate = module.evaluate
    return evaluate


def by_default_playout(game: AnyGame, state: State, seat: Seat) -> float:
    """Return how the game ends for the seat if all play default actions: rank first, then the lead in points."""
    stream = KeyedStream(bytes(SEED_BYTES))
    while state.to_act is not None:
        state.apply(game.draw(state, stream) if state.to_act is CHANCE else game.default_action(state))
    outcome = state.outcome
    assert outcome is not None  # noqa: S101 - narrows the type: nobody acts, so the game is over
    scores = [score or 0 for score in outcome.scores]
    others = [score for place, score in enumerate(scores) if place != seat]
    lead = scores[seat] - max(others, default=0)
    return lead / 1000 - outcome.ranks[seat]


if __name__ == "__main__":
    run(Greedy)
