"""Snowblind: expeditions race for the Pole and back, each action with one more die that may go wrong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from arena.core.actions import ActionTable
from arena.core.chance import Stream, pick, pick_weighted
from arena.core.game import GameSpec, Secret, Variant
from arena.core.registry import check_seats, find_variant
from arena.core.seat import Seat
from arena.games.snowblind import exposure, rounds, rules
from arena.games.snowblind import view as views
from arena.games.snowblind.actions import (
    ACTIONS,
    BRINGS,
    GO_ON,
    LOADS,
    PASS,
    PLANTS,
    TRADES,
    Action,
    Hunt,
    Move,
    OpenBarrel,
    PlaceCamp,
    Revive,
    Take,
    die_name,
)
from arena.games.snowblind.components import SnowblindComponents, read_components
from arena.games.snowblind.scene import event_lines
from arena.games.snowblind.state import Phase, SnowblindState
from arena.games.snowblind.v1 import snowblind_pb2 as pb
from arena.games.snowblind.words import describe

__all__ = ["GAME", "Snowblind", "SnowblindComponents", "SnowblindState"]

_SPEC: Final = GameSpec(
    id="snowblind",
    title="Snowblind: Race for the Pole",
    rules_version=1,
    clock="20s+0.1s,start=10s,margin=50ms",
    variants=(
        Variant("quick", "Quick game", min_seats=2, max_seats=4, draws=True, ties=((2, 0.02), (3, 0.12), (4, 0.28))),
        Variant("epic", "Epic game", min_seats=2, max_seats=4, draws=True, ties=((2, 0.03), (3, 0.13), (4, 0.23))),
        Variant(id="solo", title="Solo", min_seats=1, max_seats=1, draws=False),
        Variant(id="solo-hard", title="Solo, hard", min_seats=1, max_seats=1, draws=False),
        Variant(id="solo-blizzard", title="Solo, blizzard", min_seats=1, max_seats=1, draws=False),
        Variant(id="solo-whiteout", title="Solo, whiteout", min_seats=1, max_seats=1, draws=False),
    ),
)

_DEFAULTS: Final[dict[Phase, Action]] = {
    Phase.TURN: PASS,
    Phase.BRING: BRINGS[0],
    Phase.LOAD: LOADS[0],
    Phase.TRADE: TRADES[0],
    Phase.REVIVE: GO_ON,
    Phase.FLAG: PLANTS[0],
}


class Snowblind:
    """The game, as arena.core.game.Game asks for it."""

    __slots__ = ()

    @property
    def spec(self) -> GameSpec:
        """What the arena knows of the game."""
        return _SPEC

    @property
    def actions(self) -> ActionTable[Action]:
        """Every action there can be, with ids and notation."""
        return ACTIONS

    def components(self, text: str | None, source: str) -> SnowblindComponents:
        """Read a component file's text (None: the game's own). Raises BadComponents."""
        return read_components(text, source)

    def new(self, variant: str, seats: int, components: SnowblindComponents) -> SnowblindState:
        """Return the state before anything is drawn. Raises UnknownName or UsageError for a wrong variant or seats."""
        check_seats(self, find_variant(self, variant), seats)
        return rules.new_state(variant, seats, components)

    def draw(self, state: SnowblindState, stream: Stream) -> Action:
        """Return chance's action, by the label "compass", "weather K" or "seat S/round R/roll N/die red-d6 2"."""
        legal = state.legal or state.legal_actions()
        if state.phase is Phase.ROLL:
            return legal[stream.below(len(legal), exposure.roll_label(state))]
        if state.phase is Phase.COMPASS:
            return pick(stream, "compass", legal)
        return pick_weighted(stream, f"weather {len(state.drawn) + 1}", legal, rounds.weights(state))

    def weights(self, state: SnowblindState) -> Sequence[int]:
        """Return the odds at a chance ply: all faces alike, cards by their number."""
        return rounds.weights(state)

    def view(self, state: SnowblindState, seat: Seat | None) -> pb.View:
        """Return what the seat may know (None: the public); events start with the seat's last real choice."""
        return views.view(state, seat)

    def sample(self, view: pb.View, components: SnowblindComponents, stream: Stream) -> SnowblindState:
        """Return the state that fits the view; as nothing is hidden there is only one, and the stream is not used."""
        return views.sample(view, components)

    def default_action(self, state: SnowblindState) -> Action:
        """Return what is played for a forfeited seat: pass, take nothing along, leave things; else the first action."""
        return _DEFAULTS.get(state.phase) or state.legal_actions()[0]

    def secrets(self, seats: int) -> Sequence[Secret]:
        """Return nothing: the order of the weather deck is no part of a state, a card is drawn when it is turned up."""
        return ()

    def turn(self, view: pb.View, legal: Sequence[Action]) -> pb.Turn:
        """Return the wire message of a turn."""
        return views.turn(view, legal)

    def parse_turn(self, data: bytes) -> tuple[pb.View, tuple[Action, ...]]:
        """Read the wire message of a turn back. Raises MalformedAction."""
        return views.parse_turn(data)

    def describe(self, action: Action, components: SnowblindComponents) -> str:
        """Return the action in plain words, without its actor."""
        return describe(action)

    def story(self, view: pb.View, components: SnowblindComponents) -> list[str]:
        """Return the view's events in plain words, one line a turn."""
        return event_lines(view)

    def render_text(self, view: pb.View, components: SnowblindComponents, width: int) -> str:
        """Return the view drawn as text, no line wider than width (at least 80) characters."""
        from arena.games.snowblind.render import render_text  # noqa: PLC0415 - who plays draws nothing

        return render_text(view, components, width)

    def render_svg(self, view: pb.View, components: SnowblindComponents) -> str:
        """Return the view drawn as one SVG document."""
        from arena.games.snowblind.svg import render_svg  # noqa: PLC0415 - who plays draws nothing

        return render_svg(view, components)

    def spot(self, action: Action) -> str:
        """Return the die or the zone that an action points at."""
        if isinstance(action, Take):
            return f"die-{die_name(action.use.die)}"
        return f"zone-{action.zone}" if isinstance(action, Move | PlaceCamp | Hunt | OpenBarrel | Revive) else ""


GAME: Final = Snowblind()
