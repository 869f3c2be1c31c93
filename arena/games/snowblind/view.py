"""What a seat of Snowblind is shown of a state, and the state that fits what it is shown.

Nothing in a state is hidden: cards and dice to come are drawn when they are revealed. So the public, every seat and a
sampled state know the same, but for the events since a seat's last choice.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from google.protobuf.message import DecodeError

from arena.core.errors import MalformedAction
from arena.core.outcome import Outcome
from arena.core.seat import CHANCE, Seat
from arena.games.snowblind import exposure
from arena.games.snowblind.actions import ZONES, Action, Man, Use
from arena.games.snowblind.components import SnowblindComponents
from arena.games.snowblind.rules import new_state
from arena.games.snowblind.score import prestige
from arena.games.snowblind.state import (
    BACK,
    BARRELS,
    CAMPS,
    CRATES,
    DICE,
    FACTS,
    FLAG,
    FOOD,
    HAND,
    LYING,
    MEDAL,
    PASSED,
    RESEARCH,
    ROLLS,
    SLOTS,
    STANDING,
    TO_POLE,
    TRACK,
    Phase,
    Record,
    SnowblindState,
    Standing,
    since,
)
from arena.games.snowblind.v1 import snowblind_pb2 as pb
from arena.games.snowblind.wire import WIRE_MEN, WIRE_USES, action_message, event_messages, read_action, read_events

_PHASES: Final = {phase: pb.Phase.ValueType(phase) for phase in Phase}
_STANDINGS: Final = tuple(pb.Standing.ValueType(standing + 1) for standing in Standing)
_REASONS: Final = {
    "prestige": pb.REASON_PRESTIGE,
    "eliminated": pb.REASON_ELIMINATED,
    "objective": pb.REASON_OBJECTIVE,
    "too-late": pb.REASON_TOO_LATE,
    "perished": pb.REASON_PERISHED,
}
_WORDS: Final = {reason: word for word, reason in _REASONS.items()}


def view(state: SnowblindState, seat: Seat | None) -> pb.View:
    """Return what the seat may know (None: the public)."""
    actor = state.to_act
    shown = pb.View(
        seat=seat,
        variant=state.mode.variant,
        phase=_PHASES[state.phase],
        round=state.round,
        to_act=None if actor is CHANCE else actor,
        compass=state.compass,
        dice=state.dice[:DICE],
        food=state.food,
        research=state.research,
        weather=state.drawn,
        weather_left=weather_left(state),
        expeditions=[_expedition(state, Seat(number)) for number in range(state.seats)],
        fallen=state.fallen,
        struck=state.struck,
        events=event_messages(since(state.record, _last_seen(state, seat))),
    )
    if state.use is not None or state.phase in (Phase.LOSS, Phase.FLAG):
        shown.course.CopyFrom(_course(state))
    if state.outcome is not None:
        shown.result.CopyFrom(pb.Result(ranks=state.outcome.ranks, reason=_REASONS[state.outcome.reason]))
    return shown


def weather_left(state: SnowblindState) -> int:
    """Return how many cards the weather deck still has, Pack Ice included."""
    cards = len(state.components.solo_cards) if state.mode.solo else state.mode.setup.weather
    return cards + 1 - len(state.drawn)


def sample(shown: pb.View, components: SnowblindComponents) -> SnowblindState:
    """Return the state that the view shows; there is only one."""
    state = new_state(shown.variant, len(shown.expeditions), components)
    state.phase = Phase(shown.phase)
    state.round = shown.round
    state.compass = Seat(shown.compass)
    state.dice[:DICE] = bytes(shown.dice)
    state.food, state.research = shown.food, shown.research
    state.drawn = tuple(shown.weather)
    state.fallen = tuple(Seat(seat) for seat in shown.fallen)
    state.struck = tuple(Seat(seat) for seat in shown.struck)
    for number, expedition in enumerate(shown.expeditions):
        _read_expedition(state, Seat(number), expedition)
    state.faces = [tuple(expedition.faces) for expedition in shown.expeditions]
    if shown.HasField("to_act"):
        state.to_act = state.seat = Seat(shown.to_act)
    else:
        state.to_act = None if state.phase is Phase.OVER else CHANCE
    if shown.HasField("course"):
        _read_course(state, shown.course)
    if shown.HasField("result"):
        scores = tuple(
            None if state.standing(Seat(seat)) is Standing.ELIMINATED else prestige(state, Seat(seat))
            for seat in range(state.seats)
        )
        state.outcome = Outcome(tuple(shown.result.ranks), scores, _WORDS[shown.result.reason])
    for ply in read_events(shown.events):
        state.record = (state.record, ply.actor, ply.action)
    state.forget_legal_actions()
    return state


def turn(shown: pb.View, legal: Sequence[Action]) -> pb.Turn:
    """Return the wire message of a turn."""
    return pb.Turn(view=shown, legal_actions=[action_message(action) for action in legal])


def parse_turn(data: bytes) -> tuple[pb.View, tuple[Action, ...]]:
    """Read the wire message of a turn back. Raises MalformedAction."""
    try:
        message = pb.Turn.FromString(data)
    except DecodeError:
        raise MalformedAction("not a turn of snowblind") from None
    return message.view, tuple(read_action(action) for action in message.legal_actions)


def _last_seen(state: SnowblindState, seat: Seat | None) -> Record:
    # Whoever is out of the game is never asked again, and would be shown more and more.
    if seat is None or state.facts[seat * FACTS + STANDING] != Standing.PLAYING:
        return state.shown
    return state.asked[seat]


def _expedition(state: SnowblindState, seat: Seat) -> pb.Expedition:
    first, last = seat * TRACK, (seat + 1) * TRACK
    track, facts, mine = state.track, state.facts, seat * FACTS
    pool = state.dice[(seat + 1) * DICE : (seat + 2) * DICE]
    return pb.Expedition(
        standing=_STANDINGS[facts[mine + STANDING]],
        passed=bool(facts[mine + PASSED]),
        captain=track[first:last:SLOTS],
        scientists=track[first + Man.SCIENTIST : last : SLOTS],
        sailors=track[first + Man.SAILOR : last : SLOTS],
        lying_captain=track[first + LYING : last : SLOTS],
        lying_scientists=track[first + LYING + Man.SCIENTIST : last : SLOTS],
        lying_sailors=track[first + LYING + Man.SAILOR : last : SLOTS],
        crates=track[first + CRATES : last : SLOTS],
        food=track[first + FOOD : last : SLOTS],
        barrels=track[first + BARRELS : last : SLOTS],
        camps=track[first + CAMPS : last : SLOTS],
        flag_zone=facts[mine + FLAG],
        camps_in_hand=facts[mine + HAND],
        research=facts[mine + RESEARCH],
        medal=bool(facts[mine + MEDAL]),
        been_to_pole=bool(facts[mine + TO_POLE]),
        back_from_pole=bool(facts[mine + BACK]),
        pool=pool if any(pool) else None,
        faces=state.faces[seat],
        rolls=facts[mine + ROLLS],
        prestige=prestige(state, seat),
    )


def _read_expedition(state: SnowblindState, seat: Seat, shown: pb.Expedition) -> None:
    lists = (
        shown.captain,
        shown.scientists,
        shown.sailors,
        shown.lying_captain,
        shown.lying_scientists,
        shown.lying_sailors,
        shown.crates,
        shown.food,
        shown.barrels,
        shown.camps,
    )
    for slot, counts in enumerate(lists):
        for zone, count in zip(ZONES, counts, strict=True):
            state.track[state.start(seat, zone) + slot] = count
    facts, mine = state.facts, seat * FACTS
    facts[mine + STANDING] = shown.standing - 1
    facts[mine + PASSED] = shown.passed
    facts[mine + FLAG] = shown.flag_zone
    facts[mine + HAND] = shown.camps_in_hand
    facts[mine + RESEARCH] = shown.research
    facts[mine + MEDAL] = shown.medal
    facts[mine + TO_POLE] = shown.been_to_pole
    facts[mine + BACK] = shown.back_from_pole
    facts[mine + ROLLS] = shown.rolls
    if shown.pool:
        state.dice[(seat + 1) * DICE : (seat + 2) * DICE] = bytes(shown.pool)


def _course(state: SnowblindState) -> pb.Course:
    return pb.Course(
        seat=state.seat,
        use=pb.USE_UNSPECIFIED if state.use is None else WIRE_USES[state.use],
        man=WIRE_MEN[state.man],
        origin=state.origin,
        zone=state.zone,
        step=state.step,
        runner=state.runner,
        rolled=state.rolled,
        hits=state.hits,
    )


def _read_course(state: SnowblindState, shown: pb.Course) -> None:
    state.seat = Seat(shown.seat)
    state.use = Use(shown.use - 1) if shown.use else None
    state.man = Man(shown.man - 1)
    state.origin, state.zone = shown.origin, shown.zone
    state.step, state.runner = shown.step, shown.runner
    state.hits = shown.hits
    if state.phase is Phase.ROLL:
        state.pending = exposure.pool_order(state)
        state.rolled = tuple(shown.rolled)
