"""What a seat of First Snow may see of a state, and the states that fit what it sees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from google.protobuf.message import DecodeError

from arena.core.chance import Stream, pick
from arena.core.errors import MalformedAction
from arena.core.game import Secret
from arena.core.outcome import Outcome
from arena.core.seat import CHANCE, Actor, Seat
from arena.games.first_snow import landscape
from arena.games.first_snow.actions import Action
from arena.games.first_snow.components import CARDS, FirstSnowComponents, Half
from arena.games.first_snow.events import Record, since
from arena.games.first_snow.landscape import Camp
from arena.games.first_snow.phases import Phase
from arena.games.first_snow.rules import SEATS, FirstSnowState
from arena.games.first_snow.v1 import first_snow_pb2 as pb
from arena.games.first_snow.wire import (
    LEGAL_BYTES,
    bear_bytes,
    camp_bytes,
    event_bytes,
    moment_bytes,
    player_bytes,
    read_action,
    read_event,
    read_resources,
    read_stay,
    read_tools,
    row_bytes,
    stay_bytes,
)

_REASONS: Final = {"points": pb.REASON_POINTS, "lowest-camp": pb.REASON_LOWEST_CAMP}
_REASON_WORDS: Final = {number: word for word, number in _REASONS.items()}


def view(state: FirstSnowState, seat: Seat | None) -> pb.View:
    """Return what the seat may know (None: the public)."""
    shown = pb.View.FromString(b"".join(_parts(state, seat)))
    if state.outcome is not None:
        shown.result.CopyFrom(pb.Result(ranks=state.outcome.ranks, reason=_REASONS[state.outcome.reason]))
    return shown


def sample(seen: pb.View, components: FirstSnowComponents, stream: Stream) -> FirstSnowState:
    """Return some full state that fits the view: hidden bears are drawn from those that could be there."""
    state = FirstSnowState(components)
    state.phase = Phase(seen.phase)
    state.to_act = _actor(seen)
    state.winter = sum(1 << (card - 1) for card in seen.winter_cards)
    state.order = tuple(Seat(seat) for seat in seen.turn_order)
    state.row = tuple(seen.landscape)
    state.camps = tuple(Camp(Seat(camp.seat), camp.card, Half(camp.half - 1)) for camp in seen.camps)
    state.taken = seen.taken_card
    first, second = (_sample_bear(state, owner, seen.bears[owner], stream) for owner in SEATS)
    state.bears = (first, second)
    state.attacked = landscape.attacked_camp(state.camps, state.bears)
    if len(state.camps) == landscape.CAMPS:
        state.plan = landscape.stays(state.row, state.camps, state.attacked)
        state.stage = state.plan.index(read_stay(seen.stay)) if seen.HasField("stay") else len(state.plan)
    _read_players(seen, state)
    record: Record = None
    for event in seen.events:
        record = (record, read_event(event, state.bears))
    state.record = record
    if seen.HasField("result"):
        state.outcome = Outcome(tuple(seen.result.ranks), state.scores, _REASON_WORDS[seen.result.reason])
    return state


def turn(seen: pb.View, legal: Sequence[Action]) -> pb.Turn:
    """Return the wire message of a turn."""
    message = pb.Turn.FromString(b"".join(map(LEGAL_BYTES.__getitem__, legal)))
    message.view.CopyFrom(seen)
    return message


def parse_turn(data: bytes) -> tuple[pb.View, tuple[Action, ...]]:
    """Read the wire message of a turn back. Raises MalformedAction."""
    try:
        message = pb.Turn.FromString(data)
    except DecodeError:
        raise MalformedAction("bytes that are no first-snow turn") from None
    return message.view, tuple(read_action(action) for action in message.legal_actions)


def possible_bears(state: FirstSnowState, owner: Seat) -> tuple[int, ...]:
    """Return the cards where the bear of this seat could roam, for all that everybody has seen (bears set).

    Met or shown at the finish: its card alone. Else no card that carries a camp: the owner may not pick it, and the
    other seat's camps would have met it. The owner's card that waits for its place is no candidate either.
    """
    if is_shown(state, owner):
        return (state.bears[owner],)
    closed = set(state.row)
    if state.to_act == owner:
        closed.add(state.taken)
    return tuple(card for card in CARDS if card not in closed)


def is_shown(state: FirstSnowState, owner: Seat) -> bool:
    """Whether everybody knows the bear of this seat: it met a camp, or the landscape is finished."""
    camps = state.camps
    if len(camps) == landscape.CAMPS:
        return True
    bear = state.bears[owner]
    return any(card == bear and seat != owner for seat, card, _ in camps)


def secrets() -> tuple[Secret, ...]:
    """Return the one secret of each seat, its bear."""
    return tuple(_bear_secret(owner) for owner in SEATS)


def _bear_secret(owner: Seat) -> Secret:
    def value(state: FirstSnowState) -> int | None:
        return state.bears[owner] or None

    def implied(state: FirstSnowState, viewer: Seat | None) -> bool:
        return viewer == owner or not state.bears[owner] or len(possible_bears(state, owner)) == 1

    return Secret(f"bear of seat {owner}", owner, value, implied)


def _start(state: FirstSnowState, seat: Seat | None) -> Record:
    return state.shown if seat is None else state.acted[seat]


def _parts(state: FirstSnowState, seat: Seat | None) -> list[bytes]:
    """Return all but the result, as bytes of views."""
    first, second = SEATS
    to_act = state.to_act
    attacked = state.camps[state.attacked].card if state.attacked >= 0 else 0
    parts = [
        moment_bytes(seat, state.phase.value, state.round, None if to_act is CHANCE else to_act, state.taken, attacked),
        row_bytes(state.winter, state.order, state.row),
        *map(camp_bytes, state.camps),
        bear_bytes(state.bears[first], seat == first or is_shown(state, first)),
        bear_bytes(state.bears[second], seat == second or is_shown(state, second)),
        *map(player_bytes, state.scores, state.good, state.damaged, state.pools),
        *[event_bytes(event, seat) for event in since(state.record, _start(state, seat))],
    ]
    if state.stay is not None:
        parts.append(stay_bytes(state.stay))
    return parts


def _actor(seen: pb.View) -> Actor | None:
    if seen.HasField("to_act"):
        return Seat(seen.to_act)
    return None if seen.phase == pb.PHASE_OVER else CHANCE


def _sample_bear(state: FirstSnowState, owner: Seat, bear: pb.Bear, stream: Stream) -> int:
    if bear.card or not bear.set:
        return bear.card
    return pick(stream, f"sample/bear of seat {owner}", possible_bears(state, owner))


def _read_players(seen: pb.View, state: FirstSnowState) -> None:
    first, second = seen.players
    state.scores = (first.score, second.score)
    state.pools = (read_resources(first.resources), read_resources(second.resources))
    state.good = (read_tools([*first.good_tools]), read_tools([*second.good_tools]))
    state.damaged = (read_tools([*first.damaged_tools]), read_tools([*second.damaged_tools]))
