"""Waits in a sandbox for the bot that it is to be, with all imports behind it; its argument is a game.

Over standard input, a socket that leads nowhere else, it says that it waits. The order comes there: one JSON object
{"command", "environment"}, then its end. By then the bot's files lie in the current folder. The order is acknowledged,
the socket is closed, and the program becomes the bot. Without an order it ends by itself after a while.

Exit codes beside the bot's own: 0 nobody needed it, 2 the order cannot be read.
"""

from __future__ import annotations

import json
import os
import select
import socket
import sys
from typing import Final

from bots.sdk.starting import become, prepare, read_nothing

PATIENCE_S: Final = 600.0
"""How long nobody may want it. So sandboxes that are forgotten do not stay."""
WAITS: Final = b"."
TAKEN: Final = b"+"


def main() -> None:
    """Import what bots need, wait, become the bot."""
    prepare(sys.argv[1])
    command, environment = _order()
    os.environ.update(environment)
    become(command)


def _order() -> tuple[list[str], dict[str, str]]:
    """Return the command, without "python", and what is added to the environment; the socket is gone afterwards."""
    with socket.socket(fileno=os.dup(0)) as arena:
        read_nothing()
        arena.sendall(WAITS)
        if not select.select([arena], [], [], PATIENCE_S)[0]:
            raise SystemExit(0)
        with arena.makefile("rb") as stream:
            text = stream.read()
        if not text:
            raise SystemExit(0)
        try:
            order = json.loads(text)
            command, environment = [*map(str, order["command"])], {**order["environment"]}
        except (ValueError, TypeError, KeyError):
            raise SystemExit(2) from None
        arena.sendall(TAKEN)
    return command, environment
