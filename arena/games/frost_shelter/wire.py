"""Frost Shelter's actions, happenings and cards as messages, and back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Final

from google.protobuf.message import DecodeError

from arena.core.errors import MalformedAction
from arena.games.frost_shelter.actions import (
    ACTIONS,
    Action,
    Buy,
    DealCard,
    DealEquipment,
    Decline,
    Defend,
    Heal,
    NameLeader,
    Pay,
    PlayCard,
    Resource,
    RevealEvent,
    RevealRelic,
    TakeCard,
    UseHarpoon,
    UsePiece,
    card_of,
    cards_in,
    resource_of,
    value_of,
)
from arena.games.frost_shelter.phases import Happening, What
from arena.games.frost_shelter.v1 import frost_shelter_pb2 as pb

_AMOUNTS: Final = (What.FROST_BITE, What.HIBERNATION, What.SUFFERED, What.CLEANUP)


def resource_message(resource: int) -> pb.Resource.ValueType:
    """Return a resource on the wire, where 0 means none."""
    return pb.Resource.ValueType(resource + 1)


def piece_message(piece: int) -> pb.Equipment.ValueType:
    """Return a kind of equipment on the wire, where 0 means none."""
    return pb.Equipment.ValueType(piece + 1)


@cache
def card_message(card: int) -> pb.Card:
    """Return a card on the wire; shared, never to be changed."""
    return pb.Card(resource=resource_message(resource_of(card)), value=value_of(card))


def card_messages(cards: int) -> list[pb.Card]:
    """Return a set of cards on the wire, by resource and value."""
    return [card_message(card) for card in cards_in(cards)]


def read_card(message: pb.Card) -> int:
    """Return the number of a card."""
    return card_of(Resource(message.resource - 1), message.value)


def read_cards(messages: Iterable[pb.Card]) -> int:
    """Return a set of cards."""
    cards = 0
    for message in messages:
        cards |= 1 << read_card(message)
    return cards


def play_message(action: PlayCard) -> pb.Play:
    """Return a card laid into a trick on the wire."""
    return pb.Play(card=card_message(action.card), expedition=action.expedition)


@cache
def action_message(action: Action) -> pb.Action:
    """Return an action on the wire; shared, never to be changed."""
    match action:
        case PlayCard():
            return pb.Action(play=play_message(action))
        case TakeCard(card):
            return pb.Action(take=card_message(card))
        case DealCard(card):
            return pb.Action(deal=card_message(card))
        case Defend(option):
            return pb.Action(defend=option)
        case NameLeader(seat):
            return pb.Action(leader=seat)
        case RevealEvent(index):
            return pb.Action(event=index)
        case Heal():
            return pb.Action(heal=pb.Heal())
        case Decline():
            return pb.Action(decline=pb.Decline())
        case _:
            return _named_message(action)


def _named_message(action: UseHarpoon | RevealRelic | Pay | UsePiece | Buy | DealEquipment) -> pb.Action:
    match action:
        case UseHarpoon(resource):
            return pb.Action(harpoon=resource_message(resource))
        case RevealRelic(resource):
            return pb.Action(relic=resource_message(resource))
        case Pay(resource):
            return pb.Action(pay=resource_message(resource))
        case UsePiece(piece):
            return pb.Action(use=piece_message(piece))
        case Buy(piece):
            return pb.Action(buy=piece_message(piece))
        case DealEquipment(piece):
            return pb.Action(equip=piece_message(piece))


@cache
def _actions_by_bytes() -> dict[bytes, Action]:
    return {action_message(action).SerializeToString(deterministic=True): action for action in ACTIONS.all}


def read_action(message: pb.Action) -> Action:
    """Return the action of a message. Raises MalformedAction if there is no such action."""
    try:
        return _actions_by_bytes()[message.SerializeToString(deterministic=True)]
    except KeyError:
        raise MalformedAction(f"no action of Frost Shelter: {str(message).strip() or 'an empty message'}") from None


def event_message(happening: Happening) -> pb.Event:
    """Return a happening on the wire."""
    what, seat, detail = happening
    message = pb.Event() if seat < 0 else pb.Event(seat=seat)
    if what is What.PLY:
        assert not isinstance(detail, int)  # noqa: S101 - a ply carries its action
        message.action.CopyFrom(action_message(detail))
        return message
    assert isinstance(detail, int)  # noqa: S101 - everything else carries a number
    match what:
        case What.DECLINED:
            message.declined = pb.Phase.ValueType(detail)
        case What.WON:
            message.won.CopyFrom(card_message(detail))
        case What.PAID:
            message.paid.CopyFrom(card_message(detail))
        case What.FROST_BITE:
            message.frost_bite = detail
        case What.HIBERNATION:
            message.hibernation = detail
        case What.SUFFERED:
            message.suffered = detail
        case What.CLEANUP:
            message.cleanup = detail
    return message


def read_event(message: pb.Event) -> Happening:
    """Return the happening of a message."""
    seat = message.seat if message.HasField("seat") else -1
    match message.WhichOneof("kind"):
        case "action":
            return What.PLY, seat, read_action(message.action)
        case "declined":
            return What.DECLINED, seat, message.declined
        case "won":
            return What.WON, seat, read_card(message.won)
        case "paid":
            return What.PAID, seat, read_card(message.paid)
        case "frost_bite":
            return What.FROST_BITE, seat, message.frost_bite
        case "hibernation":
            return What.HIBERNATION, seat, message.hibernation
        case "suffered":
            return What.SUFFERED, seat, message.suffered
        case _:
            return What.CLEANUP, seat, message.cleanup


def turn_message(view: pb.View, legal: Sequence[Action]) -> pb.Turn:
    """Return a turn on the wire."""
    return pb.Turn(view=view, legal_actions=[action_message(action) for action in legal])


def read_turn(data: bytes) -> tuple[pb.View, tuple[Action, ...]]:
    """Read a turn back. Raises MalformedAction."""
    try:
        turn = pb.Turn.FromString(data)
    except DecodeError:
        raise MalformedAction("these bytes are no turn of Frost Shelter") from None
    return turn.view, tuple(read_action(action) for action in turn.legal_actions)
