"""First Snow's actions and events as messages of first_snow.proto, and back."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Final

from arena.core.errors import MalformedAction
from arena.core.seat import CHANCE, Actor, Seat
from arena.games.first_snow.actions import (
    ACTIONS,
    BEARS,
    Action,
    Cool,
    Craft,
    Diet,
    Done,
    Eat,
    FirstSeat,
    LeaveResource,
    LeaveTool,
    Place,
    Repair,
    SetBear,
    Side,
    TakeCard,
)
from arena.games.first_snow.components import CARDS, TOOL_SETS, Resource, Tool
from arena.games.first_snow.events import (
    Arrival,
    Bonus,
    Encounter,
    Event,
    Finish,
    Meal,
    Ply,
    TurnOrder,
    Warmth,
    Wear,
)
from arena.games.first_snow.landscape import Camp, Stay
from arena.games.first_snow.v1 import first_snow_pb2 as pb

HIDDEN_BEAR: Final = SetBear(0)
"""Stands in an event for the bear that its viewer may not know."""

_WIRE_TOOLS: Final = tuple(pb.Tool.ValueType(tool + 1) for tool in Tool)
_WIRE_RESOURCES: Final = tuple(pb.Resource.ValueType(kind + 1) for kind in Resource)
_WIRE_SIDES: Final = {side: pb.Side.ValueType(number) for number, side in enumerate(Side, 1)}
_WIRE_DIETS: Final = {diet: pb.Diet.ValueType(number) for number, diet in enumerate(Diet, 1)}
TOOL_LISTS: Final = tuple(tuple(_WIRE_TOOLS[tool] for tool in Tool if tools >> tool & 1) for tools in range(TOOL_SETS))
"""For each set of tools, its members as they stand in a message."""


def resources_message(pool: int) -> pb.Resources:
    """Return a pool's counts."""
    return pb.Resources(
        berry=pool & 0xFF,
        fish=pool >> 8 & 0xFF,
        bird=pool >> 16 & 0xFF,
        caribou=pool >> 24 & 0xFF,
        wood=pool >> 32 & 0xFF,
        grass=pool >> 40 & 0xFF,
        stone=pool >> 48 & 0xFF,
    )


def read_resources(message: pb.Resources) -> int:
    """Return the pool with these counts."""
    counts = (
        message.berry,
        message.fish,
        message.bird,
        message.caribou,
        message.wood,
        message.grass,
        message.stone,
    )
    return sum(number << 8 * kind for kind, number in enumerate(counts))


def read_tools(tools: list[int]) -> int:
    """Return the set of these tools."""
    return sum(1 << (tool - 1) for tool in tools)


def stay_message(stay: Stay) -> pb.Stay:
    """Return a camp to resolve."""
    return pb.Stay(seat=stay.seat, night=stay.night, left_card=stay.left, right_card=stay.right)


def read_stay(message: pb.Stay) -> Stay:
    """Return the camp to resolve that a message shows."""
    return Stay(Seat(message.seat), message.night, message.left_card, message.right_card)


def _write_action(action: Action) -> pb.Action:
    match action:
        case FirstSeat(seat):
            return pb.Action(first_seat=pb.FirstSeat(seat=seat))
        case Cool(card):
            return pb.Action(cool=pb.Cool(card=card))
        case SetBear(card):
            return pb.Action(set_bear=pb.SetBear(card=card))
        case TakeCard(card):
            return pb.Action(take_card=pb.TakeCard(card=card))
        case Place(side, half):
            return pb.Action(place=pb.Place(side=_WIRE_SIDES[side], half=pb.Half.ValueType(half + 1)))
        case Eat(diet):
            return pb.Action(eat=pb.Eat(diet=_WIRE_DIETS[diet]))
        case Repair(tool, resource):
            return pb.Action(repair=pb.Repair(tool=_WIRE_TOOLS[tool], resource=_WIRE_RESOURCES[resource]))
        case Craft(tool):
            return pb.Action(craft=pb.Craft(tool=_WIRE_TOOLS[tool]))
        case LeaveResource(resource):
            return pb.Action(leave_resource=pb.LeaveResource(resource=_WIRE_RESOURCES[resource]))
        case LeaveTool(tool, damaged):
            return pb.Action(leave_tool=pb.LeaveTool(tool=_WIRE_TOOLS[tool], damaged=damaged))
        case Done():
            return pb.Action(done=pb.Done())


