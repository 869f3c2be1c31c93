"""What a seat or the public may know of a game of Frost Shelter, and full states that fit it."""

from __future__ import annotations

from arena.core import CHANCE, Outcome, Seat, Secret, Stream
from arena.games.frost_shelter.actions import (
    EXPEDITIONS,
    PLAYS,
    SEATS,
    DealCard,
    Piece,
    cards_in,
)
from arena.games.frost_shelter.components import EventCard, FrostShelterComponents, Price
from arena.games.frost_shelter.payment import Bill
from arena.games.frost_shelter.phases import Happening, Phase, between
from arena.games.frost_shelter.purchases import final_outcome
from arena.games.frost_shelter.rules import State
from arena.games.frost_shelter.v1 import frost_shelter_pb2 as pb
from arena.games.frost_shelter.wire import (
    card_messages,
    event_message,
    play_message,
    read_card,
    read_cards,
    read_event,
    resource_message,
)


def view_of(state: State, seat: Seat | None) -> pb.View:
    """Return what the seat (None: the public) may know: all that lies open, the own hand, what happened."""
    view = pb.View(
        seat=seat,
        phase=pb.Phase.ValueType(state.phase),
        to_act=state.to_act if isinstance(state.to_act, int) else None,
        events_revealed=state.revealed,
        relics_revealed=[resource_message(relic) for relic in state.relics],
        relic=resource_message(state.relic),
        leader=state.leader if state.leader >= 0 else None,
        winner=state.winner if state.winner >= 0 else None,
        players=[_player(state, number) for number in range(state.seats)],
        hand=[] if seat is None else card_messages(state.hands[seat]),
        trick=[play_message(laid) for laid in state.trick],
        table=card_messages(state.table),
        pool=card_messages(state.pool),
        spent=card_messages(state.spent),
        row=pb.Pieces(tarps=state.row(Piece.TARP), chests=state.row(Piece.CHEST), harpoons=state.row(Piece.HARPOON)),
        choices_left=state.left,
        position=state.pos,
        buyers=state.order,
        ranks=state.outcome.ranks if state.outcome else (),
        events=[event_message(happening) for happening in _seen(state, seat)],
    )
    if state.event is not None:
        view.event_card.CopyFrom(_event_card(state, state.event))
    if Phase.CHEST <= state.phase <= Phase.PAYMENT:
        view.resolution.excess = state.excess
        view.resolution.pending = state.pending
    if state.bill is not None:
        view.bill.CopyFrom(_bill(state.bill))
    return view


def _seen(state: State, seat: Seat | None) -> list[Happening]:
    since = state.last if seat is None else state.since[seat]
    every = between(state.head, since)
    # A dealt card is seen by its receiver alone.
    return [each for each in every if each[1] == seat or not isinstance(each[2], DealCard)]


def _player(state: State, seat: int) -> pb.Player:
    tarps, chests, harpoons = state.kit[3 * seat : 3 * seat + 3]
    return pb.Player(
        damage=state.damage[seat],
        colony=card_messages(state.colonies[seat]),
        hand_count=state.hands[seat].bit_count(),
        equipment=pb.Pieces(tarps=tarps, chests=chests, harpoons=harpoons),
        expedition_used=bool(state.expeditions >> seat & 1),
        hurt=bool(state.hurt >> seat & 1),
    )


def _event_card(state: State, event: EventCard) -> pb.EventCard:
    options = [
        pb.DefenceOption(
            cost=[pb.Price.ValueType(price + 1) for price in option.cost.cards],
            prevents=option.prevents,
            used=bool(state.options_used >> place & 1),
        )
        for place, option in enumerate(event.options)
    ]
    return pb.EventCard(index=state.revealed[-1], damage=event.damage, necessary=event.necessary, options=options)


def _bill(bill: Bill) -> pb.Bill:
    return pb.Bill(
        price=pb.Price.ValueType(bill.price + 1),
        due=bill.due,
        paid=[resource_message(resource) for resource in range(4) if bill.paid >> resource & 1],
        purpose=pb.Phase.ValueType(bill.purpose),
    )


