"""The rules of Snowblind: which phase follows which, and what each phase asks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

from arena.core.seat import Seat
from arena.games.snowblind import exposure, rounds, turns
from arena.games.snowblind.actions import PLANTS, TRADES, Action, Man, OpenBarrel, Pass, Revive, Roll, Take
from arena.games.snowblind.components import SETUPS, Die, SnowblindComponents
from arena.games.snowblind.state import (
    BARRELS,
    CAMPS,
    CRATES,
    DICE,
    FACTS,
    FLAG,
    HAND,
    STANDING,
    Mode,
    Phase,
    Rules,
    SnowblindState,
    Standing,
)

Legal: TypeAlias = Callable[[SnowblindState], tuple[Action, ...]]
Step: TypeAlias = Callable[[SnowblindState, Any], None]


def new_state(variant: str, seats: int, components: SnowblindComponents) -> SnowblindState:
    """Return a game set up for this variant, before the compass is given; alone, nobody else can have it."""
    mode = _mode(variant, components)
    state = SnowblindState(RULES, mode, seats, components)
    setup = mode.setup
    for number in range(seats):
        seat = Seat(number)
        captain, ship = state.start(seat, setup.captain), state.start(seat, setup.ship)
        track = state.track
        track[captain + Man.CAPTAIN] = 1
        track[captain + CRATES] = setup.captain_crates
        track[ship + Man.SCIENTIST] = setup.scientists
        track[ship + Man.SAILOR] = setup.sailors
        track[ship + CRATES] += setup.base_crates
        track[ship + BARRELS] = setup.barrels
        track[ship + CAMPS] = setup.camps
        state.facts[seat * FACTS + FLAG] = setup.captain
        state.facts[seat * FACTS + HAND] = setup.camps_in_hand
    state.dice[:DICE] = mode.dice
    if mode.solo:
        turns.begin_turn(state, Seat(0))
    return state


def _mode(variant: str, components: SnowblindComponents) -> Mode:
    solo = variant not in SETUPS or variant == "solo"
    setup = components.setups["solo" if solo else variant]
    without = (Die.GREEN, Die.PURPLE_D8) if solo else ()
    dice = bytes([0 if die in without else many for die, many in zip(Die, components.dice, strict=True)])
    return Mode(variant, setup, solo, components.targets[variant.replace("-", "_")] if solo else 0, dice)


# What follows what


def _turn(state: SnowblindState, action: Action) -> None:
    if isinstance(action, Take):
        turns.take(state, action)
    elif isinstance(action, Pass):
        rounds.pass_turn(state)
    elif isinstance(action, Revive):
        exposure.revive(state, action)
    elif isinstance(action, OpenBarrel):
        turns.open_barrel(state, action)


def _acted(state: SnowblindState) -> None:
    """The action is done: revivals, then the roll."""
    if exposure.offer_revival(state):
        _roll(state)


def _roll(state: SnowblindState) -> None:
    if exposure.begin_roll(state) and exposure.read_roll(state):
        _lost(state)


def _lost(state: SnowblindState) -> None:
    """No loss is left to take: the flag, unless the expedition has ended."""
    if state.facts[state.seat * FACTS + STANDING] == Standing.ELIMINATED:
        rounds.next_turn(state)
    elif exposure.offer_flag(state):
        _settled(state)


def _settled(state: SnowblindState) -> None:
    """An exposure is over: on with the weather, with the second step of a dash, or with the next turn."""
    if state.use is None:
        _strike(state)
        return
    exposure.come_home(state)
    if state.step == 1 and state.runner:
        state.step = 2
        state.phase = Phase.MOVE
    else:
        rounds.next_turn(state)


def _strike(state: SnowblindState) -> None:
    while state.struck:
        rounds.strike(state)
        if not exposure.next_loss(state) or not exposure.offer_flag(state):
            return
    rounds.close_round(state)


# One step function a phase


def _carry_on(part: Callable[[SnowblindState, Any], bool], follow: Callable[[SnowblindState], None]) -> Step:
    """Return a step that does its part and, if that was the last of its kind, what follows."""

    def step(state: SnowblindState, action: Action) -> None:
        if part(state, action):
            follow(state)

    return step


def _then(part: Step, follow: Callable[[SnowblindState], None]) -> Step:
    """Return a step that does its part and then what follows."""

    def step(state: SnowblindState, action: Action) -> None:
        part(state, action)
        follow(state)

    return step


def _revive(state: SnowblindState, action: Action) -> None:
    if isinstance(action, Revive):
        exposure.revive(state, action)
        _acted(state)
    else:
        _roll(state)


def _roll_one(state: SnowblindState, action: Roll) -> None:
    if exposure.roll_die(state, action) and exposure.read_roll(state):
        _lost(state)


def _always(*actions: Action) -> Legal:
    """Return the list of a phase that asks the same whatever the state."""

    def legal(_state: SnowblindState) -> tuple[Action, ...]:
        return actions

    return legal


def _never(_state: SnowblindState, _action: Action) -> None:
    raise AssertionError("nothing is legal when the game is over")


_PHASES: Final[dict[Phase, tuple[Legal, Step]]] = {
    Phase.COMPASS: (rounds.legal_compass, rounds.give_compass),
    Phase.TURN: (turns.legal_turn, _turn),
    Phase.MOVE: (turns.legal_moves, _carry_on(turns.move, _acted)),
    Phase.BRING: (turns.legal_companions, _carry_on(turns.bring, _acted)),
    Phase.LOAD: (turns.legal_loads, _carry_on(turns.load, _acted)),
    Phase.TRADE: (_always(*TRADES), _then(turns.trade, _acted)),
    Phase.HUNT: (turns.legal_hunts, _then(turns.hunt, _acted)),
    Phase.CAMP: (turns.legal_camps, _then(turns.place_camp, _acted)),
    Phase.REVIVE: (exposure.legal_revivals, _revive),
    Phase.ROLL: (exposure.legal_rolls, _roll_one),
    Phase.LOSS: (exposure.legal_losses, _carry_on(exposure.lose, _lost)),
    Phase.FLAG: (_always(*PLANTS), _then(exposure.plant, _settled)),
    Phase.WEATHER: (rounds.legal_weather, _then(rounds.turn_up, _strike)),
    Phase.OVER: (_always(), _never),
}


RULES: Final = Rules(
    (_always(), *(_PHASES[phase][0] for phase in Phase)),
    (_never, *(_PHASES[phase][1] for phase in Phase)),
)
"""The rules as a state asks for them, by the phase's number; there is no phase 0."""
