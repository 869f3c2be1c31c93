"""Repository of qualifications: unrated tournaments of one match, each deciding about one version at one game."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, and_, func, select, update

from arena.store.bots import HOUSE_ACCOUNT
from arena.store.records import QualificationMatch
from arena.store.rows import insert_many, insert_one
from arena.store.states import (
    AttemptState,
    BlockState,
    MatchState,
    Role,
    TournamentState,
    VersionState,
)
from arena.store.tables import (
    accounts,
    attempts,
    blocks,
    bots,
    deals,
    match_seats,
    matches,
    qualifications,
    tournaments,
    versions,
)


def find_house(tx: Connection, bot: str) -> int | None:
    """Return the id of the version of a bot of the arena's own if it has been made."""
    query = select(versions.c.id).join(bots, bots.c.id == versions.c.bot_id)
    return tx.execute(query.where(bots.c.name == bot)).scalar_one_or_none()


def insert_house(tx: Connection, bot: str, manifest: str, now: datetime) -> int:
    """Make a bot of the arena's own, its version and, for the first of them, its account; return the version's id.

    Its files come with the program, so that it has no archive.
    """
    owner = tx.scalar(select(accounts.c.id).where(accounts.c.name == HOUSE_ACCOUNT))
    if owner is None:
        owner = insert_one(tx, accounts, {"name": HOUSE_ACCOUNT, "role": Role.AUTHOR, "created_at": now})
    bot_id = insert_one(tx, bots, {"name": bot, "owner_id": owner, "created_at": now})
    values = {
        "bot_id": bot_id,
        "number": 1,
        "state": VersionState.RETIRED,  # it enters nothing
        "reason": "",
        "games": "*",
        "language": "python",
        "sha256": "",
        "content_digest": "",
        "size_bytes": 0,
        "manifest": manifest,
        "submitted_at": now,
        "failed_in_row": 0,
    }
    return insert_one(tx, versions, values)


def count_checking(tx: Connection, account_id: int) -> int:
    """Return how many versions of an account are being checked."""
    query = select(func.count()).select_from(versions).join(bots, bots.c.id == versions.c.bot_id)
    query = query.where(bots.c.owner_id == account_id, versions.c.state == VersionState.CHECKING)
    return int(tx.scalar(query) or 0)


def count_qualifications(tx: Connection, version_id: int) -> int:
    """Return how many matches were ever queued to decide about a version."""
    query = select(func.count()).select_from(qualifications).where(qualifications.c.version_id == version_id)
    return int(tx.scalar(query) or 0)


def insert_qualification(tx: Connection, tournament_id: int, version_id: int) -> None:
    """Let a tournament decide about a version."""
    insert_many(tx, qualifications, [{"tournament_id": tournament_id, "version_id": version_id}])


def lock_version(tx: Connection, version_id: int) -> VersionState:
    """Let no other writer decide about a version until the transaction ends; return where it stands."""
    query = select(versions.c.state).where(versions.c.id == version_id).with_for_update(key_share=True)
    state: VersionState = tx.execute(query).scalar_one()
    return state


def list_qualifications(tx: Connection, version_id: int) -> tuple[QualificationMatch, ...]:
    """Return the latest qualification match at each game, by game."""
    playing = and_(attempts.c.match_id == matches.c.id, attempts.c.state == AttemptState.ACTIVE)
    columns = select(
        matches.c.id,
        matches.c.game,
        matches.c.state,
        matches.c.end,
        matches.c.plies,
        matches.c.reason,
        attempts.c.id.label("attempt_id"),
        attempts.c.ply,
        match_seats.c.seat,
        match_seats.c.end.label("seat_end"),
    ).select_from(qualifications)
    query = (
        columns.join(matches, matches.c.tournament_id == qualifications.c.tournament_id)
        .join(
            match_seats,
            and_(match_seats.c.match_id == matches.c.id, match_seats.c.version_id == qualifications.c.version_id),
        )
        .outerjoin(attempts, playing)
    )
    rows = tx.execute(query.where(qualifications.c.version_id == version_id)).all()
    latest = {row.game: row for row in sorted(rows, key=lambda row: row.id)}
    return tuple(
        QualificationMatch(
            game=row.game,
            match_id=row.id,
            state=row.state,
            running=row.state is MatchState.SCHEDULED and row.attempt_id is not None,
            plies=row.ply or 0 if row.state is MatchState.SCHEDULED else row.plies,
            end=row.end,
            seat=row.seat,
            seat_end=row.seat_end,
            reason=row.reason,
        )
        for _, row in sorted(latest.items())
    )


def cancel_waiting(tx: Connection, version_id: int, now: datetime) -> None:
    """Take out the version's qualification matches that no worker has claimed."""
    of_version = select(qualifications.c.tournament_id).where(qualifications.c.version_id == version_id)
    taken = list(
        tx.scalars(
            update(blocks)
            .where(blocks.c.tournament_id.in_(of_version), blocks.c.state == BlockState.QUEUED)
            .values(state=BlockState.VOID)
            .returning(blocks.c.tournament_id)
        )
    )
    _end(tx, taken, now)


def _end(tx: Connection, tournament_ids: Sequence[int], now: datetime) -> None:
    if not tournament_ids:
        return
    unplayed = matches.c.tournament_id.in_(tournament_ids), matches.c.state == MatchState.SCHEDULED
    tx.execute(update(matches).where(*unplayed).values(state=MatchState.CANCELLED, finished_at=now))
    closed = deals.c.tournament_id.in_(tournament_ids), deals.c.opened_at.is_(None)
    tx.execute(update(deals).where(*closed).values(opened_at=now))
    over = {"state": TournamentState.CANCELLED, "finished_at": now}
    tx.execute(update(tournaments).where(tournaments.c.id.in_(tournament_ids)).values(over))
