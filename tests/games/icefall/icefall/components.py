"""The numbers of Icefall, read from components.toml or a file like it."""

import json
from dataclasses import asdict, dataclass
from functools import cached_property
from hashlib import sha256
from importlib.resources import files

from arena.core.component_file import read_toml
from arena.core.errors import BadComponents

CARDS = 5
FIELDS = ("hand", "rounds", "summit", "hut")


@dataclass(frozen=True)
class IcefallComponents:
    """copies: cards of 1, 2, ...; hand, rounds, summit, hut: see the file."""

    copies: tuple[int, ...]
    hand: int
    rounds: int
    summit: int
    hut: int

    @cached_property
    def digest(self) -> str:
        """64 hex digits over the numbers."""
        return sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()


def read(text: str | None, source: str) -> IcefallComponents:
    """Read a component file. Raises BadComponents naming the source and the field."""
    if text is None:
        text = files("icefall").joinpath("components.toml").read_text(encoding="utf-8")
    found = read_toml(text, source)
    copies = found.get("copies")
    if not isinstance(copies, list) or len(copies) != CARDS or any(type(n) is not int or n < 1 for n in copies):
        raise BadComponents(f"{source}: copies: must be {CARDS} positive integers")
    for field in FIELDS:
        if type(found.get(field)) is not int or found[field] < 1:
            raise BadComponents(f"{source}: {field}: must be a positive integer")
    for field in found.keys() - {"copies", *FIELDS}:
        raise BadComponents(f"{source}: {field}: is no number of this game")
    return IcefallComponents(tuple(copies), *(found[field] for field in FIELDS))
