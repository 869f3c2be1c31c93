"""Starts one bot as a process tree of its own, listens to what it prints and ends the whole tree."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, TypeAlias

from arena.core.errors import Unavailable
from arena.hosting.capture import CappedOutput
from arena.hosting.cgroups import ControlGroups
from arena.hosting.fence import BrakeAt, Fence, Gate, word
from arena.hosting.holder import holder
from arena.hosting.mounts import standard_view
from arena.hosting.readable import PipeReader, becomes_readable, process_descriptor
from arena.hosting.sandbox import (
    BotProgram,
    Descriptors,
    SeatPlaces,
    bot_command,
    bot_environment,
    is_script,
    sandbox_command,
    sandbox_environment,
)
from arena.hosting.seats import Seat
from arena.hosting.seccomp import filter_descriptor
from arena.hosting.temporary import owned_folder
from arena.hosting.tree import KeptTree, NamespaceTree, Tree
from arena.hosting.uids import UidLease, running_as_root

START_S: Final = 10.0
"""How long bubblewrap may take until it names the first process of the sandbox."""
END_S: Final = 5.0
"""How long the kernel may take to end a killed tree."""

_HOME_PREFIX: Final = "whiteout-bot-"
_KEEPER: Final = Path(__file__).with_name("keeper.py")


Popen: TypeAlias = Callable[..., subprocess.Popen[bytes]]
"""Starts a program as subprocess.Popen does."""


@dataclass(frozen=True, slots=True)
class _Given:
    """The descriptors that a program prints to and reads from."""

    output: int
    stdin: int = subprocess.DEVNULL


class BotProcess:
    """A running bot. Belongs to the event loop it was started in; ended by wait() or kill(), always by one of them."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        tree: Tree,
        fence: Fence | None,
        output_fd: int,
        releases: ExitStack,
        *,
        listen: Callable[[bytes], None] | None = None,
    ) -> None:
        self._process = process
        self._tree = tree
        self._fence = fence
        self._output = CappedOutput()
        self._listen = listen
        self._reader = PipeReader(output_fd, self._hear, lambda: listen is None and self._output.truncated)
        self._releases = releases
        self._killed = False
        self._end = asyncio.ensure_future(self._live())
        self._end.add_done_callback(_see)

    @property
    def output(self) -> CappedOutput:
        """What the bot printed so far, standard output and errors together."""
        return self._output

    def _hear(self, chunk: bytes) -> None:
        self._output.feed(chunk)
        if self._listen is not None:
            self._listen(chunk)

    @property
    def known_brake(self) -> BrakeAt | None:
        """How the bot can be stopped, None if that is not known yet, or it runs unprotected."""
        return None if self._fence is None else self._fence.brake

    async def brake(self) -> BrakeAt | None:
        """Return how the bot can be stopped while it is not to move; None if it runs unprotected or has ended."""
        if self._fence is None:
            return None
        await asyncio.wait((self._end, self._tree.known), return_when=asyncio.FIRST_COMPLETED)
        return self._fence.brake

    @property
    def pid(self) -> int:
        """The process that everything else of the bot comes from; it has ended, perhaps."""
        return self._process.pid

    def when_ended(self, callback: Callable[[], object]) -> None:
        """Call back once the bot and everything it started are gone, however that came."""
        self._end.add_done_callback(lambda _: callback())

    def wake(self) -> None:
        """Have a sandbox that waited watched like any other, before it becomes a bot."""
        if self._fence is not None:
            self._fence.wake()

    @property
    def ended(self) -> bool:
        """Whether the bot and everything it started are gone."""
        return self._end.done()

    @property
    def end(self) -> asyncio.Future[int]:
        """What is done once they are; for waiting with others only, see wait()."""
        return self._end

    async def wait(self) -> int:
        """Return the exit status, negative for a signal, once the whole tree is gone.

        Raises Unavailable if the sandbox, not the bot, failed.
        """
        return await asyncio.shield(self._end)

    async def kill(self) -> None:
        """End the bot and everything it started; harmless when they are gone.

        Raises Unavailable if they do not end.
        """
        self._killed = True
        if not self._end.done():
            await asyncio.wait((self._end, self._tree.known), timeout=START_S, return_when=asyncio.FIRST_COMPLETED)
            self._tree.kill()
            if not self._tree.known.done():
                self._process.kill()
            await asyncio.wait((self._end,), timeout=2 * END_S)
        if not self._end.done():
            raise Unavailable(f"process {self._process.pid} and its children do not end", reason="STUCK_PROCESS")

    async def _live(self) -> int:
        try:
            with process_descriptor(self._process.pid) as ended:
                await becomes_readable(ended)
            status = self._process.wait()
            self._tree.kill()
            await self._tree.gone(END_S)
            await self._reader.at_end(END_S)
            verdict = self._fence.verdict() if self._fence is not None else ""
            if verdict:
                self._output.feed(f"\n[arena: ended, because {verdict}]\n".encode())
            return self._tree.exit_status(status, killed=self._killed or bool(verdict), output=self._output.text)
        finally:
            self._tree.kill()
            if self._process.returncode is None:
                self._process.kill()
                self._process.wait()
            self._reader.close()
            self._releases.close()


def _see(end: asyncio.Future[int]) -> None:
    """Whoever waits for a program is told of a fault, and nobody has to wait."""
    if not end.cancelled():
        end.exception()


