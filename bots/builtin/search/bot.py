"""Search: information-set Monte Carlo tree search, in any game.

It knows the rules, its view and what Greedy thinks of a position. Of what is hidden it knows nothing: it searches
states that fit its view, many in turn, and takes the action that was good in all of them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from arena.core import FastStream, State
from bots.builtin.search.alone import FUTURES, Alone
from bots.builtin.search.judge import Judge
from bots.builtin.search.pace import budget, read_settings
from bots.builtin.search.tree import Tree, is_settled
from bots.sdk import Bot, MatchInfo, Turn, run

SAMPLES: Final = 64
"""States that a turn is searched in where something is hidden from the seat; otherwise one is the truth."""


class Search(Bot):
    """Takes the action that its search has tried most, of equals the one that has brought more."""

    settings = read_settings(Path(__file__).with_name("settings.toml"))

    def __init__(self, match: MatchInfo) -> None:
        super().__init__(match)
        self._stream = FastStream(match.bot_seed)
        self._judge = Judge(match.game, match.seats)
        self._alone = Alone(match.game, self._judge, self._stream) if self._judge.alone else None
        self._secrets = match.game.secrets(match.seats)
        self._tree: Tree | None = None
        self._coming: tuple[int, tuple[Any, ...]] | None = None

    def choose(self, turn: Turn) -> Any:
        """Return the action that searching finds best within the time there is."""
        if len(turn.legal_actions) == 1:
            return turn.legal_actions[0]
        allowed = budget(self.settings, self.match, turn.bank_ms)
        states = [self._sample(turn)]
        most = SAMPLES if self._hides_something(states[0]) else 1
        if self._alone is not None:
            states += [self._sample(turn) for _ in range(min(most, FUTURES) - 1)]
            return self._alone.choose(states, turn.legal_actions, allowed.spend())
        tree = self._tree_for(turn)
        for number, left in enumerate(allowed.spend()):
            if number and (tree.full or is_settled(tree.root, left)):
                break
            if number == len(states) < most:
                states.append(self._sample(turn))
            tree.iterate(states[number % len(states)].copy())
        children = tree.root.children
        best = max(turn.legal_actions, key=lambda action: (children[action].visits, children[action].total))
        self._look_out(tree, turn.ply + 1, states[0], best)
        return best

    def _sample(self, turn: Turn) -> Any:
        return self.match.game.sample(turn.view, self.match.components, self._stream)

    def _hides_something(self, state: State) -> bool:
        seat = self.match.seat
        return any(secret.value(state) is not None and not secret.implied(state, seat) for secret in self._secrets)

    def _tree_for(self, turn: Turn) -> Tree:
        """Return the tree of the turn before, if this turn is the decision it has foreseen, else a new one."""
        if self._tree is None or self._coming != (turn.ply, turn.legal_actions):
            self._tree = Tree(self.match.game, self._judge, self._stream)
        return self._tree

    def _look_out(self, tree: Tree, ply: int, state: State, chosen: Any) -> None:
        """Keep what the tree knows of the next decision, from this ply on, if nobody else acts before it."""
        state.apply(chosen)
        while state.to_act == self.match.seat and len(state.legal_actions()) == 1:
            state.apply(state.legal_actions()[0])
            ply += 1
        if state.to_act == self.match.seat:
            tree.root = tree.root.children[chosen]
            self._coming = (ply, tuple(state.legal_actions()))
        else:
            self._coming = None


if __name__ == "__main__":
    run(Search)