def sample_of(view: pb.View, components: FrostShelterComponents, stream: Stream) -> State:
    """Return a full state that fits the view: the other hands are drawn evenly from the cards not seen.

    Nobody has to follow a resource, so what was played says nothing certain about a hand.
    """
    state = State(len(view.players), components)
    _read_course(state, view)
    for number, player in enumerate(view.players):
        state.damage[number] = player.damage
        state.colonies[number] = read_cards(player.colony)
        pieces = player.equipment
        state.kit[3 * number : 3 * number + 3] = pieces.tarps, pieces.chests, pieces.harpoons
        state.expeditions |= player.expedition_used << number
        state.hurt |= player.hurt << number
    if view.HasField("seat"):
        state.hands[view.seat] = read_cards(view.hand)
    for event in view.events:
        state.head = (state.head, read_event(event))
    _deal_unseen(state, view, stream)
    if state.phase == Phase.OVER:
        state.outcome = _outcome(state)
    return state


def _read_course(state: State, view: pb.View) -> None:
    state.phase = Phase(view.phase)
    state.to_act = SEATS[view.to_act] if view.HasField("to_act") else CHANCE
    state.revealed = tuple(view.events_revealed)
    if view.HasField("event_card"):
        state.event = state.components.events[state.revealed[-1]]
    state.relics = tuple(relic - 1 for relic in view.relics_revealed)
    state.relic = view.relic - 1
    state.leader = view.leader if view.HasField("leader") else -1
    state.winner = view.winner if view.HasField("winner") else -1
    state.table = read_cards(view.table)
    state.pool = read_cards(view.pool)
    state.spent = read_cards(view.spent)
    state.trick = tuple((EXPEDITIONS if laid.expedition else PLAYS)[read_card(laid.card)] for laid in view.trick)
    state.left = view.choices_left
    state.pos = view.position
    state.order = tuple(view.buyers)
    state.excess = view.resolution.excess
    state.pending = view.resolution.pending
    for place, option in enumerate(view.event_card.options):
        state.options_used |= option.used << place
    if view.HasField("bill"):
        paid = sum(1 << resource - 1 for resource in view.bill.paid)
        state.bill = Bill(Price(view.bill.price - 1), view.bill.due, paid, Phase(view.bill.purpose))


def _deal_unseen(state: State, view: pb.View, stream: Stream) -> None:
    unseen = cards_in(state.undealt())
    for number, player in enumerate(view.players):
        if view.HasField("seat") and view.seat == number:
            continue
        for card in range(player.hand_count):
            place = stream.below(len(unseen), f"sample/seat {number}/card {card}")
            state.hands[number] |= 1 << unseen[place]
            # The last card fills the gap: the order of what is not drawn yet does not matter.
            unseen[place] = unseen[-1]
            unseen.pop()


def _outcome(state: State) -> Outcome:
    state.to_act = None
    return final_outcome(state.damage, state.colonies, state.relic)


def secrets_of(seats: int) -> tuple[Secret, ...]:
    """Return the secrets of the game: each hand, and which cards were not dealt."""
    hands = (_hand_secret(SEATS[number]) for number in range(seats))
    return (*hands, Secret("undealt cards", None, _undealt, lambda state, seat: _hidden_groups(state, seat) == 1))


def _hand_secret(owner: Seat) -> Secret:
    return Secret(
        name=f"hand of seat {owner}",
        owner=owner,
        value=lambda state: state.hands[owner] or None,
        implied=lambda state, seat: seat == owner or _hidden_groups(state, seat) == 1,
    )


def _undealt(state: State) -> int | None:
    return state.undealt() or None


def _hidden_groups(state: State, viewer: Seat | None) -> int:
    """Return among how many places the cards a viewer has not seen are spread: other hands, and the undealt rest."""
    hands = sum(1 for seat, hand in enumerate(state.hands) if hand and seat != viewer)
    return hands + bool(state.undealt())
