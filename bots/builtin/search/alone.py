"""How Search chooses in a game played alone: it plays on from the actions that look best, as Greedy would.

An evaluator that knows the odds of the next roll expects neither luck nor bad luck; what it does not know is how well
the decisions after the roll can be answered. So a future is worth what its decisions bring beyond what the evaluator
expected, and what chance brings is left out: it is nothing on average, and most of the noise (luck adjustment, as of
rollouts in backgammon; Veness, Lanctot and Bowling, Variance Reduction in Monte-Carlo Tree Search, 2011). All
candidates meet the same chance, and Greedy's choice stands unless another one is better by more than the error.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import sqrt
from typing import Any, Final

from arena.core import CHANCE, AnyGame, KeyedStream, Stream
from arena.core.chance import SEED_BYTES
from bots.builtin.search.judge import Judge

NEAR: Final = 0.03
"""Actions that look worse than the best by more are left out; this and the next four are the cheaper of two settings
that were tried in simulated games, see docs/performance.md."""
MOST: Final = 3
"""Actions that are tried at the most."""
CHANCES: Final = 2
"""How often chance comes into a future, a pool of dice being once; it ends before the next time."""
FUTURES: Final = 12
"""Futures that each candidate is tried in at the most."""
SURE: Final = 1.0
"""Standard errors by which another action has to be better than the one that looks best."""
LEAST: Final = 3
"""Futures from which an error can be told."""


class Alone:
    """Chooses among the actions of one seat that nobody opposes."""

    def __init__(self, game: AnyGame, judge: Judge, stream: Stream) -> None:
        self._game = game
        self._judge = judge
        self._stream = stream

    def choose(self, states: Sequence[Any], legal: Sequence[Any], turns: Iterable[float]) -> Any:
        """Return the best action; states: such as fit the view, all of equal weight; turns: one for every future."""
        looks = [sum(self._after(state, action)[1] for state in states) / len(states) for action in legal]
        best = max(looks)
        order = sorted(range(len(legal)), key=lambda place: -looks[place])
        near = [place for place in order if looks[place] > best - NEAR][:MOST]
        if len(near) == 1:
            return legal[near[0]]
        gains: list[list[float]] = [[] for _ in near]
        for number, _ in zip(range(FUTURES), turns, strict=False):
            state, seed = states[number % len(states)], self._seed()
            brought = [self._future(state, legal[place], seed) for place in near]
            for place, gain, mine in zip(near, gains, brought, strict=True):
                gain.append(looks[place] - best + mine - brought[0])
        return legal[near[_surely_best(gains)]]

    def _seed(self) -> bytes:
        return bytes(self._stream.below(256, "") for _ in range(SEED_BYTES))

    def _after(self, state: Any, action: Any) -> tuple[Any, float]:
        after = state.copy()
        after.apply(action)
        return after, self._value(after)

    def _value(self, state: Any) -> float:
        return self._judge.shares(state.copy())[0]

    def _future(self, state: Any, action: Any, seed: bytes) -> float:
        """Return what the decisions after this one bring beyond what was expected; chance is drawn by its labels."""
        state, began = self._after(state, action)
        stream, left, gained, value = KeyedStream(seed), CHANCES, 0.0, began
        drawn = False
        while (actor := state.to_act) is not None:
            if actor is CHANCE:
                if not drawn:
                    if not left:
                        break
                    left -= 1
                drawn = True
                state.apply(self._game.draw(state, stream))
                continue
            legal = state.legal_actions()
            if len(legal) == 1:
                state.apply(legal[0])
                continue
            drawn = False
            before = self._value(state)
            state, value = max((self._after(state, each) for each in legal), key=_second)
            gained += value - before
        if self._judge.knows_odds:
            return gained
        return self._value(state) - began


def _second(pair: tuple[Any, float]) -> float:
    return pair[1]


def _surely_best(gains: Sequence[Sequence[float]]) -> int:
    """Return which candidate's gains over the first are largest on average, if that is no chance; else the first."""
    count = len(gains[0])
    chosen, most = 0, 0.0
    if count < LEAST:
        return chosen
    for place, gain in enumerate(gains):
        mean = sum(gain) / count
        error = sqrt(sum((each - mean) ** 2 for each in gain) / (count - 1) / count)
        if mean > max(most, SURE * error):
            chosen, most = place, mean
    return chosen
