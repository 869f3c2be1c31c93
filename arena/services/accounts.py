"""Accounts, their roles and their tokens."""

from __future__ import annotations

import re
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Final

from arena.core.errors import Conflict, LimitReached, NotFound, PermissionDenied, Unauthenticated, UsageError
from arena.services.rights import check_name, require
from arena.store import Store, Transaction, people
from arena.store.records import Account, Page, Token
from arena.store.states import Role

FIRST_ACCOUNT: Final = "admin"

SECRET_BYTES: Final = 32
"""256 random bits: nobody guesses them, and a plain sha256 is enough to keep them."""

SECRET_PREFIX: Final = "wo_"  # noqa: S105 - the public beginning of a secret, not one
"""Begins every secret, so that people and secret scanners recognise one."""

_SECRET: Final = re.compile(r"wo_[A-Za-z0-9_-]{43}")

MAX_TOKENS: Final = 100
"""Valid tokens of one account: more is a program that makes one for every call."""

MAX_LABEL: Final = 80
"""Characters of a label: one line of a listing."""

Entropy = Callable[[int], bytes]
"""Gives that many unpredictable bytes."""


@dataclass(frozen=True, slots=True)
class NewToken:
    """A token just made, with the secret that opens it; the secret is not stored and cannot be shown again."""

    token: Token
    secret: str = field(repr=False)


def bootstrap(store: Store, now: datetime, *, entropy: Entropy = secrets.token_bytes) -> NewToken | None:
    """Make the account "admin" with a first token if there is no account at all; None if there is one.

    The caller puts the secret into a file that only its owner can read.
    """
    with store.write() as tx:
        if people.count_accounts(tx):
            return None
        account = people.insert_account(tx, FIRST_ACCOUNT, Role.ADMIN, now)
        return _new_token(tx, account, entropy, label="first", now=now, expires_at=None)


def authenticate(store: Store, secret: str, now: datetime) -> Account:
    """Return whose token this is. Raises Unauthenticated: NO_TOKEN, TOKEN_UNKNOWN, TOKEN_EXPIRED, TOKEN_REVOKED."""
    return sign_in(store, secret, now)[1]


def sign_in(store: Store, secret: str, now: datetime) -> tuple[Token, Account]:
    """Return a token and whose it is, for whoever keeps the token's id in place of its secret; see authenticate.

    A token is found by its hash. How long that takes may tell how another token's hash begins, but nobody can make a
    secret whose hash begins in a wanted way but by trying. What cannot be a token is not looked up at all.
    """
    if not secret:
        raise Unauthenticated("there is no token; give the one you were issued", reason="NO_TOKEN")
    if _SECRET.fullmatch(secret) is None:
        return _valid(None, now)
    with store.read() as tx:
        found = people.find_token(tx, _digest(secret))
    return _valid(found, now)


def account_of_token(store: Store, token_id: int, now: datetime) -> Account:
    """Return the account of somebody who has signed in with this token. Raises Unauthenticated as authenticate does."""
    with store.read() as tx:
        token = people.get_token(tx, token_id)
        account = None if token is None else people.find_account(tx, token.account)
    return _valid(None if token is None or account is None else (token, account), now)[1]


def find_valid(store: Store, secrets_shown: Collection[str], now: datetime) -> frozenset[str]:
    """Return those of the secrets that open a token now; one statement for all of them."""
    by_digest = {_digest(secret): secret for secret in secrets_shown}
    with store.read() as tx:
        return frozenset(by_digest[digest] for digest in people.list_valid(tx, list(by_digest), now))


def create_account(store: Store, caller: Account, name: str, role: Role, now: datetime) -> Account:
    """Make an account; admins only.

    name: 2 to 40 lower-case letters, digits, hyphens and underscores, a letter first. Raises UsageError (BAD_NAME),
    Conflict (ACCOUNT_EXISTS), PermissionDenied.
    """
    require(caller, Role.ADMIN, "making an account")
    check_name("account", name)
    with store.write() as tx:
        if people.find_account(tx, name) is not None:
            raise Conflict(f"account {name} exists; take another name", reason="ACCOUNT_EXISTS")
        return people.insert_account(tx, name, role, now)


def list_accounts(store: Store, caller: Account, page_size: int = 0, page_token: str = "") -> Page[Account]:
    """List all accounts by name; admins only."""
    require(caller, Role.ADMIN, "listing accounts")
    with store.read() as tx:
        return people.page_accounts(tx, page_size, page_token)


