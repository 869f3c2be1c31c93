"""A small mark for every game, so that it is known at a glance; drawn with the colour of the text around it."""

from __future__ import annotations

from typing import Final

from markupsafe import Markup

from arena.core.registry import game_ids, load_game

_SHAPES: Final = {
    # A snowflake over the edge of a field.
    "first-snow": '<path d="M12 2v14M5.9 5.5l12.2 7M18.1 5.5l-12.2 7"/>'
    '<path d="M9.8 3.4L12 5.2l2.2-1.8M9.8 14.6L12 12.8l2.2 1.8"/><path d="M2 20.5q5-3 10 0t10 0"/>',
    # A shelter of ice with a fire in its door.
    "frost-shelter": '<path d="M2.5 20a9.5 9.5 0 0 1 19 0z"/><path d="M8 20a4 4 0 0 1 8 0"/>'
    '<path d="M12 10.5V14M4.4 14.5h4M15.6 14.5h4M7.5 11.8l2 2M16.5 11.8l-2 2"/>',
    # A flag on the Pole.
    "snowblind": '<path d="M10 18V3l9 3.5L10 10"/><path d="M2 21q8-6 20 0"/>',
}
_ANY: Final = (
    '<path d="M12 2.5l8.2 4.75v9.5L12 21.5l-8.2-4.75v-9.5z"/><path d="M12 7.5v9M8.1 9.75l7.8 4.5M15.9 9.75l-7.8 4.5"/>'
)


def mark(game: str) -> Markup:
    """Return a game's mark as SVG; games from elsewhere share one."""
    kind = game if game in _SHAPES else "any"
    return Markup(  # noqa: S704 - nothing but constants
        f'<svg class="mark game-{kind}" viewBox="0 0 24 24" width="24" height="24" fill="none" stroke="currentColor" '
        f'stroke-width="1.7" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true" focusable="false">'
        f"{_SHAPES.get(game, _ANY)}</svg>"
    )


def game_title(game: str) -> str:
    """Return what a game is called; of one that is not installed here, its id."""
    return load_game(game).spec.title if game in game_ids() else game


def shown_games() -> list[str]:
    """Return the games that have a mark of their own and are installed."""
    return [game for game in _SHAPES if game in game_ids()]
