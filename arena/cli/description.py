"""A tournament as somebody describes it: in options, or in a TOML file whose faults are all named at once."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from arena.cli.client import parse_bot
from arena.core.errors import UsageError
from arena.v1 import tournament_pb2 as pb

FORMATS: Final = {
    "round-robin": pb.TOURNAMENT_FORMAT_ROUND_ROBIN,
    "gauntlet": pb.TOURNAMENT_FORMAT_GAUNTLET,
    "ladder": pb.TOURNAMENT_FORMAT_LADDER,
}

_WORDS: Final = ("name", "game", "format", "variant", "clock")
_NUMBERS: Final = ("deals", "seats")
_LISTS: Final = ("bots", "heads")
_FLAGS: Final = ("remote",)
_KEYS: Final = (*_WORDS, *_NUMBERS, *_LISTS, *_FLAGS, "components")


@dataclass(frozen=True, slots=True)
class Description:
    """What a tournament is to be; empty words and 0 stand for the server's own choice. components: a file's text."""

    name: str = ""
    game: str = ""
    format: str = "round-robin"
    bots: tuple[str, ...] = ()
    heads: tuple[str, ...] = ()
    deals: int = 0
    variant: str = ""
    seats: int = 0
    clock: str = ""
    components: str = ""
    remote: bool = False

    def request(self) -> pb.CreateTournamentRequest:
        """Return it as a request. Raises UsageError that names every fault that can be seen here."""
        faults = _Faults("")
        for key in ("name", "game"):
            if not getattr(self, key):
                faults.add(key, "is missing")
        kind = FORMATS.get(self.format, pb.TOURNAMENT_FORMAT_UNSPECIFIED)
        if not kind:
            faults.add("format", f"{self.format!r} is none; there are {', '.join(FORMATS)}")
        entered = {key: [_entrant(bot, f"{key}[{at}]", faults) for at, bot in enumerate(getattr(self, key), 1)]
                   for key in _LISTS}  # fmt: skip
        faults.check()
        return pb.CreateTournamentRequest(
            name=self.name,
            game=self.game,
            format=kind,
            entrants=entered["bots"],
            heads=entered["heads"],
            deals=self.deals,
            variant=self.variant,
            seats=self.seats,
            clock=self.clock,
            components=self.components,
            remote=self.remote,
        )


@dataclass(slots=True)
class _Faults:
    """Collects what is wrong, and raises it as one line."""

    source: str
    found: list[str] = field(default_factory=list)

    def add(self, key: str, why: str) -> None:
        """Note a fault of a field."""
        self.found.append(f"{key}: {why}")

    def check(self) -> None:
        """Raise UsageError if there is any fault."""
        if self.found:
            source = f"{self.source}: " if self.source else ""
            raise UsageError(source + "; ".join(self.found), reason="BAD_TOURNAMENT")


def read_description(file: Path) -> Description:
    """Read a tournament's TOML file; a component file is named relative to it. Raises UsageError naming each fault."""
    try:
        found = tomllib.loads(read_text(file, "tournament file"))
    except (ValueError, RecursionError) as wrong:  # also of a number too long to be read
        raise UsageError(f"{file}: it is no TOML: {wrong}", reason="BAD_TOURNAMENT") from None
    faults = _Faults(str(file))
    for key in sorted(set(found) - set(_KEYS)):
        faults.add(key, f"unknown key; the keys are {', '.join(_KEYS)}")
    values: dict[str, Any] = {}
    for keys, fits, like in (
        (_WORDS, lambda value: isinstance(value, str), 'a text, like "first-snow"'),
        (_NUMBERS, lambda value: type(value) is int and 0 <= value < 1 << 31, "a whole number, like 3"),
        (_FLAGS, lambda value: isinstance(value, bool), "true or false"),
        (_LISTS, _is_list_of_texts, 'a list of texts, like ["greedy", "random@2"]'),
    ):
        values |= _taken(found, keys, fits, like, faults)
    if _taken(found, ("components",), lambda value: isinstance(value, str), 'a path, like "cards.toml"', faults):
        try:
            values["components"] = read_components(file.parent / found["components"])
        except UsageError as wrong:
            faults.add("components", wrong.message)
    faults.check()
    checked: dict[str, Any] = {key: tuple(value) if key in _LISTS else value for key, value in values.items()}
    return Description(**checked)


def read_components(file: Path) -> str:
    """Return the text of a component file. Raises UsageError that names it, also for an empty one."""
    text = read_text(file, "component file")
    if not text:
        # To the server this would mean the game's own numbers.
        raise UsageError(f"component file {file} is empty")
    return text


def read_text(file: Path, what: str) -> str:
    """Return a file's text. Raises UsageError that names it."""
    try:
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{what} {file}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{what} {file} is no text in UTF-8") from None
    except ValueError as error:  # a path that can be none
        raise UsageError(f"{what} {str(file)!r}: {error}") from None


def _taken(
    found: Mapping[str, Any], keys: tuple[str, ...], fits: Callable[[Any], bool], like: str, faults: _Faults
) -> dict[str, Any]:
    """Return those of these keys that are there and fit; the others that are there are faults."""
    there = {key: found[key] for key in keys if key in found}
    for key, value in there.items():
        if not fits(value):
            faults.add(key, f"has to be {like}, not {value!r}")
    return {key: value for key, value in there.items() if fits(value)}


def _is_list_of_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _entrant(bot: str, key: str, faults: _Faults) -> pb.Entrant:
    try:
        name, version = parse_bot(bot)
    except UsageError as wrong:
        faults.add(key, wrong.message)
        return pb.Entrant()
    return pb.Entrant(bot=name, version=version)