# Every action's message is made once; its bytes lead back to the action.
_MESSAGES: Final = {action: _write_action(action) for action in (*ACTIONS.all, HIDDEN_BEAR)}
_BY_BYTES: Final = {message.SerializeToString(deterministic=True): action for action, message in _MESSAGES.items()}


def action_message(action: Action) -> pb.Action:
    """Return the action's message; it is shared, so it must not be changed."""
    return _MESSAGES[action]


def read_action(message: pb.Action) -> Action:
    """Return the action of a message. Raises MalformedAction for what stands for none."""
    action = _BY_BYTES.get(message.SerializeToString(deterministic=True))
    if action is None:
        raise MalformedAction("a message that stands for no action of first-snow")
    return action


def event_message(event: Event, seat: Seat | None) -> pb.Event:
    """Return the event as this seat (None: the public) may see it: only a bear's own seat sees where it was set."""
    if isinstance(event, Ply):
        actor, action = event
        if actor is CHANCE:
            return pb.Event(ply=pb.Ply(action=_MESSAGES[action]))
        if isinstance(action, SetBear) and actor != seat:
            action = HIDDEN_BEAR
        return pb.Event(ply=pb.Ply(seat=actor, action=_MESSAGES[action]))
    match event:
        case Encounter(owner, card):
            return pb.Event(encounter=pb.Encounter(seat=owner, card=card))
        case Finish(row, bears, attacked):
            return pb.Event(landscape=pb.Landscape(cards=row, bears=bears, attacked_card=attacked))
        case Arrival(stay, gathered):
            return pb.Event(arrival=pb.Arrival(stay=stay_message(stay), gathered=resources_message(gathered)))
        case Meal(owner, eaten, points):
            return pb.Event(meal=pb.Meal(seat=owner, eaten=resources_message(eaten), points=points))
        case Warmth(owner, demand, burned, points):
            return pb.Event(warmth=pb.Warmth(seat=owner, demand=demand, burned=burned, points=points))
        case Wear(owner, damaged, broken):
            return pb.Event(wear=pb.Wear(seat=owner, damaged=TOOL_LISTS[damaged], broken=TOOL_LISTS[broken]))
        case TurnOrder(seats):
            return pb.Event(turn_order=pb.TurnOrder(seats=seats))
        case Bonus(owner, points):
            return pb.Event(bonus=pb.Bonus(seat=owner, points=points))


# Serialised messages put one after another are merged when read. A message made of finished bytes costs a tenth
# of one made of other messages, and what a view and a turn consist of comes again and again.

LEGAL_BYTES: Final = {
    action: pb.Turn(legal_actions=[message]).SerializeToString(deterministic=True)
    for action, message in _MESSAGES.items()
}
"""For each action a Turn that offers it alone, as bytes."""
_CACHED: Final = 4096


@lru_cache(maxsize=_CACHED, typed=True)  # as tuples, events of different kinds can be equal
def event_bytes(event: Event, seat: Seat | None) -> bytes:
    """Return a View of this event alone, as the seat may see it, as bytes."""
    return pb.View(events=[event_message(event, seat)]).SerializeToString(deterministic=True)


