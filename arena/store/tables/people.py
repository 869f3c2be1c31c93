"""Accounts, tokens, and what their requests were answered."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Index
from sqlmodel import Field

from arena.store.states import Role
from arena.store.tables.columns import Row, blob, choice, instant, key, ref, text


class AccountRow(Row, table=True):
    """Somebody who may use the arena."""

    __tablename__ = "accounts"

    id: int = Field(sa_column=key())
    name: str = Field(sa_column=text(unique=True))
    role: Role = Field(sa_column=choice(Role, "role"))
    created_at: datetime = Field(sa_column=instant())


class TokenRow(Row, table=True):
    """A token; digest is sha256 over its secret, which has 256 random bits and so needs no slow hash."""

    __tablename__ = "tokens"
    __table_args__ = (Index(None, "account_id", "id"),)

    id: int = Field(sa_column=key())
    account_id: int = Field(sa_column=ref("accounts.id"))
    label: str = Field(sa_column=text())
    digest: str = Field(sa_column=text(unique=True))
    created_at: datetime = Field(sa_column=instant())
    expires_at: datetime | None = Field(sa_column=instant(null=True))
    revoked_at: datetime | None = Field(sa_column=instant(null=True))


class RequestAnswerRow(Row, table=True):
    """What a request with an id was answered; fingerprint: sha256 over the request."""

    __tablename__ = "request_answers"
    __table_args__ = (Index(None, "account_id", "made_at"),)

    account_id: int = Field(sa_column=ref("accounts.id", primary=True))
    method: str = Field(sa_column=text(primary=True))
    request_id: str = Field(sa_column=text(primary=True))
    fingerprint: str = Field(sa_column=text())
    answer: bytes = Field(sa_column=blob())
    made_at: datetime = Field(sa_column=instant())
