"""Answers calls that change something: one that carries a request id again is answered again and changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from google.protobuf.message import Message

from arena.api.gate import call, in_thread
from arena.api.site import Site
from arena.services.repeats import Answer, Asked, answer_once
from arena.store import Store

M = TypeVar("M", bound=Message)


async def answer(
    site: Site,
    request: Message,
    kind: type[M],
    act: Callable[[Store], M],
    *,
    kept: Callable[[M], M] = lambda made: made,
) -> M:
    """Return what act answers; with a request id, what it answered to the first of the same calls.

    act runs in a thread and does everything through the store it is given. kind: of the answer. kept: makes of an
    answer what a repetition is told.
    """
    current = call()
    if not current.request_id:
        return await in_thread(act, site.store)

    def once(store: Store) -> Answer:
        made = act(store)
        return Answer(made.SerializeToString(), kept(made).SerializeToString())

    content = request.SerializeToString(deterministic=True)
    asked = Asked(current.account, current.method, current.request_id, content)
    return kind.FromString(await in_thread(answer_once, site.store, asked, site.now(), once))
