"""Bots, their versions, and the archives these came in."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Boolean, Column, Index, UniqueConstraint
from sqlmodel import Field

from arena.store.states import VersionState
from arena.store.tables.columns import Row, blob, choice, instant, integer, key, ref, text


class ArchiveRow(Row, table=True):
    """The bytes of a submitted archive, named by their sha256."""

    __tablename__ = "archives"

    sha256: str = Field(sa_column=text(primary=True))
    content: bytes = Field(sa_column=blob())


class BotRow(Row, table=True):
    """A name under which one account submits."""

    __tablename__ = "bots"
    __table_args__ = (Index(None, "owner_id", "name"),)

    id: int = Field(sa_column=key())
    name: str = Field(sa_column=text(unique=True))
    owner_id: int = Field(sa_column=ref("accounts.id"))
    created_at: datetime = Field(sa_column=instant())


class VersionRow(Row, table=True):
    """One submission. content_digest is over the checked files, so that packing again makes no new version.

    failed_in_row: tournament matches it failed one after the other, up to the latest. remote: it plays from its
    author's machine; sha256 is over its files, which are not here.
    """

    __tablename__ = "bot_versions"
    __table_args__ = (UniqueConstraint("bot_id", "number"), UniqueConstraint("bot_id", "content_digest"))

    id: int = Field(sa_column=key())
    bot_id: int = Field(sa_column=ref("bots.id"))
    number: int = Field(sa_column=integer())
    state: VersionState = Field(sa_column=choice(VersionState, "state"))
    reason: str = Field(sa_column=text())
    games: str = Field(sa_column=text())  # ids between spaces
    language: str = Field(sa_column=text())
    sha256: str = Field(sa_column=text())
    content_digest: str = Field(sa_column=text())
    size_bytes: int = Field(sa_column=integer())
    manifest: str = Field(sa_column=text())
    submitted_at: datetime = Field(sa_column=instant())
    failed_in_row: int = Field(sa_column=integer())
    remote: bool = Field(sa_column=Column(Boolean, nullable=False))


class QualificationRow(Row, table=True):
    """Which version an unrated tournament of one match decides about; its pool says at which game."""

    __tablename__ = "qualifications"
    __table_args__ = (Index(None, "version_id", "tournament_id"),)

    tournament_id: int = Field(sa_column=ref("tournaments.id", primary=True))
    version_id: int = Field(sa_column=ref("bot_versions.id"))
