"""Rating pools, ratings, and what each match changed."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Boolean, Column, Double, Index, UniqueConstraint
from sqlmodel import Field

from arena.store.tables.columns import Row, instant, integer, key, long_integer, ref, text


def _real() -> Column[float]:
    return Column(Double, nullable=False)


class PoolRow(Row, table=True):
    """Where bots are compared. next_seq: the rating_seq that the next scheduled match gets."""

    __tablename__ = "pools"
    __table_args__ = (
        UniqueConstraint("game", "variant", "seats", "rules_version", "components_digest", "remote", name="uq_pools"),
    )

    id: int = Field(sa_column=key())
    game: str = Field(sa_column=text())
    variant: str = Field(sa_column=text())
    seats: int = Field(sa_column=integer())
    rules_version: int = Field(sa_column=integer())
    components_digest: str = Field(sa_column=text())
    remote: bool = Field(sa_column=Column(Boolean, nullable=False))
    draw_probability: float = Field(sa_column=_real())
    next_seq: int = Field(sa_column=long_integer())


class RatingRow(Row, table=True):
    """The current rating of a version in a pool."""

    __tablename__ = "ratings"
    __table_args__ = (Index(None, "pool_id", "score", "version_id"),)

    pool_id: int = Field(sa_column=ref("pools.id", primary=True))
    version_id: int = Field(sa_column=ref("bot_versions.id", primary=True))
    mu: float = Field(sa_column=_real())
    sigma: float = Field(sa_column=_real())
    score: float = Field(sa_column=_real())
    matches: int = Field(sa_column=integer())
    rank_sum: int = Field(sa_column=integer())
    forfeits: int = Field(sa_column=integer())


class RatingChangeRow(Row, table=True):
    """What one match changed for one version; ids grow in the order of folding."""

    __tablename__ = "rating_changes"
    __table_args__ = (
        UniqueConstraint("match_id", "version_id"),
        Index(None, "bot_id", "id"),
        Index(None, "version_id", "id"),
    )

    id: int = Field(sa_column=key())
    match_id: int = Field(sa_column=ref("matches.id"))
    version_id: int = Field(sa_column=ref("bot_versions.id"))
    bot_id: int = Field(sa_column=ref("bots.id"))
    pool_id: int = Field(sa_column=ref("pools.id"))
    rating_seq: int = Field(sa_column=long_integer())
    rank: int = Field(sa_column=integer())
    mu_before: float = Field(sa_column=_real())
    sigma_before: float = Field(sa_column=_real())
    mu_after: float = Field(sa_column=_real())
    sigma_after: float = Field(sa_column=_real())
    finished_at: datetime = Field(sa_column=instant())
