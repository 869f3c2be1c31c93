"""Requests with an id: whoever repeats one is answered again, and nothing happens twice."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Final

from arena.core.errors import Conflict, UsageError
from arena.store import Store, Transaction, repeats
from arena.store.records import Account

REMEMBERED: Final = timedelta(hours=24)
"""How long an answer is kept: a client that repeats does so within minutes."""

_REQUEST_ID: Final = re.compile(r"[A-Za-z0-9._:-]{1,64}")


@dataclass(frozen=True, slots=True)
class Asked:
    """A request with an id: of an account to a method; content is what it asks for, as bytes."""

    caller: Account
    method: str
    request_id: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Answer:
    """What a request is answered, as bytes; kept is what a repetition of it is answered."""

    content: bytes
    kept: bytes


def check_request_id(text: str) -> str:
    """Return a request's id if it is one. Raises UsageError (BAD_REQUEST_ID)."""
    if _REQUEST_ID.fullmatch(text) is None:
        raise UsageError(
            "a request id has 1 to 64 letters, digits, dots, colons, hyphens and underscores; take a random UUID",
            reason="BAD_REQUEST_ID",
        )
    return text


def answer_once(store: Store, asked: Asked, now: datetime, act: Callable[[Store], Answer]) -> bytes:
    """Return what act answers, or what it answered when the same request came before.

    act does everything through the store it is given, so what it does and that it was done become one transaction:
    after a crash both are there or neither. What act raises leaves nothing behind, and a repetition then tries anew.
    Two repetitions at once wait for each other. Raises Conflict (REQUEST_ID_REUSED) for another request with the id.
    """
    key = repeats.RequestKey(asked.caller.id, asked.method, asked.request_id)
    fingerprint = sha256(asked.content).hexdigest()

    def begun(tx: Transaction) -> None:
        repeats.forget_answers(tx, asked.caller.id, now - REMEMBERED)
        if not repeats.begin_answer(tx, key, fingerprint, now):
            raise _AnsweredMeanwhile

    known = _known(store, key, fingerprint, now)
    if known is not None:
        return known
    try:
        with repeats.OneTransaction(store, begun) as once:
            answer = act(once)
            repeats.finish_answer(once.whole(), key, answer.kept)
    except _AnsweredMeanwhile:
        known = _known(store, key, fingerprint, now)
        if known is None:
            raise RuntimeError("an answer was there and is gone") from None
        return known
    return answer.content


class _AnsweredMeanwhile(Exception):
    """The same request was answered between the first look and the write."""


def _known(store: Store, key: repeats.RequestKey, fingerprint: str, now: datetime) -> bytes | None:
    with store.read() as tx:
        found = repeats.find_answer(tx, key, now - REMEMBERED)
    if found is not None and found.fingerprint != fingerprint:
        raise Conflict(
            f"request id {key.request_id} was used for another request; take a new id for each",
            reason="REQUEST_ID_REUSED",
        )
    return None if found is None else found.answer
