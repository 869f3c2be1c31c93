"""Finds games: everything installed under the entry point group "arena.games"."""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Final, cast

from arena.core.errors import UnknownName, UsageError
from arena.core.game import AnyGame, Variant

GROUP = "arena.games"
_LONGEST = 40
_OWN: Final = "arena.games"
_PLAIN_ID: Final = re.compile(r"[a-z][a-z0-9-]*")


@cache
def game_ids() -> tuple[str, ...]:
    """Return the ids of all installed games, sorted."""
    from importlib.metadata import entry_points  # noqa: PLC0415 - looks through all packages; most need one game only

    return tuple(sorted({point.name for point in entry_points(group=GROUP)}))


@cache
def load_game(game_id: str) -> AnyGame:
    """Return the game with this id. Raises UnknownName, listing what is installed."""
    if (own := _own_game(game_id)) is not None:
        return own
    from importlib.metadata import entry_points  # noqa: PLC0415 - as above

    for point in entry_points(group=GROUP):
        if point.name == game_id:
            return cast(AnyGame, point.load())
    raise UnknownName(f"no game {_short(game_id)} here; installed: {', '.join(game_ids())}", reason="UNKNOWN_GAME")


def _own_game(game_id: str) -> AnyGame | None:
    """Return a game of this package's own; None for others, which only a look through all packages finds (20 ms)."""
    module = f"{_OWN}.{game_id.replace('-', '_')}"
    if not _PLAIN_ID.fullmatch(game_id) or find_spec(module) is None:
        return None
    game: AnyGame | None = getattr(import_module(module), "GAME", None)
    return game if game is not None and game.spec.id == game_id else None


def find_variant(game: AnyGame, variant: str | None) -> Variant:
    """Return the variant with this id (None: the default one). Raises UnknownName, listing the game's variants."""
    if variant is None:
        return game.spec.variants[0]
    for known in game.spec.variants:
        if known.id == variant:
            return known
    names = ", ".join(known.id for known in game.spec.variants)
    raise UnknownName(f"{game.spec.id} has no variant {_short(variant)}; it has: {names}", reason="UNKNOWN_VARIANT")


def check_seats(game: AnyGame, variant: Variant, seats: int) -> None:
    """Raise UsageError unless the variant can be played by this many seats."""
    if not variant.min_seats <= seats <= variant.max_seats:
        span = str(variant.min_seats)
        if variant.max_seats != variant.min_seats:
            span += f" to {variant.max_seats}"
        raise UsageError(
            f"{game.spec.id} ({variant.id}) is played by {span} bot{'s' * (span != '1')}, not {seats}",
            reason="WRONG_NUMBER_OF_SEATS",
        )


def _short(name: str) -> str:
    """Return a name as it was given, in quotes, cut where it is too long to be one."""
    return repr(name if len(name) <= _LONGEST else f"{name[:_LONGEST]}...")
