"""Accounts, their roles and their tokens."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from arena.store import Store
from arena.store.records import Account, Page, Token
from arena.store.states import Role

Entropy = Callable[[int], bytes]
"""Gives that many unpredictable bytes."""


@dataclass(frozen=True, slots=True)
class NewToken:
    """A token just made, with the secret that opens it; the secret is not stored and cannot be shown again."""

    token: Token
    secret: str


def bootstrap(store: Store, now: datetime, *, entropy: Entropy = secrets.token_bytes) -> NewToken | None:
    """Make the account "admin" with a first token if there is no account at all; None if there is one.

    The caller puts the secret into a file that only its owner can read.
    """
    raise NotImplementedError


def authenticate(store: Store, secret: str, now: datetime) -> Account:
    """Return whose token this is. Raises Unauthenticated: NO_TOKEN, BAD_TOKEN, TOKEN_EXPIRED, TOKEN_REVOKED."""
    raise NotImplementedError


def create_account(store: Store, caller: Account, name: str, role: Role, now: datetime) -> Account:
    """Make an account; admins only.

    name: 2 to 40 lower-case letters, digits, hyphens and underscores, a letter first. Raises UsageError (BAD_NAME),
    Conflict (ACCOUNT_EXISTS), PermissionDenied.
    """
    raise NotImplementedError


def list_accounts(store: Store, caller: Account, page_size: int = 0, page_token: str = "") -> Page[Account]:
    """List all accounts by name; admins only."""
    raise NotImplementedError


def issue_token(
    store: Store,
    caller: Account,
    account: str,
    label: str,
    now: datetime,
    *,
    lifetime_s: int = 0,
    entropy: Entropy = secrets.token_bytes,
) -> NewToken:
    """Make a token for an account: the caller's own ("" or its name), or anybody's for an admin.

    lifetime_s: seconds until it expires, 0 for never. Raises NotFound (NO_SUCH_ACCOUNT), PermissionDenied, UsageError,
    LimitReached (TOO_MANY_TOKENS).
    """
    raise NotImplementedError


def revoke_token(store: Store, caller: Account, token_id: int, now: datetime) -> Token:
    """End a token at once; the same request twice is a success. Own tokens, or anybody's for an admin.

    Raises NotFound (NO_SUCH_TOKEN), also for somebody else's token.
    """
    raise NotImplementedError


def list_tokens(
    store: Store, caller: Account, account: str = "", page_size: int = 0, page_token: str = ""
) -> Page[Token]:
    """List an account's tokens, newest first: the caller's own, or anybody's for an admin."""
    raise NotImplementedError
