"""Repository of the lobby: who waits there, which blocks can be played with them, and who is called to a seat."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeAlias

from sqlalchemy import ColumnElement, Connection, case, delete, exists, func, or_, select, update

from arena.store.rows import insert_many
from arena.store.states import AttemptState, MatchState
from arena.store.tables import (
    attempts,
    blocks,
    bots,
    invitations,
    lobby,
    lobby_desks,
    match_seats,
    matches,
    pools,
    tournaments,
    versions,
)

Blocks: TypeAlias = ColumnElement[bool]
"""A condition on blocks."""


@dataclass(frozen=True, slots=True)
class Moments:
    """What presence is judged by. now; alive: a desk whose last beat is older is dead; away: who has been quiet since
    before that is not waited for any more.
    """

    now: datetime
    alive: datetime
    away: datetime


@dataclass(frozen=True, slots=True)
class Waiting:
    """Who holds a version's place in the lobby; desk_alive: and may hold it still."""

    session: str
    stream: str
    desk_alive: bool


@dataclass(frozen=True, slots=True)
class Call:
    """An invitation as it is stored. open: its match is being played, or about to be.

    address, ticket: empty until the seat can be taken.
    """

    id: int
    version_id: int
    stream: str
    sent: bool
    open: bool
    match_id: int
    seat: int
    address: str
    ticket: str = field(repr=False)
    certificate: str
    game: str
    variant: str
    clock: str


def insert_desk(tx: Connection, desk_id: int, now: datetime) -> None:
    """Open a desk."""
    insert_many(tx, lobby_desks, [{"id": desk_id, "beat_at": now}])


def hold_desk(tx: Connection, desk_id: int) -> bool:
    """Keep a desk from being removed until the transaction is over; False if it has been."""
    query = select(lobby_desks.c.id).where(lobby_desks.c.id == desk_id)
    return tx.scalar(query.with_for_update(read=True, key_share=True)) is not None


def beat_desk(tx: Connection, desk_id: int, now: datetime) -> bool:
    """Say that a desk is there; False if it was taken for dead."""
    return tx.execute(update(lobby_desks).where(lobby_desks.c.id == desk_id).values(beat_at=now)).rowcount == 1


def close_desks(tx: Connection, which: ColumnElement[bool], now: datetime) -> None:
    """Remove desks; who waited there does not wait any more."""
    theirs = select(lobby_desks.c.id).where(which)
    query = update(lobby).where(lobby.c.desk_id.in_(theirs))
    tx.execute(query.values(desk_id=None, stream="", places=0, quiet_since=now))
    tx.execute(delete(lobby_desks).where(which))


def one_desk(desk_id: int) -> ColumnElement[bool]:
    """Which desks: this one."""
    return lobby_desks.c.id == desk_id


def dead_desks(moments: Moments) -> ColumnElement[bool]:
    """Which desks: those that have not beaten for too long."""
    return lobby_desks.c.beat_at < moments.alive


def insert_known(tx: Connection, version_id: int, now: datetime) -> None:
    """Note a version that may come to the lobby."""
    values = {"version_id": version_id, "stream": "", "session": "", "places": 0, "quiet_since": now}
    insert_many(tx, lobby, [values])


def find_waiting(tx: Connection, version_id: int, moments: Moments) -> Waiting | None:
    """Return who holds a version's place, None if nobody does; the row is locked."""
    columns = select(lobby.c.session, lobby.c.stream, lobby.c.desk_id).where(lobby.c.version_id == version_id)
    row = tx.execute(columns.with_for_update()).one_or_none()
    if row is None or row.desk_id is None:
        return None
    alive = select(lobby_desks.c.id).where(lobby_desks.c.id == row.desk_id, lobby_desks.c.beat_at >= moments.alive)
    return Waiting(row.session, row.stream, tx.scalar(alive) is not None)


