"""The actions of Snowblind: one small frozen class each, every value made once, listed in a fixed order."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Final, TypeAlias

from arena.core.actions import ActionTable
from arena.core.seat import Seat
from arena.games.snowblind.components import HIGHEST_CARD, Die

ZONES: Final = (1, 2, 3, 4, 5, 6)
POLE: Final = 6


class Man(IntEnum):
    """The classes of explorers; the value is the place of a class among the slots of a zone."""

    CAPTAIN = 0
    SCIENTIST = 1
    SAILOR = 2


class Supply(IntEnum):
    """What is spent before men are; the value is its place among the slots of a zone."""

    CRATE = 6
    FOOD = 7


class Use(IntEnum):
    """What a die is taken for; only the grey d8 leaves a choice."""

    RED_D6 = 0
    RED_D8 = 1
    YELLOW_D6 = 2
    YELLOW_D8 = 3
    BLUE_D6 = 4
    BLUE_D8 = 5
    GREEN = 6
    PURPLE_D8 = 7
    GREY_DASH = 8
    GREY_HAUL = 9
    GREY_CAMP = 10

    @property
    def die(self) -> Die:
        """The die that is taken."""
        return Die(min(self, Die.GREY_D8))


@dataclass(frozen=True, slots=True)
class Compass:
    """Chance: this seat holds the compass first."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class Roll:
    """Chance: the next die of the pool shows this face."""

    face: int


@dataclass(frozen=True, slots=True)
class Weather:
    """Chance: this weather card is turned up."""

    number: int


@dataclass(frozen=True, slots=True)
class PackIce:
    """Chance: the Pack Ice card is turned up; one more round follows."""


@dataclass(frozen=True, slots=True)
class Take:
    """A die goes from the action board to the own pool."""

    use: Use


@dataclass(frozen=True, slots=True)
class Pass:
    """No more actions in this round."""


@dataclass(frozen=True, slots=True)
class OpenBarrel:
    """A barrel of this zone becomes three crates."""

    zone: int


@dataclass(frozen=True, slots=True)
class Revive:
    """An exhausted explorer of this zone becomes active for one supply of the zone."""

    zone: int
    man: Man
    supply: Supply


@dataclass(frozen=True, slots=True)
class GoOn:
    """No more revivals: the pool is rolled."""


@dataclass(frozen=True, slots=True)
class Move:
    """An active explorer goes to a neighbouring zone."""

    man: Man
    origin: int
    zone: int


@dataclass(frozen=True, slots=True)
class Bring:
    """Who comes along with the captain (red d8); None is nobody."""

    man: Man | None


@dataclass(frozen=True, slots=True)
class Load:
    """So many crates come along."""

    crates: int


@dataclass(frozen=True, slots=True)
class Trade:
    """Whether one crate of the zone reached becomes two food (blue d8)."""

    trade: bool


@dataclass(frozen=True, slots=True)
class Hunt:
    """Food is brought into this zone."""

    zone: int


@dataclass(frozen=True, slots=True)
class PlaceCamp:
    """A camp from the hand is placed in this zone."""

    zone: int


@dataclass(frozen=True, slots=True)
class Spend:
    """A loss is paid with one supply."""

    supply: Supply


@dataclass(frozen=True, slots=True)
class Exhaust:
    """A loss exhausts an active explorer; in a dash, not the one who dashes if there is another."""

    man: Man


@dataclass(frozen=True, slots=True)
class ExhaustRunner:
    """A loss exhausts the explorer who dashes, though another of his class stands beside him."""


@dataclass(frozen=True, slots=True)
class Perish:
    """A loss takes an exhausted explorer."""

    man: Man


@dataclass(frozen=True, slots=True)
class Plant:
    """Whether the flag comes to the captain's zone."""

    plant: bool


Action: TypeAlias = (
    Compass
    | Roll
    | Weather
    | PackIce
    | Take
    | Pass
    | OpenBarrel
    | Revive
    | GoOn
    | Move
    | Bring
    | Load
    | Trade
    | Hunt
    | PlaceCamp
    | Spend
    | Exhaust
    | ExhaustRunner
    | Perish
    | Plant
)

