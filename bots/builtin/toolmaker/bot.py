"""Toolmaker: plays First Snow to make tools, mend them and carry them to the end."""

from __future__ import annotations

from typing import Final

from arena.core import KeyedStream, Seat
from arena.core.chance import SEED_BYTES
from arena.games.first_snow import FirstSnowState
from arena.games.first_snow.actions import (
    Action,
    Craft,
    Eat,
    LeaveResource,
    LeaveTool,
    Place,
    Repair,
    SetBear,
    Side,
    TakeCard,
)
from arena.games.first_snow.camp import meal
from arena.games.first_snow.components import FOOD, Half, Resource, Tool, half_index
from bots.sdk import Bot, MatchInfo, Turn, run

# The order in which tools are made: those that feed first.
CRAFT_ORDER: Final = (Tool.BOW, Tool.SPEAR, Tool.NET, Tool.AXE, Tool.COAT)
MATERIALS: Final = {Resource.GRASS: 1.0, Resource.STONE: 1.0, Resource.WOOD: 0.8}


class Toolmaker(Bot):
    """Sorts its legal actions by a list of simple wishes, one for each kind of question."""

    def __init__(self, match: MatchInfo) -> None:
        super().__init__(match)
        self._stream = KeyedStream(match.bot_seed.to_bytes(SEED_BYTES, "big"))

    def choose(self, turn: Turn) -> Action:
        """Return the action that serves the tools best."""
        state = self.match.game.sample(turn.view, self.match.components, self._stream)
        wishes = [self._wish(state, action) for action in turn.legal_actions]
        choice: Action = turn.legal_actions[wishes.index(max(wishes))]
        return choice

    def _wish(self, state: FirstSnowState, action: Action) -> float:
        match action:
            case SetBear(card):
                other = Seat(1 - self.match.seat)
                return max(_stuff(state, other, card, half) for half in Half)
            case TakeCard(card):
                return max(_stuff(state, self.match.seat, card, half) for half in Half)
            case Place(side, half):
                return _stuff(state, self.match.seat, state.taken, half) + self._beyond(state, side, half)
            case Eat(diet):
                return float(meal(state.pools[self.match.seat], diet)[1])
            case Repair(_, resource):
                return 1.0 + (resource is not Resource.WOOD)
            case Craft(tool):
                return float(len(CRAFT_ORDER) - CRAFT_ORDER.index(tool))
            case LeaveResource(resource):
                return 3.0 if resource in FOOD else 2.0
            case LeaveTool(_, damaged):
                return 1.0 if damaged else 0.0
            case _:
                return 0.0

    def _beyond(self, state: FirstSnowState, side: Side, half: Half) -> float:
        """Return what lies on the other half of the location; an open end is worth an average card."""
        if side is Side.LEFT and half is Half.RIGHT:
            return _stuff(state, self.match.seat, state.row[0], Half.LEFT)
        if side is Side.RIGHT and half is Half.LEFT:
            return _stuff(state, self.match.seat, state.row[-1], Half.RIGHT)
        return 1.5


def _stuff(state: FirstSnowState, seat: Seat, card: int, half: Half) -> float:
    """Return the worth of what the seat reaches there: materials above all, food because it is already hungry."""
    tools = state.good[seat] | state.damaged[seat]
    place = half_index(card, half, winter=bool(state.winter >> (card - 1) & 1))
    reach = state.components.access[place][tools]
    return sum(MATERIALS.get(kind, 0.6) * (reach >> 8 * kind & 0xFF) for kind in Resource)


if __name__ == "__main__":
    run(Toolmaker)