def sit_down(
    tx: Connection, version_id: int, *, desk_id: int, stream: str, session: str, places: int, playing: Collection[int]
) -> None:
    """Let a version wait on a new stream.

    Invitations that are open and not among those it plays are for that stream now, to be sent (again), and use up
    places.
    """
    theirs = (invitations.c.version_id == version_id, _is_open())
    known = update(invitations).where(*theirs, invitations.c.id.in_(playing))
    tx.execute(known.values(stream=stream, sent=True))
    new = update(invitations).where(*theirs, invitations.c.id.not_in(playing))
    taken = tx.execute(new.values(stream=stream, sent=False)).rowcount
    values = {"desk_id": desk_id, "stream": stream, "session": session, "places": max(0, places - taken)}
    tx.execute(update(lobby).where(lobby.c.version_id == version_id).values(values))


def list_matches(tx: Connection, version_id: int, invitation_ids: Collection[int]) -> dict[int, int]:
    """Return the matches of those of a version's invitations that are still known."""
    query = select(invitations.c.id, invitations.c.match_id)
    query = query.where(invitations.c.version_id == version_id, invitations.c.id.in_(invitation_ids))
    return {row[0]: row[1] for row in tx.execute(query)}


def stand_up(tx: Connection, stream: str, now: datetime) -> None:
    """Let nobody wait on a stream any more; no effect on one that has been replaced."""
    values = {"desk_id": None, "stream": "", "places": 0, "quiet_since": now}
    tx.execute(update(lobby).where(lobby.c.stream == stream).values(values))


def add_places(tx: Connection, version_id: int, stream: str, more: int, most: int) -> None:
    """Let a stream take so many more matches, at most so many in all."""
    query = update(lobby).where(lobby.c.version_id == version_id, lobby.c.stream == stream)
    tx.execute(query.values(places=case((lobby.c.places + more > most, most), else_=lobby.c.places + more)))


def close_places(tx: Connection, version_id: int, stream: str) -> None:
    """Let a stream take no more matches."""
    query = update(lobby).where(lobby.c.version_id == version_id, lobby.c.stream == stream)
    tx.execute(query.values(places=0))


def list_calls(tx: Connection, desk_id: int) -> list[Call]:
    """Return every invitation for who waits at a desk."""
    columns = select(
        invitations,
        _is_open().label("open"),
        pools.c.game,
        pools.c.variant,
        tournaments.c.clock,
    )
    query = (
        columns.select_from(invitations)
        .join(lobby, lobby.c.version_id == invitations.c.version_id)
        .join(matches, matches.c.id == invitations.c.match_id)
        .join(tournaments, tournaments.c.id == matches.c.tournament_id)
        .join(pools, pools.c.id == tournaments.c.pool_id)
        .where(lobby.c.desk_id == desk_id)
    )
    return [
        Call(
            row.id, row.version_id, row.stream, row.sent, bool(row.open), row.match_id,
            row.seat, row.address, row.ticket, row.certificate, row.game, row.variant, row.clock,
        )
        for row in tx.execute(query.order_by(invitations.c.id))
    ]  # fmt: skip


def list_seats(tx: Connection, match_id: int) -> tuple[str, ...]:
    """Return who sits in a match, as NAME@VERSION by seat."""
    query = (
        select(bots.c.name, versions.c.number)
        .select_from(match_seats)
        .join(versions, versions.c.id == match_seats.c.version_id)
        .join(bots, bots.c.id == versions.c.bot_id)
        .where(match_seats.c.match_id == match_id)
    )
    return tuple(f"{row.name}@{row.number}" for row in tx.execute(query.order_by(match_seats.c.seat)))


def mark_sent(tx: Connection, invitation_id: int, stream: str) -> bool:
    """Note that a stream is told of an invitation; False if it is not that stream's any more."""
    query = update(invitations).where(invitations.c.id == invitation_id, invitations.c.stream == stream)
    return tx.execute(query.values(sent=True)).rowcount == 1


def is_finished(tx: Connection, match_id: int) -> bool:
    """Whether a match has a result."""
    return tx.scalar(select(matches.c.state).where(matches.c.id == match_id)) is MatchState.FINAL


