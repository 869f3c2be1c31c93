"""What all games share in reading a component file: TOML, tables checked field by field, the digest of the numbers."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Never

from arena.core.errors import BadComponents


def read_toml(text: str, source: str) -> dict[str, Any]:
    """Return the tables of a component file. Raises BadComponents ("SOURCE: file: ...") for what is no TOML."""
    try:
        return tomllib.loads(text)
    # The parser is recursive: lists nested a thousand deep are no component file either.
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise BadComponents(f"{source}: file: is no TOML: {error}") from None


def digest_of(numbers: object) -> str:
    """Return 64 hex digits: sha256 over the canonical JSON of the numbers (sorted keys, no spaces)."""
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
        raise BadComponents(f"{self._source}: {field}: {what}")

    def whole(self, value: object, field: str, least: int, most: int) -> int:
        """Return a whole number from least to most."""
        if type(value) is not int or not least <= value <= most:
            self.fail(field, f"must be a whole number from {least} to {most}, not {value!r}")
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
