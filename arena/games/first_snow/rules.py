"""The rules of First Snow: the whole truth of a game, and how each ply changes it."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any, Final, Self, TypeVar

from arena.core.errors import IllegalAction
from arena.core.outcome import Outcome
from arena.core.seat import CHANCE, Actor, Seat
from arena.games.first_snow import camp as camping
from arena.games.first_snow import landscape
from arena.games.first_snow.actions import (
    ACTIONS,
    BEARS,
    EATS,
    FIRST_SEATS,
    Action,
    Cool,
    Craft,
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
from arena.games.first_snow.components import FirstSnowComponents, half_index
from arena.games.first_snow.events import (
    Arrival,
    Bonus,
    Encounter,
    Event,
    Finish,
    Meal,
    Ply,
    Record,
    TurnOrder,
    Warmth,
    Wear,
)
from arena.games.first_snow.landscape import Camp, Stay

T = TypeVar("T")

SEATS: Final = (Seat(0), Seat(1))
FIRST_SCORE: Final = 10


class Phase(Enum):
    """What is being decided; the value is the number of the phase on the wire."""

    FIRST_SEAT = 1
    COOL = 2
    BEAR = 3
    TAKE = 4
    PLACE = 5
    FOOD = 6
    REPAIR = 7
    CRAFT = 8
    LEAVE = 9
    OVER = 10


class FirstSnowState:
    """The whole truth of a game of First Snow.

    Facts of a seat are pairs, seat 0 first: bears (card, 0 while unset), pools (see camp.py), good and damaged (sets
    of tools), scores, asked (the record just before the seat's last real choice). winter: a set of cards, bit 0 is
    card 1. order: owners of the four camps. row: the landscape. camps: in the order of placing. taken: card
    waiting for its place, 0 for none. attacked: index into camps, -1 for none. plan and stage: the camps to resolve
    and how many of them are done. record and shown: all events, and the record just before the last ply.
    """

    __slots__ = (
        "_legal",
        "asked",
        "attacked",
        "bears",
        "camps",
        "components",
        "damaged",
        "good",
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

    def __init__(self, components: FirstSnowComponents) -> None:
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
        self.asked: tuple[Record, Record] = (None, None)
        self._legal: tuple[Action, ...] | None = FIRST_SEATS

    @property
    def round(self) -> int:
        """The round, 1 to 6, which is the number of winter cards; 0 before the first one."""
        return self.winter.bit_count()

    @property
    def stay(self) -> Stay | None:
        """The camp that is being resolved."""
        return self.plan[self.stage] if self.stage < len(self.plan) else None

    def copy(self) -> Self:
        """Return an independent copy; everything a state holds is immutable."""
        twin = object.__new__(type(self))
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
        twin.asked = self.asked
        twin._legal = self._legal
        return twin

    def legal_actions(self) -> tuple[Action, ...]:
        """Return what the actor may do now, in the order of the action table; () when the game is over."""
        if self._legal is None:
            self._legal = _LEGAL[self.phase](self)
        return self._legal

    def apply(self, action: Action) -> None:
        """Make the ply. Raises IllegalAction and leaves the state unchanged if the action is not legal now."""
        legal = self._legal
        if legal is None:
            legal = self.legal_actions()
        # Actions are made once, so the quick look is by identity; an equal copy is found by the slow one.
        for known in legal:
            if known is action:
                break
        else:
            if action not in legal:
                raise IllegalAction(_refusal(self, action))
        actor = self.to_act
        before = self.record
        self.shown = before
        if actor is not CHANCE and len(legal) > 1:
            # A forced ply is made without asking, so what came before it has not been shown to the seat yet.
            self.asked = (before, self.asked[1]) if actor == 0 else (self.asked[0], before)
        self.record = (before, Ply(actor, action))  # type: ignore[arg-type]  # somebody acts while anything is legal
        self._legal = None
        _STEPS[self.phase](self, action)

    def forget_legal_actions(self) -> None:
        """Have the legal actions found anew, after a change by other means than apply."""
        self._legal = None

    # Setup and cooling

    def _first_seat(self, action: FirstSeat) -> None:
        first, second = action.seat, Seat(1 - action.seat)
        self.order = (first, second, second, first)
        self._ask_chance()

    def _cool(self, action: Cool) -> None:
        self.winter |= 1 << (action.card - 1)
        self.bears = (0, 0)
        self.row = ()
        self.camps = ()
        self.attacked = -1
        self.plan = ()
        self.stage = 0
        self.phase = Phase.BEAR
        self.to_act = SEATS[0]
        self._legal = BEARS

    def _ask_chance(self) -> None:
        self.phase = Phase.COOL
        self.to_act = CHANCE

    # Forming the landscape

    def _set_bear(self, action: SetBear) -> None:
        if self.to_act == 0:
            self.bears = (action.card, 0)
            self.to_act = SEATS[1]
            self._legal = BEARS
        else:
            self.bears = (self.bears[0], action.card)
            self._ask_card(0)

    def _ask_card(self, turn: int) -> None:
        self.phase = Phase.TAKE
        self.to_act = self.order[turn]

    def _take(self, action: TakeCard) -> None:
        self.taken = action.card
        self.phase = Phase.PLACE

    def _place(self, action: Place) -> None:
        seat = self._seat()
        card = self.taken
        self.row = (card, *self.row) if action.side is Side.LEFT else (*self.row, card)
        self.camps = (*self.camps, Camp(seat, card, action.half))
        self.taken = 0
        if card == self.bears[1 - seat]:
            self.attacked = len(self.camps) - 1
            self._note(Encounter(seat, card))
        if len(self.camps) < landscape.CAMPS:
            self._ask_card(len(self.camps))
        else:
            self._finish_landscape()

    def _finish_landscape(self) -> None:
        self.row = landscape.finished(self.row)
        self.plan = landscape.stays(self.row, self.camps, self.attacked)
        self._note(Finish(self.row, self.bears, self.camps[self.attacked].card if self.attacked >= 0 else 0))
        self._arrive()

    # Resolving the camps

    def _arrive(self) -> None:
        if self.stage == len(self.plan):
            self._close_round()
            return
        stay = self.plan[self.stage]
        seat = stay.seat
        self.to_act = seat
        tools = self.good[seat] | self.damaged[seat]
        gathered = sum(self.components.access[half][tools] for half in self._halves(stay))
        pool = self.pools[seat] + gathered
        self.pools = with_seat(self.pools, seat, pool)
        self._note(Arrival(stay, gathered))
        if not stay.night:
            self._ask_craft(seat)
        elif pool & camping.FOOD_MASK:
            self.phase = Phase.FOOD
            self._legal = EATS
        else:
            self._warm(seat)

    def _halves(self, stay: Stay) -> tuple[int, int]:
        winter = self.winter
        return (
            half_index(stay.left, 1, winter=bool(winter >> (stay.left - 1) & 1)),
            half_index(stay.right, 0, winter=bool(winter >> (stay.right - 1) & 1)),
        )

    def _eat(self, action: Eat) -> None:
        seat = self._seat()
        eaten, points = camping.meal(self.pools[seat], action.diet)
        self.pools = with_seat(self.pools, seat, self.pools[seat] - eaten)
        self.scores = with_seat(self.scores, seat, self.scores[seat] + points)
        self._note(Meal(seat, eaten, points))
        self._warm(seat)

    def _warm(self, seat: Seat) -> None:
        pool = self.pools[seat]
        has_coat = bool((self.good[seat] | self.damaged[seat]) & camping.COAT)
        demand = sum(self.components.demand[half][has_coat] for half in self._halves(self.plan[self.stage]))
        wood = pool >> camping.WOOD_SHIFT & 0xFF
        burned = min(wood, demand)
        points = self.winter.bit_count() if burned == demand else 0
        self.pools = with_seat(self.pools, seat, pool - (burned << camping.WOOD_SHIFT))
        self.scores = with_seat(self.scores, seat, self.scores[seat] + points)
        self._note(Warmth(seat, demand, burned, points))
        self._wear(seat)

    def _wear(self, seat: Seat) -> None:
        worn, broken = self.good[seat], self.damaged[seat]
        if worn or broken:
            self.damaged = with_seat(self.damaged, seat, worn)
            self.good = with_seat(self.good, seat, 0)
            self._note(Wear(seat, worn, broken))
        self._ask_repair(seat)

    def _ask_repair(self, seat: Seat) -> None:
        legal = camping.repair_list(self.components, self.pools[seat], self.damaged[seat])
        if legal:
            self.phase = Phase.REPAIR
            self._legal = legal
        else:
            self._ask_craft(seat)

    def _repair(self, action: Repair | Done) -> None:
        seat = self._seat()
        if isinstance(action, Done):
            self._ask_craft(seat)
            return
        self.pools = with_seat(self.pools, seat, self.pools[seat] - (1 << 8 * action.resource))
        self.damaged = with_seat(self.damaged, seat, self.damaged[seat] ^ 1 << action.tool)
        self.good = with_seat(self.good, seat, self.good[seat] | 1 << action.tool)
        self._ask_repair(seat)

    def _ask_craft(self, seat: Seat) -> None:
        tools = camping.craftable(self.components, self.pools[seat], self.good[seat])
        if tools:
            self.phase = Phase.CRAFT
            self._legal = camping.craft_list(tools)
        else:
            self._ask_leave(seat)

    def _craft(self, action: Craft | Done) -> None:
        seat = self._seat()
        if isinstance(action, Done):
            self._ask_leave(seat)
            return
        self.pools = with_seat(self.pools, seat, self.pools[seat] - self.components.cost_pools[action.tool])
        self.good = with_seat(self.good, seat, self.good[seat] | 1 << action.tool)
        self._ask_craft(seat)

    def _ask_leave(self, seat: Seat) -> None:
        if camping.items(self.pools[seat], self.good[seat], self.damaged[seat]) > camping.PLACES_TO_CARRY:
            self.phase = Phase.LEAVE
        else:
            self.stage += 1
            self._arrive()

    def _leave(self, action: LeaveResource | LeaveTool) -> None:
        seat = self._seat()
        if isinstance(action, LeaveResource):
            self.pools = with_seat(self.pools, seat, self.pools[seat] - (1 << 8 * action.resource))
        elif action.damaged:
            self.damaged = with_seat(self.damaged, seat, self.damaged[seat] ^ 1 << action.tool)
        else:
            self.good = with_seat(self.good, seat, self.good[seat] ^ 1 << action.tool)
        self._ask_leave(seat)

    # The end of a round

    def _close_round(self) -> None:
        self.order = landscape.next_order(self.camps)
        self._note(TurnOrder(self.order))
        if self.winter != landscape.ALL_CARDS:
            self._ask_chance()
            return
        for seat in SEATS:
            bonus = self.good[seat].bit_count()
            self.scores = with_seat(self.scores, seat, self.scores[seat] + bonus)
            self._note(Bonus(seat, bonus))
        self.phase = Phase.OVER
        self.to_act = None
        self.outcome = settle(self.scores, self.order)

    # What is legal, phase by phase

    def _first_seat_list(self) -> tuple[Action, ...]:
        return FIRST_SEATS

    def _cool_list(self) -> tuple[Action, ...]:
        return landscape.cool_list(self.winter)

    def _bear_list(self) -> tuple[Action, ...]:
        return BEARS

    def _take_list(self) -> tuple[Action, ...]:
        return landscape.take_list(self.row, self.bears[self._seat()])

    def _place_list(self) -> tuple[Action, ...]:
        return landscape.place_list(self.row, self.camps)

    def _diet_list(self) -> tuple[Action, ...]:
        return EATS

    def _repair_list(self) -> tuple[Action, ...]:
        seat = self._seat()
        return camping.repair_list(self.components, self.pools[seat], self.damaged[seat])

    def _craft_list(self) -> tuple[Action, ...]:
        seat = self._seat()
        return camping.craft_list(camping.craftable(self.components, self.pools[seat], self.good[seat]))

    def _leave_list(self) -> tuple[Action, ...]:
        seat = self._seat()
        return camping.leave_list(self.pools[seat], self.good[seat], self.damaged[seat])

    def _empty_list(self) -> tuple[Action, ...]:
        return ()

    def _note(self, event: Event) -> None:
        self.record = (self.record, event)

    def _seat(self) -> Seat:
        seat = self.to_act
        assert isinstance(seat, int)  # noqa: S101 - narrows the type: these phases belong to a seat
        return seat


def with_seat(pair: tuple[T, T], seat: Seat, value: T) -> tuple[T, T]:
    """Return the pair with this seat's half replaced."""
    return (value, pair[1]) if seat == 0 else (pair[0], value)


def settle(scores: tuple[int, int], order: tuple[Seat, ...]) -> Outcome:
    """Return the result: more points, else the owner of the lowest camp die, who comes first in order (ruling 19)."""
    if scores[0] != scores[1]:
        return Outcome((1, 2) if scores[0] > scores[1] else (2, 1), scores, "points")
    return Outcome((1, 2) if order[0] == 0 else (2, 1), scores, "lowest-camp")


def _refusal(state: FirstSnowState, action: object) -> str:
    text = ACTIONS.text_of(action) if isinstance(action, Action) else repr(action)
    return f"{text!r} is not legal now ({state.phase.name.lower()}); choose one of legal_actions()"


_LEGAL: Final[dict[Phase, Callable[[FirstSnowState], tuple[Action, ...]]]] = {
    Phase.FIRST_SEAT: FirstSnowState._first_seat_list,
    Phase.COOL: FirstSnowState._cool_list,
    Phase.BEAR: FirstSnowState._bear_list,
    Phase.TAKE: FirstSnowState._take_list,
    Phase.PLACE: FirstSnowState._place_list,
    Phase.FOOD: FirstSnowState._diet_list,
    Phase.REPAIR: FirstSnowState._repair_list,
    Phase.CRAFT: FirstSnowState._craft_list,
    Phase.LEAVE: FirstSnowState._leave_list,
    Phase.OVER: FirstSnowState._empty_list,
}
# The handler of a phase takes just the actions that are legal in it.
_STEPS: Final[dict[Phase, Callable[[FirstSnowState, Any], None]]] = {
    Phase.FIRST_SEAT: FirstSnowState._first_seat,
    Phase.COOL: FirstSnowState._cool,
    Phase.BEAR: FirstSnowState._set_bear,
    Phase.TAKE: FirstSnowState._take,
    Phase.PLACE: FirstSnowState._place,
    Phase.FOOD: FirstSnowState._eat,
    Phase.REPAIR: FirstSnowState._repair,
    Phase.CRAFT: FirstSnowState._craft,
    Phase.LEAVE: FirstSnowState._leave,
}
