"""Repository for reading what bots made of deals that they played alone."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import Connection, select

from arena.ladder.solo import SoloGame
from arena.match.result import MatchEnd
from arena.store.states import MatchState
from arena.store.tables import deals, match_seats, matches


def read_solo_games(tx: Connection, tournament_id: int) -> Iterator[SoloGame[int]]:
    """Read every final match on open deals of a tournament with one seat, with version ids as players."""
    columns = select(deals.c.number, match_seats.c.version_id, matches.c.end, match_seats.c.rank, match_seats.c.score)
    query = columns.join(match_seats, match_seats.c.match_id == matches.c.id).join(
        deals, deals.c.id == matches.c.deal_id
    )
    final = query.where(matches.c.tournament_id == tournament_id, matches.c.state == MatchState.FINAL)
    for row in tx.execute(final.where(deals.c.opened_at.is_not(None)).order_by(matches.c.id)):
        played = row.end == MatchEnd.COMPLETED
        yield SoloGame(row.number, row.version_id, played, won=played and row.rank == 1, score=row.score)
