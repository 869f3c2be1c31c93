"""Games of other libraries that the engine is measured beside, each only where its library is installed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from random import Random
from typing import Any, Final

from arena.bench.engine import Contender

CONNECT_FOUR: Final = "pettingzoo connect_four"
LIARS_POKER: Final = "open_spiel python_liars_poker"
CONNECTX: Final = "kaggle connectx"


@dataclass(frozen=True, slots=True)
class Peer:
    """A game elsewhere. install: what to give pip. load: raises ImportError where something is not installed."""

    name: str
    install: str
    load: Callable[[], Contender]


@dataclass(frozen=True, slots=True)
class Missing:
    """A peer that is not here, and what to install."""

    name: str
    install: str


def find_peers(peers: Sequence[Peer]) -> tuple[list[Contender], list[Missing]]:
    """Return the peers that are installed, ready to play, and those that are not."""
    found: list[Contender] = []
    missing: list[Missing] = []
    for peer in peers:
        try:
            found.append(peer.load())
        except ImportError:
            missing.append(Missing(peer.name, peer.install))
    return found, missing


class _ConnectFour:
    """PettingZoo's connect_four, played as its documentation shows."""

    name = CONNECT_FOUR

    def __init__(self) -> None:
        self._env: Any = import_module("pettingzoo.classic.connect_four.connect_four").env()

    def playout(self) -> int:
        """Play a whole game at random and return the number of steps."""
        env, steps = self._env, 0
        env.reset()
        for agent in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
                continue
            env.step(env.action_space(agent).sample(observation["action_mask"]))
            steps += 1
        return steps

    def copier(self) -> None:
        """Return None: its environments have no copy."""


class _LiarsPoker:
    """OpenSpiel's liar's poker, written in Python like the arena's games."""

    name = LIARS_POKER

    def __init__(self) -> None:
        spiel = import_module("pyspiel")
        import_module("open_spiel.python.games")
        self._game: Any = spiel.load_game("python_liars_poker")
        self._random = Random(1).random

    def playout(self) -> int:
        """Play a whole game at random and return the number of steps."""
        return self._play(self._game.new_initial_state(), -1)

    def copier(self) -> Callable[[], object]:
        """Return the clone method of a state from the middle of a game."""
        state = self._game.new_initial_state()
        self._play(state, self.playout() // 2)
        clone: Callable[[], object] = state.clone
        return clone

    def _play(self, state: Any, steps: int) -> int:
        random, done = self._random, 0
        while done != steps and not state.is_terminal():
            if state.is_chance_node():
                outcomes = state.chance_outcomes()
                state.apply_action(outcomes[int(random() * len(outcomes))][0])
            else:
                legal = state.legal_actions()
                state.apply_action(legal[int(random() * len(legal))])
            done += 1
        return done


class _ConnectX:
    """Kaggle's connectx, stepped by hand."""

    name = CONNECTX

    def __init__(self) -> None:
        self._env: Any = import_module("kaggle_environments").make("connectx")
        self._random = Random(1)

    def playout(self) -> int:
        """Play a whole game at random and return the number of steps."""
        env, steps = self._env, 0
        env.reset(2)
        columns = env.configuration.columns
        while not env.done:
            board = env.state[0].observation.board
            column = self._random.choice([place for place in range(columns) if not board[place]])
            env.step([column if seat.status == "ACTIVE" else None for seat in env.state])
            steps += 1
        return steps

    def copier(self) -> None:
        """Return None: its environments have no copy."""


PEERS: Final = (
    Peer(CONNECT_FOUR, "'whiteout-arena[bench]'", _ConnectFour),
    Peer(LIARS_POKER, "'whiteout-arena[bench]'", _LiarsPoker),
    Peer(CONNECTX, "kaggle-environments", _ConnectX),
)
