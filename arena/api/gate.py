"""What every RPC passes through: the token, the right, and the translation of errors."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from contextvars import ContextVar
from functools import partial
from typing import Any, Final, TypeAlias, cast

import grpc
from google.protobuf.message import DecodeError, Message

from arena.api.errors import REASON, status_of
from arena.core.errors import ArenaError, LimitReached, Unauthenticated, UsageError
from arena.services.access import OPEN, check_right
from arena.store.records import Account

LOG: Final = logging.getLogger("arena.api")
MAX_OWN_CALLS: Final = 60
"""Calls of one account at the same time, watches among them: nobody's many take all the server's places."""

MAX_OPEN_CALLS: Final = 20
"""Calls at the same time of each RPC that needs no token."""

REQUEST_S: Final = 10.0
"""How long a call may keep its request to itself."""

_MESSAGE_CHARS: Final = 1000
_CALLER: Final[ContextVar[Account]] = ContextVar("caller")

Context: TypeAlias = "grpc.aio.ServicerContext[Any, Any]"
Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"
Passing: TypeAlias = Callable[[Context], AbstractAsyncContextManager[None]]


def caller() -> Account:
    """Return the account whose token the current RPC carries."""
    return _CALLER.get()


class Gate(grpc.aio.ServerInterceptor):  # type: ignore[type-arg] # generic in its stubs only
    """Lets a call in when its token is valid and its account has the right; turns every error into a status.

    authenticate: finds the account of a token's secret or raises Unauthenticated; may block, runs in a thread.
    """

    def __init__(self, authenticate: Callable[[str], Account]) -> None:
        self._authenticate = authenticate
        self._calls: Counter[str] = Counter()

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Handler]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Handler:
        """Wrap the handler of the method that is called.

        Every wrapper takes a stream of requests: one for a single request would not be called before that has come,
        and a stranger who sends none would hold a place for ever.
        """
        handler: Handler | None = await continuation(handler_call_details)  # None: no such method
        method = handler_call_details.method
        if handler is None:
            return cast(Handler, handler)
        passing = partial(self._let_in if method in OPEN else self._passing, method)
        wrap = _answering_often if handler.response_streaming else _answering_once
        return wrap(handler, passing)

    @asynccontextmanager
    async def _let_in(self, method: str, context: Context) -> AsyncIterator[None]:
        """Let anybody in, but not everybody at once: whoever fills these places keeps out nobody with a token."""
        try:
            with self._place(method, MAX_OPEN_CALLS, f"{method} is being called by too many"):
                yield
        except ArenaError as refusal:
            await _refuse(context, refusal)

    @contextmanager
    def _place(self, key: str, most: int, why: str) -> Iterator[None]:
        """Count a call while it lasts. Raises LimitReached (TOO_MANY_CALLS)."""
        if self._calls[key] >= most:
            raise LimitReached(f"{why}: {most} at once are the most; end some", reason="TOO_MANY_CALLS")
        self._calls[key] += 1
        try:
            yield
        finally:
            self._calls[key] -= 1
            if not self._calls[key]:
                del self._calls[key]

    @asynccontextmanager
    async def _passing(self, method: str, context: Context) -> AsyncIterator[None]:
        began, who, verdict = time.monotonic(), "?", "CANCELLED"
        try:
            account = await asyncio.to_thread(self._authenticate, _bearer(context))
            who = account.name
            check_right(method, account.role)
            _CALLER.set(account)
            with self._place(who, MAX_OWN_CALLS, f"{who} makes too many calls"):
                yield
            verdict = "OK"
        except ArenaError as refusal:
            verdict = refusal.code
            await _refuse(context, refusal)
        except grpc.aio.AbortError:
            verdict = "ABORTED"
            raise
        except Exception as fault:
            incident = secrets.token_hex(4)
            verdict = f"INTERNAL {incident}"
            LOG.exception("incident %s in %s", incident, method, exc_info=fault)
            message = f"the server failed; its log knows more under incident {incident}"
            await context.abort(grpc.StatusCode.INTERNAL, message, ((REASON, "INTERNAL"),))
        finally:
            LOG.info("%s by %s: %s, %d ms", method, who, verdict, (time.monotonic() - began) * 1000)


def _answering_once(handler: Handler, passing: Passing) -> Handler:
    inner = cast(
        Callable[[Any, Context], Awaitable[Any]],
        handler.stream_unary if handler.request_streaming else handler.unary_unary,
    )

    async def guarded(requests: AsyncIterator[Any], context: Context) -> Any:
        async with passing(context):
            return await inner(await _given(handler, requests), context)

    return grpc.stream_unary_rpc_method_handler(guarded, _reader(handler), handler.response_serializer)


def _answering_often(handler: Handler, passing: Passing) -> Handler:
    inner = cast(Callable[[Any, Context], Any], handler.stream_stream or handler.unary_stream)

    async def guarded(requests: AsyncIterator[Any], context: Context) -> None:
        async with passing(context):
            answers = inner(await _given(handler, requests), context)
            if not isinstance(answers, AsyncIterator):  # one that writes its answers itself, as the health service does
                await answers
                return
            async for answer in answers:
                await context.write(answer)

    make = cast(Any, grpc.stream_stream_rpc_method_handler)  # its stub knows synchronous handlers only
    return cast(Handler, make(guarded, _reader(handler), handler.response_serializer))


async def _given(handler: Handler, requests: AsyncIterator[Any]) -> Any:
    """Return what a handler takes: its one request, or its stream of them. Raises UsageError, LimitReached."""
    if handler.request_streaming:
        return _sound(requests)
    try:
        return await asyncio.wait_for(anext(_sound(requests)), REQUEST_S)
    except StopAsyncIteration:
        raise UsageError("the call carries no request; send one", reason="BAD_REQUEST") from None
    except TimeoutError:
        raise LimitReached(f"no request came for {REQUEST_S:g} s; call again", reason="REQUEST_STALLED") from None


async def _sound(requests: AsyncIterator[Any]) -> AsyncIterator[Any]:
    async for request in requests:
        if isinstance(request, DecodeError):
            raise UsageError("the request is no message of this RPC; see proto/arena/v1", reason="BAD_REQUEST")
        if field := _field_with_nul(request):
            raise UsageError(f"{field}: a text with a NUL character is none here; leave it out", reason="BAD_REQUEST")
        yield request


def _field_with_nul(message: Message) -> str:
    """Return the path of a text field that holds a NUL character, which no database column takes; "" if none does."""
    for field, value in message.ListFields():
        parts = value if field.is_repeated else (value,)
        for part in parts:
            if isinstance(part, str) and "\0" in part:
                return str(field.name)
            if isinstance(part, Message) and (inner := _field_with_nul(part)):
                return f"{field.name}.{inner}"
    return ""


def _reader(handler: Handler) -> Callable[[bytes], Any]:
    """Return a handler's deserializer, made to give the error: one that raises ends the call as the server's fault."""

    def read(raw: bytes) -> Any:
        try:
            return cast(Callable[[bytes], Any], handler.request_deserializer)(raw)
        except DecodeError as error:
            return error

    return read


async def _refuse(context: Context, refusal: ArenaError) -> None:
    await context.abort(status_of(type(refusal)), _short(refusal.message), ((REASON, refusal.code),))


def _bearer(context: Context) -> str:
    """Return the token of a call's metadata. Raises Unauthenticated."""
    for key, value in context.invocation_metadata() or ():
        if key == "authorization":
            scheme, _, token = str(value).partition(" ")
            if scheme.lower() == "bearer" and token.strip():
                return token.strip()
            raise Unauthenticated("the authorization has to read `Bearer TOKEN`", reason="BAD_TOKEN")
    raise Unauthenticated("this server wants a token; send it as `authorization: Bearer TOKEN`", reason="NO_TOKEN")


def _short(message: str) -> str:
    line = " ".join(message.split())
    return line if len(line) <= _MESSAGE_CHARS else line[: _MESSAGE_CHARS - 1] + "…"