def sweep(tx: Connection, now: datetime) -> None:
    """Forget invitations that are over. One that nobody was told of gives back the place it had taken."""
    columns = select(invitations.c.id, invitations.c.version_id, invitations.c.stream, invitations.c.sent)
    over = tx.execute(columns.where(~_is_open())).all()
    for row in over:
        mine = update(lobby).where(lobby.c.version_id == row.version_id)
        tx.execute(mine.values(quiet_since=now))
        if not row.sent:
            tx.execute(mine.where(lobby.c.stream == row.stream, lobby.c.stream != "").values(places=lobby.c.places + 1))
    if over:
        tx.execute(delete(invitations).where(invitations.c.id.in_([row.id for row in over])))


def playable(moments: Moments) -> Blocks:
    """Which blocks: those whose remote seats all have somebody who takes them, or are waited for no more.

    Not waited for is who has not been in the lobby for long, or takes nothing there although it plays nothing; and
    not before the block itself has waited so long.
    """
    alive = exists().where(lobby_desks.c.id == lobby.c.desk_id, lobby_desks.c.beat_at >= moments.alive)
    twin = match_seats.alias()
    needed = (
        select(func.count())
        .where(twin.c.match_id == match_seats.c.match_id, twin.c.version_id == match_seats.c.version_id)
        .correlate(match_seats)
        .scalar_subquery()
    )
    plays = exists().where(invitations.c.version_id == lobby.c.version_id)
    away = (
        (lobby.c.quiet_since < moments.away)
        & (blocks.c.not_before < moments.away)
        & or_(lobby.c.desk_id.is_(None), lobby.c.places < needed)
        & ~plays
    )
    missing = exists().where(
        matches.c.block_id == blocks.c.id,
        matches.c.state == MatchState.SCHEDULED,
        match_seats.c.match_id == matches.c.id,
        lobby.c.version_id == match_seats.c.version_id,
        ~or_(alive & (lobby.c.places >= needed), away),
    )
    return ~missing


def call_to_seats(
    tx: Connection, block_id: int, attempt: int, seats: Sequence[tuple[int, int, int]], moments: Moments
) -> bool:
    """Store an invitation for each seat, (match, seat, version), and use up a place for each.

    False if another block has just taken the place: then nothing of this may stay.
    """
    for match_id, seat, version_id in sorted(seats, key=lambda one: one[2]):  # two claims must not wait for each other
        columns = select(lobby.c.desk_id, lobby.c.stream, lobby.c.places, lobby.c.quiet_since)
        row = tx.execute(columns.where(lobby.c.version_id == version_id).with_for_update()).one()
        if row.desk_id is not None and row.places > 0:
            tx.execute(update(lobby).where(lobby.c.version_id == version_id).values(places=row.places - 1))
        elif row.quiet_since >= moments.away:
            return False
        values = {
            "version_id": version_id,
            "block_id": block_id,
            "attempt": attempt,
            "match_id": match_id,
            "seat": seat,
            "stream": row.stream,
            "sent": False,
            "address": "",
            "ticket": "",
            "certificate": "",
        }
        insert_many(tx, invitations, [values])
    return True


def open_seat(
    tx: Connection,
    block_id: int,
    attempt: int,
    match_id: int,
    seat: int,
    *,
    address: str,
    ticket: str,
    certificate: str,
) -> bool:
    """Say where and with which ticket a seat is taken; False if nobody was called to it."""
    query = update(invitations).where(
        invitations.c.block_id == block_id,
        invitations.c.attempt == attempt,
        invitations.c.match_id == match_id,
        invitations.c.seat == seat,
    )
    values = {"address": address, "ticket": ticket, "certificate": certificate}
    return tx.execute(query.values(values)).rowcount == 1


def _is_open() -> ColumnElement[bool]:
    """Whether an invitation's attempt goes on and its match has no result."""
    attempt = attempts.alias()
    match = matches.alias()
    return exists().where(
        attempt.c.block_id == invitations.c.block_id,
        attempt.c.number == invitations.c.attempt,
        attempt.c.state == AttemptState.ACTIVE,
        match.c.id == invitations.c.match_id,
        match.c.state == MatchState.SCHEDULED,
    )
