"""The rules of First Snow: the whole truth of a game, what is legal in it, and how a ply changes it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from arena.core.errors import IllegalAction
from arena.core.outcome import Outcome
from arena.core.seat import CHANCE, Actor, Seat
from arena.games.first_snow import forming, resolving
from arena.games.first_snow.actions import Action, notation
from arena.games.first_snow.components import FirstSnowComponents
from arena.games.first_snow.events import Event, Ply, Record
from arena.games.first_snow.landscape import Camp, Stay
from arena.games.first_snow.legal import LISTS
from arena.games.first_snow.phases import Phase

SEATS: Final = (Seat(0), Seat(1))
FIRST_SCORE: Final = 10

# A phase's step takes just the actions that are legal in the phase.
_STEPS: Final[dict[Phase, Callable[[FirstSnowState, Any], None]]] = {
    Phase.FIRST_SEAT: forming.first_seat,
    Phase.COOL: forming.cool,
    Phase.BEAR: forming.set_bear,
    Phase.TAKE: forming.take,
    Phase.PLACE: forming.place,
    Phase.FOOD: resolving.eat,
    Phase.REPAIR: resolving.repair,
    Phase.CRAFT: resolving.craft,
    Phase.LEAVE: resolving.leave,
}


class FirstSnowState:
    """The whole truth of a game of First Snow.

    Facts of a seat are pairs, seat 0 first: bears (card, 0 while unset), pools (see camp.py), good and damaged (sets
    of tools), scores, acted (the record just before the seat's last ply). winter: a set of cards, bit 0 is
    card 1. order: owners of the four camps. row: the landscape. camps: in the order of placing. taken: card
    waiting for its place, 0 for none. attacked: index into camps, -1 for none. plan and stage: the camps to resolve
    and how many of them are done. record and shown: all events, and the record just before the last ply. known_legal:
    the legal actions once somebody has asked for them.
    """

    __slots__ = (
        "acted",
        "attacked",
        "bears",
        "camps",
        "components",
        "damaged",
        "good",
        "known_legal",
        "order",
        "outcome",
        "phase",
        "plan",
        "pools",
        "record",
        "row",
        "scores",
        "shown",
        "stage",
        "taken",
        "to_act",
        "winter",
    )

    def __init__(self, components: FirstSnowComponents | None) -> None:
        """Begin before anything is drawn; without components leave all to copy(), the only way mypyc allows."""
        if components is None:
            return
        self.components = components
        self.phase = Phase.FIRST_SEAT
        self.to_act: Actor | None = CHANCE
        self.outcome: Outcome | None = None
        self.winter = 0
        self.order: tuple[Seat, ...] = ()
        self.bears = (0, 0)
        self.row: tuple[int, ...] = ()
        self.camps: tuple[Camp, ...] = ()
        self.taken = 0
        self.attacked = -1
        self.plan: tuple[Stay, ...] = ()
        self.stage = 0
        self.pools = (0, 0)
        self.good = (0, 0)
        self.damaged = (0, 0)
        self.scores = (FIRST_SCORE, FIRST_SCORE)
        self.record: Record = None
        self.shown: Record = None
        self.acted: tuple[Record, Record] = (None, None)
        self.known_legal: tuple[Action, ...] | None = None

    @property
    def round(self) -> int:
        """The round, 1 to 6, which is the number of winter cards; 0 before the first one."""
        return self.winter.bit_count()

    @property
    def stay(self) -> Stay | None:
        """The camp that is being resolved."""
        return self.plan[self.stage] if self.stage < len(self.plan) else None

    @property
    def seat(self) -> Seat:
        """The seat to act; only asked in phases that belong to a seat."""
        seat = self.to_act
        assert isinstance(seat, int)  # noqa: S101 - narrows the type
        return seat

    def copy(self) -> FirstSnowState:
        """Return an independent copy; everything a state holds is immutable."""
        twin = FirstSnowState(None)
        twin.components = self.components
        twin.phase = self.phase
        twin.to_act = self.to_act
        twin.outcome = self.outcome
        twin.winter = self.winter
        twin.order = self.order
        twin.bears = self.bears
        twin.row = self.row
        twin.camps = self.camps
        twin.taken = self.taken
        twin.attacked = self.attacked
        twin.plan = self.plan
        twin.stage = self.stage
        twin.pools = self.pools
        twin.good = self.good
        twin.damaged = self.damaged
        twin.scores = self.scores
        twin.record = self.record
        twin.shown = self.shown
        twin.acted = self.acted
        twin.known_legal = self.known_legal
        return twin

    def legal_actions(self) -> tuple[Action, ...]:
        """Return what the actor may do now, in the order of the action table; () when the game is over."""
        if self.known_legal is None:
            self.known_legal = LISTS[self.phase](self)
        return self.known_legal

    def apply(self, action: object) -> None:
        """Make the ply. Raises IllegalAction and leaves the state unchanged if the action is not legal now."""
        legal = self.known_legal
        if legal is None:
            legal = self.legal_actions()
        # Actions are made once, so the quick look is by identity; an equal copy gives way to the one it equals.
        for known in legal:
            if known is action:
                break
        else:
            known = _equal(self, action)
        actor = self.to_act
        assert actor is not None  # noqa: S101 - narrows the type: nothing is legal when nobody acts
        before = self.record
        self.shown = before
        if actor is not CHANCE:
            self.acted = (before, self.acted[1]) if actor == 0 else (self.acted[0], before)
        self.record = (before, Ply(actor, known))
        self.known_legal = None
        _STEPS[self.phase](self, known)

    def note(self, event: Event) -> None:
        """Put an event on the record."""
        self.record = (self.record, event)


def _equal(state: FirstSnowState, action: object) -> Action:
    for known in state.legal_actions():
        if known == action:
            return known
    text = notation(action) if isinstance(action, Action) else repr(action)
    raise IllegalAction(f"{text!r} is not legal now ({state.phase.name.lower()}); choose one of legal_actions()")
