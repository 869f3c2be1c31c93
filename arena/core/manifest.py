"""A bot's manifest: the text of its bot.toml, parsed and checked."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from typing import Final, NoReturn

from arena.core.component_file import shown
from arena.core.errors import UsageError

FILE_NAME: Final = "bot.toml"
ANY_GAME: Final = "*"
DEFAULT_LANGUAGE: Final = "python"
DEFAULT_COMMANDS: Final = {"python": ("python", "bot.py")}
STDIO: Final = "stdio"
"""The language of programs that read one JSON line a turn and write one; the SDK's bridge speaks gRPC for them."""
BRIDGE: Final = ("python", "-P", "-m", "bots.sdk.bridge", "--")
"""What starts such a program. -P: nothing in the bot's folder takes the place of a module."""
MAX_NAME: Final = 40
MAX_WORDS: Final = 64
"""Words of a command, or games: more than anybody writes, and a bound for listings and for what a system can start."""

_KEYS: Final = ("name", "games", "command", "language")
_NAME: Final = re.compile(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?")


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a bot says of itself.

    games: ids of the games it plays, each once; "*" stands for any. command: program and arguments, started in the
    bot's folder; "python" as its first word is the arena's own interpreter. program: what is really started.
    """

    name: str
    games: tuple[str, ...]
    command: tuple[str, ...]
    language: str

    @property
    def program(self) -> tuple[str, ...]:
        """The words that start the bot as a client of the referee: its command, behind the bridge for stdio."""
        return (*BRIDGE, *self.command) if self.language == STDIO else self.command

    def plays(self, game: str) -> bool:
        """Say whether the bot plays this game."""
        return game in self.games or ANY_GAME in self.games


def parse_manifest(text: str, source: str = FILE_NAME) -> Manifest:
    """Read the text of a bot.toml; source names it in errors.

    Raises UsageError (BAD_MANIFEST) that names the key, what is wrong with it and what it should look like.
    """
    try:
        found = tomllib.loads(text)
    except (ValueError, RecursionError) as wrong:  # also of a number too long to be read
        _refuse(source, f"it is no TOML: {wrong}")
    unknown = sorted(set(found) - set(_KEYS))
    if unknown:
        _refuse(source, f"unknown key {shown(unknown[0])}; the keys are {', '.join(_KEYS)}")
    language = _word(found.get("language", DEFAULT_LANGUAGE), "language", source)
    command = _words(found.get("command", list(DEFAULT_COMMANDS.get(language, ()))), "command", source, '["./my_bot"]')
    return Manifest(
        name=_word(found.get("name", ""), "name", source),
        games=tuple(dict.fromkeys(_words(found.get("games", []), "games", source, '["first-snow"]'))),
        command=command,
        language=language,
    )


def check_name(name: str) -> str:
    """Return the name if a bot may bear it. Raises UsageError (BAD_NAME)."""
    if _NAME.fullmatch(name) is None or len(name) > MAX_NAME:
        raise UsageError(f"{shown(name)} is no name for a bot; {_NAME_RULE}", reason="BAD_NAME")
    return name


_NAME_RULE: Final = f"use up to {MAX_NAME} of a-z, 0-9 and -, without - at either end"


def _word(value: object, key: str, source: str) -> str:
    if not isinstance(value, str) or _NAME.fullmatch(value) is None or len(value) > MAX_NAME:
        _refuse(source, f"{key} = {shown(value)}: {_NAME_RULE}")
    return value


def _words(value: object, key: str, source: str, example: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not value or not all(isinstance(word, str) and word for word in value):
        _refuse(source, f"{key} has to be a list of texts, like {example}")
    if len(value) > MAX_WORDS:
        _refuse(source, f"{key} has {len(value)} texts, {MAX_WORDS} are allowed; leave some out")
    for word in value:
        if "\0" in word:
            _refuse(
                source, f"{key}: {shown(word)} has a NUL character, with which nothing can be started; leave it out"
            )
    return tuple(value)


def _refuse(source: str, why: str) -> NoReturn:
    raise UsageError(f"{source}: {why}", reason="BAD_MANIFEST")
