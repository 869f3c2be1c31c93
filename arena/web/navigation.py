"""What stands in the head of every page."""

from __future__ import annotations

from typing import Final

ENTRIES: Final[tuple[tuple[str, str], ...]] = (
    ("/leaderboards", "Leaderboards"),
    ("/tournaments", "Tournaments"),
    ("/matches", "Matches"),
    ("/bots", "Bots"),
    ("/replay", "Open a log"),
    ("/play", "Play"),
)
"""Address and word, in order."""
