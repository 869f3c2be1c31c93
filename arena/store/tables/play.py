"""Matches, their seats, and the bytes that belong to them."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from sqlalchemy import Boolean, Column, Index, UniqueConstraint
from sqlalchemy import text as sql
from sqlmodel import Field

from arena.match.result import MatchEnd, SeatEnd
from arena.store.states import MatchState
from arena.store.tables.columns import (
    Row,
    blob,
    choice,
    instant,
    integer,
    key,
    long_integer,
    partial_index,
    ref,
    text,
)

# Conditions of partial indexes, which are used only where a statement spells them out.
ABORTED: Final = "\"end\" = 'ABORTED'"
FINISHED: Final = "finished_at IS NOT NULL"


class MatchRow(Row, table=True):
    """One leg of a block. result_digest: over result and log, tells a repeated record from a different one.

    rating_seq: its place in the order of the pool, NULL if unrated; folded: that place has been consumed. lost: LOST
    attempts in which it was being played.
    """

    __tablename__ = "matches"
    __table_args__ = (
        UniqueConstraint("block_id", "leg"),
        Index(None, "tournament_id", "id"),
        Index(None, "tournament_id", "state", "id"),
        Index(None, "deal_id", "state"),
        Index(None, "game", "id"),
        Index(None, "state", "id"),
        partial_index("ix_matches_aborted", "tournament_id", "id", where=ABORTED),
        partial_index("ix_matches_finished", "tournament_id", "finished_at", where=FINISHED),
        Index(
            "uq_matches_rating_seq",
            "pool_id",
            "rating_seq",
            unique=True,
            sqlite_where=sql("rating_seq IS NOT NULL"),
            postgresql_where=sql("rating_seq IS NOT NULL"),
        ),
    )

    id: int = Field(sa_column=key())
    block_id: int = Field(sa_column=ref("blocks.id"))
    tournament_id: int = Field(sa_column=ref("tournaments.id"))
    deal_id: int = Field(sa_column=ref("deals.id"))
    pool_id: int = Field(sa_column=ref("pools.id"))
    game: str = Field(sa_column=text())
    leg: int = Field(sa_column=integer())
    state: MatchState = Field(sa_column=choice(MatchState, "state"))
    rating_seq: int | None = Field(sa_column=long_integer(null=True))
    folded: bool = Field(sa_column=Column(Boolean, nullable=False))
    lost: int = Field(sa_column=integer())
    attempt: int | None = Field(sa_column=integer(null=True))
    end: MatchEnd | None = Field(sa_column=choice(MatchEnd, "end", null=True))
    reason: str = Field(sa_column=text())
    plies: int = Field(sa_column=integer())
    result_digest: str = Field(sa_column=text())
    finished_at: datetime | None = Field(sa_column=instant(null=True))


class SeatRow(Row, table=True):
    """One seat of a match; pool_id, rating_seq and folded repeat the match's, for the index that finds what is next.

    answers: choices its bot made, NULL where nobody counted them.
    """

    __tablename__ = "match_seats"
    __table_args__ = (
        Index(None, "bot_id", "match_id"),
        Index(
            "ix_match_seats_unfolded",
            "pool_id",
            "version_id",
            "rating_seq",
            sqlite_where=sql("NOT folded AND rating_seq IS NOT NULL"),
            postgresql_where=sql("NOT folded AND rating_seq IS NOT NULL"),
        ),
    )

    match_id: int = Field(sa_column=ref("matches.id", primary=True))
    seat: int = Field(sa_column=integer(primary=True))
    version_id: int = Field(sa_column=ref("bot_versions.id"))
    bot_id: int = Field(sa_column=ref("bots.id"))
    pool_id: int = Field(sa_column=ref("pools.id"))
    rating_seq: int | None = Field(sa_column=long_integer(null=True))
    folded: bool = Field(sa_column=Column(Boolean, nullable=False))
    rank: int = Field(sa_column=integer())
    score: int | None = Field(sa_column=integer(null=True))
    end: SeatEnd | None = Field(sa_column=choice(SeatEnd, "end", null=True))
    turns: int = Field(sa_column=integer())
    answers: int | None = Field(sa_column=integer(null=True))
    think_max_ms: int = Field(sa_column=integer())
    think_total_ms: int = Field(sa_column=integer())
    charged_total_ms: int = Field(sa_column=integer())


class LogRow(Row, table=True):
    """A match log as zstd; sha256 and size are those of the plain text."""

    __tablename__ = "match_logs"

    match_id: int = Field(sa_column=ref("matches.id", primary=True))
    sha256: str = Field(sa_column=text())
    size_bytes: int = Field(sa_column=integer())
    content: bytes = Field(sa_column=blob())


class SeatOutputRow(Row, table=True):
    """What a seat's program printed, as zstd."""

    __tablename__ = "seat_outputs"

    match_id: int = Field(sa_column=ref("matches.id", primary=True))
    seat: int = Field(sa_column=integer(primary=True))
    truncated: bool = Field(sa_column=Column(Boolean, nullable=False))
    content: bytes = Field(sa_column=blob())


class SeatTimesRow(Row, table=True):
    """Think, then charged milliseconds of every asked turn: int32 little-endian, zstd."""

    __tablename__ = "seat_times"

    match_id: int = Field(sa_column=ref("matches.id", primary=True))
    seat: int = Field(sa_column=integer(primary=True))
    content: bytes = Field(sa_column=blob())


class LateResultRow(Row, table=True):
    """What a worker recorded after its lease was lost: kept to explain, never counted."""

    __tablename__ = "late_results"
    __table_args__ = (Index(None, "match_id"),)

    id: int = Field(sa_column=key())
    match_id: int = Field(sa_column=ref("matches.id"))
    attempt: int = Field(sa_column=integer())
    result: str = Field(sa_column=text())
    log: bytes = Field(sa_column=blob())
    received_at: datetime = Field(sa_column=instant())
