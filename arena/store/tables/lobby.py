"""The lobby: who waits there, on whose behalf, and which seats they are called to."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Boolean, Column, Index, UniqueConstraint
from sqlmodel import Field

from arena.store.tables.columns import Row, instant, integer, key, ref, text


class DeskRow(Row, table=True):
    """A process that holds streams of the lobby. One beat of it stands for all who wait there."""

    __tablename__ = "lobby_desks"

    id: int = Field(sa_column=key())
    beat_at: datetime = Field(sa_column=instant())


class WaitingRow(Row, table=True):
    """A version that plays remotely; the row stays when nobody waits.

    desk_id: where its stream is held, NULL while there is none. stream: that stream. session: the client's own name.
    places: matches that it takes now. quiet_since: since when nothing has been heard of it that counts; see playable.
    """

    __tablename__ = "lobby"
    __table_args__ = (Index(None, "desk_id"),)

    version_id: int = Field(sa_column=ref("bot_versions.id", primary=True))
    desk_id: int | None = Field(sa_column=ref("lobby_desks.id", null=True))
    stream: str = Field(sa_column=text())
    session: str = Field(sa_column=text())
    places: int = Field(sa_column=integer())
    quiet_since: datetime = Field(sa_column=instant())


class InvitationRow(Row, table=True):
    """A seat of a match that a worker has claimed; address and ticket are empty until it can be taken.

    stream: whom it is meant for; sent: that stream was told. Rows go when their attempt is over.
    """

    __tablename__ = "invitations"
    __table_args__ = (UniqueConstraint("block_id", "attempt", "match_id", "seat"), Index(None, "version_id"))

    id: int = Field(sa_column=key())
    version_id: int = Field(sa_column=ref("bot_versions.id"))
    block_id: int = Field(sa_column=ref("blocks.id"))
    attempt: int = Field(sa_column=integer())
    match_id: int = Field(sa_column=ref("matches.id"))
    seat: int = Field(sa_column=integer())
    stream: str = Field(sa_column=text())
    sent: bool = Field(sa_column=Column(Boolean, nullable=False))
    address: str = Field(sa_column=text())
    ticket: str = Field(sa_column=text())
    certificate: str = Field(sa_column=text())
