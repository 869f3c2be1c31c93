"""What all games share in reading a component file: TOML, tables checked field by field, the digest of the numbers."""

from __future__ import annotations

import pkgutil
import tomllib
from collections.abc import Collection, Mapping
from hashlib import sha256
from typing import Any, Final, Never

from arena.core.errors import BadComponents

LONGEST: Final = 65_536
"""Characters that a component file may have; it goes whole into the head of every log that was played with it."""
_LONGEST_SHOWN: Final = 60


def read_toml(text: str, source: str) -> dict[str, Any]:
    """Return the tables of a component file. Raises BadComponents ("SOURCE: file: ...") for what is none."""
    if len(text) > LONGEST:
        raise BadComponents(f"{source}: file: is longer than {LONGEST} characters")
    try:
        # Some editors put a byte order mark before everything.
        return tomllib.loads(text.removeprefix("\ufeff"))
    # The parser is recursive: lists nested a thousand deep are no component file either. A ValueError that is no
    # TOMLDecodeError is an integer of more digits than Python reads.
    except (ValueError, RecursionError) as error:
        reason = error if isinstance(error, tomllib.TOMLDecodeError) else "nested too deep, or a number too long"
        raise BadComponents(f"{source}: file: is no TOML: {reason}") from None


def packaged_text(package: str, name: str) -> str:
    """Return the text of a file that lies beside a package's modules; importlib.resources would load 20 modules."""
    content = pkgutil.get_data(package, name)
    if content is None:
        raise FileNotFoundError(f"{name} in {package}")
    return content.decode()


def digest_of(numbers: object) -> str:
    """Return 64 hex digits: sha256 over the canonical JSON of the numbers (sorted keys, no spaces)."""
    import json  # noqa: PLC0415 - who plays needs no digest

    return sha256(json.dumps(numbers, separators=(",", ":"), sort_keys=True).encode()).hexdigest()


class FieldCheck:
    """Checks values of one file; every method raises BadComponents, "SOURCE: FIELD: what is wrong".

    A field is named by its path in the file, such as "lands.3.winter"; the file itself is "file".
    """

    __slots__ = ("_source",)

    def __init__(self, source: str) -> None:
        self._source = source

    def fail(self, field: str, what: str) -> Never:
        """Raise for this field."""
        # A key may hold anything, line breaks too.
        name = field if field.isprintable() and len(field) <= _LONGEST_SHOWN else shown(field)
        raise BadComponents(f"{self._source}: {name}: {what}")

    def whole(self, value: object, field: str, least: int, most: int) -> int:
        """Return a whole number from least to most."""
        if type(value) is not int or not least <= value <= most:
            self.fail(field, f"must be a whole number from {least} to {most}, not {shown(value)}")
        return value

    def word(self, value: object, field: str, words: Collection[str]) -> str:
        """Return one of these words."""
        if not isinstance(value, str) or value not in words:
            self.fail(field, f"must be one of {', '.join(words)}, not {shown(value)}")
        return value

    def entries(self, value: object, field: str, least: int, most: int) -> list[object]:
        """Return a list of least to most entries, which are not checked yet."""
        if not isinstance(value, list):
            self.fail(field, f"must be a list, not {shown(value)}")
        if not least <= len(value) <= most:
            self.fail(field, f"must have {least} to {most} entries, not {len(value)}")
        return value

    def table(self, value: object, field: str, keys: tuple[str, ...]) -> Mapping[str, object]:
        """Return a table that has exactly these keys."""
        if not isinstance(value, dict):
            self.fail(field, f"must be a table with {', '.join(keys)}")
        self.keys(value, field, keys)
        return value

    def keys(self, table: Mapping[str, object], field: str, keys: tuple[str, ...]) -> None:
        """Let a table have exactly these keys."""
        prefix = "" if field == "file" else f"{field}."
        for key in keys:
            if key not in table:
                self.fail(f"{prefix}{key}", "is missing")
        for key in table:
            if key not in keys:
                self.fail(f"{prefix}{key}", f"is unknown; there are {', '.join(keys)}")


def shown(value: object) -> str:
    """Return a value of a file as a message may show it: in one line, and short."""
    if isinstance(value, dict | list):
        return "a table" if isinstance(value, dict) else "a list"
    try:
        text = repr(value) if isinstance(value, str | int | float) else f"{value}"
    except ValueError:  # Python writes no integer of so many digits.
        return "a number far too long"
    return text if len(text) <= _LONGEST_SHOWN else f"{text[: _LONGEST_SHOWN - 3]}..."
