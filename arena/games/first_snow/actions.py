"""The actions of First Snow: one small frozen class each, every value made once, listed in a fixed order."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final, TypeAlias

from arena.core.actions import ActionTable
from arena.core.seat import Seat
from arena.games.first_snow.components import CARDS, Half, Resource, Tool


class Side(Enum):
    """Where a card joins the landscape; START is the first card of a round."""

    START = "start"
    LEFT = "left"
    RIGHT = "right"


class Diet(Enum):
    """What the Inuit eats tonight."""

    BALANCED = "balanced"
    BERRY = "berry"
    FISH = "fish"
    BIRD = "bird"
    CARIBOU = "caribou"


@dataclass(frozen=True, slots=True)
class FirstSeat:
    """Chance: this seat is A in the order A, B, B, A of the first round."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class Cool:
    """Chance: this land card is flipped to its winter side."""

    card: int


@dataclass(frozen=True, slots=True)
class SetBear:
    """The bear roams on this card for the round, in secret."""

    card: int


@dataclass(frozen=True, slots=True)
class TakeCard:
    """The next card to join the landscape; where it goes is the next ply."""

    card: int


@dataclass(frozen=True, slots=True)
class Place:
    """The taken card goes to this side of the landscape, the camp on this half of it."""

    side: Side
    half: Half


@dataclass(frozen=True, slots=True)
class Eat:
    """Tonight's diet."""

    diet: Diet


@dataclass(frozen=True, slots=True)
class Repair:
    """A damaged tool is mended with one resource."""

    tool: Tool
    resource: Resource


@dataclass(frozen=True, slots=True)
class Craft:
    """A new tool is made."""

    tool: Tool


@dataclass(frozen=True, slots=True)
class LeaveResource:
    """One piece of this resource stays behind."""

    resource: Resource


@dataclass(frozen=True, slots=True)
class LeaveTool:
    """A tool stays behind; a good and a damaged copy are different items."""

    tool: Tool
    damaged: bool


@dataclass(frozen=True, slots=True)
class Done:
    """No more repairs, or no more crafts, at this camp."""


Action: TypeAlias = (
    FirstSeat | Cool | SetBear | TakeCard | Place | Eat | Repair | Craft | LeaveResource | LeaveTool | Done
)

DONE: Final = Done()
FIRST_SEATS: Final = (FirstSeat(Seat(0)), FirstSeat(Seat(1)))
COOLS: Final = tuple(Cool(card) for card in CARDS)
BEARS: Final = tuple(SetBear(card) for card in CARDS)
TAKES: Final = tuple(TakeCard(card) for card in CARDS)
PLACES: Final = tuple(Place(side, half) for side in Side for half in Half)
EATS: Final = tuple(Eat(diet) for diet in Diet)
REPAIRS: Final = tuple(tuple(Repair(tool, kind) for kind in Resource) for tool in Tool)
CRAFTS: Final = tuple(Craft(tool) for tool in Tool)
LEAVE_RESOURCES: Final = tuple(LeaveResource(kind) for kind in Resource)
LEAVE_GOOD: Final = tuple(LeaveTool(tool, damaged=False) for tool in Tool)
LEAVE_DAMAGED: Final = tuple(LeaveTool(tool, damaged=True) for tool in Tool)


def notation(action: Action) -> str:
    """Return the action as it stands in a log, such as "place left, camp right"."""
    match action:
        case FirstSeat(seat):
            return f"first seat {seat}"
        case Cool(card):
            return f"cool {card}"
        case SetBear(card):
            return f"bear {card}"
        case TakeCard(card):
            return f"take {card}"
        case Place(side, half):
            return f"place {side.value}, camp {half.name.lower()}"
        case Eat(diet):
            return f"eat {diet.value}"
        case Repair(tool, resource):
            return f"repair {tool.name.lower()} with {resource.name.lower()}"
        case Craft(tool):
            return f"craft {tool.name.lower()}"
        case LeaveResource(resource):
            return f"leave {resource.name.lower()}"
        case LeaveTool(tool, damaged):
            return f"leave {'damaged' if damaged else 'good'} {tool.name.lower()}"
        case Done():
            return "done"


ACTIONS: Final[ActionTable[Action]] = ActionTable(
    (
        *FIRST_SEATS,
        *COOLS,
        *BEARS,
        *TAKES,
        *PLACES,
        *EATS,
        *(repair for row in REPAIRS for repair in row),
        *CRAFTS,
        *LEAVE_RESOURCES,
        *LEAVE_GOOD,
        *LEAVE_DAMAGED,
        DONE,
    ),
    notation,
)


def describe(action: Action) -> str:
    """Return the action in plain words, without its actor."""
    match action:
        case FirstSeat(seat):
            return f"seat {seat} goes first"
        case Cool(card):
            return f"winter comes to card {card}"
        case SetBear(card):
            return f"sends the bear to card {card}" if card else "sends the bear somewhere"
        case TakeCard(card):
            return f"takes card {card}"
        case Place(side, half):
            where = "starts the landscape" if side is Side.START else f"adds it on the {side.value}"
            return f"{where} and camps on its {half.name.lower()} half"
        case Eat(diet):
            return "eats a balanced diet" if diet is Diet.BALANCED else f"eats all the {diet.value}"
        case Repair(tool, resource):
            return f"repairs the {tool.name.lower()} with {resource.name.lower()}"
        case Craft(tool):
            return f"crafts a {tool.name.lower()}" if tool is not Tool.AXE else "crafts an axe"
        case LeaveResource(resource):
            return f"leaves a piece of {resource.name.lower()} behind"
        case LeaveTool(tool, damaged):
            return f"leaves the {'damaged' if damaged else 'good'} {tool.name.lower()} behind"
        case Done():
            return "is done with the tools"
