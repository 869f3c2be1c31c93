"""What an adapter plays (one game, one variant, so many seats, these component numbers), and what an end is worth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from arena.core import AnyGame, Components, Outcome, State, Variant
from arena.core.registry import check_seats, find_variant, load_game


@dataclass(frozen=True, slots=True)
class Setting:
    """A game ready to be begun."""

    game: AnyGame
    variant: Variant
    seats: int
    components: Components

    def new(self) -> State:
        """Return the state before anything is drawn."""
        state: State = self.game.new(self.variant.id, self.seats, self.components)
        return state


def find_setting(game: str, variant: str | None = None, seats: int | None = None, components: str = "") -> Setting:
    """Return the setting with these names.

    variant: None is the game's default. seats: None is the fewest the variant allows. components: the text of a
    component file, "" for the game's own. Raises UnknownName, UsageError, BadComponents.
    """
    rules = load_game(game)
    found = find_variant(rules, variant)
    number = found.min_seats if seats is None else seats
    check_seats(rules, found, number)
    return Setting(rules, found, number, rules.components(components or None, "components"))


def forced_action(state: State) -> Any | None:
    """Return the only thing that can happen now, whoever acts, or None where there is a choice, a draw or the end."""
    if state.to_act is None:
        return None
    legal = state.legal_actions()
    return legal[0] if len(legal) == 1 else None


def returns(outcome: Outcome | None) -> tuple[float, ...]:
    """Return what the end is worth to each seat, 1.0 for the first rank down to -1.0 for the last, in even steps.

    Tied seats share the mean of the places they take, so that the sum is 0. Alone: 1.0 won, -1.0 lost. () before the
    end.
    """
    if outcome is None:
        return ()
    ranks = outcome.ranks
    if len(ranks) == 1:
        return (1.0 if ranks[0] == 1 else -1.0,)
    step = 2 / (len(ranks) - 1)
    # Ranks are skipped after a tie, so a tied group of n takes the places rank .. rank + n - 1.
    return tuple(1.0 - step * (rank - 1 + (ranks.count(rank) - 1) / 2) for rank in ranks)