def issue_token(
    store: Store,
    caller: Account,
    account: str,
    label: str,
    now: datetime,
    *,
    lifetime_s: int = 0,
    shown: Token | None = None,
    entropy: Entropy = secrets.token_bytes,
) -> NewToken:
    """Make a token for an account: the caller's own ("" or its name), or anybody's for an admin.

    lifetime_s: seconds until it expires, 0 for never. shown: the token that the caller has shown; whoever has found it
    makes no other for the same account that lasts longer. Raises NotFound (NO_SUCH_ACCOUNT), PermissionDenied
    (NOT_YOURS, OUTLIVES_TOKEN), UsageError, LimitReached (TOO_MANY_TOKENS).
    """
    if len(label) > MAX_LABEL or not label.isprintable():
        raise UsageError(f"a token's label has at most {MAX_LABEL} printable characters", reason="BAD_LABEL")
    if lifetime_s < 0:
        raise UsageError(f"a lifetime of {lifetime_s} s is below 0; 0 means for ever", reason="BAD_LIFETIME")
    expires_at = now + timedelta(seconds=lifetime_s) if lifetime_s else None
    with store.write() as tx:
        owner = _whose(tx, caller, account)
        if owner.id == caller.id and shown is not None:
            _check_outlived(shown, expires_at)
        if people.count_valid_tokens(tx, owner.id) >= MAX_TOKENS:
            raise LimitReached(
                f"{owner.name} has {MAX_TOKENS} valid tokens, the most there can be; revoke one",
                reason="TOO_MANY_TOKENS",
            )
        return _new_token(tx, owner, entropy, label=label, now=now, expires_at=expires_at)


def revoke_token(store: Store, caller: Account, token_id: int, now: datetime) -> Token:
    """End a token at once; the same request twice is a success. Own tokens, or anybody's for an admin.

    Raises NotFound (NO_SUCH_TOKEN), also for somebody else's token.
    """
    with store.write() as tx:
        token = people.get_token(tx, token_id)
        if token is None or (token.account != caller.name and not caller.role.covers(Role.ADMIN)):
            raise NotFound(f"there is no token {token_id} of yours; list them to see their ids", reason="NO_SUCH_TOKEN")
        people.revoke_token(tx, token_id, now)
        return people.get_token(tx, token_id) or token


def list_tokens(
    store: Store, caller: Account, account: str = "", page_size: int = 0, page_token: str = ""
) -> Page[Token]:
    """List an account's tokens, newest first: the caller's own, or anybody's for an admin."""
    with store.read() as tx:
        return people.page_tokens(tx, _whose(tx, caller, account).id, page_size, page_token)


def _valid(found: tuple[Token, Account] | None, now: datetime) -> tuple[Token, Account]:
    """Return what was found if it lets its owner in now."""
    if found is None:
        raise Unauthenticated("the token is not known here; ask an admin for one", reason="TOKEN_UNKNOWN")
    token = found[0]
    if token.revoked_at is not None:
        raise Unauthenticated(f"token {token.id} was revoked; ask an admin for another", reason="TOKEN_REVOKED")
    if token.expires_at is not None and token.expires_at <= now:
        raise Unauthenticated(f"token {token.id} has expired; ask an admin for another", reason="TOKEN_EXPIRED")
    return found


def _check_outlived(shown: Token, expires_at: datetime | None) -> None:
    if shown.expires_at is not None and (expires_at is None or expires_at > shown.expires_at):
        raise PermissionDenied(
            f"token {shown.id} expires at {shown.expires_at:%Y-%m-%d %H:%M} UTC, and none that it makes lasts longer;"
            " ask for less time, or an admin for another",
            reason="OUTLIVES_TOKEN",
        )


def _whose(tx: Transaction, caller: Account, account: str) -> Account:
    """Return the account that a request about tokens means."""
    if account in {"", caller.name}:
        return caller
    if not caller.role.covers(Role.ADMIN):
        raise PermissionDenied("tokens of others are an admin's business; leave the account empty", reason="NOT_YOURS")
    found = people.find_account(tx, account)
    if found is None:
        raise NotFound(f"there is no account {account!r}; list them or create it", reason="NO_SUCH_ACCOUNT")
    return found


def _new_token(
    tx: Transaction, account: Account, entropy: Entropy, *, label: str, now: datetime, expires_at: datetime | None
) -> NewToken:
    secret = SECRET_PREFIX + urlsafe_b64encode(entropy(SECRET_BYTES)).decode().rstrip("=")
    token = people.insert_token(tx, account, label=label, digest=_digest(secret), now=now, expires_at=expires_at)
    return NewToken(token, secret)


def _digest(secret: str) -> str:
    return sha256(secret.encode()).hexdigest()
