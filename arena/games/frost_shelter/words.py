"""Frost Shelter in plain words: actions, what happened, who is asked what."""

from __future__ import annotations

from typing import Final

from arena.games.frost_shelter.actions import (
    Action,
    Buy,
    DealCard,
    DealEquipment,
    Decline,
    Defend,
    Heal,
    NameLeader,
    Pay,
    Piece,
    PlayCard,
    Resource,
    RevealEvent,
    RevealRelic,
    TakeCard,
    UseHarpoon,
    UsePiece,
    cards_in,
    resource_of,
    value_of,
)
from arena.games.frost_shelter.components import Cost, EventCard, FrostShelterComponents, Price
from arena.games.frost_shelter.phases import Phase, What
from arena.games.frost_shelter.purchases import final_outcome
from arena.games.frost_shelter.v1 import frost_shelter_pb2 as pb
from arena.games.frost_shelter.wire import read_card, read_cards, read_event

_ASKED: Final = {
    Phase.FIRST_LEADER: "the first Leader is drawn",
    Phase.EQUIPMENT: "the first equipment is dealt",
    Phase.EVENT: "the next Event is revealed",
    Phase.RELIC: "the Relic is revealed",
    Phase.DEAL: "the hands are dealt",
    Phase.LEADER: "names the Leader",
    Phase.HARPOON: "may use a Harpoon",
    Phase.PLAY: "plays a card",
    Phase.TAKE: "takes winnings, {left} more",
    Phase.EXPEDITION: "on Expedition may pick, at most {left} more",
    Phase.CHEST: "may use a Chest: {excess} too many",
    Phase.DEFENCE: "may defend: {pending} damage left",
    Phase.TARP: "may use a Tarp: {pending} damage left",
    Phase.INFIRMARY: "may heal at the Infirmary",
    Phase.PURCHASE: "may buy equipment, round {round} of {rounds}",
    Phase.PAYMENT: "chooses what to pay {purpose}, {due} more",
    Phase.OVER: "the game is over",
}
_DECLINED: Final = {
    Phase.HARPOON: "uses no Harpoon",
    Phase.EXPEDITION: "stops picking",
    Phase.CHEST: "uses no further Chest",
    Phase.DEFENCE: "defends no further",
    Phase.TARP: "uses no further Tarp",
    Phase.INFIRMARY: "heals no further",
    Phase.PURCHASE: "buys nothing",
}
_PURPOSES: Final = {Phase.DEFENCE: "for the defence", Phase.INFIRMARY: "for healing", Phase.PURCHASE: "for the piece"}
_WON_BY: Final = {"damage": "the least damage", "resources": "values left", "relic": "Relic values left"}
_PLACES: Final = ("1st", "2nd", "3rd", "4th", "5th")


def card_words(card: int) -> str:
    """Return a card, such as "Fuel 7"."""
    return f"{resource_of(card).name.title()} {value_of(card)}"


def words_of(action: Action, components: FrostShelterComponents) -> str:
    """Return an action in plain words, without its actor."""
    match action:
        case NameLeader(seat):
            return f"makes seat {seat} the Leader"
        case UseHarpoon(resource):
            return f"uses a Harpoon: {resource.name.title()} becomes the Relic"
        case PlayCard(card, expedition):
            return f"plays {card_words(card)}{' on Expedition' if expedition else ''}"
        case TakeCard(card):
            return f"takes {card_words(card)}"
        case Defend(option):
            return f"defends with option {option + 1}"
        case UsePiece(piece):
            return f"uses a {piece.name.title()}"
        case Heal():
            return "heals at the Infirmary"
        case Buy(piece):
            return f"buys a {piece.name.title()}"
        case Pay(resource):
            return f"chooses to pay with {resource.name.title()}"
        case Decline():
            return "declines"
        case _:
            return _chance_words(action, components)


