"""Reads a bot's manifest, bot.toml."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from arena.core.errors import UsageError
from arena.core.registry import load_game
from arena.services.rights import check_name

MANIFEST_FILE: Final = "bot.toml"

MAX_MANIFEST_BYTES: Final = 64 * 1024
"""A manifest is a few lines; this much leaves room for comments."""

_FIELDS: Final = ("name", "games", "command", "language")
_PYTHON_COMMAND: Final = ("python", "bot.py")


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a bot says of itself. games: ids, sorted. command: program and arguments, run in the bot's folder."""

    name: str
    games: tuple[str, ...]
    command: tuple[str, ...]
    language: str


def parse_manifest(text: str, source: str = MANIFEST_FILE) -> Manifest:
    """Read a manifest; source names it in errors.

    Fields: name, games (list of ids), command (list; default for Python: python bot.py), language (default "python").
    Raises UsageError (BAD_MANIFEST, BAD_NAME), UnknownName (UNKNOWN_GAME).
    """
    try:
        fields = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _bad(source, f"is no TOML ({error})") from None
    unknown = sorted(set(fields) - set(_FIELDS))
    if unknown:
        raise _bad(source, f"has an unknown field {unknown[0]!r}; there are: {', '.join(_FIELDS)}")
    name = check_name("bot", _text(fields, "name", source))
    language = _text(fields, "language", source, "python")
    games = _texts(fields, "games", source, ())
    if not games:
        raise _bad(source, 'says not what the bot plays; add games = ["first-snow"]')
    for game in games:
        load_game(game)
    command = _texts(fields, "command", source, _PYTHON_COMMAND if language == "python" else ())
    if not command:
        raise _bad(source, f'says not how a bot in {language} is started; add command = ["./bot"]')
    return Manifest(name, tuple(sorted(set(games))), command, language)


def _text(fields: Mapping[str, Any], field: str, source: str, default: str | None = None) -> str:
    value = fields.get(field, default)
    if value is None:
        raise _bad(source, f"has no field {field}; add one")
    if not isinstance(value, str) or not value or not value.isprintable():
        raise _bad(source, f"{field} has to be a text in quotes, on one line")
    return value


def _texts(fields: Mapping[str, Any], field: str, source: str, default: tuple[str, ...]) -> tuple[str, ...]:
    value = fields.get(field, default)
    if not isinstance(value, list | tuple) or not all(isinstance(item, str) and item for item in value):
        raise _bad(source, f'{field} has to be a list of texts, like ["one", "two"]')
    return tuple(value)


def _bad(source: str, what: str) -> UsageError:
    return UsageError(f"{source} {what}", reason="BAD_MANIFEST")
