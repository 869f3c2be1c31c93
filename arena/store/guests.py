"""Repository of people at seats: matches that they have asked for and that are not over."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, exists, select

from arena.store import bots
from arena.store.lobby import Moments
from arena.store.records import Account
from arena.store.states import Format, MatchState, TournamentState
from arena.store.tables import accounts, entries, lobby, lobby_desks, matches, pools, tournaments


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A request of an account for a match with itself; held: a living desk has its place in the lobby."""

    account: Account
    tournament: str
    game: str
    variant: str
    held: bool


def list_unfinished(
    tx: Connection, session_head: str, moments: Moments, version_id: int | None = None
) -> tuple[Unfinished, ...]:
    """Return the requests in which nothing is decided yet, newest first; of the guest with this version or of all.

    session_head: how the session begins in which the guest was last in the lobby.
    """
    desk = exists().where(lobby_desks.c.id == lobby.c.desk_id, lobby_desks.c.beat_at >= moments.alive)
    seats = select(lobby.c.version_id, desk.label("held")).where(lobby.c.session.startswith(session_head))
    if version_id is not None:
        seats = seats.where(lobby.c.version_id == version_id)
    held = {row.version_id: bool(row.held) for row in tx.execute(seats)}
    if not held:
        return ()
    decided = exists().where(matches.c.tournament_id == tournaments.c.id, matches.c.state == MatchState.FINAL)
    asked = (
        select(accounts, tournaments.c.name.label("tournament"), pools.c.game, pools.c.variant, entries.c.version_id)
        .select_from(tournaments)
        .join(entries, entries.c.tournament_id == tournaments.c.id)
        .join(pools, pools.c.id == tournaments.c.pool_id)
        .join(accounts, accounts.c.id == tournaments.c.organiser_id)
        .where(tournaments.c.state == TournamentState.RUNNING, tournaments.c.format == Format.REQUEST, ~decided)
        .where(entries.c.version_id.in_(list(held)))
        .order_by(tournaments.c.id.desc())
    )
    return tuple(
        Unfinished(
            account=Account(row.id, row.name, row.role, row.created_at),
            tournament=row.tournament,
            game=row.game,
            variant=row.variant,
            held=held[row.version_id],
        )
        for row in tx.execute(asked).all()
        if bots.get_version(tx, row.version_id).bot == bots.GUEST_BOT.format(row.name)
    )
