"""The one tree of errors; every one names the thing and the way out in a single line.

ArenaError
+-- UsageError            the caller's input is wrong: exit code 2
|   +-- UnknownName       a game, variant, bot, tournament ... that does not exist here
|   +-- BadComponents     a component file that does not fit its game
|   +-- BadClock          a clock that cannot be read
+-- GameError             something a seat did
|   +-- IllegalAction     a well-formed action that the rules forbid now
|   +-- MalformedAction   not an action at all
+-- LogError              a match log that cannot be trusted or read
+-- Refused               a request that is understood and denied
|   +-- NotFound, Conflict, Unauthenticated, PermissionDenied, LimitReached, LeaseLost
+-- Unavailable           a service or a tool that is not there (yet)

Anything else that is raised is a fault of the arena itself and is reported as such. Terminated is no error: it unwinds
a program that was told to end.
"""

from __future__ import annotations

from typing import ClassVar


class ArenaError(Exception):
    """Root of all foreseen errors.

    reason: stable UPPER_SNAKE word for programs; given per class or per raise.
    """

    reason: ClassVar[str] = "ARENA_ERROR"
    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, *, reason: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.code = reason or type(self).reason


class Terminated(SystemExit):
    """The process was told to end; whoever takes a bot's SystemExit for a crash lets this one pass."""


class UsageError(ArenaError):
    """The input is wrong; nothing was done."""

    reason = "BAD_INPUT"
    exit_code = 2


class UnknownName(UsageError):
    """A name that nothing here bears; the message lists what there is."""

    reason = "UNKNOWN_NAME"


class BadComponents(UsageError):
    """A component file does not fit its game.

    The message reads "FILE: FIELD: what is wrong".
    """

    reason = "BAD_COMPONENTS"


class BadClock(UsageError):
    """A clock notation that cannot be read."""

    reason = "BAD_CLOCK"


class GameError(ArenaError):
    """Something a seat did against the rules or the protocol."""

    reason = "GAME_ERROR"


class IllegalAction(GameError):
    """A well-formed action that is not legal in this state; the state is unchanged."""

    reason = "ILLEGAL_ACTION"


class MalformedAction(GameError):
    """Text, number or message that stands for no action of the game."""

    reason = "MALFORMED_ACTION"


class LogError(ArenaError):
    """A match log is broken, incomplete, forged or of an unknown version."""

    reason = "BAD_LOG"


class Refused(ArenaError):
    """The request is understood and denied."""

    reason = "REFUSED"


class NotFound(Refused):
    """The thing asked for does not exist, or the caller may not know that it does."""

    reason = "NOT_FOUND"


class Conflict(Refused):
    """The request contradicts what is stored or the state a thing is in."""

    reason = "CONFLICT"


class Unauthenticated(Refused):
    """No token, or one that is unknown, expired or revoked."""

    reason = "UNAUTHENTICATED"


class PermissionDenied(Refused):
    """A known caller without the right."""

    reason = "PERMISSION_DENIED"


class LimitReached(Refused):
    """A size, rate or count limit; the message says which and what to do.

    retry_after_s: seconds after which the same request may be let in; 0 where waiting changes nothing.
    """

    reason = "LIMIT_REACHED"

    def __init__(self, message: str, *, reason: str | None = None, retry_after_s: int = 0) -> None:
        super().__init__(message, reason=reason)
        self.retry_after_s = retry_after_s


class LeaseLost(Refused):
    """The worker's claim on a block has passed to somebody else."""

    reason = "LEASE_LOST"


class Unavailable(ArenaError):
    """Something the request needs is not there: a server, a tool, a sandbox layer."""

    reason = "UNAVAILABLE"
