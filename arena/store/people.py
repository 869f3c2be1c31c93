"""Repository of accounts and tokens."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, Select, func, or_, select, update

from arena.store.paging import check_page, make_page
from arena.store.records import Account, Page, Token
from arena.store.rows import insert_one
from arena.store.states import Role
from arena.store.tables import accounts, tokens


def count_accounts(tx: Connection) -> int:
    """Return how many accounts there are."""
    return int(tx.scalar(select(func.count()).select_from(accounts)) or 0)


def insert_account(tx: Connection, name: str, role: Role, now: datetime) -> Account:
    """Store a new account; the caller has checked that the name is free."""
    key = insert_one(tx, accounts, {"name": name, "role": role, "created_at": now})
    return Account(key, name, role, now)


def find_account(tx: Connection, name: str) -> Account | None:
    """Return the account with this name."""
    row = tx.execute(select(accounts).where(accounts.c.name == name)).one_or_none()
    return None if row is None else _account(row)


def page_accounts(tx: Connection, page_size: int, page_token: str) -> Page[Account]:
    """List accounts by name."""
    size, after = check_page(page_size, page_token, str)
    query = select(accounts).order_by(accounts.c.name).limit(size + 1)
    if after:
        query = query.where(accounts.c.name > after[0])
    return make_page(tx.execute(query).all(), size, _account, lambda row: (row.name,))


def insert_token(
    tx: Connection, account: Account, *, label: str, digest: str, now: datetime, expires_at: datetime | None
) -> Token:
    """Store a new token's hash."""
    values = {"account_id": account.id, "label": label, "digest": digest, "created_at": now, "expires_at": expires_at}
    return Token(insert_one(tx, tokens, values), account.name, label, now, expires_at, None)


def find_token(tx: Connection, digest: str) -> tuple[Token, Account] | None:
    """Return the token whose secret has this hash, and whose it is."""
    query = select(tokens, accounts.c.name, accounts.c.role, accounts.c.created_at.label("member_since"))
    row = tx.execute(query.join(accounts).where(tokens.c.digest == digest)).one_or_none()
    if row is None:
        return None
    return _token(row), Account(row.account_id, row.name, row.role, row.member_since)


def list_valid(tx: Connection, digests: Sequence[str], now: datetime) -> list[str]:
    """Return those of the hashes whose tokens are neither revoked nor expired."""
    query = select(tokens.c.digest).where(tokens.c.digest.in_(digests), tokens.c.revoked_at.is_(None))
    return list(tx.scalars(query.where(or_(tokens.c.expires_at.is_(None), tokens.c.expires_at > now))))


def get_token(tx: Connection, token_id: int) -> Token | None:
    """Return the token with this id."""
    row = tx.execute(_tokens().where(tokens.c.id == token_id)).one_or_none()
    return None if row is None else _token(row)


def revoke_token(tx: Connection, token_id: int, now: datetime) -> None:
    """End a token; the first time stays."""
    tx.execute(update(tokens).where(tokens.c.id == token_id, tokens.c.revoked_at.is_(None)).values(revoked_at=now))


def count_valid_tokens(tx: Connection, account_id: int) -> int:
    """Return how many tokens of an account are not revoked."""
    query = select(func.count()).where(tokens.c.account_id == account_id, tokens.c.revoked_at.is_(None))
    return int(tx.scalar(query) or 0)


def page_tokens(tx: Connection, account_id: int, page_size: int, page_token: str) -> Page[Token]:
    """List an account's tokens, newest first."""
    size, after = check_page(page_size, page_token, int)
    query = _tokens().where(tokens.c.account_id == account_id).order_by(tokens.c.id.desc()).limit(size + 1)
    if after:
        query = query.where(tokens.c.id < after[0])
    return make_page(tx.execute(query).all(), size, _token, lambda row: (row.id,))


def _tokens() -> Select[Any]:
    return select(tokens, accounts.c.name).join(accounts)


def _account(row: Row[Any]) -> Account:
    return Account(row.id, row.name, row.role, row.created_at)


def _token(row: Row[Any]) -> Token:
    return Token(row.id, row.name, row.label, row.created_at, row.expires_at, row.revoked_at)
