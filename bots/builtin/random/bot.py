"""Random: plays any game, each legal action equally likely."""

from __future__ import annotations

from typing import Any

from arena.core.chance import SEED_BYTES, KeyedStream, pick
from bots.sdk import Bot, MatchInfo, Turn, run


class Random(Bot):
    """Chooses by the match's bot seed and the number of the ply, so a replay gives the same choices."""

    def __init__(self, match: MatchInfo) -> None:
        super().__init__(match)
        self._stream = KeyedStream(match.bot_seed.to_bytes(SEED_BYTES, "big"))

    def choose(self, turn: Turn) -> Any:
        """Return any of the legal actions."""
        return pick(self._stream, f"ply {turn.ply}", turn.legal_actions)


if __name__ == "__main__":
    run(Random)
