"""Icefall as seen from a seat: the view message, a drawing of it, and states that fit it."""

from collections.abc import Sequence
from html import escape
from textwrap import wrap

from arena.core import Seat, Stream
from icefall.components import IcefallComponents
from icefall.rules import EventKind, IcefallState, Phase
from icefall.v1 import icefall_pb2 as pb


def view(state: IcefallState, seat: Seat | None) -> pb.View:
    """Show what the seat may know; None is the public."""
    shown = pb.View(
        variant=state.variant,
        phase=pb.Phase.ValueType(state.phase),
        round=state.round,
        roll=state.roll,
        climbers=[
            pb.Climber(height=height, hand_size=len(hand), chosen=choice is not None)
            for height, hand, choice in zip(state.heights, state.hands, state.choices, strict=True)
        ],
        played=state.played,
    )
    if seat is not None:
        shown.seat = seat
        shown.hand.extend(state.hands[seat])
        choice = state.choices[seat]
        if choice is not None:
            shown.choice = choice
    if state.revealed:
        for climber, choice in zip(shown.climbers, state.choices, strict=True):
            climber.shown = choice or 0
    for kind, actor, value in state.events[state.marks[-1 if seat is None else seat] :]:
        hidden = kind is EventKind.DEALT and actor != seat
        shown.events.add(kind=pb.EventKind.ValueType(kind), seat=actor, value=0 if hidden else value)
    return shown


def sample(shown: pb.View, components: IcefallComponents, stream: Stream) -> IcefallState:
    """Return some state that fits the view: the unseen cards are shuffled, secret choices guessed."""
    seats = len(shown.climbers)
    seat = shown.seat if shown.HasField("seat") else None
    state = IcefallState(shown.variant, seats, components)
    state.phase, state.round, state.roll = Phase(shown.phase), shown.round, shown.roll
    state.heights = [climber.height for climber in shown.climbers]
    state.played = list(shown.played)
    pile = unseen(state, shown.hand)
    for at in range(len(pile) - 1, 0, -1):
        swap = stream.below(at + 1, f"pile {at}")
        pile[at], pile[swap] = pile[swap], pile[at]
    for other, climber in enumerate(shown.climbers):
        state.hands[other] = tuple(sorted(pile.pop() for _ in range(0 if other == seat else climber.hand_size)))
        if climber.HasField("shown"):
            state.choices[other] = climber.shown
        elif climber.chosen:
            options = sorted({0, *state.hands[other]})
            state.choices[other] = options[stream.below(len(options), f"choice of seat {other}")]
    if seat is not None:
        state.hands[seat] = tuple(shown.hand)
        state.choices[seat] = shown.choice if shown.HasField("choice") else None
    state.deck = [pile.count(card) for card in range(1, len(components.copies) + 1)]
    state.events = [(EventKind(event.kind), event.seat, event.value) for event in shown.events]
    if state.phase is Phase.OVER:
        state.finish()
    return state


def unseen(state: IcefallState, hand: Sequence[int]) -> list[int]:
    """Return the cards that neither lie open nor stand in this hand."""
    counts = zip(state.components.copies, state.played, strict=True)
    return [
        card
        for card, (copies, played) in enumerate(counts, start=1)
        for _ in range(copies - played - list(hand).count(card))
    ]


def render_text(shown: pb.View, width: int) -> str:
    """Draw the view as text."""
    lines = [
        f"Icefall ({shown.variant}), round {shown.round}, {Phase(shown.phase).name.lower()}, die {shown.roll or '-'}"
    ]
    for seat, climber in enumerate(shown.climbers):
        choice = str(climber.shown or "hold") if climber.HasField("shown") else "chosen" if climber.chosen else ""
        lines.append(f"  seat {seat}: {'^' * climber.height} {climber.height}, {climber.hand_size} cards {choice}")
    if shown.HasField("seat"):
        lines.append(f"  your hand (seat {shown.seat}): {' '.join(map(str, shown.hand)) or 'empty'}")
    lines.append(f"  since your last turn: {', '.join(story(shown)) or 'nothing'}")
    return "\n".join(part for line in lines for part in wrap(line, width, subsequent_indent="    "))


def story(shown: pb.View) -> list[str]:
    """Tell the events, one line each."""
    return [_event(event) for event in shown.events]


def render_svg(shown: pb.View) -> str:
    """Draw the climbers as columns."""
    bars = "".join(
        f'<rect x="{20 + 60 * seat}" y="{180 - 8 * climber.height}" width="40" height="{8 * climber.height}"/>'
        f'<text x="{20 + 60 * seat}" y="196">{seat}: {climber.height}</text>'
        for seat, climber in enumerate(shown.climbers)
    )
    title = escape(f"Icefall, round {shown.round}")
    head = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 260 200" font-size="12">'
    return f"{head}<title>{title}</title>{bars}</svg>"


def _event(event: pb.Event) -> str:
    kind = EventKind(event.kind)
    if kind is EventKind.ROLLED:
        return f"the die shows {event.value}"
    value = event.value or {EventKind.DEALT: "a card", EventKind.REVEALED: "hold"}.get(kind, "")
    return f"seat {event.seat} {kind.name.lower()} {value}".rstrip()
