"""Starts a referee process by exec, talks to it over its control socket and stops it."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Final, Self

import grpc

from arena.core.errors import ArenaError, Conflict, Unavailable, UsageError
from arena.core.pings import REFEREE, Pings
from arena.core.protocol import REASON_KEY
from arena.hosting.fence import BrakeAt
from arena.hosting.layers import SandboxCheck
from arena.hosting.readable import becomes_readable, process_descriptor
from arena.hosting.temporary import owned_folder, quick_place
from arena.v1 import referee_pb2, referee_pb2_grpc

READY_S: Final = 30.0
"""How long a referee may take to start on a machine under load."""
STOP_S: Final = 5.0
"""How long it may take to stop before it is killed."""
LONGEST_SOCKET_PATH: Final = 107
_PEM_END: Final = "-----END CERTIFICATE-----"
_OPTIONS: Final = (("grpc.max_receive_message_length", 256 * 1024 * 1024), ("grpc.use_local_subchannel_pool", 1))


@dataclass(frozen=True, slots=True)
class PublicDoor:
    """Where seats that are played from elsewhere are taken.

    listen: HOST:PORT, port 0 for any free one. address: what those elsewhere call, "" for the same. certificate, key:
    PEM files, None for plain text, which plain_text allows beyond loopback. asks: how bots that are gone are noticed.
    """

    listen: str
    address: str = ""
    certificate: Path | None = None
    key: Path | None = None
    plain_text: bool = False
    asks: Pings = REFEREE

    def shown(self) -> str:
        """Return the certificate that is shown there, PEM without its chain; "" for plain text. Raises Unavailable."""
        if self.certificate is None:
            return ""
        try:
            chain = self.certificate.read_text(encoding="ascii", errors="replace")
        except OSError as error:
            raise Unavailable(f"{self.certificate}: {error.strerror}", reason="BAD_CERTIFICATE") from None
        return chain[: chain.find(_PEM_END) + len(_PEM_END)] + "\n"

    def options(self) -> list[str]:
        """Return it as the referee's options."""
        options = ["--public", self.listen]
        if self.asks != REFEREE:
            options += ["--pings", str(self.asks.every_s), str(self.asks.answer_s)]
        if self.certificate is not None and self.key is not None:
            options += ["--tls-cert", str(self.certificate), "--tls-key", str(self.key)]
        return [*options, "--allow-plain-text"] if self.plain_text else options


