"""What Greedy thinks of a Frost Shelter position: the damage each seat has and must expect from this Event."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Final, TypeAlias

from arena.core.seat import Seat
from arena.games.frost_shelter.actions import PLAYS, TAKES, Piece, cards_in
from arena.games.frost_shelter.components import EventCard
from arena.games.frost_shelter.phases import Phase
from arena.games.frost_shelter.rules import State
from arena.games.frost_shelter.trick import winning_card

Counts: TypeAlias = tuple[int, int, int, int]
"""Cards of each resource."""
Options: TypeAlias = tuple[tuple[int, Counts, int], ...]
"""Defence options: damage prevented, cards of each resource, cards of any resource."""

RANK: Final = 50.0
"""What a rank is worth at the end, in damage."""
SLOT: Final = 1.4
"""Damage that a missing card is expected to prevent once it is won."""
PART: Final = 1.6
"""Damage that a card of an option not yet complete is expected to prevent."""
EXPEDITION: Final = 2.0
"""What the unused Expedition card is worth while tricks are left and cards are missing."""
FORCED: Final = 0.6
"""Damage that a sure winner is expected to do in a hand that wants no more tricks."""
WANTED: Final = 0.5
"""Damage that a sure winner is expected to prevent in a hand that wants tricks."""
SPARE: Final = 0.35
"""What a card beyond the defence is worth, for healing or buying."""
PAIR: Final = 2.0
"""What two cards of one resource are worth before the purchases."""
HEALING: Final = 0.9
LAST: Final = 0.2
"""The share of its worth that equipment keeps in the last Event."""
_PIECES: Final = (2.4, 1.8, 0.4)
"""What a Tarp, a Chest and a Harpoon are worth while an Event is still to come, in damage."""
_VALUE: Final = 0.001
_SUIT: Final = (1 << 10) - 1


def evaluate(state: State, seat: Seat) -> float:
    """Return the lead that the seat can expect, in damage.

    A trick under way is played out by simple habits first; a payment under way is made in the seat's best way.
    """
    if state.phase is Phase.PAYMENT and state.to_act == seat:
        return max(evaluate(after, seat) for after in _after_each(state))
    _finish_trick(state)
    others = [_outlook(state, other) for other in range(state.seats) if other != seat]
    lead = (sum(others) / len(others) + min(others)) / 2 - _outlook(state, seat)
    return lead - RANK * state.outcome.ranks[seat] if state.outcome is not None else lead


def _after_each(state: State) -> Iterator[State]:
    for action in state.legal_actions():
        after = state.copy()
        after.apply(action)
        yield after


# How a trick goes on


def _finish_trick(state: State) -> None:
    while True:
        if state.phase is Phase.PLAY and state.trick:
            state.apply(PLAYS[_habit(state)])
        elif state.phase is Phase.TAKE:
            state.apply(TAKES[_best_card(state, state.winner, state.table)])
        elif state.phase is Phase.EXPEDITION:
            _pick(state)
        else:
            return


def _habit(state: State) -> int:
    """Return the card a follower plays: the weakest that wins for who wants cards, else the weakest that loses."""
    seat = (state.leader + len(state.trick)) % state.seats
    hand = cards_in(state.hands[seat])
    winning = [card for card in hand if winning_card((*state.trick, PLAYS[card]), state.relic) == card]
    losing = [card for card in hand if card not in winning]
    choices = (winning or losing) if _missing(state, seat) else (losing or winning)
    return min(choices, key=lambda card: _strength(card, state.relic))


def _best_card(state: State, seat: int, cards: int) -> int:
    colony = state.colonies[seat]
    best, least = -1, 0.0
    for card in cards_in(cards):
        state.colonies[seat] = colony | 1 << card
        expected = _outlook(state, seat)
        if best < 0 or expected < least:
            best, least = card, expected
    state.colonies[seat] = colony
    return best


def _pick(state: State) -> None:
    seat = (state.leader + state.pos) % state.seats
    before, colony = _outlook(state, seat), state.colonies[seat]
    card = _best_card(state, seat, state.pool)
    state.colonies[seat] = colony | 1 << card
    gain = before - _outlook(state, seat)
    state.colonies[seat] = colony
    state.apply(TAKES[card] if gain > 0 else state.legal_actions()[-1])


def _strength(card: int, relic: int) -> float:
    """Return roughly how often a card wins the trick it is played to."""
    value = card % 10 + 1
    return 0.6 + 0.04 * value if card // 10 == relic else 0.1 + 0.05 * value


# What is to be expected


def _outlook(state: State, seat: int) -> float:
    """Return the damage a seat has and must expect, less what its equipment and its cards are worth."""
    later = state.components.course.events - len(state.revealed)
    kit = state.kit[3 * seat : 3 * seat + 3]
    expected = state.damage[seat] - sum(worth * count for worth, count in zip(_PIECES, kit, strict=True)) * (
        1.0 if later else LAST
    )
    event = state.event
    if event is None:
        return expected
    place = (seat - state.leader) % state.seats
    purpose = state.bill.purpose if state.bill is not None else state.phase
    if purpose < Phase.CHEST or (purpose < Phase.PURCHASE and place > state.pos):
        return expected + _before_resolution(state, seat, event)
    if purpose < Phase.INFIRMARY and place == state.pos:
        return expected + _in_resolution(state, seat, event)
    return expected - _leftovers(state, seat, later)


def _before_resolution(state: State, seat: int, event: EventCard) -> float:
    """Return the damage of an Event that the seat has still to resolve."""
    count = state.colonies[seat].bit_count()
    prevented, used = _defence(state, seat, event)
    pending = max(0, event.damage - prevented)
    chests = state.kit[3 * seat + Piece.CHEST] * state.components.equipment[Piece.CHEST].effect
    bite = state.components.course.frost_bite * max(0, count - event.necessary - chests)
    hand = cards_in(state.hands[seat])
    away = bool(state.expeditions >> seat & 1)
    if not hand:
        asleep = 0 if count or away else state.components.course.hibernation
        return max(0, pending - asleep) + bite - SPARE * (count - used)
    missing, useful = _wanted(state, seat, event)
    expected = max(0.0, pending - PART * max(0, useful - used) - SLOT * min(missing, len(hand))) + bite
    strength = sum(_strength(card, state.relic) for card in hand)
    expected += FORCED * strength if not missing else -WANTED * min(missing, strength)
    return expected - EXPEDITION * (missing > 0 and not away)


def _in_resolution(state: State, seat: int, event: EventCard) -> float:
    """Return the damage of the Event that is left for the seat that resolves it now."""
    prevented, used = _defence(state, seat, event) if state.phase is not Phase.TARP else (0, 0)
    bite = state.components.course.frost_bite * state.excess
    return max(0, state.pending - prevented) + bite - SPARE * (state.colonies[seat].bit_count() - used)


def _leftovers(state: State, seat: int, later: int) -> float:
    """Return what the cards left are worth: equipment and healing, in the last Event the tie-break."""
    colony = state.colonies[seat]
    counts = _counts(colony)
    worth = _VALUE * sum(card % 10 + 1 for card in cards_in(colony))
    if later:
        pairs = min(2, sum(number // 2 for number in counts))
        return worth + PAIR * pairs + SPARE * (sum(counts) - 2 * pairs)
    return worth + HEALING * (sum(number > 0 for number in counts) >= 3 and state.phase is not Phase.OVER)


def _missing(state: State, seat: int) -> int:
    """Return how many more cards a colony can use and may take without Frost Bite."""
    return _wanted(state, seat, state.event)[0] if state.event is not None else 0


def _wanted(state: State, seat: int, event: EventCard) -> tuple[int, int]:
    """Return (cards of use that the colony misses and has room for, cards of use that it has)."""
    colony = state.colonies[seat]
    needs = _needs(options_of(event, state.relic))
    useful = sum(map(min, needs, _counts(colony)))
    return max(0, min(sum(needs) - useful, event.necessary - colony.bit_count())), useful


def _defence(state: State, seat: int, event: EventCard) -> tuple[int, int]:
    """Return (damage that the colony can still prevent by options, cards that it takes)."""
    used = state.options_used if seat == state.to_act else 0
    return best_defence(options_of(event, state.relic), used, _counts(state.colonies[seat]))


def _counts(colony: int) -> Counts:
    return (
        (colony & _SUIT).bit_count(),
        (colony >> 10 & _SUIT).bit_count(),
        (colony >> 20 & _SUIT).bit_count(),
        (colony >> 30).bit_count(),
    )


def options_of(event: EventCard, relic: int) -> Options:
    """Return an Event's options in numbers; cards that are free in some way count as any."""
    found = []
    for option in event.options:
        need = [0, 0, 0, 0]
        for resource, number in option.cost.named[relic]:
            need[resource] += number
        found.append((option.prevents, (need[0], need[1], need[2], need[3]), option.cost.due))
    return tuple(found)


@cache
def _needs(options: Options) -> Counts:
    """Return the cards of each resource that all options together take."""
    fuel, water, food, tools = (sum(need[resource] for _, need, _ in options) for resource in range(4))
    return fuel, water, food, tools


@cache
def best_defence(options: Options, used: int, counts: Counts) -> tuple[int, int]:
    """Return (most damage that so many cards of each resource prevent, fewest cards that takes)."""
    most, fewest = 0, 0
    for place, (prevents, need, free) in enumerate(options):
        left = [have - cost for have, cost in zip(counts, need, strict=True)]
        if used >> place & 1 or min(left) < 0 or sum(left) < free:
            continue
        # The options before this one were tried in the branches that used them.
        more, cards = best_defence(options, used | (2 << place) - 1, (left[0], left[1], left[2], left[3]))
        if (prevents + more, -sum(need) - free - cards) > (most, -fewest):
            most, fewest = prevents + more, sum(need) + free + cards
    return most, fewest
