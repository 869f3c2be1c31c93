"""Every game as an OpenSpiel game: chance nodes, legal-action masks, information-state strings, observation tensors.

    from arena.adapters.openspiel import load
    state = load("first-snow").new_initial_state()

register() makes one OpenSpiel game of each variant, named like whiteout_first_snow_standard, with the parameter
"players"; pyspiel.load_game finds them afterwards. Action ids, chance's included, are the ids of the game's action
table. Plies with a single option, chance's included, are played without asking, as in a match. Returns come at the
end and add up to 0 (arena.adapters.setting). An information-state string is all a seat was ever shown and what it may
know now; it is put together when somebody asks, by playing the history again, so that playouts do not pay for it. The
observation tensor is the layout of arena.adapters.observation as float32.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, ClassVar, Final, TypeAlias

import numpy as np

from arena.adapters.observation import EVENTS, Layout, layout_of
from arena.adapters.setting import Setting, find_setting, forced_action, returns
from arena.core import CHANCE, AnyGame, Variant
from arena.core.chance import Stream
from arena.core.errors import UsageError
from arena.core.registry import game_ids, load_game
from arena.core.seat import Seat

try:
    import pyspiel
except ModuleNotFoundError as missing:
    raise UsageError(
        "this adapter needs OpenSpiel; install it with: pip install 'whiteout-arena[openspiel]'",
        reason="EXTRA_MISSING",
    ) from missing

MAX_PLIES: Final = 20_000
"""No game is as long, and OpenSpiel wants a bound."""

_History: TypeAlias = "tuple[()] | tuple[_History, int]"

_TERMINAL: Final = int(pyspiel.PlayerId.TERMINAL)
_CHANCE: Final = int(pyspiel.PlayerId.CHANCE)


@cache
def register() -> tuple[str, ...]:
    """Make all installed games known to OpenSpiel, once, and return their OpenSpiel names."""
    names = []
    for game_id in game_ids():
        game = load_game(game_id)
        for variant in game.spec.variants:
            name = spiel_name(game, variant)
            # A class of its own, never a partial or a lambda: OpenSpiel lets go of what it is given after Python has
            # ended, which only a class survives.
            facts = {"game": game, "variant": variant, "__doc__": f"{game.spec.title}: {variant.title}, in OpenSpiel."}
            pyspiel.register_game(_type(name, game, variant), type(name, (ArenaGame,), facts))
            names.append(name)
    return tuple(names)


def spiel_name(game: AnyGame, variant: Variant) -> str:
    """Return the OpenSpiel name of a variant."""
    return f"whiteout_{game.spec.id}_{variant.id}".replace("-", "_")


def load(game: str, variant: str | None = None, seats: int | None = None) -> ArenaGame:
    """Return the OpenSpiel game. variant: None is the default; seats: None is the fewest. Raises like find_setting."""
    register()
    found = find_setting(game, variant, seats)
    loaded: ArenaGame = pyspiel.load_game(spiel_name(found.game, found.variant), {"players": found.seats})
    return loaded


class ArenaGame(pyspiel.Game):
    """One variant with one number of players; register() makes a subclass of each variant.

    setting: what is played. layout: what stands where in a tensor.
    """

    game: ClassVar[AnyGame]
    variant: ClassVar[Variant]

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        game, variant = self.game, self.variant
        players = (params or {}).get("players", variant.min_seats)
        self.setting: Setting = find_setting(game.spec.id, variant.id, players)
        self.layout: Layout = layout_of(self.setting)
        actions = len(game.actions)
        facts = pyspiel.GameInfo(
            num_distinct_actions=actions,
            max_chance_outcomes=actions,
            num_players=players,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0 if players > 1 else None,
            max_game_length=MAX_PLIES,
        )
        super().__init__(_type(spiel_name(game, variant), game, variant), facts, params or {})

    def new_initial_state(self) -> ArenaState:
        """Return the state before the first draw or choice."""
        return ArenaState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: dict[str, Any] | None = None) -> ArenaObserver:
        """Return what observes a state for a player; with perfect recall its string is the information state."""
        return ArenaObserver(self, recall=iig_obs_type is not None and iig_obs_type.perfect_recall)


class ArenaState(pyspiel.State):
    """A state of the rules, as OpenSpiel asks for it; position is the state itself with what each seat was shown."""

    def __init__(self, game: ArenaGame) -> None:
        super().__init__(game)
        self.position = Position(game.setting)

    def current_player(self) -> int:
        """Return the seat to act, or OpenSpiel's id for chance or the end."""
        actor = self.position.state.to_act
        if actor is None:
            return _TERMINAL
        return _CHANCE if actor is CHANCE else int(actor)

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.position.state.to_act is None

    def returns(self) -> list[float]:
        """Return each seat's worth of the end, zeros before it."""
        position = self.position
        return list(returns(position.state.outcome)) or [0.0] * position.setting.seats

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the ids of what chance may bring, with their probabilities."""
        game, state = self.position.setting.game, self.position.state
        weights = game.weights(state)
        total = sum(weights)
        ids = map(game.actions.id_of, state.legal_actions())
        return sorted((number, weight / total) for number, weight in zip(ids, weights, strict=True))

    def information_state_string(self, player: int | None = None) -> str:
        """Return all that a seat (None: the one to act) was shown up to now and may know now."""
        return self.position.recollection(self._seat(player))

    def observation_string(self, player: int | None = None) -> str:
        """Return what a seat (None: the one to act) may know now, without what happened before."""
        return self.position.sight(self._seat(player))

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> ArenaState:
        """Return some state that looks the same to the player; its history is its own. sampler: numbers in 0 .. 1."""
        twin: ArenaState = self.get_game().new_initial_state()
        twin.position = self.position.resampled(Seat(player), _Sampled(sampler))
        return twin

    def _legal_actions(self, player: int) -> list[int]:
        position = self.position
        return sorted(map(position.setting.game.actions.id_of, position.state.legal_actions()))

    def _apply_action(self, action: int) -> None:
        self.position.play(action)

    def _action_to_string(self, player: int, action: int) -> str:
        return self.position.setting.game.actions.texts[action]

    def _seat(self, player: int | None) -> Seat:
        return Seat(self.current_player() if player is None else player)

    def __str__(self) -> str:
        setting = self.position.setting
        return setting.game.render_text(setting.game.view(self.position.state, None), setting.components, 80)


class Position:
    """A state of the rules with the road to it.

    setting: what is played. state: the truth. What seats were shown is found when asked for, from a state that lags
    behind (with the memories up to it and the actions still to be made on it); copies share what is found already.
    _history: the ids of all actions, the last one first, as nested pairs; None for a resampled position, which has no
    beginning.
    """

    __slots__ = ("_history", "_lagging", "_memories", "_road", "setting", "state")

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.state = setting.new()
        self._lagging = self.state.copy()
        self._memories: list[tuple[bytes, ...]] = [()] * setting.seats
        self._road: list[Any] = []
        self._history: _History | None = ()
        self._settle()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the road to the position rather than the position. Raises UsageError for a resampled one."""
        if self._history is None:
            raise UsageError("a resampled state has no history and cannot be saved", reason="NO_HISTORY")
        ids, rest = [], self._history
        while rest:
            rest, action = rest
            ids.append(action)
        setting = self.setting
        return _position, (setting.game.spec.id, setting.variant.id, setting.seats, tuple(reversed(ids)))

    def __deepcopy__(self, memo: dict[int, Any]) -> Position:
        """Return an independent copy; OpenSpiel clones Python states by deepcopy."""
        twin = object.__new__(Position)
        twin.setting = self.setting
        twin.state = self.state.copy()
        twin._lagging = self._lagging.copy()
        twin._memories = self._memories[:]
        twin._road = self._road[:]
        twin._history = self._history
        return twin

    def play(self, action: int) -> None:
        """Make a ply and the forced ones after it. Raises IllegalAction, MalformedAction."""
        chosen = self.setting.game.actions.by_id(action)
        self.state.apply(chosen)
        self._road.append(chosen)
        if self._history is not None:
            self._history = (self._history, action)
        self._settle()

    def recollection(self, seat: Seat) -> str:
        """Return what the seat was shown whenever it acted, and what it may know now, as hexadecimal text."""
        for action in self._road:
            actor = self._lagging.to_act
            if isinstance(actor, int):
                self._memories[actor] = (*self._memories[actor], self._seen(self._lagging, actor))
            self._lagging.apply(action)
        self._road.clear()
        return "/".join(piece.hex() for piece in (*self._memories[seat], self._seen(self.state, seat)))

    def sight(self, seat: Seat) -> str:
        """Return the seat's view without events, as hexadecimal text."""
        view = self.setting.game.view(self.state, seat)
        view.ClearField(EVENTS)
        return str(view.SerializeToString(deterministic=True).hex())

    def resampled(self, seat: Seat, stream: Stream) -> Position:
        """Return a position the seat cannot tell from this one; what other seats were shown before is forgotten."""
        game = self.setting.game
        self.recollection(seat)
        twin = object.__new__(Position)
        twin.setting = self.setting
        twin.state = game.sample(game.view(self.state, seat), self.setting.components, stream)
        twin._lagging = twin.state.copy()
        twin._memories = [()] * self.setting.seats
        twin._memories[seat] = self._memories[seat]
        twin._road = []
        twin._history = None
        return twin

    def _seen(self, state: Any, seat: Seat) -> bytes:
        return bytes(self.setting.game.view(state, seat).SerializeToString(deterministic=True))

    def _settle(self) -> None:
        while (only := forced_action(self.state)) is not None:
            self.state.apply(only)
            self._road.append(only)


