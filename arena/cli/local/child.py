"""One process of the arena: started, awaited, started again when it fails, stopped."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Final

from arena.core.errors import Unavailable
from arena.hosting.readable import PipeReader, becomes_readable, process_descriptor

READY_S: Final = 60.0
STOP_S: Final = 10.0
FIRST_BACKOFF_S: Final = 0.5
LONGEST_BACKOFF_S: Final = 10.0
_ERROR: Final = "error: "
SOUND_S: Final = 30.0
"""A process that ran for so long has its earlier failures forgotten."""


@dataclass(frozen=True, slots=True)
class Program:
    """How a process is started; its output and errors go to the log.

    ready: returns once the process serves; None if a running one is a serving one. Standard input is a pipe that ends
    with this process: the programs of the arena watch it and end, too. stop_s: how long it may take to end by itself.
    """

    name: str
    command: Sequence[str]
    log: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    ready: Callable[[Child], Awaitable[None]] | None = None
    stop_s: float = STOP_S


class Child:
    """A process that is kept running; belongs to an event loop."""

    def __init__(self, program: Program, say: Callable[[str], None]) -> None:
        self.program = program
        self._say = say
        self._run: _Run | None = None
        self._keeper: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Start the process and return once it serves. Raises Unavailable with its last words if it does not."""
        await self._start()
        self._keeper = asyncio.ensure_future(self._keep())

    async def first_line(self) -> str:
        """Return the first line the running process prints."""
        if self._run is None:
            raise Unavailable(f"{self.program.name} does not run")
        return await asyncio.shield(self._run.first_line)

    async def stop(self) -> None:
        """End the process and do not start it again; it has stop_s seconds to end by itself."""
        if self._keeper is not None:
            self._keeper.cancel()
            await asyncio.wait((self._keeper,))
        if self._run is not None and not await self._run.stop():
            self._say(f"{self.program.name} did not stop and was killed")

    async def _start(self) -> None:
        run = self._run = _Run(self.program)
        if self.program.ready is None:
            return
        ready = asyncio.ensure_future(self.program.ready(self))
        ended = asyncio.ensure_future(run.ended())
        try:
            await asyncio.wait((ready, ended), timeout=READY_S, return_when=asyncio.FIRST_COMPLETED)
            if not ready.done():
                why = run.last_words() if ended.done() else f"it is not ready after {READY_S:.0f} s"
                raise Unavailable(f"{self.program.name} does not start: {why}", reason="CANNOT_START")
            await ready
        finally:
            for task in (ready, ended):
                task.cancel()
            await asyncio.wait((ready, ended))

    async def _keep(self) -> None:
        """Start the process again whenever it ends, after a pause that grows while it keeps failing."""
        loop = asyncio.get_running_loop()
        backoff_s = FIRST_BACKOFF_S
        while self._run is not None:
            since = loop.time()
            await self._run.ended()
            self._say(f"{self.program.name} {self._run.end()}; it is started again, see {self.program.log}")
            await self._run.stop()
            if loop.time() - since > SOUND_S:
                backoff_s = FIRST_BACKOFF_S
            await asyncio.sleep(backoff_s)
            backoff_s = min(2 * backoff_s, LONGEST_BACKOFF_S)
            try:
                await self._start()
            except (Unavailable, OSError) as error:
                self._say(f"{self.program.name} is tried again: {error}")
            except Exception as fault:  # noqa: BLE001 - whatever it is, a program is not left lying
                self._say(f"{self.program.name} is tried again: {fault!r}")


class _Run:
    """One life of a process."""

    def __init__(self, program: Program) -> None:
        self._log = program.log
        self._stop_s = program.stop_s
        self._begin = program.log.stat().st_size if program.log.exists() else 0
        self._pending = b""
        self.first_line: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        with program.log.open("ab") as log:
            self._process, output = _popen(program, log)
        self._reader = PipeReader(os.dup(output.fileno()), self._hear, lambda: False)
        output.close()

    def _hear(self, chunk: bytes) -> None:
        with contextlib.suppress(OSError), self._log.open("ab") as log:  # a full disk must not stop what else is heard
            log.write(chunk)
        if not self.first_line.done():
            self._pending += chunk
            line, end, _ = self._pending.partition(b"\n")
            if end:
                self.first_line.set_result(line.decode(errors="replace"))

    async def ended(self) -> None:
        """Return once the process has ended."""
        if self._process.poll() is None:
            with process_descriptor(self._process.pid) as descriptor:
                await becomes_readable(descriptor)

    def end(self) -> str:
        """Return how the process ended; what it wrote last is a reason only where it calls that an error."""
        status = self._process.poll()
        if status is not None and status < 0:
            return f"was killed by {signal.Signals(-status).name}"
        said = self._last_line()
        how = f"ended with exit status {status}"
        return f"{how}: {said.removeprefix(_ERROR)}" if said.startswith(_ERROR) else how

    def last_words(self) -> str:
        """Return the last line that a process wrote which did not start, without "error: "."""
        return self._last_line().removeprefix(_ERROR) or f"exit status {self._process.poll()}"

    def _last_line(self) -> str:
        with self._log.open("rb") as log:
            log.seek(self._begin)
            lines = log.read().decode(errors="replace").split("\n")
        return next((line.strip() for line in reversed(lines) if line.strip()), "")

    async def stop(self) -> bool:
        """End the process, by force after stop_s seconds; return whether that was not needed."""
        gently = True
        with self._process as process:
            if process.poll() is None:
                process.terminate()
                try:
                    async with asyncio.timeout(self._stop_s):
                        await self.ended()
                except TimeoutError:
                    gently = False
                    process.kill()
        self._reader.close()
        return gently


def _popen(program: Program, log: IO[bytes]) -> tuple[subprocess.Popen[bytes], IO[bytes]]:
    # A session of its own keeps Ctrl-C in a terminal from reaching it: it is stopped in its turn.
    try:
        process = subprocess.Popen(
            list(program.command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log,
            env={**os.environ, **program.environment}, start_new_session=True,
        )  # fmt: skip
    except OSError as error:
        raise Unavailable(f"cannot start {program.name}: {error.strerror}", reason="CANNOT_START") from None
    if process.stdout is None:
        raise RuntimeError("a pipe was asked for")
    return process, process.stdout