@lru_cache(maxsize=_CACHED)
def moment_bytes(  # noqa: PLR0917 - words cost a third of a hit in the cache
    seat: Seat | None, phase: int, number: int, to_act: Seat | None, taken: int, attacked: int
) -> bytes:
    """Return a View of the moment alone, as bytes: whose view, the phase, the round's number, cards in question."""
    moment = pb.View(
        seat=seat,
        phase=pb.Phase.ValueType(phase),
        round=number,
        to_act=to_act,
        taken_card=taken,
        attacked_card=attacked,
    )
    return moment.SerializeToString(deterministic=True)


@lru_cache(maxsize=_CACHED)
def row_bytes(winter: int, order: tuple[Seat, ...], row: tuple[int, ...]) -> bytes:
    """Return a View of the cards in winter (a set), the turn order and the landscape alone, as bytes."""
    cards = [card for card in CARDS if winter >> (card - 1) & 1]
    return pb.View(winter_cards=cards, turn_order=order, landscape=row).SerializeToString(deterministic=True)


@lru_cache(maxsize=_CACHED)
def player_bytes(score: int, good: int, damaged: int, pool: int) -> bytes:
    """Return a View of one player alone, as bytes; good and damaged are sets of tools."""
    player = pb.Player(
        score=score, good_tools=TOOL_LISTS[good], damaged_tools=TOOL_LISTS[damaged], resources=resources_message(pool)
    )
    return pb.View(players=[player]).SerializeToString(deterministic=True)


@cache
def camp_bytes(camp: Camp) -> bytes:
    """Return a View of one camp alone, as bytes."""
    message = pb.Camp(seat=camp.seat, card=camp.card, half=pb.Half.ValueType(camp.half + 1))
    return pb.View(camps=[message]).SerializeToString(deterministic=True)


@cache
def bear_bytes(card: int, known: bool) -> bytes:  # noqa: FBT001 - words cost a third of a hit in the cache
    """Return a View of one bear alone, as bytes; card 0: not set yet."""
    message = pb.Bear(set=True, card=card) if card and known else pb.Bear(set=bool(card))
    return pb.View(bears=[message]).SerializeToString(deterministic=True)


@cache
def stay_bytes(stay: Stay) -> bytes:
    """Return a View of the camp to resolve alone, as bytes."""
    return pb.View(stay=stay_message(stay)).SerializeToString(deterministic=True)


def read_event(message: pb.Event, bears: tuple[int, int] | None = None) -> Event:
    """Return the event of a message; a bear hidden in it becomes the seat's one of these bears (None: HIDDEN_BEAR)."""
    kind = message.WhichOneof("kind")
    match kind:
        case "ply":
            return _read_ply(message.ply, bears)
        case "encounter":
            return Encounter(Seat(message.encounter.seat), message.encounter.card)
        case "landscape":
            first, second = message.landscape.bears
            return Finish(tuple(message.landscape.cards), (first, second), message.landscape.attacked_card)
        case "arrival":
            return Arrival(read_stay(message.arrival.stay), read_resources(message.arrival.gathered))
        case "meal":
            meal = message.meal
            return Meal(Seat(meal.seat), read_resources(meal.eaten), meal.points)
        case "warmth":
            warmth = message.warmth
            return Warmth(Seat(warmth.seat), warmth.demand, warmth.burned, warmth.points)
        case "wear":
            wear = message.wear
            return Wear(Seat(wear.seat), read_tools([*wear.damaged]), read_tools([*wear.broken]))
        case "turn_order":
            return TurnOrder(tuple(Seat(seat) for seat in message.turn_order.seats))
        case "bonus":
            return Bonus(Seat(message.bonus.seat), message.bonus.points)
        case None:
            raise MalformedAction("an event without a kind")


def _read_ply(message: pb.Ply, bears: tuple[int, int] | None) -> Ply:
    actor: Actor = Seat(message.seat) if message.HasField("seat") else CHANCE
    action = read_action(message.action)
    if bears is not None and action == HIDDEN_BEAR and actor is not CHANCE:
        action = BEARS[bears[actor] - 1]
    return Ply(actor, action)
