"""Tournaments and what of them is to be played: entries, deals, blocks, attempts."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from sqlalchemy import Boolean, Column, Index, UniqueConstraint
from sqlalchemy import text as sql
from sqlmodel import Field

from arena.store.states import AttemptState, BlockState, Format, Lane, Queue, TournamentState
from arena.store.tables.columns import Row, blob, choice, instant, integer, key, partial_index, ref, text

# Conditions of partial indexes, which are used only where a statement spells them out.
LISTED: Final = "format <> 'REQUEST'"
CLOSED: Final = "opened_at IS NULL"
UNFINISHED: Final = "state IN ('QUEUED', 'CLAIMED', 'HELD')"
LOST: Final = "state = 'QUEUED' AND lost > 0"


class ComponentFileRow(Row, table=True):
    """The text of a component file that is not a game's own."""

    __tablename__ = "component_files"

    digest: str = Field(sa_column=text(primary=True))
    content: str = Field(sa_column=text())


class TournamentRow(Row, table=True):
    """A tournament; secret stays here until it is over, commitment is its public hash. deals: 0 for no end."""

    __tablename__ = "tournaments"
    __table_args__ = (
        Index(None, "state", "id"),
        # What somebody asked for, a qualification for one, is a tournament, too; listings leave these many out.
        partial_index("ix_tournaments_listed", "id", where=LISTED),
        partial_index("ix_tournaments_listed_state", "state", "id", where=LISTED),
    )

    id: int = Field(sa_column=key())
    name: str = Field(sa_column=text(unique=True))
    organiser_id: int = Field(sa_column=ref("accounts.id"))
    state: TournamentState = Field(sa_column=choice(TournamentState, "state"))
    pool_id: int = Field(sa_column=ref("pools.id"))
    deals: int = Field(sa_column=integer())
    clock: str = Field(sa_column=text())
    custom_components: bool = Field(sa_column=Column(Boolean, nullable=False))
    secret: bytes = Field(sa_column=blob())
    commitment: str = Field(sa_column=text())
    created_at: datetime = Field(sa_column=instant())
    started_at: datetime | None = Field(sa_column=instant(null=True))
    finished_at: datetime | None = Field(sa_column=instant(null=True))
    format: Format = Field(sa_column=choice(Format, "format"))
    rated: bool = Field(sa_column=Column(Boolean, nullable=False))


class EntryRow(Row, table=True):
    """A bot version entered in a tournament.

    late: it came after the start. first_deal: the first deal it plays. head: it meets the rest of a gauntlet.
    head_start: blocks of a ladder that it counts as played, so that a late entrant does not keep the others waiting.
    blocks, latest_deal: blocks of a ladder with it that are not void, and the latest deal among them; kept here because
    counting them anew would take longer with every block.
    """

    __tablename__ = "entries"
    __table_args__ = (UniqueConstraint("tournament_id", "version_id"), Index(None, "version_id"))

    id: int = Field(sa_column=key())
    tournament_id: int = Field(sa_column=ref("tournaments.id"))
    version_id: int = Field(sa_column=ref("bot_versions.id"))
    entered_at: datetime = Field(sa_column=instant())
    withdrawn_at: datetime | None = Field(sa_column=instant(null=True))
    first_deal: int = Field(sa_column=integer())
    late: bool = Field(sa_column=Column(Boolean, nullable=False))
    head: bool = Field(sa_column=Column(Boolean, nullable=False))
    head_start: int = Field(sa_column=integer())
    blocks: int = Field(sa_column=integer())
    latest_deal: int = Field(sa_column=integer())


class DealRow(Row, table=True):
    """One deal; it is open, for everybody, from opened_at on."""

    __tablename__ = "deals"
    __table_args__ = (
        UniqueConstraint("tournament_id", "number"),
        partial_index("ix_deals_closed", "tournament_id", where=CLOSED),
    )

    id: int = Field(sa_column=key())
    tournament_id: int = Field(sa_column=ref("tournaments.id"))
    number: int = Field(sa_column=integer())
    seed: bytes = Field(sa_column=blob())
    opened_at: datetime | None = Field(sa_column=instant(null=True))


class BlockRow(Row, table=True):
    """What a worker claims at once. attempt: number of the latest claim; not_before: end of the wait after a loss."""

    __tablename__ = "blocks"
    __table_args__ = (
        UniqueConstraint("tournament_id", "ordinal"),
        Index(
            "ix_blocks_queued",
            "queue",
            "lane",
            "id",
            sqlite_where=sql("state = 'QUEUED'"),
            postgresql_where=sql("state = 'QUEUED'"),
        ),
        partial_index("ix_blocks_unfinished", "tournament_id", "state", where=UNFINISHED),
        partial_index("ix_blocks_lost", "tournament_id", "ordinal", where=LOST),
    )

    id: int = Field(sa_column=key())
    tournament_id: int = Field(sa_column=ref("tournaments.id"))
    ordinal: int = Field(sa_column=integer())
    queue: Queue = Field(sa_column=choice(Queue, "queue"))
    state: BlockState = Field(sa_column=choice(BlockState, "state"))
    attempt: int = Field(sa_column=integer())
    lost: int = Field(sa_column=integer())
    not_before: datetime = Field(sa_column=instant())
    lane: Lane = Field(sa_column=choice(Lane, "lane"))


class AttemptRow(Row, table=True):
    """One claim of a block. match_id, ply, deadline: the worker's last word; progressed_at: when it last moved on."""

    __tablename__ = "attempts"
    __table_args__ = (
        UniqueConstraint("block_id", "number"),
        Index(
            "ix_attempts_active",
            "lease_until",
            sqlite_where=sql("state = 'ACTIVE'"),
            postgresql_where=sql("state = 'ACTIVE'"),
        ),
        Index("ix_attempts_match", "match_id"),
    )

    id: int = Field(sa_column=key())
    block_id: int = Field(sa_column=ref("blocks.id"))
    number: int = Field(sa_column=integer())
    state: AttemptState = Field(sa_column=choice(AttemptState, "state"))
    worker: str = Field(sa_column=text())
    claimed_at: datetime = Field(sa_column=instant())
    beat_at: datetime = Field(sa_column=instant())
    lease_until: datetime = Field(sa_column=instant())
    match_id: int | None = Field(sa_column=ref("matches.id", null=True))
    ply: int = Field(sa_column=integer())
    deadline: datetime | None = Field(sa_column=instant(null=True))
    progressed_at: datetime = Field(sa_column=instant())
    reason: str = Field(sa_column=text())
