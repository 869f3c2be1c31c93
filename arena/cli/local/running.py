"""An arena of our own for as long as a command needs it: `arena up` as a child, stopped whatever happens."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Final

from arena.core.errors import Unavailable

STOP_S: Final = 20.0
_PROGRAM: Final = "from arena.cli.main import main; main()"


@contextmanager
def running_arena(data: Path, options: Sequence[str] = ()) -> Iterator[None]:
    """Run `arena up` on the data folder and a free port while the block runs.

    Raises Unavailable with its last words if it does not come up. It is on a leash: it also ends when this process
    is killed.
    """
    command = [sys.executable, "-c", _PROGRAM, "up", "--data", str(data), "--grpc", "127.0.0.1:0", "--web", "none"]
    with tempfile.TemporaryFile() as said:
        # Its own session: Ctrl-C in a terminal reaches this process, which stops the arena in order.
        arena = subprocess.Popen(
            [*command, "--exit-with-parent", *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=said,
            start_new_session=True,
        )
        try:
            if arena.stdout is None or not arena.stdout.readline():
                arena.wait()
                raise Unavailable(_last_words(said), reason="CANNOT_START")
            yield
        finally:
            _stop(arena)


def _stop(arena: subprocess.Popen[bytes]) -> None:
    arena.terminate()
    try:
        arena.wait(STOP_S)
    except subprocess.TimeoutExpired:
        arena.kill()  # its children are on a leash, too
        arena.wait()
    finally:
        for pipe in (arena.stdin, arena.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()


def _last_words(said: IO[bytes]) -> str:
    said.seek(0)
    lines = said.read().decode(errors="replace").strip().splitlines()
    return lines[-1].removeprefix("error: ") if lines else "the arena did not start and said nothing"
