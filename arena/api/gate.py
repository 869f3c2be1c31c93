"""What every RPC passes through: the token, the right, and the translation of errors."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, ParamSpec, TypeAlias, TypeVar, cast

import grpc
from google.protobuf.message import DecodeError, Message

from arena.api.errors import REASON, REQUEST_ID, RETRY_AFTER, status_of
from arena.api.limits import PLACE_RETRY_S, Limits, Places, Rate
from arena.api.paging import tie, untie
from arena.api.work import Workplace
from arena.core.errors import ArenaError, LimitReached, Unauthenticated, UsageError
from arena.services.access import OPEN, check_right
from arena.services.repeats import check_request_id
from arena.store.records import Account, Token
from arena.telemetry.figures import CallFigures
from arena.telemetry.logs import get_logger

LOG: Final = get_logger("arena.api")
MAX_REQUEST_BYTES: Final = 1 << 20
"""Of one message; a chunk of an archive may have as many bytes, and its message a few more."""

AGAIN_S: Final = 2.0
"""How long a stream of answers goes on with a token that has been revoked."""

REQUEST_S: Final = 10.0
"""How long a call may keep its request to itself."""

_ENVELOPE_BYTES: Final = 64
_MESSAGE_CHARS: Final = 1000
_CALL: Final[ContextVar[Call]] = ContextVar("call")

P = ParamSpec("P")
T = TypeVar("T")

Context: TypeAlias = "grpc.aio.ServicerContext[Any, Any]"
Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"
Passing: TypeAlias = Callable[[Context], AbstractAsyncContextManager[Callable[[], Awaitable[None]]]]
"""Lets a call in and gives what asks whether it may go on."""


async def _nothing() -> None:
    """Ask nothing again: whoever needs no token keeps none."""


@dataclass(frozen=True, slots=True)
class Call:
    """An RPC that has been let in. request_id: empty if the client gave none.

    may_go_on: to be asked by what lasts; raises Unauthenticated or PermissionDenied once its token or right is gone.
    """

    account: Account
    token: Token
    method: str
    request_id: str
    work: Workplace
    may_go_on: Callable[[], Awaitable[None]] = _nothing


def call() -> Call:
    """Return the current RPC."""
    return _CALL.get()


def caller() -> Account:
    """Return the account whose token the current RPC carries."""
    return call().account


async def in_thread(function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """Return what a function that blocks returns; it runs in one of the caller's threads."""
    return await call().work.run(caller().name, function, *args, **kwargs)


class Gate(grpc.aio.ServerInterceptor):  # type: ignore[type-arg] # generic in its stubs only
    """Lets a call in when its token is valid and its account has the right; turns every error into a status.

    authenticate: finds a token and its account by its secret or raises Unauthenticated; may block, runs in a thread.
    """

    def __init__(
        self,
        authenticate: Callable[[str], tuple[Token, Account]],
        work: Workplace,
        limits: Limits,
        figures: CallFigures,
    ) -> None:
        self._figures = figures
        self._authenticate = authenticate
        self._work = work
        self._limits = limits
        self._places = Places()
        self._rate = Rate(limits.per_s, limits.burst)

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
        if handler.response_streaming:
            return _answering_often(handler, passing)
        return _answering_once(handler, passing, method)

    @asynccontextmanager
    async def _let_in(self, method: str, context: Context) -> AsyncIterator[Callable[[], Awaitable[None]]]:
        """Let anybody in, but not everybody at once: whoever fills these places keeps out nobody with a token."""
        try:
            with self._places.one(method, self._limits.open_calls, _full(f"{method} is being called by too many")):
                yield _nothing
        except ArenaError as refusal:
            await _refuse(context, refusal)

    @asynccontextmanager
    async def _passing(self, method: str, context: Context) -> AsyncIterator[Callable[[], Awaitable[None]]]:
        began, who, verdict = time.monotonic(), "?", "CANCELLED"
        try:
            secret = bearer(context)
            token, account = await self._work.at_the_door(self._authenticate, secret)
            who = account.name
            check_right(method, account.role)
            self._rate.take(who)
            may_go_on = self._still_valid(secret, method)
            _CALL.set(Call(account, token, method, _request_id(context), self._work, may_go_on))
            with self._places.one(who, self._limits.calls, _full(f"{who} makes too many calls")):
                yield may_go_on
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
            LOG.exception("call failed", incident=incident, method=method, exc_info=fault)
            message = f"the server failed; its log knows more under incident {incident}"
            await context.abort(grpc.StatusCode.INTERNAL, message, ((REASON, "INTERNAL"),))
        finally:
            took_s = time.monotonic() - began
            LOG.info("call", method=method, account=who, verdict=verdict, ms=round(took_s * 1000))
            self._figures.call_over(method, verdict.partition(" ")[0], took_s)

    def _still_valid(self, secret: str, method: str) -> Callable[[], Awaitable[None]]:
        """Return what raises Unauthenticated once the token has been revoked or has expired; asks now and then."""
        asked_s = time.monotonic()

        async def check() -> None:
            nonlocal asked_s
            if time.monotonic() - asked_s >= AGAIN_S:
                _, account = await self._work.at_the_door(self._authenticate, secret)
                check_right(method, account.role)
                asked_s = time.monotonic()

        return check