class Referee:
    """A referee process of our own: `async with Referee() as referee`; hosts any number of matches at once.

    public: where remote seats are taken, None for nowhere. program: what Python is to run, with the referee's options.
    certificate: the one shown there, "" for plain text. sandbox: whether this machine can protect itself from bots. The
    control socket lies beside it in a folder that only this user can enter.
    """

    def __init__(self, public: PublicDoor | None = None, program: Sequence[str] = ("-m", "referee")) -> None:
        self.sandbox = SandboxCheck()
        self._public = public
        self._program = program
        self.certificate = ""
        self._folder = Path()
        self._open = AsyncExitStack()
        self._process: subprocess.Popen[bytes] | None = None
        self._stub: referee_pb2_grpc.RefereeServiceAsyncStub | None = None

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self._process is not None and self._process.poll() is None

    @property
    def pid(self) -> int:
        """The number of the process. Raises Unavailable when there is none."""
        if self._process is None:
            raise Unavailable("the referee is not running", reason="REFEREE_LOST")
        return self._process.pid

    async def __aenter__(self) -> Self:
        """Start the process and wait until it is ready. Raises Unavailable."""
        async with AsyncExitStack() as stack:
            self._folder = stack.enter_context(owned_folder("whiteout-referee-", quick_place))
            control = self._folder / "control.sock"
            if len(str(control).encode()) > LONGEST_SOCKET_PATH:
                raise Unavailable(f"the path {control} is too long for a socket; set TMPDIR to a shorter folder")
            options = ["--bots", f"unix:{self._folder / 'bots.sock'}", "--control", f"unix:{control}"]
            options += [] if self._public is None else self._public.options()
            # Read when the process reads it, so that a renewed one is announced by the next referee, as it is shown.
            self.certificate = "" if self._public is None else self._public.shown()
            self._process, output = _start([*self._program, *options])
            stack.push_async_callback(_stop, self._process)
            await _wait_ready(output)
            channel = grpc.aio.insecure_channel(f"unix:{control}", options=_OPTIONS)
            stack.push_async_callback(channel.close, None)
            self._stub = referee_pb2_grpc.RefereeServiceStub(channel)
            self._open = stack.pop_all()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        """Stop the process; matches still running are lost."""
        await self._open.aclose()
        self._process = self._stub = None

    async def host(self, request: referee_pb2.HostMatchRequest) -> AsyncGenerator[referee_pb2.HostMatchResponse, None]:
        """Have a match hosted and yield what happens; leaving the loop stops the match.

        Raises UsageError or Conflict for a match that cannot be, Unavailable when the referee is gone.
        """
        call = self._connected().HostMatch(request)
        try:
            async for response in call:
                yield response
        except grpc.aio.AioRpcError as error:
            raise _foreseen(error) from None
        finally:
            call.cancel()

    async def lend_brake(self, match_id: str, seat: int, brake: BrakeAt) -> None:
        """Let the referee stop a seat's program while it is not to move. Raises Unavailable."""
        request = referee_pb2.LendBrakeRequest(match_id=match_id, seat=seat)
        name_brake(request, brake)
        try:
            await self._connected().LendBrake(request)
        except grpc.aio.AioRpcError as error:
            raise _foreseen(error) from None

    async def report_exit(self, match_id: str, seat: int, status: int) -> None:
        """Tell that a seat's process has ended. Raises Unavailable."""
        request = referee_pb2.ReportExitRequest(match_id=match_id, seat=seat, status=status)
        try:
            await self._connected().ReportExit(request)
        except grpc.aio.AioRpcError as error:
            raise _foreseen(error) from None

    def _connected(self) -> referee_pb2_grpc.RefereeServiceAsyncStub:
        if self._stub is None:
            raise Unavailable("the referee is not running", reason="REFEREE_LOST")
        return self._stub


def name_brake(message: referee_pb2.LendBrakeRequest | referee_pb2.HostedSeat, brake: BrakeAt) -> None:
    """Say in a message how a program can be stopped."""
    if brake.freezer is not None:
        message.freezer = str(brake.freezer)
    else:
        message.first_process = brake.first


def _start(program: Sequence[str]) -> tuple[subprocess.Popen[bytes], IO[bytes]]:
    # Its standard input is the leash: it closes with this process, and the referee stops. Its own session keeps
    # Ctrl-C in a terminal from ending it before the matches are.
    process = subprocess.Popen(
        [sys.executable, *program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    )
    if process.stdout is None:
        raise RuntimeError("a pipe was asked for")
    return process, process.stdout


async def _wait_ready(output: IO[bytes]) -> None:
    """Return when the referee has printed its line. Raises Unavailable if it ends or is silent."""
    try:
        async with asyncio.timeout(READY_S):
            await becomes_readable(output.fileno())
    except TimeoutError:
        raise Unavailable(f"the referee did not start within {READY_S:.0f} s", reason="REFEREE_LOST") from None
    line = output.readline()
    try:
        json.loads(line)
    except ValueError:
        raise Unavailable("the referee ended at its start; its last words stand above", reason="REFEREE_LOST") from None


async def _stop(process: subprocess.Popen[bytes]) -> None:
    with process:
        if process.poll() is None:
            process.terminate()
            with process_descriptor(process.pid) as ended:
                try:
                    async with asyncio.timeout(STOP_S):
                        await becomes_readable(ended)
                except TimeoutError:
                    process.kill()


def _foreseen(error: grpc.aio.AioRpcError) -> ArenaError:
    """Return the arena's error for a failed call on the control socket."""
    metadata: Any = error.trailing_metadata() or ()  # pairs, which the stubs do not know
    reason = next((str(value) for key, value in metadata if key == REASON_KEY), None)
    message = (error.details() or "").removeprefix(f"{reason}: ")
    if reason is None or reason == "REFEREE_FAULT":
        return Unavailable(f"the referee failed: {error.code().name} {message}".strip(), reason="REFEREE_LOST")
    kind = UsageError if error.code() is grpc.StatusCode.INVALID_ARGUMENT else Conflict
    return kind(message, reason=reason)
