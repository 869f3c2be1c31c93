"""What a game has to offer: the Game and State protocols, and what describes a game to people."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self, TypeAlias, TypeVar, runtime_checkable

from google.protobuf.message import Message

from arena.core.actions import ActionTable
from arena.core.chance import Stream
from arena.core.outcome import Outcome
from arena.core.seat import Actor, Seat


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to play a game; draws says whether the first rank can be shared.

    ties: (seats, share of neighbouring places that equal bots were seen to share), where it was measured; ratings take
    it for how likely a draw is. docs/statistics.md tells how to measure it.
    """

    id: str
    title: str
    min_seats: int
    max_seats: int
    draws: bool
    ties: tuple[tuple[int, float], ...] = ()


@dataclass(frozen=True, slots=True)
class GameSpec:
    """A game as the arena knows it.

    id: lower-case words with hyphens, the name on the command line. rules_version: an integer that grows
    whenever equal actions could lead to another result. clock: default notation, see arena.match.clock. variants: the
    first is the default.
    """

    id: str
    title: str
    rules_version: int
    clock: str
    variants: tuple[Variant, ...]


class Components(Protocol):
    """A game's component numbers, checked; each game has its own class with this one public promise."""

    @property
    def digest(self) -> str:
        """64 hex digits: sha256 over the canonical JSON of the numbers; stands in logs and rating pools."""


class State(Protocol):
    """The whole truth of a running game; changed in place by apply, cheap to copy, with __slots__."""

    @property
    def to_act(self) -> Actor | None:
        """Who makes the next ply; None when the game is over."""

    @property
    def outcome(self) -> Outcome | None:
        """The result once the game is over, else None."""

    def legal_actions(self) -> Sequence[Any]:
        """What the actor may do now, in a fixed order, without repetition; at a chance ply, each possible event."""

    def apply(self, action: Any) -> None:
        """Make the ply. Raises IllegalAction and leaves the state unchanged if the action is not legal now."""

    def copy(self) -> Self:
        """Return an independent copy."""


S = TypeVar("S", bound=State)
A = TypeVar("A", bound=Hashable)
V = TypeVar("V", bound=Message)
C = TypeVar("C", bound=Components)


@dataclass(frozen=True, slots=True)
class Secret:
    """Something in a state that one seat at most may know.

    name: such as "bear of seat 1". owner: the seat that knows it, None if nobody does.
    value: reads it off a state; None while there is nothing to hide.
    implied: whether the given viewer (None: the public) can conclude the value from what the rules let it see.
    """

    name: str
    owner: Seat | None
    value: Callable[[Any], Hashable | None]
    implied: Callable[[Any, Seat | None], bool]


class Game(Protocol[S, A, V, C]):
    """One game: rules, views, drawings. Stateless; no clock, no file, no randomness of its own."""

    @property
    def spec(self) -> GameSpec:
        """What the arena knows of the game."""

    @property
    def actions(self) -> ActionTable[A]:
        """Every action there can be, with ids and notation."""

    def components(self, text: str | None, source: str) -> C:
        """Read a component file's text (None: the game's own); source names it in errors. Raises BadComponents."""

    def new(self, variant: str, seats: int, components: C) -> S:
        """Return the state before anything is drawn. Raises UnknownName or UsageError for a wrong variant or seats."""

    def draw(self, state: S, stream: Stream) -> A:
        """Return chance's action; the labels used name the event, never the course of play before it."""

    def weights(self, state: S) -> Sequence[int]:
        """Return the relative odds of legal_actions() at a chance ply, as positive integers."""

    def view(self, state: S, seat: Seat | None) -> V:
        """Return what the seat may know (None: the public): an allow-list, deterministic bytes, at most 4 KB.

        Every view message has a field `events`: what happened since this seat last acted (public view: the last ply's).
        """

    def sample(self, view: V, components: C, stream: Stream) -> S:
        """Return some full state that fits the view: view(sample(v), seat) == v, legal actions included."""

    def default_action(self, state: S) -> A:
        """Return what is played for a forfeited seat: the least interfering action, fixed per phase."""

    def secrets(self, seats: int) -> Sequence[Secret]:
        """Return everything hidden that a state can hold, for this number of seats."""

    def turn(self, view: V, legal: Sequence[A]) -> Message:
        """Return the wire message {view, legal_actions[]} of a turn."""

    def parse_turn(self, data: bytes) -> tuple[V, tuple[A, ...]]:
        """Read the wire message of a turn back. Raises MalformedAction."""

    def describe(self, action: A, components: C) -> str:
        """Return the action in plain words, without its actor."""

    def story(self, view: V, components: C) -> list[str]:
        """Return the view's events in plain words, in order, one line each or one for several that belong together."""

    def render_text(self, view: V, components: C, width: int) -> str:
        """Return the view drawn as text, no line wider than width (at least 80) characters."""

    def render_svg(self, view: V, components: C) -> str:
        """Return the view drawn as one SVG document.

        It is shown inside a page that allows no styles and scripts: attributes only. With a line for each element,
        neighbouring positions of a match share most lines, which are sent once. Without events it keeps no room for
        them.
        """


@runtime_checkable
class DrawsAll(Protocol):
    """What a game with secrets may offer besides: one drawing of everything its seats know together."""

    def render_all(self, views: Sequence[Any], components: Any) -> str:
        """Return a position drawn as one SVG document; views: what each seat is shown of it, in seat order."""


@runtime_checkable
class Pointed(Protocol):
    """What a game may offer besides: actions that can be pointed at in its drawings."""

    def spot(self, action: Any) -> str:
        """Return what an action points at: the value of an attribute data-spot in the drawings, "" for nothing."""


AnyGame: TypeAlias = Game[Any, Any, Any, Any]
"""A game whose own types do not matter to the caller."""
