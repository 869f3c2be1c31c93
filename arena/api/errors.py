"""The one table between the arena's errors and gRPC status codes, read by the server and by its Python client."""

from __future__ import annotations

from typing import Final

import grpc

from arena.core.errors import (
    ArenaError,
    Conflict,
    GameError,
    LeaseLost,
    LimitReached,
    LogError,
    NotFound,
    PermissionDenied,
    Refused,
    Unauthenticated,
    Unavailable,
    UsageError,
)

REASON: Final = "reason"
"""Trailing metadata of every refusal: the error's stable UPPER_SNAKE word."""

RETRY_AFTER: Final = "retry-after"
"""Trailing metadata of a refusal that waiting may change: after how many seconds to try again."""

REQUEST_ID: Final = "request-id"
"""Metadata by which a client may repeat a call that changes something, see arena.api.repeating."""

STATUS: Final[dict[type[ArenaError], grpc.StatusCode]] = {
    UsageError: grpc.StatusCode.INVALID_ARGUMENT,
    GameError: grpc.StatusCode.INVALID_ARGUMENT,
    LogError: grpc.StatusCode.DATA_LOSS,
    NotFound: grpc.StatusCode.NOT_FOUND,
    Conflict: grpc.StatusCode.FAILED_PRECONDITION,
    Unauthenticated: grpc.StatusCode.UNAUTHENTICATED,
    PermissionDenied: grpc.StatusCode.PERMISSION_DENIED,
    LimitReached: grpc.StatusCode.RESOURCE_EXHAUSTED,
    LeaseLost: grpc.StatusCode.ABORTED,
    Refused: grpc.StatusCode.FAILED_PRECONDITION,
    Unavailable: grpc.StatusCode.UNAVAILABLE,
    ArenaError: grpc.StatusCode.UNKNOWN,
}
"""A class that does not stand here has its parent's code; of two with one code, a client raises the upper one."""


def status_of(kind: type[ArenaError]) -> grpc.StatusCode:
    """Return the status code of an error class: its own, or that of its nearest parent in the table."""
    return next(STATUS[parent] for parent in kind.__mro__ if parent in STATUS)


def kind_of(status: grpc.StatusCode) -> type[ArenaError]:
    """Return the error class that a client raises for a status code; ArenaError for what the table does not hold."""
    return next((kind for kind, code in STATUS.items() if code is status), ArenaError)
