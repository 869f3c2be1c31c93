"""Finds a game's short rules: BRIEF.md beside its code."""

from __future__ import annotations

from importlib import import_module
from importlib.resources import files
from typing import Final

from arena.core.game import AnyGame

FILE_NAME: Final = "BRIEF.md"


def short_rules(game: AnyGame) -> str:
    """Return the game's short rules; "" for a game that comes without."""
    module = import_module(type(game).__module__)
    package = module.__package__ or module.__name__
    try:
        return files(package).joinpath(FILE_NAME).read_text(encoding="utf-8").strip()
    except (OSError, TypeError):  # no such file; or a game that is a lone module, which has none beside it
        return ""
