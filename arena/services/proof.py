"""What a tournament's luck follows from: told as far as it is open, so that everybody can check it."""

from __future__ import annotations

from dataclasses import dataclass

from arena.services.lookup import find_tournament
from arena.store import Store
from arena.store import tournaments as repository
from arena.store.records import Tournament


@dataclass(frozen=True, slots=True)
class Proof:
    """archives: the sha256 that the seeds follow from, ascending, none before the start. deals: open ones' seeds."""

    tournament: Tournament
    archives: tuple[str, ...]
    deals: dict[int, bytes]


def proof(store: Store, tournament: str) -> Proof:
    """Return the proof of a tournament's seeds. Raises NotFound (NO_SUCH_TOURNAMENT)."""
    with store.read() as tx:
        found = find_tournament(tx, tournament)
        entered = repository.list_entrants(tx, found.id) if found.started_at is not None else ()
        deals: dict[int, bytes] = {}
        token = ""
        while True:
            page = repository.page_deals(tx, found.id, 1000, token)
            deals |= {deal.number: deal.seed for deal in page.items if deal.seed is not None}
            token = page.next_page_token
            if not token:
                break
    return Proof(found, tuple(sorted(one.sha256 for one in entered if not one.late)), deals)
