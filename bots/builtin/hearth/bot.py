"""Hearth: plays First Snow for the nightly fire, where there is wood and little snow."""

from __future__ import annotations

from functools import partial
from typing import Final

from arena.core import KeyedStream
from arena.core.chance import SEED_BYTES
from arena.games.first_snow import FirstSnowState
from arena.games.first_snow.actions import (
    Action,
    Craft,
    Diet,
    Eat,
    LeaveResource,
    LeaveTool,
    Place,
    Repair,
    SetBear,
    Side,
    TakeCard,
)
from arena.games.first_snow.camp import COAT, count, meal
from arena.games.first_snow.components import Half, Resource, Tool, half_index
from bots.sdk import Bot, MatchInfo, Turn, run

WARM_TOOLS: Final = (Tool.AXE, Tool.COAT)
# What is left behind first; the more a thing keeps one warm, the later.
LEAVE_FIRST: Final = (
    Resource.STONE,
    Resource.GRASS,
    Resource.BIRD,
    Resource.BERRY,
    Resource.FISH,
    Resource.CARIBOU,
    Resource.WOOD,
)


class Hearth(Bot):
    """Likes each action a little or a lot, and takes the one it likes best."""

    def __init__(self, match: MatchInfo) -> None:
        super().__init__(match)
        self._stream = KeyedStream(match.bot_seed.to_bytes(SEED_BYTES, "big"))

    def choose(self, turn: Turn) -> Action:
        """Return the action that promises the warmest night."""
        state = self.match.game.sample(turn.view, self.match.components, self._stream)
        choice: Action = max(turn.legal_actions, key=partial(self._liking, state))
        return choice

    def _liking(self, state: FirstSnowState, action: Action) -> float:
        pool = state.pools[self.match.seat]
        match action:
            case SetBear(card):
                # The card it will not miss: nobody may take the card of one's own bear.
                return -max(self._fire(state, card, half) for half in Half)
            case TakeCard(card):
                return max(self._fire(state, card, half) for half in Half)
            case Place(side, half):
                return self._fire(state, state.taken, half) + self._across(state, side, half)
            case Eat(diet):
                return meal(pool, diet)[1] + (0.5 if diet is Diet.BALANCED else 0.0)
            case Repair(tool, resource):
                return (2.0 if tool in WARM_TOOLS else 1.0) - (1.5 if resource is Resource.WOOD else 0.0)
            case Craft(tool):
                spare = tool is Tool.COAT or count(pool, Resource.WOOD) > 2
                return (2.0 if tool in WARM_TOOLS else 1.0) if spare else -1.0
            case LeaveResource(resource):
                return -LEAVE_FIRST.index(resource)
            case LeaveTool(tool):
                return -9.0 if tool in WARM_TOOLS else -3.5
            case _:
                return 0.0

    def _fire(self, state: FirstSnowState, card: int, half: Half) -> float:
        """Return the wood within reach less the snow that counts, with a little food as a tie-break."""
        seat = self.match.seat
        tools = state.good[seat] | state.damaged[seat]
        place = half_index(card, half, winter=bool(state.winter >> (card - 1) & 1))
        reach = state.components.access[place][tools]
        snow = state.components.demand[place][bool(tools & COAT)]
        food = sum(count(reach, kind) for kind in (Resource.BERRY, Resource.FISH, Resource.BIRD, Resource.CARIBOU))
        return count(reach, Resource.WOOD) - snow + 0.3 * food

    def _across(self, state: FirstSnowState, side: Side, half: Half) -> float:
        """Return what the neighbour adds to a camp on the inner half, nothing yet for an outer one."""
        if side is Side.LEFT and half is Half.RIGHT:
            return self._fire(state, state.row[0], Half.LEFT)
        if side is Side.RIGHT and half is Half.LEFT:
            return self._fire(state, state.row[-1], Half.RIGHT)
        return 0.0


if __name__ == "__main__":
    run(Hearth)
