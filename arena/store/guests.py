"""Repository of people at seats: matches that they have asked for and that are not over."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, exists, select

from arena.store.lobby import Moments
from arena.store.records import Account
from arena.store.states import Format, MatchState, TournamentState
from arena.store.tables import accounts, bots, entries, lobby, lobby_desks, matches, pools, tournaments, versions


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A request of an account for a match with itself; held: a living desk has its place in the lobby."""

    account: Account
    tournament: str
    game: str
    variant: str
    held: bool


def list_unfinished(
    tx: Connection, session_head: str, moments: Moments, account_id: int | None = None
) -> tuple[Unfinished, ...]:
    """Return the requests in which nothing is decided yet, newest first; of one account or of all.

    session_head: how the session begins in which the account was last in the lobby.
    """
    desk = exists().where(lobby_desks.c.id == lobby.c.desk_id, lobby_desks.c.beat_at >= moments.alive)
    decided = exists().where(matches.c.tournament_id == tournaments.c.id, matches.c.state == MatchState.FINAL)
    query = (
        select(accounts, tournaments.c.name.label("tournament"), pools.c.game, pools.c.variant, desk.label("held"))
        .select_from(tournaments)
        .join(pools, pools.c.id == tournaments.c.pool_id)
        .join(accounts, accounts.c.id == tournaments.c.organiser_id)
        .join(entries, entries.c.tournament_id == tournaments.c.id)
        .join(versions, versions.c.id == entries.c.version_id)
        .join(bots, (bots.c.id == versions.c.bot_id) & (bots.c.owner_id == accounts.c.id))
        .join(lobby, lobby.c.version_id == versions.c.id)
        .where(tournaments.c.state == TournamentState.RUNNING, tournaments.c.format == Format.REQUEST, ~decided)
        .where(bots.c.name.startswith("("), lobby.c.session.startswith(session_head))
        .order_by(tournaments.c.id.desc())
    )
    if account_id is not None:
        query = query.where(accounts.c.id == account_id)
    return tuple(
        Unfinished(
            Account(row.id, row.name, row.role, row.created_at), row.tournament, row.game, row.variant, bool(row.held)
        )
        for row in tx.execute(query)
    )