def _position(game: str, variant: str, seats: int, actions: tuple[int, ...]) -> Position:
    found = Position(find_setting(game, variant, seats))
    for action in actions:
        found.play(action)
    return found


class ArenaObserver:
    """What a player sees of a state, as OpenSpiel's observers offer it. tensor: float32, shape (layout.size,)."""

    def __init__(self, game: ArenaGame, *, recall: bool) -> None:
        self._layout = game.layout
        self._recall = recall
        self.tensor = np.zeros(game.layout.size, np.float32)
        self.dict = {"view": self.tensor}

    def set_from(self, state: ArenaState, player: int) -> None:
        """Bring the tensor up to a state as the player sees it."""
        position = state.position
        self.tensor[:] = self._layout.encode(position.setting.game.view(position.state, Seat(player)))

    def string_from(self, state: ArenaState, player: int) -> str:
        """Return the player's information state, or without recall what it may know now."""
        return state.information_state_string(player) if self._recall else state.observation_string(player)


class _Sampled:
    """A stream of arena.core.chance fed by a function that returns numbers in 0 .. 1."""

    __slots__ = ("_sampler",)

    def __init__(self, sampler: Callable[[], float]) -> None:
        self._sampler = sampler

    def below(self, n: int, label: str) -> int:
        return min(int(self._sampler() * n), n - 1)


def _type(name: str, game: AnyGame, variant: Variant) -> Any:
    solo = variant.max_seats == 1
    kind = pyspiel.GameType
    return kind(
        short_name=name,
        long_name=f"{game.spec.title}: {variant.title}",
        dynamics=kind.Dynamics.SEQUENTIAL,
        chance_mode=kind.ChanceMode.EXPLICIT_STOCHASTIC,
        information=kind.Information.IMPERFECT_INFORMATION,
        utility=kind.Utility.GENERAL_SUM if solo else kind.Utility.ZERO_SUM,
        reward_model=kind.RewardModel.TERMINAL,
        max_num_players=variant.max_seats,
        min_num_players=variant.min_seats,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={"players": variant.min_seats},
    )