def _answering_once(handler: Handler, passing: Passing, method: str) -> Handler:
    inner = cast(
        Callable[[Any, Context], Awaitable[Any]],
        handler.stream_unary if handler.request_streaming else handler.unary_unary,
    )

    async def guarded(requests: AsyncIterator[Any], context: Context) -> Any:
        async with passing(context):
            given = await _given(handler, requests)
            tag = untie(method, given) if isinstance(given, Message) else ""
            answer = await inner(given, context)
            tie(tag, answer)
            return answer

    return grpc.stream_unary_rpc_method_handler(guarded, _reader(handler), handler.response_serializer)


def _answering_often(handler: Handler, passing: Passing) -> Handler:
    inner = cast(Callable[[Any, Context], Any], handler.stream_stream or handler.unary_stream)

    async def guarded(requests: AsyncIterator[Any], context: Context) -> None:
        async with passing(context) as may_go_on:
            answers = inner(await _given(handler, requests), context)
            if not isinstance(answers, AsyncIterator):  # one that writes its answers itself, as the health service does
                await answers
                return
            try:
                async for answer in answers:
                    await may_go_on()
                    await context.write(answer)
            finally:
                if isinstance(answers, AsyncGenerator):
                    await answers.aclose()  # what it holds is given back now, whatever ended the call

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
        raise LimitReached(
            f"no request came for {REQUEST_S:g} s; call again", reason="REQUEST_STALLED", retry_after_s=1
        ) from None


async def _sound(requests: AsyncIterator[Any]) -> AsyncIterator[Any]:
    async for request in requests:
        if isinstance(request, _TooLarge):
            raise LimitReached(
                f"the request has {request.size} bytes, {MAX_REQUEST_BYTES} are the most; ask for less at once",
                reason="REQUEST_TOO_LARGE",
            )
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


@dataclass(frozen=True, slots=True)
class _TooLarge:
    """Stands for a message that was not read. size: in bytes."""

    size: int


def _reader(handler: Handler) -> Callable[[bytes], Any]:
    """Return a handler's deserializer, made to give the error: one that raises ends the call as the server's fault."""

    def read(raw: bytes) -> Any:
        if len(raw) > MAX_REQUEST_BYTES + _ENVELOPE_BYTES:
            return _TooLarge(len(raw))
        try:
            return cast(Callable[[bytes], Any], handler.request_deserializer)(raw)
        except DecodeError as error:
            return error

    return read


async def _refuse(context: Context, refusal: ArenaError) -> None:
    message = refusal.message
    trailing: tuple[tuple[str, str], ...] = ((REASON, refusal.code),)
    if isinstance(refusal, LimitReached) and refusal.retry_after_s:
        message = f"{message}; try again in {refusal.retry_after_s} s"
        trailing = (*trailing, (RETRY_AFTER, str(refusal.retry_after_s)))
    await context.abort(status_of(type(refusal)), _short(message), trailing)


def _full(why: str) -> LimitReached:
    return LimitReached(f"{why} at once; end some", reason="TOO_MANY_CALLS", retry_after_s=PLACE_RETRY_S)


def bearer(context: Context) -> str:
    """Return the token of a call's metadata. Raises Unauthenticated."""
    for key, value in context.invocation_metadata() or ():
        if key == "authorization":
            scheme, _, token = str(value).partition(" ")
            if scheme.lower() == "bearer" and token.strip():
                return token.strip()
            raise Unauthenticated("the authorization has to read `Bearer TOKEN`", reason="BAD_TOKEN")
    raise Unauthenticated("this server wants a token; send it as `authorization: Bearer TOKEN`", reason="NO_TOKEN")


def _request_id(context: Context) -> str:
    """Return the id of a call's metadata, "" without one. Raises UsageError (BAD_REQUEST_ID)."""
    given = [str(value) for key, value in context.invocation_metadata() or () if key == REQUEST_ID]
    if len(given) > 1:
        raise UsageError("the call carries two request ids; send one", reason="BAD_REQUEST_ID")
    return check_request_id(given[0]) if given else ""


def _short(message: str) -> str:
    line = " ".join(message.split())
    return line if len(line) <= _MESSAGE_CHARS else line[: _MESSAGE_CHARS - 1] + "…"