def cost_words(cost: Cost) -> str:
    """Return a cost, such as "2 Fuel" or "Fuel + Water" or "2 of one resource"."""
    parts = []
    for price in sorted(set(cost.cards), key=cost.cards.index):
        number = cost.cards.count(price)
        match price:
            case Price.ANY:
                parts.append(f"{number} of any resources" if number > 1 else "1 of any resource")
            case Price.SAME:
                parts.append(f"{number} of one resource")
            case Price.DIFFERENT:
                parts.append(f"{number} of different resources")
            case _:
                parts.append(f"{number} {price.name.title()}" if number > 1 else price.name.title())
    return " + ".join(parts)


def event_of(view: pb.View, components: FrostShelterComponents) -> EventCard | None:
    """Return the Event that is being played."""
    return components.events[view.event_card.index] if view.HasField("event_card") else None


def headline(view: pb.View, components: FrostShelterComponents) -> str:
    """Return the game, the Event's number and what is going on."""
    stage = f"Event {len(view.events_revealed)} of {components.course.events}" if view.events_revealed else "setup"
    if view.ranks:
        return f"Frost Shelter - {stage} - game over: {_victory(view)}"
    asked = _ASKED[Phase(view.phase)].format(
        left=view.choices_left,
        excess=view.resolution.excess,
        pending=view.resolution.pending,
        due=view.bill.due,
        purpose=_PURPOSES.get(Phase(view.bill.purpose)) if view.HasField("bill") else "",
        round=1 + view.position // max(1, len(view.buyers)),
        rounds=components.course.purchases,
    )
    return f"Frost Shelter - {stage} - {f'seat {view.to_act} {asked}' if view.HasField('to_act') else asked}"


def _victory(view: pb.View) -> str:
    winners = [str(seat) for seat, rank in enumerate(view.ranks) if rank == 1]
    if len(winners) > 1:
        return f"seats {', '.join(winners[:-1])} and {winners[-1]} share the victory"
    colonies = [read_cards(player.colony) for player in view.players]
    outcome = final_outcome([player.damage for player in view.players], colonies, view.relic - 1)
    return f"seat {winners[0]} wins by {_WON_BY[outcome.reason]}"


def viewpoint(view: pb.View) -> str:
    """Return whose view it is."""
    return f"as seat {view.seat} sees it" if view.HasField("seat") else "as everybody sees it"


def status_words(group: str, components: FrostShelterComponents) -> str:
    """Return where a group's numbers come from, such as "reconstructed"."""
    return components.status[group].value


def damage_words(view: pb.View, seat: int) -> str:
    """Return a seat's damage, and its rank once the game is over."""
    damage = f"{view.players[seat].damage} damage"
    return f"{damage}, rank {view.ranks[seat]}" if view.ranks else damage


def marks(view: pb.View, seat: int) -> list[str]:
    """Return what else is to be known of a seat: Leader, trick won, Expedition used, damage taken."""
    player = view.players[seat]
    found = [
        ("Leader", view.HasField("leader") and view.leader == seat),
        ("won the trick", view.HasField("winner") and view.winner == seat),
        ("Expedition used", player.expedition_used),
        ("took damage", player.hurt),
    ]
    if seat in view.buyers:
        found.append((f"buys {_PLACES[list(view.buyers).index(seat)]}", True))
    return [word for word, true in found if true]


def counted_words(view: pb.View, seat: int) -> str:
    """Return what the tie-breaks count of a seat's colony, such as "values 13, Relic 4"."""
    cards = [*map(read_card, view.players[seat].colony)]
    of_relic = [value_of(card) for card in cards if resource_of(card) + 1 == view.relic]
    return f"values {sum(map(value_of, cards))}, Relic {sum(of_relic)}"


def effect_words(piece: Piece, components: FrostShelterComponents) -> str:
    """Return what a piece of equipment does, such as "prevents 3"."""
    effect = components.equipment[piece].effect
    return {
        Piece.TARP: f"prevents {effect}",
        Piece.CHEST: f"holds {effect}",
        Piece.HARPOON: "new Relic",
    }[piece]


def winnings_words(view: pb.View, components: FrostShelterComponents) -> str:
    """Return how many cards of a trick its winner takes, and where that number comes from."""
    number = components.winnings[len(view.players)]
    return f"the winner takes {number} card{'s' * (number > 1)} ({status_words('winnings', components)})"


