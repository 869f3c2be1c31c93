"""The whole truth of a game of Snowblind, packed so that a copy is cheap, and the record of its plies."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import Any, Final, NamedTuple, TypeAlias

from arena.core.errors import IllegalAction
from arena.core.outcome import Outcome
from arena.core.seat import CHANCE, Actor, Seat
from arena.games.snowblind.actions import POLE, Action, Man, Use, notation
from arena.games.snowblind.components import Die, SetUp, SnowblindComponents

SLOTS: Final = 10
"""Counts of a zone: active captain, scientists, sailors, the same lying, crates, food, barrels, camps."""
LYING: Final = 3
CRATES: Final = 6
FOOD: Final = 7
BARRELS: Final = 8
CAMPS: Final = 9
TRACK: Final = SLOTS * POLE
"""Counts of one expedition's track, zone 1 first."""

FACTS: Final = 9
"""Facts of an expedition, by the numbers that follow."""
FLAG: Final = 0
"""The flag's zone."""
RESEARCH: Final = 1
HAND: Final = 2
"""Camps that can still be placed."""
MEDAL: Final = 3
PASSED: Final = 4
STANDING: Final = 5
TO_POLE: Final = 6
"""The captain has been in zone 6."""
BACK: Final = 7
"""... and at the ship after that, alive."""
ROLLS: Final = 8
"""How often the pool has been rolled in this round."""

DICE: Final = len(Die)
SEATS: Final = tuple(Seat(number) for number in range(4))


def kinds(*slots: int) -> int:
    """Return what picks these slots' counts of all zones out of a track read as one number."""
    return sum(0xFF << 8 * (zone * SLOTS + slot) for zone in range(POLE) for slot in slots)


class Standing(IntEnum):
    """Whether an expedition still takes part."""

    PLAYING = 0
    FINISHED = 1
    ELIMINATED = 2


_STANDINGS: Final = tuple(Standing)
"""By number: looking an enum up costs more than the rest of a step."""


class Phase(IntEnum):
    """What is being decided; the value is the number of the phase on the wire."""

    COMPASS = 1
    TURN = 2
    MOVE = 3
    BRING = 4
    LOAD = 5
    TRADE = 6
    HUNT = 7
    CAMP = 8
    REVIVE = 9
    ROLL = 10
    LOSS = 11
    FLAG = 12
    WEATHER = 13
    OVER = 14


class Mode(NamedTuple):
    """A variant of the game: its set-up, whether it is played alone, the research it asks for, and the dice in play."""

    variant: str
    setup: SetUp
    solo: bool
    target: int
    dice: bytes


class Ply(NamedTuple):
    """Somebody acted."""

    actor: Actor
    action: Action


Record: TypeAlias = tuple[Any, Actor, Action] | None
"""Everything so far: the record before the newest ply, its actor and action; copies of a state share it.

Any is a Record: mypyc takes no recursive types.
"""


def since(record: Record, start: Record) -> list[Ply]:
    """Return the plies after start, oldest first; start is an earlier state of the same record."""
    found: list[Ply] = []
    while record is not start and record is not None:
        record, actor, action = record
        found.append(Ply(actor, action))
    found.reverse()
    return found


class Rules(NamedTuple):
    """What may be done in a state, and what doing it brings about, each by phase; see rules.py."""

    legal: tuple[Callable[[SnowblindState], tuple[Action, ...]], ...]
    step: tuple[Callable[[SnowblindState, Any], None], ...]


