"""Every game as a PettingZoo environment (AEC): agents in turn, action masks, observations of fixed size.

    from arena.adapters.pettingzoo import env
    table = env("first-snow", render_mode="ansi")
    table.reset(seed=7)
    for agent in table.agent_iter():
        observation, reward, termination, truncation, info = table.last()
        ...

Agents are named seat_0, seat_1, ... An observation is {"observation": int32 array, "action_mask": int8 array}: the
seat's own view in the layout of arena.adapters.observation, and 1 for each action it may take now (all 0 while it is
not to act). Actions are the ids of the game's action table. Chance and choices with a single option are played
without asking, as in a match; reset(seed=N) meets the same chance as `arena play --seed N`. Rewards come at the end
(arena.adapters.setting).
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arena.adapters.listings import Listings
from arena.adapters.observation import Layout, layout_of
from arena.adapters.setting import Setting, find_setting, forced_action, returns
from arena.core import CHANCE
from arena.core.chance import SEED_BYTES, KeyedStream
from arena.core.errors import IllegalAction, UsageError
from arena.core.seat import Seat

try:
    from gymnasium.spaces import Box, Dict, Discrete
    from pettingzoo.utils import wrappers
    from pettingzoo.utils.env import AECEnv
except ModuleNotFoundError as missing:
    raise UsageError(
        f"this adapter needs {missing.name}; install it with: pip install 'whiteout-arena[pettingzoo]'",
        reason="EXTRA_MISSING",
    ) from missing

Observation: TypeAlias = dict[str, NDArray[Any]]

RENDER_MODES: Final = ("human", "ansi", "svg")

WIDTH: Final = 100
"""Characters a line of the modes "human" and "ansi"."""


def env(
    game: str,
    *,
    variant: str | None = None,
    seats: int | None = None,
    components: str = "",
    listings: Listings | None = None,
    render_mode: str | None = None,
) -> AECEnv[str, Observation, int]:
    """Return the environment in PettingZoo's usual wrappers, which tell what is called out of order.

    variant, seats, components: see find_setting. listings: other room for lists of the view, see
    arena.adapters.listings. render_mode: "human" prints, "ansi" returns text, "svg" an SVG document. Raises
    UsageError and what find_setting does.
    """
    bare = raw_env(
        game, variant=variant, seats=seats, components=components, listings=listings, render_mode=render_mode
    )
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(bare))


def raw_env(
    game: str,
    *,
    variant: str | None = None,
    seats: int | None = None,
    components: str = "",
    listings: Listings | None = None,
    render_mode: str | None = None,
) -> ArenaEnv:
    """Return the environment without wrappers; arguments as for env."""
    return ArenaEnv(find_setting(game, variant, seats, components), listings, render_mode)


class ArenaEnv(AECEnv[str, Observation, int]):
    """One table of a game.

    layout: what stands where in an observation. setting: what is played.
    """

    def __init__(self, setting: Setting, listings: Listings | None, render_mode: str | None) -> None:
        super().__init__()
        if render_mode not in (None, *RENDER_MODES):
            modes = ", ".join(RENDER_MODES)
            raise UsageError(f"no render mode {render_mode!r}; there are: {modes}", reason="UNKNOWN_RENDER_MODE")
        self.setting = setting
        self.layout: Layout = layout_of(setting, listings)
        self.render_mode = render_mode
        self.metadata = {
            "name": f"{setting.game.spec.id}-{setting.variant.id}",
            "render_modes": list(RENDER_MODES),
            "is_parallelizable": False,
        }
        self.possible_agents = [f"seat_{seat}" for seat in range(setting.seats)]
        self.agents: list[str] = []
        self.observation_spaces = {agent: _observation_space(setting, self.layout) for agent in self.possible_agents}
        self.action_spaces = {agent: Discrete(len(setting.game.actions)) for agent in self.possible_agents}
        self._seeds = np.random.default_rng()

    def __str__(self) -> str:
        return str(self.metadata["name"])

    def observation_space(self, agent: str) -> Dict:
        """Return the space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Discrete[Any]:
        """Return the ids of the game's action table."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a new game; later games without a seed of their own follow from the last seed given.

        Raises UsageError for a seed outside 0 .. 2**128 - 1.
        """
        if seed is not None:
            if not 0 <= seed < 1 << 8 * SEED_BYTES:
                raise UsageError(f"seed {seed} is not a number from 0 to 2**128 - 1")
            self._seeds = np.random.default_rng(seed)
        deal = self._seeds.bytes(SEED_BYTES) if seed is None else seed.to_bytes(SEED_BYTES, "big")
        self._chance = KeyedStream(deal)
        self._state = self.setting.new()
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[0]
        self._play_on()

    def step(self, action: int | None) -> None:
        """Take the action for the agent that is to act. Raises IllegalAction, the game unchanged, for a masked one."""
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        legal = self._state.legal_actions()
        chosen = None if action is None else self.setting.game.actions.by_id(int(action))
        if chosen not in legal:
            raise IllegalAction(f"action {action} of {agent} is not legal now; take one whose action_mask is 1")
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._state.apply(chosen)
        self._play_on()
        self._accumulate_rewards()

    def observe(self, agent: str) -> Observation:
        """Return what the agent may know now."""
        seat = Seat(self.possible_agents.index(agent))
        mask = np.zeros(len(self.setting.game.actions), dtype=np.int8)
        if self._state.to_act == seat:
            mask[[self.setting.game.actions.id_of(action) for action in self._state.legal_actions()]] = 1
        return {"observation": self.layout.encode(self.setting.game.view(self._state, seat)), "action_mask": mask}

    def render(self) -> str | None:
        """Draw the view of the agent to act, after the end the public one, in the render mode given at the start."""
        if self.render_mode is None:
            return None
        game, actor = self.setting.game, self._state.to_act
        view = game.view(self._state, None if actor is None else Seat(self.possible_agents.index(self.agent_selection)))
        if self.render_mode == "svg":
            return game.render_svg(view, self.setting.components)
        text = game.render_text(view, self.setting.components, WIDTH)
        if self.render_mode == "ansi":
            return text
        print(text)
        return None

    def close(self) -> None:
        """Let go of nothing: there are no windows and no files."""

    def describe(self, action: int) -> str:
        """Return an action in plain words. Raises MalformedAction for an id outside the table."""
        game = self.setting.game
        return game.describe(game.actions.by_id(action), self.setting.components)

    def _play_on(self) -> None:
        """Play chance and forced plies up to the next choice or the end, and say whose turn it is."""
        game, state = self.setting.game, self._state
        while (actor := state.to_act) is not None:
            only = forced_action(state)
            if only is not None:
                state.apply(only)
            elif actor is CHANCE:
                state.apply(game.draw(state, self._chance))
            else:
                self.agent_selection = self.possible_agents[actor]
                break
        else:
            self.rewards = dict(zip(self.agents, returns(state.outcome), strict=True))
            self.terminations = dict.fromkeys(self.agents, True)
            self.agent_selection = self.agents[0]
        if self.render_mode == "human":
            self.render()


def _observation_space(setting: Setting, layout: Layout) -> Dict:
    lows, highs = ([cell.low for cell in layout.cells], [cell.high for cell in layout.cells])
    return Dict(
        {
            "observation": Box(np.array(lows, np.int32), np.array(highs, np.int32), dtype=np.int32),
            "action_mask": Box(0, 1, (len(setting.game.actions),), np.int8),
        }
    )