async def launch(
    program: BotProgram,
    *,
    sandboxed: bool = True,
    groups: ControlGroups | None = None,
    listen: Callable[[bytes], None] | None = None,
    stdin: int = subprocess.DEVNULL,
    seat: Seat | None = None,
) -> BotProcess:
    """Start a bot and return at once.

    Where this is not root the calling thread must outlive the bot: the kernel ends a sandbox together with the thread
    that started it, and root's are started by one that lives as long as this process.
    sandboxed: False only where the operator said so, or for its own author. groups: the control groups to use, None for
    those of this machine. listen: is told all that the bot prints, which then is read as fast as it comes.
    stdin: a descriptor for the standard input of a sandboxed program that is no script; others have none. seat: the one
    in which the program's folders lie, empty, for a sandbox that waits for what comes into them, with a program of the
    arena; None for a bot that is known.
    Raises Unavailable if a tool of the sandbox is missing.
    """
    with ExitStack() as releases:
        output_read, output_write = os.pipe()
        cleanup = ExitStack()
        cleanup.callback(os.close, output_write)
        with cleanup:
            try:
                fence: Fence | None = None
                if sandboxed:
                    given = _Given(output_write, stdin)
                    process, tree, fence = _start_sandboxed(
                        program, groups or ControlGroups.found(), seat, given, releases
                    )
                else:
                    process, tree = _start_unsafe(program, output_write, releases)
            except BaseException:
                os.close(output_read)
                raise
        return BotProcess(process, tree, fence, output_read, releases.pop_all(), listen=listen)


def _start_sandboxed(
    program: BotProgram, groups: ControlGroups, seat: Seat | None, given: _Given, releases: ExitStack
) -> tuple[subprocess.Popen[bytes], Tree, Fence]:
    uid: int | None = None
    seats: SeatPlaces | None = None
    popen: Popen = subprocess.Popen
    if not running_as_root():
        view = standard_view()
    else:
        lease = UidLease.take()
        releases.callback(lease.release)
        uid, ground = lease.uid, holder()
        view, seats, popen = ground.view, ground.seats, ground.popen
        if seat is None:
            program = _seated(program, seats, uid, releases)
        elif seat.lies_in(seats):
            seat.give(uid)
        else:
            raise Unavailable("the sandbox cannot be made here: its seat has been cleared away", reason="NO_SANDBOX")
    with ExitStack() as handed_over:
        block_read, go = word()
        handed_over.callback(os.close, block_read)
        gate = Gate.START if is_script(program.command) else Gate.ORDER if seat is not None else Gate.SANDBOX
        fence = Fence(program.limits, groups, go, uid=uid, gate=gate)
        releases.callback(fence.open)
        filter_read = handed_over.enter_context(filter_descriptor(shared_memory=fence.counts_memory))
        status_read, status_write = os.pipe()
        handed_over.callback(os.close, status_write)
        try:
            handed = Descriptors(status_write, block_read, filter_read)
            command = sandbox_command(program, view, uid=uid, handed=handed, zero=fence.counts_memory, seats=seats)
            keep = (status_write, block_read, filter_read)
            given = given if fence.begins is None else replace(given, stdin=fence.begins)
            process = _popen(command, given, environment=sandbox_environment(program, view), keep=keep, popen=popen)
        except BaseException:
            os.close(status_read)
            raise
    tree = NamespaceTree(status_read, fence.enclose)
    releases.callback(tree.close)
    # Last in, first out: while the watch looks on, the tree can still be killed.
    releases.callback(fence.open)
    return process, tree, fence


def _seated(program: BotProgram, seats: SeatPlaces, uid: int, releases: ExitStack) -> BotProgram:
    """Return the program with its files and its door in a seat. Raises UsageError or Unavailable if that cannot be."""
    seat = Seat.new(seats)
    releases.callback(seat.remove)
    seat.give(uid)
    seat.show(program.folder, program.socket)
    door = None if program.socket is None else seat.door
    return replace(program, folder=seat.files, socket=None, door_folder=door)


def _start_unsafe(program: BotProgram, output: int, releases: ExitStack) -> tuple[subprocess.Popen[bytes], Tree]:
    home = releases.enter_context(owned_folder(_HOME_PREFIX))
    address = None if program.socket is None else f"unix:{program.socket}"
    python_path = [Path(entry) for entry in sys.path if entry]
    environment = bot_environment(program, python_path, home, address)
    command = [sys.executable, "-I", "-S", str(_KEEPER), *bot_command(program.command, Path(sys.executable))]
    process = _popen(command, _Given(output), environment=environment, folder=program.folder)
    tree = KeptTree(process.pid)
    releases.callback(tree.close)
    return process, tree


def _popen(
    command: list[str],
    given: _Given,
    *,
    environment: dict[str, str],
    folder: Path = Path("/"),
    keep: tuple[int, ...] = (),
    popen: Popen = subprocess.Popen,
) -> subprocess.Popen[bytes]:
    try:
        return popen(
            command, stdin=given.stdin, stdout=given.output, stderr=given.output, env=environment, cwd=folder,
            pass_fds=keep, start_new_session=True,
        )  # fmt: skip
    except OSError as error:
        raise Unavailable(f"cannot start {command[0]}: {error.strerror}", reason="CANNOT_START") from None
