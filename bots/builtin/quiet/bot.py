"""Quiet: plays any game by its default actions, the ones that a forfeited seat makes; what doing nothing is worth."""

from __future__ import annotations

from typing import Any

from arena.core.chance import SEED_BYTES, KeyedStream
from bots.sdk import Bot, MatchInfo, Turn, run


class Quiet(Bot):
    """Interferes least: any state that fits the view has the same legal actions, so its default action is one."""

    def __init__(self, match: MatchInfo) -> None:
        super().__init__(match)
        self._stream = KeyedStream(match.bot_seed.to_bytes(SEED_BYTES, "big"))

    def choose(self, turn: Turn) -> Any:
        """Return the default action of a state that fits the view."""
        state = self.match.game.sample(turn.view, self.match.components, self._stream)
        return self.match.game.default_action(state)


if __name__ == "__main__":
    run(Quiet)
