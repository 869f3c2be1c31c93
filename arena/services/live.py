"""What may be shown of a match while it is being played."""

from __future__ import annotations

from dataclasses import dataclass

from arena.core.errors import NotFound
from arena.store import Store
from arena.store import matches as repository
from arena.store.records import Match
from arena.store.states import MatchState


@dataclass(frozen=True, slots=True)
class Onlooking:
    """A match, whether its positions may be shown while it runs, and the component file's text ("": the game's own)."""

    match: Match
    shown: bool
    components: str


def may_show(store: Store, match_id: int) -> bool:
    """Whether the public may follow a match: nobody else has still to play its deal.

    All matches of a deal meet the same luck, so whoever sees one knows what the later ones will meet. Once true it
    stays true: a deal that has begun gets no further matches, and a final match is not played again.
    """
    with store.read() as tx:
        return repository.is_last_of_deal(tx, match_id)


def look_on(store: Store, match_id: int) -> Onlooking:
    """Return what somebody needs who wants to follow a match. Raises NotFound (NO_SUCH_MATCH)."""
    with store.read() as tx:
        match = repository.find_match(tx, match_id)
        if match is None:
            raise NotFound(f"there is no match {match_id}; `arena matches` lists them", reason="NO_SUCH_MATCH")
        shown = match.state is MatchState.SCHEDULED and repository.is_last_of_deal(tx, match_id)
        return Onlooking(match, shown, repository.read_components(tx, match_id))
