"""Finding a tournament by name, and whether the rules it was made for are still the ones installed."""

from __future__ import annotations

from arena.core.errors import ArenaError, Conflict, NotFound
from arena.core.registry import load_game
from arena.services.rights import require
from arena.store import Transaction
from arena.store import tournaments as repository
from arena.store.records import Account, Tournament
from arena.store.states import Role


def find_tournament(tx: Transaction, name: str, *, lock: bool = False) -> Tournament:
    """Return a tournament; lock: see the repository. Raises NotFound (NO_SUCH_TOURNAMENT)."""
    found = repository.find_tournament(tx, name, lock=lock)
    if found is None:
        raise NotFound(
            f"there is no tournament {name!r}; `arena tournament list` shows them", reason="NO_SUCH_TOURNAMENT"
        )
    return found


def require_organiser(caller: Account, tournament: Tournament, what: str) -> None:
    """Raise PermissionDenied unless the caller is the tournament's organiser or an admin; what: like "pausing"."""
    if caller.name != tournament.organiser:
        require(caller, Role.ADMIN, f"{what} {tournament.organiser}'s tournament")


def changed_rules(tx: Transaction, game: str, rules_version: int, components_digest: str) -> str:
    """Return what keeps results made now apart from those of these rules and components; "" if nothing does."""
    try:
        played = load_game(game)
        if played.spec.rules_version != rules_version:
            return f"{game} has rules version {played.spec.rules_version} here, not {rules_version}"
        if played.components(None, "components").digest == components_digest:
            return ""
        text = repository.find_components(tx, components_digest)
        if text is not None and played.components(text, "components").digest == components_digest:
            return ""
    except ArenaError as error:
        return error.message
    return f"{game} has other components here"


def check_rules(tx: Transaction, tournament: Tournament) -> None:
    """Raise Conflict (RULES_CHANGED) unless the rules installed now are those the tournament was made for."""
    changed = changed_rules(tx, tournament.game, tournament.rules_version, tournament.components_digest)
    if changed:
        raise Conflict(
            f"{tournament.name} cannot go on: {changed}; install what it was made for, or cancel it and create another",
            reason="RULES_CHANGED",
        )
