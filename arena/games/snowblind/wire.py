"""Snowblind's actions and plies as messages of snowblind.proto, and back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from arena.core.errors import MalformedAction
from arena.core.seat import CHANCE, Seat
from arena.games.snowblind.actions import (
    ACTIONS,
    ROLLS,
    Action,
    Bring,
    Compass,
    Exhaust,
    ExhaustRunner,
    GoOn,
    Hunt,
    Load,
    Man,
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
    Supply,
    Take,
    Trade,
    Use,
    Weather,
)
from arena.games.snowblind.state import Ply
from arena.games.snowblind.v1 import snowblind_pb2 as pb

WIRE_MEN: Final = tuple(pb.Man.ValueType(man + 1) for man in Man)
WIRE_USES: Final = tuple(pb.Use.ValueType(use + 1) for use in Use)
_WIRE_SUPPLIES: Final = {Supply.CRATE: pb.SUPPLY_CRATE, Supply.FOOD: pb.SUPPLY_FOOD}


def _write_action(action: Action) -> pb.Action:  # noqa: C901, PLR0912 - one line an action
    match action:
        case Compass(seat):
            return pb.Action(compass=pb.Compass(seat=seat))
        case Roll(face):
            return pb.Action(roll=pb.Roll(face=face))
        case Weather(number):
            return pb.Action(weather=pb.Weather(number=number))
        case PackIce():
            return pb.Action(pack_ice=pb.PackIce())
        case Take(use):
            return pb.Action(take=pb.Take(use=WIRE_USES[use]))
        case Pass():
            return pb.Action(**{"pass": pb.Pass()})  # type: ignore[arg-type]  # a Python keyword as a field
        case OpenBarrel(zone):
            return pb.Action(open_barrel=pb.OpenBarrel(zone=zone))
        case Revive(zone, man, supply):
            return pb.Action(revive=pb.Revive(zone=zone, man=WIRE_MEN[man], supply=_WIRE_SUPPLIES[supply]))
        case GoOn():
            return pb.Action(go_on=pb.GoOn())
        case Move(man, origin, zone):
            return pb.Action(move=pb.Move(man=WIRE_MEN[man], origin=origin, zone=zone))
        case Bring(mate):
            return pb.Action(bring=pb.Bring(man=pb.MAN_UNSPECIFIED if mate is None else WIRE_MEN[mate]))
        case Load(crates):
            return pb.Action(load=pb.Load(crates=crates))
        case Trade(trade):
            return pb.Action(trade=pb.Trade(trade=trade))
        case Hunt(zone):
            return pb.Action(hunt=pb.Hunt(zone=zone))
        case PlaceCamp(zone):
            return pb.Action(place_camp=pb.PlaceCamp(zone=zone))
        case Spend(supply):
            return pb.Action(spend=pb.Spend(supply=_WIRE_SUPPLIES[supply]))
        case Exhaust(man):
            return pb.Action(exhaust=pb.Exhaust(man=WIRE_MEN[man]))
        case ExhaustRunner():
            return pb.Action(exhaust_runner=pb.ExhaustRunner())
        case Perish(man):
            return pb.Action(perish=pb.Perish(man=WIRE_MEN[man]))
        case Plant(plant):
            return pb.Action(plant=pb.Plant(plant=plant))


# Every action's message is made once; its bytes lead back to the action.
_MESSAGES: Final = {action: _write_action(action) for action in ACTIONS.all}
_BY_BYTES: Final = {message.SerializeToString(deterministic=True): action for action, message in _MESSAGES.items()}


def action_message(action: Action) -> pb.Action:
    """Return the action's message; it is shared, so it must not be changed."""
    return _MESSAGES[action]


def read_action(message: pb.Action) -> Action:
    """Return the action of a message. Raises MalformedAction for what stands for none."""
    action = _BY_BYTES.get(message.SerializeToString(deterministic=True))
    if action is None:
        raise MalformedAction("a message that stands for no action of snowblind")
    return action


def event_messages(plies: Iterable[Ply]) -> Iterator[pb.Event]:
    """Return the plies as events, the dice of a roll together."""
    faces: list[int] = []
    for actor, action in plies:
        if isinstance(action, Roll):
            faces.append(action.face)
            continue
        if faces:
            yield pb.Event(faces=pb.Faces(faces=faces))
            faces = []
        message = _MESSAGES[action]
        yield pb.Event(action=message) if actor is CHANCE else pb.Event(seat=actor, action=message)
    if faces:
        yield pb.Event(faces=pb.Faces(faces=faces))


def read_events(messages: Iterable[pb.Event]) -> Iterator[Ply]:
    """Return the plies that events tell. Raises MalformedAction for an event of no kind."""
    for message in messages:
        if message.HasField("faces"):
            for face in message.faces.faces:
                yield Ply(CHANCE, ROLLS[face - 1])
        else:
            yield Ply(Seat(message.seat) if message.HasField("seat") else CHANCE, read_action(message.action))
