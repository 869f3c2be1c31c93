"""What an arena that starts again has to go on with, read from its database."""

from __future__ import annotations

from datetime import datetime

from arena.services import dispatch, tournaments
from arena.store import Store
from arena.store.states import TournamentState


def go_on(store: Store, now: datetime) -> list[str]:
    """Queue again what was being played when the last arena here ended without a word; return what is to be told.

    Nobody else may be playing from this database. One line for a power cut or the like, and one for each tournament
    that is not over, with what remains of it.
    """
    ended = dispatch.end_all(store, now, "the arena ended in the middle of it")
    told = []
    if ended.lost:
        told.append(
            f"the last arena here ended in the middle of {_matches(ended.lost)}; played again: {ended.requeued}"
        )
    for state in (TournamentState.RUNNING, TournamentState.PAUSED):
        token = ""
        while True:
            page = tournaments.list_tournaments(store, state=state, page_token=token)
            told += [_remains(store, one.name, state) for one in page.items]
            token = page.next_page_token
            if not token:
                break
    return told


def _remains(store: Store, name: str, state: TournamentState) -> str:
    counts = tournaments.progress(store, name).counts
    left = f"{counts.queued + counts.running} of {_matches(counts.total)} to play"
    if state is TournamentState.RUNNING:
        return f"{name} goes on: {left}; `arena tournament watch {name}`"
    return f"{name} is paused: {left}; `arena tournament resume {name}`"


def _matches(number: int) -> str:
    return f"{number} match{'es' * (number != 1)}"
