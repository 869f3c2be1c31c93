"""The printed facts of First Snow: what the land cards show and what the tools cost, read from one TOML file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, IntEnum
from functools import cache
from typing import Final

from arena.core.component_file import FieldCheck, digest_of, packaged_text, read_toml

CARDS: Final = (1, 2, 3, 4, 5, 6)
MOST_PER_HALF: Final = 12
"""The most resources, and the most snowflakes, that a file may print on one half of a card."""
OWN_FILE: Final = "components.toml"


class Resource(IntEnum):
    """The seven resources; the first four are food. The value is the byte a resource has in a packed pool."""

    BERRY = 0
    FISH = 1
    BIRD = 2
    CARIBOU = 3
    WOOD = 4
    GRASS = 5
    STONE = 6


class Tool(IntEnum):
    """The five tools; the value is the bit a tool has in a set of tools."""

    NET = 0
    BOW = 1
    SPEAR = 2
    AXE = 3
    COAT = 4


class Half(IntEnum):
    """The two halves of a land card."""

    LEFT = 0
    RIGHT = 1


FOOD: Final = (Resource.BERRY, Resource.FISH, Resource.BIRD, Resource.CARIBOU)
TOOL_SETS: Final = 1 << len(Tool)
_RESOURCES: Final = {kind.name.lower(): kind for kind in Resource}
_TOOLS: Final = {tool.name.lower(): tool for tool in Tool}


class Status(Enum):
    """Where the numbers of a group come from."""

    PUBLISHED = "published"
    RECONSTRUCTED = "reconstructed"


@dataclass(frozen=True, slots=True)
class Print:
    """What one half of one side of a card shows.

    resources: each with the tool it takes to reach it (None: none). snow: all snowflakes; coat: those of them with
    the coat mark.
    """

    resources: tuple[tuple[Resource, Tool | None], ...]
    snow: int
    coat: int


class FirstSnowComponents:
    """A checked component file, with the tables that the rules look numbers up in.

    costs: for each tool, its two resources. status: group name -> where its numbers come from.
    access: [half index][set of tools carried] -> reachable resources as a packed pool (see camp.py).
    demand: [half index][a coat is carried] -> snowflakes that count. cost_pools: for each tool, its cost as a pool;
    cost_kinds: the different resources in it, ascending.
    """

    __slots__ = ("_digest", "_prints", "access", "cost_kinds", "cost_pools", "costs", "demand", "status")

    def __init__(
        self,
        prints: Sequence[Print],
        costs: Sequence[tuple[Resource, Resource]],
        status: Mapping[str, Status],
    ) -> None:
        self._digest = ""
        self._prints: Final = tuple(prints)
        self.costs: Final = tuple(costs)
        self.status: Final = dict(status)
        self.access: Final = tuple(tuple(_reachable(half, tools) for tools in range(TOOL_SETS)) for half in prints)
        self.demand: Final = tuple((half.snow, half.snow - half.coat) for half in prints)
        self.cost_pools: Final = tuple((1 << 8 * first) + (1 << 8 * second) for first, second in costs)
        self.cost_kinds: Final = tuple(tuple(sorted(set(cost))) for cost in costs)

    @property
    def digest(self) -> str:
        """64 hex digits: sha256 over the canonical JSON of the numbers; every claim of a block asks for it."""
        if not self._digest:
            self._digest = digest_of(_numbers(self._prints, self.costs))
        return self._digest

    def half(self, card: int, half: Half, *, winter: bool) -> Print:
        """Return what this half of the card shows on its summer or winter side."""
        return self._prints[half_index(card, half, winter=winter)]


def half_index(card: int, half: int, *, winter: bool) -> int:
    """Return the place of a half in the tables: cards ascending, summer before winter, left before right."""
    return (card - 1) * 4 + winter * 2 + half


def read_components(text: str | None, source: str) -> FirstSnowComponents:
    """Read a component file's text (None: the game's own). Raises BadComponents as "SOURCE: FIELD: what is wrong"."""
    if text is None:
        return _own()
    return _Reader(source).read(text)


@cache
def _own() -> FirstSnowComponents:
    return _Reader(OWN_FILE).read(packaged_text(__package__, OWN_FILE))


def _reachable(half: Print, tools: int) -> int:
    return sum(1 << 8 * kind for kind, tool in half.resources if tool is None or tools >> tool & 1)


def _numbers(prints: Sequence[Print], costs: Sequence[tuple[Resource, Resource]]) -> dict[str, object]:
    return {
        "costs": [[int(kind) for kind in cost] for cost in costs],
        "halves": [
            [[[int(kind), -1 if tool is None else int(tool)] for kind, tool in half.resources], half.snow, half.coat]
            for half in prints
        ],
    }


class _Reader:
    """Reads one file, field by field, and knows where it is when something is wrong."""

    __slots__ = ("_check", "_source")

    def __init__(self, source: str) -> None:
        self._source = source
        self._check = FieldCheck(source)

    def read(self, text: str) -> FirstSnowComponents:
        root = read_toml(text, self._source)
        self._check.keys(root, "file", ("tools", "lands"))
        tools = self._check.table(root["tools"], "tools", ("status", *_TOOLS))
        lands = self._check.table(root["lands"], "lands", ("status", *map(str, CARDS)))
        status = {"tools": self._status(tools, "tools"), "lands": self._status(lands, "lands")}
        costs = [self._cost(tools[name], f"tools.{name}") for name in _TOOLS]
        prints = [half for card in CARDS for half in self._card(lands[str(card)], f"lands.{card}")]
        return FirstSnowComponents(prints, costs, status)

    def _status(self, group: Mapping[str, object], field: str) -> Status:
        try:
            return Status(group["status"])
        except ValueError:
            self._check.fail(f"{field}.status", 'must be "published" or "reconstructed"')

    def _cost(self, value: object, field: str) -> tuple[Resource, Resource]:
        names = self._list(self._check.table(value, field, ("cost",))["cost"], f"{field}.cost")
        if len(names) != 2:
            self._check.fail(f"{field}.cost", f"must name two resources, not {len(names)}")
        first, second = (self._resource(name, f"{field}.cost") for name in names)
        return first, second

    def _card(self, value: object, field: str) -> list[Print]:
        card = self._check.table(value, field, ("summer", "winter"))
        halves: list[Print] = []
        for season in ("summer", "winter"):
            side = self._check.table(card[season], f"{field}.{season}", ("left", "right"))
            halves += [self._half(side[name], f"{field}.{season}.{name}") for name in ("left", "right")]
        return halves

    def _half(self, value: object, field: str) -> Print:
        half = self._check.table(value, field, ("resources", "snow", "coat"))
        names = self._list(half["resources"], f"{field}.resources")
        if len(names) > MOST_PER_HALF:
            self._check.fail(f"{field}.resources", f"has {len(names)} entries; at most {MOST_PER_HALF} are allowed")
        snow = self._check.whole(half["snow"], f"{field}.snow", 0, MOST_PER_HALF)
        coat = self._check.whole(half["coat"], f"{field}.coat", 0, snow)
        return Print(tuple(self._reach(name, f"{field}.resources") for name in names), snow, coat)

    def _reach(self, text: str, field: str) -> tuple[Resource, Tool | None]:
        name, bracket, mark = text.partition("[")
        if not bracket:
            return self._resource(name, field), None
        if not mark.endswith("]") or mark[:-1] not in _TOOLS:
            self._check.fail(field, f"{text!r} names no tool; write it like fish[net], with one of {', '.join(_TOOLS)}")
        return self._resource(name, field), _TOOLS[mark[:-1]]

    def _resource(self, name: str, field: str) -> Resource:
        if name not in _RESOURCES:
            self._check.fail(field, f"{name!r} is no resource; there are {', '.join(_RESOURCES)}")
        return _RESOURCES[name]

    def _list(self, value: object, field: str) -> list[str]:
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            self._check.fail(field, "must be a list of texts")
        return value