def pieces_words(pieces: pb.Pieces) -> str:
    """Return pieces of equipment, such as "2 Tarps, 1 Harpoon"."""
    counts = (("Tarp", pieces.tarps), ("Chest", pieces.chests), ("Harpoon", pieces.harpoons))
    return ", ".join(f"{count} {name}{'s' * (count > 1)}" for name, count in counts if count) or "none"


def relic_words(view: pb.View) -> str:
    """Return the Relic, and the one that was revealed if Harpoons changed it."""
    if not view.relic:
        return "not revealed"
    now, revealed = Resource(view.relic - 1), Resource(view.relics_revealed[-1] - 1)
    changed = f", by Harpoon (revealed: {revealed.name.title()})" if now != revealed else ""
    return f"{now.name.title()}{changed}"


def story(view: pb.View, components: FrostShelterComponents) -> list[str]:
    """Return what happened, a line for each; several cards a seat was dealt, took or paid in a row share a line."""
    lines: list[str] = []
    previous: tuple[int, str] | None = None
    happenings = [read_event(message) for message in view.events]
    # An option's number belongs to the Event that was open then, maybe not to the one that is open now.
    reveals = sum(isinstance(happening[2], RevealEvent) for happening in happenings)
    earlier = view.events_revealed[: len(view.events_revealed) - reveals]
    event = components.events[earlier[-1]] if earlier else None
    for what, seat, detail in happenings:
        if isinstance(detail, RevealEvent):
            event = components.events[detail.index]
        text = _result_words(what, detail) if isinstance(detail, int) else _ply_words(detail, seat, event, components)
        group = next((start for start in ("is dealt ", "takes ", "pays ") if text.startswith(start)), "")
        if group and previous == (seat, group):
            lines[-1] += f", {text.removeprefix(group)}"
        else:
            lines.append(f"seat {seat} {text}" if seat >= 0 else text)
        previous = (seat, group)
    return lines


def cards_words(cards: int) -> str:
    """Return a set of cards by resource, such as "Fuel 1 7, Tools 3"; "-" for none."""
    rows: dict[str, list[str]] = {}
    for card in cards_in(cards):
        rows.setdefault(resource_of(card).name.title(), []).append(str(value_of(card)))
    return ", ".join(f"{name} {' '.join(values)}" for name, values in rows.items()) or "-"


def _chance_words(
    action: RevealEvent | RevealRelic | DealEquipment | DealCard, components: FrostShelterComponents
) -> str:
    match action:
        case RevealEvent(index):
            known = index < len(components.events)
            return f"reveals the Event {components.events[index].name if known else index}"
        case RevealRelic(resource):
            return f"reveals {resource.name.title()} as the Relic"
        case DealEquipment(piece):
            return f"is dealt a {piece.name.title()}"
        case DealCard(card):
            return f"is dealt {card_words(card)}"


def _result_words(what: What, number: int) -> str:
    match what:
        case What.DECLINED:
            return _DECLINED[Phase(number)]
        case What.WON:
            return f"wins the trick with {card_words(number)}"
        case What.PAID:
            return f"pays {card_words(number)}"
        case What.FROST_BITE:
            return f"suffers {number} damage by Frost Bite"
        case What.HIBERNATION:
            return f"hibernates, which prevents {number} damage"
        case What.SUFFERED:
            return f"suffers {number} damage by the Event"
        case _:
            return f"Event {number} is over: colonies and pool are discarded"


def _ply_words(action: Action, seat: int, event: EventCard | None, components: FrostShelterComponents) -> str:
    match action:
        case RevealEvent(index):
            return f"the Event is {components.events[index].name}"
        case RevealRelic(resource):
            return f"the Relic is {resource.name.title()}"
        case NameLeader(leader) if seat < 0:
            return f"the first Leader is seat {leader}"
        case Defend(place) if event is not None:
            option = event.options[place]
            return f"defends: {cost_words(option.cost)} prevents {option.prevents}"
        case _:
            return words_of(action, components)
