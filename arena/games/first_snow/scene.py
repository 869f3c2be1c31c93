"""What a picture of First Snow shows, as text or as SVG: a view read into words."""

from __future__ import annotations

from typing import Final

from arena.core.seat import CHANCE, Actor
from arena.games.first_snow.actions import describe
from arena.games.first_snow.components import CARDS, Resource, Tool
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
from arena.games.first_snow.v1 import first_snow_pb2 as pb
from arena.games.first_snow.wire import read_event, read_resources, read_tools, stay_message

ROUNDS: Final = len(CARDS)
_DOING: Final = {
    pb.PHASE_BEAR: "sets the bear",
    pb.PHASE_TAKE: "takes a card",
    pb.PHASE_PLACE: "places card {card} and a camp",
    pb.PHASE_FOOD: "chooses a diet",
    pb.PHASE_REPAIR: "repairs tools",
    pb.PHASE_CRAFT: "crafts tools",
    pb.PHASE_LEAVE: "leaves something behind",
}


def headline(view: pb.View) -> str:
    """Return the round and what is going on."""
    stage = f"round {view.round} of {ROUNDS}" if view.round else "setup"
    return f"First Snow - {stage} - {_doing(view)}"


def viewpoint(view: pb.View) -> str:
    """Return whose view this is."""
    return f"as seat {view.seat} sees it" if view.HasField("seat") else "public view"


def order_line(view: pb.View) -> str:
    """Return the seats in the order they place camps."""
    return ", ".join(str(seat) for seat in view.turn_order) or "not drawn yet"


def loads(player: pb.Player) -> str:
    """Return what a player carries, such as "net, damaged bow, 2 fish"."""
    good, damaged = read_tools([*player.good_tools]), read_tools([*player.damaged_tools])
    words = [tool.name.lower() for tool in Tool if good >> tool & 1]
    words += [f"damaged {tool.name.lower()}" for tool in Tool if damaged >> tool & 1]
    words += pieces(read_resources(player.resources))
    return ", ".join(words) or "nothing"


def pieces(pool: int) -> list[str]:
    """Return a pool's contents, such as ["2 fish", "1 wood"]."""
    counts = ((pool >> 8 * kind & 0xFF, kind.name.lower()) for kind in Resource)
    return [f"{number} {name}" for number, name in counts if number]


def bear_line(bear: pb.Bear) -> str:
    """Return what is known of a bear."""
    if bear.card:
        return f"bear on {bear.card}"
    return "bear hidden" if bear.set else "bear not set"


def stay_words(stay: pb.Stay) -> str:
    """Return where a camp is that is being resolved."""
    return f"{'night' if stay.night else 'day'} camp between {stay.left_card} and {stay.right_card}"


def waiting_cards(view: pb.View) -> list[int]:
    """Return the cards that are not in the landscape, ascending."""
    return [card for card in CARDS if card not in view.landscape]


def camp_words(view: pb.View) -> dict[tuple[int, int], tuple[int, str, bool]]:
    """Return, for each (card, half on the wire) with a camp: its seat, "day" or "night", whether it is attacked."""
    words: dict[tuple[int, int], tuple[int, str, bool]] = {}
    seen: set[int] = set()
    for camp in view.camps:
        time = "night" if camp.seat in seen else "day"
        seen.add(camp.seat)
        words[camp.card, camp.half] = (camp.seat, time, camp.card == view.attacked_card)
    return words


def event_lines(view: pb.View) -> list[str]:
    """Return the view's events in words, oldest first."""
    return [_event_words(read_event(event)) for event in view.events]


def _doing(view: pb.View) -> str:
    if view.HasField("result"):
        winner = [*view.result.ranks].index(1)
        how = "by the lowest camp" if view.result.reason == pb.REASON_LOWEST_CAMP else "on points"
        return f"over: seat {winner} wins {how}"
    if not view.HasField("to_act"):
        return "chance decides"
    return f"seat {view.to_act} {_DOING[view.phase].format(card=view.taken_card)}"


def _event_words(event: Event) -> str:
    match event:
        case Ply(actor, action):
            return f"{_actor(actor)}{describe(action)}"
        case Encounter(seat, card):
            return f"seat {seat} meets the bear of seat {1 - seat} on card {card}"
        case Finish(row, bears, attacked):
            flight = f", the camp on {attacked} is attacked" if attacked else ", nobody is attacked"
            cards = " ".join(map(str, row))
            return f"the landscape is {cards}; bears on {bears[0]} and {bears[1]}{flight}"
        case Arrival(stay, gathered):
            found = ", ".join(pieces(gathered)) or "nothing"
            return f"seat {stay.seat} finds {found} at its {stay_words(stay_message(stay))}"
        case Meal(seat, eaten, points):
            return f"seat {seat} eats {', '.join(pieces(eaten)) or 'nothing'}: +{points}"
        case Warmth(seat, demand, burned, points):
            cold = "" if burned == demand else ", freezes"
            return f"seat {seat} burns {burned} wood for {demand} snow{cold}: +{points}"
        case Wear(seat, damaged, broken):
            words = [f"{tool.name.lower()} damaged" for tool in Tool if damaged >> tool & 1]
            words += [f"{tool.name.lower()} broken" for tool in Tool if broken >> tool & 1]
            return f"seat {seat} wear: {', '.join(words)}"
        case TurnOrder(seats):
            return f"the order is now {', '.join(map(str, seats))}"
        case Bonus(seat, points):
            return f"seat {seat} scores its good tools: +{points}"


def _actor(actor: Actor) -> str:
    return "" if actor is CHANCE else f"seat {actor} "
