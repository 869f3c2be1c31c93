"""Reads a game's view from its bytes alone."""

from __future__ import annotations

from functools import cache
from typing import Any

from arena.core.registry import load_game


def read_view(game_id: str, content: bytes) -> Any:
    """Return the view message of a game that these bytes are. Raises DecodeError."""
    return _view_class(game_id).FromString(content)


@cache
def _view_class(game_id: str) -> Any:
    game = load_game(game_id)
    variant = game.spec.variants[0]
    return type(game.view(game.new(variant.id, variant.min_seats, game.components(None, "components")), None))
