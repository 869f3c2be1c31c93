"""The component numbers of Snowblind: supplies, dice, weather cards and set-ups, read from one TOML file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import Enum, IntEnum
from functools import cache, cached_property
from typing import Final

from arena.core.component_file import FieldCheck, digest_of, packaged_text, read_toml

OWN_FILE: Final = "components.toml"
HIGHEST_CARD: Final = 8
SETUPS: Final = ("quick", "epic", "solo")


class Die(IntEnum):
    """The kinds of risk dice, in the order in which a pool is rolled."""

    RED_D6 = 0
    RED_D8 = 1
    YELLOW_D6 = 2
    YELLOW_D8 = 3
    BLUE_D6 = 4
    BLUE_D8 = 5
    GREEN = 6
    PURPLE_D8 = 7
    GREY_D8 = 8


class Status(Enum):
    """Where the numbers of a group come from."""

    PUBLISHED = "published"
    RECONSTRUCTED = "reconstructed"


@dataclass(frozen=True, slots=True)
class SetUp:
    """How an expedition and the weather deck begin; the fields are explained in components.toml."""

    ship: int
    captain: int
    scientists: int
    sailors: int
    base_crates: int
    captain_crates: int
    barrels: int
    camps: int
    camps_in_hand: int
    weather: int


@dataclass(frozen=True)
class SnowblindComponents:
    """A checked component file.

    dice: how many of each kind, by Die. setups: quick, epic and solo. targets: research tokens by solo variant.
    status: group name -> where its numbers come from.
    """

    food: int
    research: int
    dice: tuple[int, ...]
    cards: tuple[int, ...]
    solo_cards: tuple[int, ...]
    setups: Mapping[str, SetUp]
    targets: Mapping[str, int]
    status: Mapping[str, Status]

    @cached_property
    def digest(self) -> str:
        """64 hex digits: sha256 over the canonical JSON of the numbers."""
        return digest_of({name: value for name, value in asdict(self).items() if name != "status"})


def read_components(text: str | None, source: str) -> SnowblindComponents:
    """Read a component file's text (None: the game's own). Raises BadComponents as "SOURCE: FIELD: what is wrong"."""
    if text is None:
        return _own()
    return _Reader(source).read(text)


@cache
def _own() -> SnowblindComponents:
    return _Reader(OWN_FILE).read(packaged_text(__package__, OWN_FILE))


# The least and the most that each number may be; the rules keep counts in single bytes.
_DICE: Final = {die.name.lower(): (0, 9) for die in Die}
_SUPPLIES: Final = {"food": (0, 60), "research": (0, 60)}
_TARGETS: Final = dict.fromkeys(("solo", "solo_hard", "solo_blizzard", "solo_whiteout"), (0, 60))
_SETUP: Final = {
    "ship": (1, 5),
    "captain": (1, 5),
    "scientists": (0, 9),
    "sailors": (0, 9),
    "base_crates": (0, 60),
    "captain_crates": (0, 60),
    "barrels": (0, 20),
    "camps": (0, 9),
    "camps_in_hand": (0, 9),
    "weather": (0, 40),
}


class _Reader:
    """Reads one file, field by field, and knows where it is when something is wrong."""

    __slots__ = ("_check", "_source", "_status")

    def __init__(self, source: str) -> None:
        self._source = source
        self._check = FieldCheck(source)
        self._status: dict[str, Status] = {}

    def read(self, text: str) -> SnowblindComponents:
        root = read_toml(text, self._source)
        self._check.keys(root, "file", ("supplies", "dice", "weather", "setups", "research"))
        supplies = self._numbers(root["supplies"], "supplies", _SUPPLIES)
        dice = self._numbers(root["dice"], "dice", _DICE)
        weather = self._group(root["weather"], "weather", ("cards", "solo_cards"))
        cards = self._cards(weather["cards"], "weather.cards")
        setups = self._check.table(root["setups"], "setups", SETUPS)
        return SnowblindComponents(
            food=supplies["food"],
            research=supplies["research"],
            dice=tuple(dice.values()),
            cards=cards,
            solo_cards=self._cards(weather["solo_cards"], "weather.solo_cards"),
            setups={name: self._setup(setups[name], f"setups.{name}", name, len(cards)) for name in SETUPS},
            targets=self._numbers(root["research"], "research", _TARGETS),
            status=self._status,
        )

    def _setup(self, value: object, field: str, name: str, cards: int) -> SetUp:
        setup = SetUp(**self._numbers(value, field, _SETUP))
        if setup.captain < setup.ship:
            self._check.fail(f"{field}.captain", f"is south of the ship, zone {setup.ship}")
        if name == "solo" and setup.weather:
            self._check.fail(f"{field}.weather", "must be 0: the solo game uses all of weather.solo_cards")
        if name != "solo" and not 2 <= setup.weather <= cards:
            self._check.fail(f"{field}.weather", f"must be 2 to {cards}, the number of weather.cards")
        return setup

    def _cards(self, value: object, field: str) -> tuple[int, ...]:
        if not isinstance(value, list) or not 1 <= len(value) <= 40:
            self._check.fail(field, "must be a list of 1 to 40 numbers")
        return tuple(sorted(self._check.whole(card, field, 1, HIGHEST_CARD) for card in value))

    def _numbers(self, value: object, field: str, bounds: Mapping[str, tuple[int, int]]) -> dict[str, int]:
        group = self._group(value, field, tuple(bounds))
        return {key: self._check.whole(group[key], f"{field}.{key}", *limits) for key, limits in bounds.items()}

    def _group(self, value: object, field: str, keys: tuple[str, ...]) -> Mapping[str, object]:
        group = self._check.table(value, field, ("status", *keys))
        try:
            self._status[field] = Status(group["status"])
        except ValueError:
            self._check.fail(f"{field}.status", 'must be "published" or "reconstructed"')
        return group
