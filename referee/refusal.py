"""Why a call is refused: the one table of reasons and their gRPC codes, and how a refusal is put on the wire."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import grpc

from arena.core.errors import ArenaError, Conflict, LimitReached, NotFound, UsageError
from arena.core.protocol import REASON_KEY

_CODES: Final[dict[str, grpc.StatusCode]] = {
    # A bot's stream
    "BAD_HELLO": grpc.StatusCode.INVALID_ARGUMENT,
    "HELLO_TIMEOUT": grpc.StatusCode.DEADLINE_EXCEEDED,
    "UNKNOWN_TICKET": grpc.StatusCode.UNAUTHENTICATED,
    "PROTOCOL_VERSION": grpc.StatusCode.FAILED_PRECONDITION,
    "SDK_TOO_OLD": grpc.StatusCode.FAILED_PRECONDITION,
    "NEWER_STREAM": grpc.StatusCode.ABORTED,
    "NOT_READING": grpc.StatusCode.RESOURCE_EXHAUSTED,
    "SEAT_OUT": grpc.StatusCode.FAILED_PRECONDITION,
    "MATCH_STOPPED": grpc.StatusCode.CANCELLED,
    # A worker's call
    "MATCH_EXISTS": grpc.StatusCode.ALREADY_EXISTS,
    "UNKNOWN_MATCH": grpc.StatusCode.NOT_FOUND,
    "UNKNOWN_SEAT": grpc.StatusCode.NOT_FOUND,
    "REFEREE_FAULT": grpc.StatusCode.INTERNAL,
}

_CODES_OF_ERRORS: Final[tuple[tuple[type[ArenaError], grpc.StatusCode], ...]] = (
    (UsageError, grpc.StatusCode.INVALID_ARGUMENT),
    (NotFound, grpc.StatusCode.NOT_FOUND),
    (Conflict, grpc.StatusCode.FAILED_PRECONDITION),
    (LimitReached, grpc.StatusCode.RESOURCE_EXHAUSTED),
)


@dataclass(frozen=True, slots=True)
class Refusal:
    """A refusal: a stable UPPER_SNAKE reason and one line for a person."""

    reason: str
    message: str
    code: grpc.StatusCode

    @classmethod
    def of(cls, reason: str, message: str) -> Refusal:
        """Return the refusal with the code that belongs to this reason."""
        return cls(reason, message, _CODES[reason])

    @classmethod
    def of_error(cls, error: ArenaError) -> Refusal:
        """Return the refusal that tells of an error."""
        code = _CODES.get(error.code)
        if code is None:
            code = next((code for kind, code in _CODES_OF_ERRORS if isinstance(error, kind)), grpc.StatusCode.INTERNAL)
        return cls(error.code, error.message, code)

    def put_on(self, context: grpc.aio.ServicerContext[Any, Any]) -> None:
        """Make the call end with this refusal when its handler returns.

        Not `context.abort`: it raises, and an aborted stream keeps its handler's frames alive in grpcio.
        """
        context.set_trailing_metadata(((REASON_KEY, self.reason),))
        context.set_code(self.code)
        context.set_details(f"{self.reason}: {self.message}")
