"""Becomes a bot: runs its script as `python SCRIPT ARGUMENTS...` would, with what bots need imported before.

A sandbox starts it without Python's module site, which looks through what is installed beside the interpreter and runs
what it finds there: nothing that a bot may count on, and a fifth of what its start costs. PYTHONPATH names what it may.
"""

from __future__ import annotations

import builtins
import gc
import importlib
import os
import site
import sys
from collections.abc import Sequence
from types import ModuleType, TracebackType

from arena.core.protocol import GRPC_ENVIRONMENT

_WORD_BYTES = 8
"""What the kernel's counter is read by, which says the word."""


def main() -> None:
    """Become the bot whose script and arguments are this program's."""
    prepare()
    _wait()
    become(sys.argv[1:])


def _wait() -> None:
    """Return once the sandbox is told that all its limits hold, which came while the imports were made.

    Whoever starts this program elsewhere gives it nothing to read.
    """
    os.read(0, _WORD_BYTES)
    read_nothing()


def read_nothing() -> None:
    """Have nothing to read from now on; what could be read is closed."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)


def prepare(game: str = "") -> None:
    """Import the SDK, gRPC and a game, "" for none: the others cost more than a bot in all.

    Whoever starts this program has switched the garbage collector off: nothing of what is imported here is garbage.
    """
    # What the interpreter's own folders hold would be found otherwise where the bot does without them.
    site.setquit()
    os.environ.update(GRPC_ENVIRONMENT)
    for name in ("bots.sdk", "bots.sdk.client"):
        importlib.import_module(name)
    for name in GRPC_ENVIRONMENT:
        del os.environ[name]
    if game:
        from arena.core.registry import load_game  # noqa: PLC0415 - after what takes longest

        load_game(game)
    gc.freeze()
    gc.enable()


def become(command: Sequence[str]) -> None:
    """Run the script as `python SCRIPT ARGUMENTS...` would."""
    script = os.path.abspath(command[0])
    # What was here before the bot's files came is remembered otherwise.
    importlib.invalidate_caches()
    sys.argv = [*command]
    sys.path.insert(0, os.path.dirname(os.path.realpath(script)))
    bot = ModuleType("__main__")
    bot.__dict__.update(__file__=script, __builtins__=builtins, __cached__=None)
    sys.modules["__main__"] = bot
    sys.excepthook = _tell
    try:
        with open(script, "rb") as file:
            source = file.read()
    except OSError as error:
        why = f"[Errno {error.errno}] {error.strerror}"  # as the interpreter says it
        sys.stderr.write(f"{sys.executable}: can't open file '{script}': {why}\n")
        raise SystemExit(2) from None
    # Else what this module has from __future__ would hold for the bot, too.
    code = compile(source, script, "exec", dont_inherit=True)
    exec(code, bot.__dict__)  # noqa: S102 - this is what the program is for


def _tell(kind: type[BaseException], error: BaseException, at: TracebackType | None) -> None:
    """Print a traceback that begins with the bot's own code."""
    of_bot = at
    while of_bot is not None and of_bot.tb_frame.f_code is not become.__code__:
        of_bot = of_bot.tb_next
    at = at if of_bot is None else of_bot.tb_next
    sys.__excepthook__(kind, error.with_traceback(at), at)