MOST_SEATS: Final = 4
COMPASSES: Final = tuple(Compass(Seat(seat)) for seat in range(MOST_SEATS))
ROLLS: Final = tuple(Roll(face) for face in range(1, 9))
WEATHERS: Final = tuple(Weather(number) for number in range(1, HIGHEST_CARD + 1))
PACK_ICE: Final = PackIce()
TAKES: Final = tuple(Take(use) for use in Use)
PASS: Final = Pass()
BARRELS: Final = tuple(OpenBarrel(zone) for zone in ZONES)
REVIVES: Final = tuple(tuple(tuple(Revive(zone, man, kind) for kind in Supply) for man in Man) for zone in ZONES)
"""[zone - 1][man]: with a crate, with food."""
GO_ON: Final = GoOn()
MOVES: Final = tuple(
    tuple(tuple(Move(man, zone, zone + step) for step in (1, -1) if 1 <= zone + step <= POLE) for zone in ZONES)
    for man in Man
)
"""[man][zone - 1]: north, then south where there is a zone."""
BRINGS: Final = (Bring(None), Bring(Man.SCIENTIST), Bring(Man.SAILOR))
LOADS: Final = tuple(Load(crates) for crates in range(5))
TRADES: Final = (Trade(trade=False), Trade(trade=True))
HUNTS: Final = tuple(Hunt(zone) for zone in ZONES)
CAMPS: Final = tuple(PlaceCamp(zone) for zone in ZONES)
SPENDS: Final = (Spend(Supply.CRATE), Spend(Supply.FOOD))
EXHAUSTS: Final = tuple(Exhaust(man) for man in Man)
EXHAUST_RUNNER: Final = ExhaustRunner()
PERISHES: Final = tuple(Perish(man) for man in Man)
PLANTS: Final = (Plant(plant=False), Plant(plant=True))


def die_name(die: Die) -> str:
    """Return a die as it is written: "red-d8", "green"."""
    return die.name.lower().replace("_", "-")


def use_name(use: Use) -> str:
    """Return what a die is taken for, as it is written: "red-d8", "grey-d8 dash"."""
    if use < Use.GREY_DASH:
        return die_name(use.die)
    return f"grey-d8 {use.name.removeprefix('GREY_').lower()}"


def man_name(man: Man | None) -> str:
    """Return a class of explorers as it is written."""
    return "nobody" if man is None else man.name.lower()


def notation(action: Action) -> str:  # noqa: C901, PLR0912 - one line an action
    """Return the action as it stands in a log, such as "move sailor 2 to 3"."""
    match action:
        case Compass(seat):
            return f"compass {seat}"
        case Roll(face):
            return f"roll {face}"
        case Weather(number):
            return f"weather {number}"
        case PackIce():
            return "pack ice"
        case Take(use):
            return f"take {use_name(use)}"
        case Pass():
            return "pass"
        case OpenBarrel(zone):
            return f"open barrel {zone}"
        case Revive(zone, man, supply):
            return f"revive {man_name(man)} {zone} with {supply.name.lower()}"
        case GoOn():
            return "go on"
        case Move(man, origin, zone):
            return f"move {man_name(man)} {origin} to {zone}"
        case Bring(man):
            return f"bring {man_name(man)}"
        case Load(crates):
            return f"load {crates}"
        case Trade(trade):
            return "trade crate" if trade else "keep crate"
        case Hunt(zone):
            return f"hunt {zone}"
        case PlaceCamp(zone):
            return f"camp {zone}"
        case Spend(supply):
            return f"spend {supply.name.lower()}"
        case Exhaust(man):
            return f"exhaust {man_name(man)}"
        case ExhaustRunner():
            return "exhaust runner"
        case Perish(man):
            return f"perish {man_name(man)}"
        case Plant(plant):
            return "plant flag" if plant else "leave flag"


ACTIONS: Final[ActionTable[Action]] = ActionTable(
    (
        *COMPASSES,
        *ROLLS,
        *WEATHERS,
        PACK_ICE,
        *TAKES,
        PASS,
        *BARRELS,
        *(revive for zone in REVIVES for man in zone for revive in man),
        GO_ON,
        *(move for man in MOVES for zone in man for move in zone),
        *BRINGS,
        *LOADS,
        *TRADES,
        *HUNTS,
        *CAMPS,
        *SPENDS,
        *EXHAUSTS,
        EXHAUST_RUNNER,
        *PERISHES,
        *PLANTS,
    ),
    notation,
)
