"""First Snow: two Inuit, six rounds, six land cards that turn to winter, and two bears that nobody sees coming."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from arena.core.actions import ActionTable
from arena.core.chance import Stream, pick
from arena.core.game import GameSpec, Secret, Variant
from arena.core.registry import check_seats, find_variant
from arena.core.seat import Seat
from arena.games.first_snow import view as views
from arena.games.first_snow.actions import ACTIONS, DONE, EATS, Action, SetBear, TakeCard, describe
from arena.games.first_snow.components import FirstSnowComponents, read_components
from arena.games.first_snow.phases import Phase
from arena.games.first_snow.rules import FirstSnowState
from arena.games.first_snow.scene import event_lines
from arena.games.first_snow.v1 import first_snow_pb2 as pb

__all__ = ["GAME", "FirstSnow", "FirstSnowComponents", "FirstSnowState"]

_SPEC: Final = GameSpec(
    id="first-snow",
    title="First Snow",
    rules_version=1,
    clock="10s+0.1s,start=10s,margin=50ms",
    variants=(Variant(id="standard", title="Standard", min_seats=2, max_seats=2, draws=False),),
)


class FirstSnow:
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

    def components(self, text: str | None, source: str) -> FirstSnowComponents:
        """Read a component file's text (None: the game's own). Raises BadComponents."""
        return read_components(text, source)

    def new(self, variant: str, seats: int, components: FirstSnowComponents) -> FirstSnowState:
        """Return the state before anything is drawn. Raises UnknownName or UsageError for a wrong variant or seats."""
        check_seats(self, find_variant(self, variant), seats)
        return FirstSnowState(components)

    def draw(self, state: FirstSnowState, stream: Stream) -> Action:
        """Return chance's action, by the label "setup/first-seat", "setup/cool" or "round N/cool" (N ends)."""
        if state.phase is Phase.FIRST_SEAT:
            label = "setup/first-seat"
        else:
            label = f"round {state.round}/cool" if state.round else "setup/cool"
        return pick(stream, label, state.legal_actions())

    def weights(self, state: FirstSnowState) -> Sequence[int]:
        """Return the odds at a chance ply: all alike."""
        return (1,) * len(state.legal_actions())

    def view(self, state: FirstSnowState, seat: Seat | None) -> pb.View:
        """Return what the seat may know (None: the public); events start with the seat's last ply."""
        return views.view(state, seat)

    def sample(self, view: pb.View, components: FirstSnowComponents, stream: Stream) -> FirstSnowState:
        """Return some full state that fits the view, legal actions included."""
        return views.sample(view, components, stream)

    def default_action(self, state: FirstSnowState) -> Action:
        """Return what is played for a forfeited seat: a balanced diet, no repairs, no crafts, else the first action."""
        if state.phase is Phase.FOOD:
            return EATS[0]
        if state.phase in (Phase.REPAIR, Phase.CRAFT):
            return DONE
        return state.legal_actions()[0]

    def secrets(self, seats: int) -> Sequence[Secret]:
        """Return everything hidden that a state can hold: the bear of each seat."""
        return views.secrets()

    def turn(self, view: pb.View, legal: Sequence[Action]) -> pb.Turn:
        """Return the wire message of a turn."""
        return views.turn(view, legal)

    def parse_turn(self, data: bytes) -> tuple[pb.View, tuple[Action, ...]]:
        """Read the wire message of a turn back. Raises MalformedAction."""
        return views.parse_turn(data)

    def describe(self, action: Action, components: FirstSnowComponents) -> str:
        """Return the action in plain words, without its actor."""
        return describe(action)

    def story(self, view: pb.View, components: FirstSnowComponents) -> list[str]:
        """Return the view's events in plain words."""
        return event_lines(view)

    def render_text(self, view: pb.View, components: FirstSnowComponents, width: int) -> str:
        """Return the view drawn as text, no line wider than width (at least 80) characters."""
        from arena.games.first_snow.render import render_text  # noqa: PLC0415 - who plays draws nothing

        return render_text(view, components, width)

    def render_svg(self, view: pb.View, components: FirstSnowComponents) -> str:
        """Return the view drawn as one SVG document."""
        from arena.games.first_snow.picture import render_svg  # noqa: PLC0415 - who plays draws nothing

        return render_svg(view, components)

    def render_all(self, views: Sequence[pb.View], components: FirstSnowComponents) -> str:
        """Return what all seats know together, drawn from their views in seat order."""
        from arena.games.first_snow.picture import render_all  # noqa: PLC0415 - who plays draws nothing

        return render_all(views, components)

    def spot(self, action: Action) -> str:
        """Return the card that an action points at."""
        return f"card-{action.card}" if isinstance(action, SetBear | TakeCard) else ""


GAME: Final = FirstSnow()
