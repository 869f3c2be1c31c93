"""What the actor of First Snow may do now, phase by phase."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TypeAlias

from arena.games.first_snow import camp, landscape
from arena.games.first_snow.actions import BEARS, EATS, FIRST_SEATS, Action
from arena.games.first_snow.phases import Phase

if TYPE_CHECKING:
    from arena.games.first_snow.rules import FirstSnowState


_Lister: TypeAlias = "Callable[[FirstSnowState], tuple[Action, ...]]"


def _always(actions: tuple[Action, ...]) -> _Lister:
    return lambda _state: actions


def _cool(state: FirstSnowState) -> tuple[Action, ...]:
    return landscape.cool_list(state.winter)


def _take(state: FirstSnowState) -> tuple[Action, ...]:
    return landscape.take_list(state.row, state.bears[state.seat])


def _place(state: FirstSnowState) -> tuple[Action, ...]:
    return landscape.place_list(state.row, state.camps)


def _repair(state: FirstSnowState) -> tuple[Action, ...]:
    seat = state.seat
    return camp.repair_list(state.components, state.pools[seat], state.damaged[seat])


def _craft(state: FirstSnowState) -> tuple[Action, ...]:
    seat = state.seat
    return camp.craft_list(camp.craftable(state.components, state.pools[seat], state.good[seat]))


def _leave(state: FirstSnowState) -> tuple[Action, ...]:
    seat = state.seat
    return camp.leave_list(state.pools[seat], state.good[seat], state.damaged[seat])


LISTS: Final[dict[Phase, _Lister]] = {
    Phase.FIRST_SEAT: _always(FIRST_SEATS),
    Phase.COOL: _cool,
    Phase.BEAR: _always(BEARS),
    Phase.TAKE: _take,
    Phase.PLACE: _place,
    Phase.FOOD: _always(EATS),
    Phase.REPAIR: _repair,
    Phase.CRAFT: _craft,
    Phase.LEAVE: _leave,
    Phase.OVER: _always(()),
}
"""For each phase, the legal actions in the order of the action table."""
