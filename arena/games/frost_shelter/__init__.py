"""Frost Shelter: two to five colonies, three Events, tricks for the means to withstand them, and never too many."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from arena.core.actions import ActionTable
from arena.core.chance import Stream
from arena.core.game import GameSpec, Secret, Variant
from arena.core.registry import check_seats, find_variant
from arena.core.seat import Seat
from arena.games.frost_shelter import chance, defaults
from arena.games.frost_shelter.actions import ACTIONS, Action, PlayCard, TakeCard
from arena.games.frost_shelter.components import MAX_SEATS, MIN_SEATS, FrostShelterComponents
from arena.games.frost_shelter.reading import own_components, read_components
from arena.games.frost_shelter.rules import State
from arena.games.frost_shelter.v1 import frost_shelter_pb2 as pb
from arena.games.frost_shelter.view import sample_of, secrets_of, view_of
from arena.games.frost_shelter.wire import read_turn, turn_message
from arena.games.frost_shelter.words import story, words_of

__all__ = ["GAME", "FrostShelter", "FrostShelterComponents", "State"]

_SPEC: Final = GameSpec(
    id="frost-shelter",
    title="Frost Shelter",
    rules_version=1,
    clock="10s+0.1s,start=10s,margin=50ms",
    variants=(
        Variant(
            "standard", "Standard", MIN_SEATS, MAX_SEATS, draws=True, ties=((2, 0.02), (3, 0.0), (4, 0.07), (5, 0.03))
        ),
    ),
)


class FrostShelter:
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

    def components(self, text: str | None, source: str) -> FrostShelterComponents:
        """Read a component file's text (None: the game's own). Raises BadComponents."""
        return own_components() if text is None else read_components(text, source)

    def new(self, variant: str, seats: int, components: FrostShelterComponents) -> State:
        """Return the state before anything is drawn. Raises UnknownName or UsageError for a wrong variant or seats."""
        check_seats(self, find_variant(self, variant), seats)
        return State(seats, components)

    def draw(self, state: State, stream: Stream) -> Action:
        """Return chance's action, by labels such as "event 2/seat 0/card 7" (see chance.py)."""
        return chance.draw(state, stream)

    def weights(self, state: State) -> Sequence[int]:
        """Return the odds of legal_actions() at a chance ply: the cards of each kind that are left."""
        return chance.weights(state)

    def view(self, state: State, seat: Seat | None) -> pb.View:
        """Return what the seat may know (None: the public)."""
        return view_of(state, seat)

    def sample(self, view: pb.View, components: FrostShelterComponents, stream: Stream) -> State:
        """Return some full state that fits the view."""
        return sample_of(view, components, stream)

    def default_action(self, state: State) -> Action:
        """Return what is played for a forfeited seat (see defaults.py)."""
        return defaults.default_action(state)

    def secrets(self, seats: int) -> Sequence[Secret]:
        """Return the secrets: each hand and the cards that were not dealt."""
        return secrets_of(seats)

    def turn(self, view: pb.View, legal: Sequence[Action]) -> pb.Turn:
        """Return the wire message of a turn."""
        return turn_message(view, legal)

    def parse_turn(self, data: bytes) -> tuple[pb.View, tuple[Action, ...]]:
        """Read the wire message of a turn back. Raises MalformedAction."""
        return read_turn(data)

    def describe(self, action: Action, components: FrostShelterComponents) -> str:
        """Return the action in plain words, without its actor."""
        return words_of(action, components)

    def story(self, view: pb.View, components: FrostShelterComponents) -> list[str]:
        """Return the view's events in plain words; cards a seat was dealt, took or paid in a row share a line."""
        return story(view, components)

    def render_text(self, view: pb.View, components: FrostShelterComponents, width: int) -> str:
        """Return the view drawn as text, no line wider than width (at least 80) characters."""
        from arena.games.frost_shelter.render import render_text  # noqa: PLC0415 - who plays draws nothing

        return render_text(view, components, width)

    def render_svg(self, view: pb.View, components: FrostShelterComponents) -> str:
        """Return the view drawn as one SVG document."""
        from arena.games.frost_shelter.picture import render_svg  # noqa: PLC0415 - who plays draws nothing

        return render_svg(view, components)

    def render_all(self, views: Sequence[pb.View], components: FrostShelterComponents) -> str:
        """Return what all seats know together, drawn from their views in seat order."""
        from arena.games.frost_shelter.picture import render_all  # noqa: PLC0415 - who plays draws nothing

        return render_all(views, components)

    def spot(self, action: Action) -> str:
        """Return the card that an action points at."""
        return f"card-{action.card}" if isinstance(action, PlayCard | TakeCard) else ""


GAME: Final = FrostShelter()
