"""What every RPC passes through: the token, the right, and the translation of errors."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import Any, Final, TypeAlias, cast

import grpc

from arena.api.errors import REASON, status_of
from arena.api.rights import OPEN, check_right
from arena.core.errors import ArenaError, Unauthenticated
from arena.store.records import Account

LOG: Final = logging.getLogger("arena.api")
_MESSAGE_CHARS: Final = 1000
_CALLER: Final[ContextVar[Account]] = ContextVar("caller")

Context: TypeAlias = "grpc.aio.ServicerContext[Any, Any]"
Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"


def caller() -> Account:
    """Return the account whose token the current RPC carries."""
    return _CALLER.get()


class Gate(grpc.aio.ServerInterceptor):  # type: ignore[type-arg] # generic in its stubs only
    """Lets a call in when its token is valid and its account has the right; turns every error into a status.

    authenticate: finds the account of a token's secret or raises Unauthenticated; may block, runs in a thread.
    """

    def __init__(self, authenticate: Callable[[str], Account]) -> None:
        self._authenticate = authenticate

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Handler]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Handler:
        """Wrap the handler of the method that is called."""
        handler: Handler | None = await continuation(handler_call_details)  # None: no such method
        method = handler_call_details.method
        if handler is None or method in OPEN:
            return cast(Handler, handler)
        return self._guard_stream(method, handler) if handler.response_streaming else self._guard(method, handler)

    def _guard(self, method: str, handler: Handler) -> Handler:
        inner = cast(
            Callable[[Any, Context], Awaitable[Any]],
            handler.stream_unary if handler.request_streaming else handler.unary_unary,
        )

        async def guarded(request: Any, context: Context) -> Any:
            async with self._passing(method, context):
                return await inner(request, context)

        make = (
            grpc.stream_unary_rpc_method_handler if handler.request_streaming else grpc.unary_unary_rpc_method_handler
        )
        return make(guarded, handler.request_deserializer, handler.response_serializer)

    def _guard_stream(self, method: str, handler: Handler) -> Handler:
        inner = cast(Callable[[Any, Context], AsyncIterator[Any]], handler.unary_stream)

        async def guarded(request: Any, context: Context) -> AsyncIterator[Any]:
            async with self._passing(method, context):
                async for answer in inner(request, context):
                    yield answer

        make = cast(Any, grpc.unary_stream_rpc_method_handler)  # its stub knows synchronous handlers only
        return cast(Handler, make(guarded, handler.request_deserializer, handler.response_serializer))

    @asynccontextmanager
    async def _passing(self, method: str, context: Context) -> AsyncIterator[None]:
        began, who, verdict = time.monotonic(), "?", "CANCELLED"
        try:
            account = await asyncio.to_thread(self._authenticate, _bearer(context))
            who = account.name
            check_right(method, account.role)
            _CALLER.set(account)
            yield
            verdict = "OK"
        except ArenaError as refusal:
            verdict = refusal.code
            await context.abort(status_of(type(refusal)), _short(refusal.message), ((REASON, refusal.code),))
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
