"""The entry point of a bot program: plays the match that the environment names.

Exit codes: 0 the match is over; 1 the bot raised an exception (its traceback is on stderr); 2 the environment does not
name a match; 3 the referee refused the bot, the reason is on stderr; 4 the referee could not be reached or is gone.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, NoReturn

from arena.core.errors import Refused, Unavailable
from arena.core.protocol import set_for_grpc
from bots.sdk.bot import Bot

ADDRESS_VARIABLE: Final = "WHITEOUT_ADDRESS"
TICKET_VARIABLE: Final = "WHITEOUT_TICKET"

EXIT_USAGE: Final = 2
EXIT_REFUSED: Final = 3
EXIT_LOST: Final = 4


_collected: ContextVar[list[type[Bot]] | None] = ContextVar("_collected", default=None)


@contextmanager
def collected_runs() -> Iterator[list[type[Bot]]]:
    """Let run() only note its class while a bot's program is loaded into this very process."""
    classes: list[type[Bot]] = []
    token = _collected.set(classes)
    try:
        yield classes
    finally:
        _collected.reset(token)


def run(bot_class: type[Bot]) -> None:
    """Play one match and return when it is over; otherwise end the program with an exit code named above.

    The environment variable WHITEOUT_ADDRESS is the gRPC target of the referee, WHITEOUT_TICKET opens the seat.
    """
    classes = _collected.get()
    if classes is not None:
        classes.append(bot_class)
        return
    address, ticket = os.environ.get(ADDRESS_VARIABLE, ""), os.environ.get(TICKET_VARIABLE, "")
    if not address or not ticket:
        _quit(
            EXIT_USAGE,
            f"{ADDRESS_VARIABLE} and {TICKET_VARIABLE} are not set; bots are started by the arena: "
            "`arena play GAME FOLDER OPPONENT` plays this one",
        )
    set_for_grpc()
    from bots.sdk.client import play  # noqa: PLC0415 - gRPC costs 50-150 ms, bots in the same process do without it

    try:
        play(bot_class, address, ticket)
    except Refused as error:
        _quit(EXIT_REFUSED, f"{error.code}: {error.message}")
    except Unavailable as error:
        _quit(EXIT_LOST, f"{error.code}: {error.message}")


def _quit(code: int, message: str) -> NoReturn:
    print(f"error: {message}", file=sys.stderr)
    raise SystemExit(code)