class SnowblindState:
    """The whole truth of a game of Snowblind.

    track: TRACK counts a seat. facts: FACTS numbers a seat. dice: DICE counts of the action board, then of each
    seat's pool. faces: for each seat, what its pool showed last, in the order of Die without green. food, research:
    left in the supply. drawn: weather cards turned up, 0 for Pack Ice. fallen: the eliminated, in order.

    The turn under way: seat, use (None: no die is taken, or the weather strikes), man (who moves), origin, zone (the
    active zone), step (1 or 2 of a dash, else 0), runner (the explorer who dashes is active), pending (dice to roll),
    rolled (their faces so far), hits (losses still to take). struck: seats whose weather is still to come.

    record and shown: all plies, and the record just before the last one. asked: for each seat, the record just before
    its last ply. legal: the legal actions, None until somebody asks or a step knows them.
    """

    __slots__ = (
        "asked",
        "compass",
        "components",
        "dice",
        "drawn",
        "faces",
        "facts",
        "fallen",
        "food",
        "hits",
        "legal",
        "man",
        "mode",
        "origin",
        "outcome",
        "pending",
        "phase",
        "record",
        "research",
        "rolled",
        "round",
        "rules",
        "runner",
        "seat",
        "seats",
        "shown",
        "step",
        "struck",
        "to_act",
        "track",
        "use",
        "zone",
    )

    def __init__(self, rules: Rules, mode: Mode, seats: int, components: SnowblindComponents | None) -> None:
        """Set up an empty board; without components leave all to copy(), the only way mypyc allows."""
        if components is None:
            return
        self.rules = rules
        self.mode = mode
        self.components = components
        self.seats = seats
        self.phase = Phase.COMPASS
        self.to_act: Actor | None = CHANCE
        self.outcome: Outcome | None = None
        self.round = 1
        self.compass = Seat(0)
        self.track = bytearray(TRACK * seats)
        self.facts = bytearray(FACTS * seats)
        self.dice = bytearray(DICE * (seats + 1))
        self.faces: list[tuple[int, ...]] = [()] * seats
        self.food = components.food
        self.research = components.research
        self.drawn: tuple[int, ...] = ()
        self.fallen: tuple[Seat, ...] = ()
        self.seat = Seat(0)
        self.use: Use | None = None
        self.man = Man.CAPTAIN
        self.origin = 0
        self.zone = 0
        self.step = 0
        self.runner = False
        self.pending: tuple[int, ...] = ()
        self.rolled: tuple[int, ...] = ()
        self.hits = 0
        self.struck: tuple[Seat, ...] = ()
        self.record: Record = None
        self.shown: Record = None
        self.asked: list[Record] = [None] * seats
        self.legal: tuple[Action, ...] | None = None

    def copy(self) -> SnowblindState:
        """Return an independent copy; all but byte arrays and lists is immutable."""
        twin = SnowblindState(self.rules, self.mode, self.seats, None)
        twin.rules = self.rules
        twin.mode = self.mode
        twin.components = self.components
        twin.seats = self.seats
        twin.phase = self.phase
        twin.to_act = self.to_act
        twin.outcome = self.outcome
        twin.round = self.round
        twin.compass = self.compass
        twin.track = self.track[:]
        twin.facts = self.facts[:]
        twin.dice = self.dice[:]
        twin.faces = self.faces[:]
        twin.food = self.food
        twin.research = self.research
        twin.drawn = self.drawn
        twin.fallen = self.fallen
        twin.seat = self.seat
        twin.use = self.use
        twin.man = self.man
        twin.origin = self.origin
        twin.zone = self.zone
        twin.step = self.step
        twin.runner = self.runner
        twin.pending = self.pending
        twin.rolled = self.rolled
        twin.hits = self.hits
        twin.struck = self.struck
        twin.record = self.record
        twin.shown = self.shown
        twin.asked = self.asked[:]
        twin.legal = self.legal
        return twin

    def legal_actions(self) -> tuple[Action, ...]:
        """Return what the actor may do now; () when the game is over."""
        if self.legal is None:
            self.legal = self.rules.legal[self.phase](self)
        return self.legal

    def apply(self, action: object) -> None:
        """Make the ply. Raises IllegalAction and leaves the state unchanged if the action is not legal now."""
        legal = self.legal
        if legal is None:
            legal = self.rules.legal[self.phase](self)
        # Actions are made once, so the quick look is by identity; an equal copy gives way to the one it equals.
        for known in legal:
            if known is action:
                break
        else:
            known = _equal(self, action)
        actor = self.to_act
        assert actor is not None  # noqa: S101 - somebody acts while anything is legal
        before = self.record
        self.shown = before
        if actor is not CHANCE:
            self.asked[actor] = before
        self.record = (before, actor, known)
        self.legal = None
        self.rules.step[self.phase](self, known)

    def forget_legal_actions(self) -> None:
        """Have the legal actions found anew, after a change by other means than apply."""
        self.legal = None

    def start(self, seat: Seat, zone: int) -> int:
        """Return where the counts of a seat's zone begin in the track."""
        return seat * TRACK + (zone - 1) * SLOTS

    def standing(self, seat: Seat) -> Standing:
        """Return whether the expedition still takes part."""
        return _STANDINGS[self.facts[seat * FACTS + STANDING]]

    def count(self, seat: Seat, slot: int) -> int:
        """Return how many of this slot's kind stand on a seat's whole track."""
        return sum(self.track[seat * TRACK + slot : (seat + 1) * TRACK : SLOTS])

    def captain_zone(self, seat: Seat) -> int:
        """Return the zone of the active captain, 0 if he lies or has perished."""
        found = self.track[seat * TRACK : (seat + 1) * TRACK : SLOTS].find(1)
        return found + 1

    def clockwise(self, first: Seat) -> list[Seat]:
        """Return all seats that still take part, clockwise from this one."""
        order = [SEATS[(first + step) % self.seats] for step in range(self.seats)]
        return [seat for seat in order if self.facts[seat * FACTS + STANDING] == Standing.PLAYING]


def _equal(state: SnowblindState, action: object) -> Action:
    for known in state.legal_actions():
        if known == action:
            return known
    text = notation(action) if isinstance(action, Action) else repr(action)
    raise IllegalAction(f"{text!r} is not legal now ({state.phase.name.lower()}); choose one of legal_actions()")
