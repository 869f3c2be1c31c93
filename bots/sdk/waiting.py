"""Waits in a sandbox for the bot that it is to be, with all imports behind it: `python -m bots.sdk.waiting GAME`.

Over standard input, a socket that leads nowhere else, it says that it waits. The order comes there: one JSON object
{"command", "environment"}, then its end. By then the bot's files lie in the current folder. The order is acknowledged,
the socket is closed, and the program becomes the bot. Without an order it ends by itself after a while.

Exit codes beside the bot's own: 0 nobody needed it, 2 the order cannot be read.
"""

from __future__ import annotations

import importlib
import json
import os
import runpy
import select
import socket
import sys
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Final

from arena.core.protocol import GRPC_ENVIRONMENT

PATIENCE_S: Final = 600.0
"""How long nobody may want it. So sandboxes that are forgotten do not stay."""
WAITS: Final = b"."
TAKEN: Final = b"+"


def main() -> None:
    """Import what bots need, wait, become the bot."""
    _import_all(sys.argv[1])
    command, environment = _order()
    os.environ.update(environment)
    _become(command)


def _import_all(game: str) -> None:
    """Import the SDK, gRPC and a game, "" for none: the others cost more than a bot in all."""
    os.environ.update(GRPC_ENVIRONMENT)
    for name in ("grpc", "bots.sdk", "bots.sdk.client"):
        importlib.import_module(name)
    for name in GRPC_ENVIRONMENT:
        del os.environ[name]
    from arena.core.registry import load_game  # noqa: PLC0415 - after what takes longest

    if game:
        load_game(game)


def _order() -> tuple[list[str], dict[str, str]]:
    """Return the command, without "python", and what is added to the environment; the socket is gone afterwards."""
    with socket.socket(fileno=os.dup(0)) as arena:
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
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


def _become(command: list[str]) -> None:
    """Run the script as `python SCRIPT ARGUMENTS...` would."""
    script = Path(command[0]).absolute()
    # What was here before the bot's files came is remembered otherwise.
    importlib.invalidate_caches()
    sys.argv = command
    sys.path[0] = str(script.parent)
    bot = ModuleType("__main__")
    bot.__dict__.update(__file__=str(script), __builtins__=__builtins__, __cached__=None)
    sys.modules["__main__"] = bot
    sys.excepthook = _tell
    try:
        source = script.read_bytes()
    except OSError as error:
        why = f"[Errno {error.errno}] {error.strerror}"  # as the interpreter says it
        sys.stderr.write(f"{sys.executable}: can't open file '{script}': {why}\n")
        raise SystemExit(2) from None
    exec(compile(source, str(script), "exec"), bot.__dict__)  # noqa: S102 - this is what it waited for


def _tell(kind: type[BaseException], error: BaseException, at: TracebackType | None) -> None:
    """Print a traceback that begins with the bot's own code."""
    while at is not None and at.tb_frame.f_code.co_filename in {__file__, runpy.__file__, "<frozen runpy>"}:
        at = at.tb_next
    sys.__excepthook__(kind, error.with_traceback(at), at)


if __name__ == "__main__":
    main()
