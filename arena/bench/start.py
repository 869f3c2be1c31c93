"""How long a hosted Python bot takes until it stands at its door: cold, from a waiting sandbox, and outside of any.

All kinds of start take turns in one run; a figure is the lower quartile. What is timed ends when the bot's program has
connected to its door, which here is a plain socket: everything of a start is in it, nothing of a match. Outside of a
sandbox the very program runs that a sandbox runs: what a cold start takes more is the sandbox's.
"""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Final

from arena.bench.measuring import quantile
from arena.core.errors import Unavailable
from arena.hosting.kernel_files import tree_of
from arena.hosting.launch import BotProcess, launch
from arena.hosting.pool import WarmPool
from arena.hosting.programs import interpreter
from arena.hosting.readable import becomes_readable
from arena.hosting.sandbox import BotProgram, bot_command, bot_environment, script_command
from arena.hosting.temporary import owned_folder, quick_place

ROUNDS: Final = 20
KINDS: Final = 4
_PATIENCE_S: Final = 60.0
_CPU_OF_PROCESS: Final = 2
"""What makes a clock of a process's number, as clock_getcpuclockid does: the scheduler's count of its threads' time."""
_BOT: Final = Path(str(files("bots").joinpath("builtin", "random")))


@dataclass(frozen=True, slots=True)
class Start:
    """One way to start, in milliseconds: by the clock until the bot has connected, and all CPU until then.

    cpu: of the bot and of this process, which starts it; of a warm start with what was done before it was needed.
    """

    wall: float
    cpu: float


@dataclass(frozen=True, slots=True)
class Parts:
    """Where the CPU of a cold start goes, in milliseconds.

    worker: of the process that starts it. makers: of setpriv and bubblewrap, and what waits in the sandbox for its end.
    program: of the bot's own process, that bubblewrap had before it included.
    """

    worker: float
    makers: float
    program: float


@dataclass(frozen=True, slots=True)
class StartFigures:
    """imports: a bare Python that imports gRPC. bare: the bot outside of any sandbox. cold, warm: hosted.

    parts: of the cold start, each a quartile of its own, so that they add up to its CPU nearly.
    """

    imports: Start
    bare: Start
    cold: Start
    warm: Start
    parts: Parts

    @property
    def sandbox_share(self) -> Start:
        """The part of a cold start that the sandbox adds, by the clock and of its CPU, from 0 to 1.

        By the clock it is what other programs on the machine make of it, too.
        """
        return Start(
            max(0.0, 1 - self.bare.wall / self.cold.wall),
            max(0.0, 1 - self.bare.cpu / self.cold.cpu),
        )


async def measure_starts(rounds: int, advance: Callable[[], None]) -> StartFigures:
    """Start so many bots in each way, by turns; advance is called after each. Raises Unavailable without a sandbox."""
    found: dict[str, list[_Measured]] = {}
    async with AsyncExitStack() as stack:
        folder = stack.enter_context(owned_folder("whiteout-bench-", quick_place))
        pool = await stack.enter_async_context(WarmPool())
        door = stack.enter_context(_listening(folder / "door"))
        program = BotProgram(_BOT, ("python", "bot.py"), folder / "door", {"WHITEOUT_TICKET": "none"})
        for number in range(-1 if rounds > 1 else 0, rounds):  # the first one warms up
            for name, measure in (
                ("imports", _imports),
                ("bare", lambda: _bare(program, door)),
                ("cold", lambda: _hosted(launch, program, door)),
                ("warm", lambda: _warm(pool, program, door)),
            ):
                start = await measure()
                if number >= 0:
                    found.setdefault(name, []).append(start)
                advance()
    typical = {
        name: Start(quantile([one.wall for one in all_of]), quantile([one.cpu for one in all_of]))
        for name, all_of in found.items()
    }
    cold = found["cold"]
    parts = Parts(
        worker=quantile([one.starter for one in cold]),
        makers=quantile([sum(one.processes[:-1]) for one in cold]),
        program=quantile([one.processes[-1] for one in cold]),
    )
    return StartFigures(typical["imports"], typical["bare"], typical["cold"], typical["warm"], parts)


@dataclass(frozen=True, slots=True)
class _Measured:
    """One start, in milliseconds.

    starter: CPU of this process. processes: of each that came of it, the bot's own the last.
    """

    wall: float
    starter: float
    processes: tuple[float, ...]

    @property
    def cpu(self) -> float:
        return self.starter + sum(self.processes)


async def _imports() -> _Measured:
    begin = time.perf_counter()
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", "import grpc, time; print(time.process_time())", stdout=subprocess.PIPE
    )
    told, _ = await process.communicate()
    return _Measured(1000 * (time.perf_counter() - begin), 0.0, (1000 * float(told),))


async def _bare(program: BotProgram, door: socket.socket) -> _Measured:
    """Start the bot's program as a child of this process."""
    path = [Path(entry) for entry in sys.path if entry]
    environment = bot_environment(program, path, Path("/nonexistent"), f"unix:{program.socket}")
    words = bot_command(script_command(program.command), interpreter())
    begin, own = time.perf_counter(), time.process_time()
    process = await asyncio.create_subprocess_exec(
        *words, env=environment, cwd=program.folder, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    await _knock(door)
    start = _start_of(process.pid, begin, own)
    process.kill()
    await process.wait()
    _clear(door)
    return start


async def _hosted(
    start: Callable[[BotProgram], Awaitable[BotProcess]], program: BotProgram, door: socket.socket
) -> _Measured:
    begin, own = time.perf_counter(), time.process_time()
    bot = await start(program)
    await _knock(door)
    found = _start_of(bot.pid, begin, own)
    await bot.kill()
    _clear(door)
    return found


def _start_of(pid: int, begin: float, own: float) -> _Measured:
    """Return a start that is over now; begin, own: the clocks of the wall and of this process before it, in seconds."""
    wall, spent = time.perf_counter() - begin, time.process_time() - own  # before counting, which costs some, too
    return _Measured(1000 * wall, 1000 * spent, _cpu_ms(pid))


async def _warm(pool: WarmPool, program: BotProgram, door: socket.socket) -> _Measured:
    await pool.aim(1, "first-snow")
    await pool.settled()
    before = pool.warm_starts
    start = await _hosted(pool.start, program, door)
    if pool.warm_starts == before:
        raise Unavailable("a waiting sandbox did not become the bot", reason="BENCH_FAILED")
    return start


async def _knock(door: socket.socket) -> None:
    """Return once somebody has connected. Raises Unavailable."""
    try:
        async with asyncio.timeout(_PATIENCE_S):
            await becomes_readable(door.fileno())
    except TimeoutError:
        raise Unavailable("a bot did not come to its door", reason="BENCH_FAILED") from None
    _clear(door)


def _clear(door: socket.socket) -> None:
    """Turn away who stands at the door: a bot that was turned away knocks again."""
    while True:
        try:
            door.accept()[0].close()
        except BlockingIOError:
            return


@contextmanager
def _listening(path: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(str(path))
        path.chmod(0o666)
        door.listen()
        door.settimeout(0)
        yield door


def _cpu_ms(pid: int) -> tuple[float, ...]:
    """Return the CPU of a process and of all that came of it, by the kernel's exact clocks: nothing of a start ends."""
    return tuple(1000 * time.clock_gettime(~each << 3 | _CPU_OF_PROCESS) for each in tree_of(pid))
