"""First Snow again and again: a game as long as one likes, for logs longer than those of any game that people play.

It is installed as any other game from outside is, by an entry point, but only while a measurement asks for it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from arena.core.chance import Stream
from arena.core.game import GameSpec, Variant
from arena.core.outcome import Outcome
from arena.core.registry import GROUP
from arena.core.seat import Actor, Seat
from arena.games.first_snow import FirstSnow, FirstSnowComponents, FirstSnowState
from arena.hosting.temporary import owned_folder

GAMES: Final = 25
"""How often it is played in one match: 2,500 plies and more."""
_SPEC: Final = GameSpec(
    id="first-snow-again",
    title="First Snow again and again",
    rules_version=1,
    clock="none",
    variants=(Variant(id="long", title="Long", min_seats=2, max_seats=2, draws=False),),
)


class AgainState:
    """The game that is being played, and how many come after it. The last one's outcome is that of all."""

    __slots__ = ("components", "game", "left")

    def __init__(self, components: FirstSnowComponents, game: FirstSnowState, left: int) -> None:
        self.components = components
        self.game = game
        self.left = left

    @property
    def to_act(self) -> Actor | None:
        """As in the game that is being played."""
        return self.game.to_act

    @property
    def outcome(self) -> Outcome | None:
        """The last game's."""
        return self.game.outcome

    def legal_actions(self) -> Sequence[Any]:
        """As in the game that is being played."""
        return self.game.legal_actions()

    def apply(self, action: Any) -> None:
        """Make the ply; with the last one of a game begins the next."""
        self.game.apply(action)
        if self.game.to_act is None and self.left:
            self.game, self.left = FirstSnowState(self.components), self.left - 1

    def copy(self) -> AgainState:
        """Return an independent copy."""
        return AgainState(self.components, self.game.copy(), self.left)


class FirstSnowAgain(FirstSnow):
    """First Snow's own rules, views and drawings, for a state that begins again."""

    __slots__ = ()

    @property
    def spec(self) -> GameSpec:
        """What the arena knows of the game."""
        return _SPEC

    def new(self, variant: str, seats: int, components: FirstSnowComponents) -> Any:
        """Return the state before anything is drawn."""
        return AgainState(components, FirstSnowState(components), GAMES - 1)

    def draw(self, state: Any, stream: Stream) -> Any:
        """Return chance's action: the same in every game of a match."""
        return super().draw(state.game, stream)

    def view(self, state: Any, seat: Seat | None) -> Any:
        """Return what the seat may know of the game that is being played."""
        return super().view(state.game, seat)

    def sample(self, view: Any, components: FirstSnowComponents, stream: Stream) -> Any:
        """Return some last game that fits the view."""
        return AgainState(components, super().sample(view, components, stream), 0)

    def default_action(self, state: Any) -> Any:
        """Return what is played for a forfeited seat."""
        return super().default_action(state.game)


GAME: Final = FirstSnowAgain()


@contextmanager
def installed() -> Iterator[str]:
    """Install the game for as long as the block runs, as a package of its own would; yield its id."""
    with owned_folder("whiteout-bench-") as folder:
        package = folder / "first_snow_again-1.dist-info"
        package.mkdir()
        (package / "METADATA").write_text("Metadata-Version: 2.1\nName: first-snow-again\nVersion: 1\n")
        (package / "entry_points.txt").write_text(f"[{GROUP}]\n{_SPEC.id} = {__name__}:GAME\n")
        sys.path.append(str(folder))
        try:
            yield _SPEC.id
        finally:
            sys.path.remove(str(folder))
