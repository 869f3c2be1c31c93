"""What an arena that starts again has to go on with, read from its database."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from arena.core.errors import ArenaError
from arena.services import dispatch, tournaments
from arena.store import Store, open_store, sqlite_url
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
    for name, state, left in _unfinished(store):
        if state is TournamentState.RUNNING:
            told.append(f"{name} goes on: {left}; `arena tournament watch {name}`")
        else:
            told.append(f"{name} is paused: {left}; `arena tournament resume {name}`")
    return told


def left_for_later(folder: Path) -> list[str]:
    """Return what a stopped arena leaves to be played, one line a tournament; nothing where that cannot be read."""
    try:
        store = open_store(sqlite_url(folder))
    except ArenaError:
        return []
    try:
        again = shlex.join(["arena", "up", "--data", str(folder)])
        return [
            f"{name}: {left}; `{again}` goes on with it"
            for name, state, left in _unfinished(store)
            if state is TournamentState.RUNNING
        ]
    finally:
        store.close()


def _unfinished(store: Store) -> Iterator[tuple[str, TournamentState, str]]:
    """Yield name, state and what remains of every tournament that has begun and is not over."""
    for state in (TournamentState.RUNNING, TournamentState.PAUSED):
        token = ""
        while True:
            page = tournaments.list_tournaments(store, state=state, page_token=token)
            for one in page.items:
                counts = tournaments.progress(store, one.name).counts
                yield one.name, state, f"{counts.queued + counts.running} of {_matches(counts.total)} to play"
            token = page.next_page_token
            if not token:
                break


def _matches(number: int) -> str:
    return f"{number} match{'es' * (number != 1)}"
