"""Snowblind's actions in plain words."""

from __future__ import annotations

from typing import Final

from arena.games.snowblind.actions import (
    Action,
    Bring,
    Compass,
    Exhaust,
    ExhaustRunner,
    GoOn,
    Hunt,
    Load,
    Move,
    OpenBarrel,
    PackIce,
    Pass,
    Perish,
    PlaceCamp,
    Plant,
    Revive,
    Roll,
    Spend,
    Take,
    Trade,
    Use,
    Weather,
    die_name,
    man_name,
)

_USES: Final = {
    Use.GREY_DASH: "takes a grey-d8 to dash two zones",
    Use.GREY_HAUL: "takes a grey-d8 to move anybody",
    Use.GREY_CAMP: "takes a grey-d8 to place a camp",
    Use.PURPLE_D8: "takes the purple-d8 to hunt",
}


def describe(action: Action) -> str:  # noqa: C901, PLR0912 - one line an action
    """Return the action in plain words, without its actor."""
    match action:
        case Compass(seat):
            return f"seat {seat} holds the compass"
        case Roll(face):
            return f"a die shows {face}"
        case Weather(number):
            return f"the weather is {number}"
        case PackIce():
            return "pack ice: one more round"
        case Take(use):
            return _USES.get(use, f"takes a {die_name(use.die)} to move")
        case Pass():
            return "passes"
        case OpenBarrel(zone):
            return f"opens a barrel in zone {zone}"
        case Revive(zone, man, supply):
            return f"revives a {man_name(man)} in zone {zone} with a {_piece(supply.name)}"
        case GoOn():
            return "revives nobody else"
        case Move(man, origin, zone):
            return f"moves a {man_name(man)} from zone {origin} to zone {zone}"
        case Bring(mate):
            return "goes alone" if mate is None else f"takes a {man_name(mate)} along"
        case Load(crates):
            return f"takes {crates} crates along" if crates != 1 else "takes 1 crate along"
        case Trade(trade):
            return "trades a crate for two food" if trade else "keeps the crates"
        case Hunt(zone):
            return f"hunts for zone {zone}"
        case PlaceCamp(zone):
            return f"places a camp in zone {zone}"
        case Spend(supply):
            return f"loses a {_piece(supply.name)}"
        case Exhaust(man):
            return f"a {man_name(man)} is exhausted"
        case ExhaustRunner():
            return "the one who dashes is exhausted"
        case Perish(man):
            return f"a {man_name(man)} perishes"
        case Plant(plant):
            return "plants the flag with the captain" if plant else "leaves the flag"


def _piece(supply: str) -> str:
    return "crate" if supply == "CRATE" else "piece of food"
