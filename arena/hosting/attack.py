"""Attacks this machine's sandboxes with the programs under probes/ and tells what got through."""

from __future__ import annotations

import asyncio
import json
import os
import platform
import secrets
import socket
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import aclosing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, TypeAlias

from arena.core.errors import Unavailable
from arena.hosting.capture import HALF_BYTES
from arena.hosting.launch import BotProcess, launch
from arena.hosting.referee import Referee
from arena.hosting.sandbox import BotProgram, Limits
from arena.hosting.seccomp import FORBIDDEN, UNKNOWN
from arena.hosting.syscalls import ARCHITECTURES
from arena.v1 import referee_pb2

Start: TypeAlias = Callable[[BotProgram], Coroutine[Any, Any, BotProcess]]

PATIENCE_S: Final = 30.0
"""How long a probe may take; one that is still running then was not stopped by anything."""
PROBES_FOLDER: Final = Path(__file__).parent / "probes"
_METHODS: Final = (
    "/arena.v1.RefereeService/HostMatch",
    "/arena.v1.RefereeService/ReportExit",
    "/arena.v1.RefereeService/ReplaceSeat",
    "/arena.v1.RefereeService/LendBrake",
    "/arena.v1.BotService/ListBots",
    "/grpc.health.v1.Health/Check",
    "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
)


@dataclass(frozen=True, slots=True)
class Probe:
    """An attack: the program's name, limits, what else it is told; killable: whether being killed is a fair end."""

    name: str
    limits: Limits = field(default_factory=Limits)
    facts: Mapping[str, object] = field(default_factory=dict)
    program: str = ""
    killable: bool = False

    @property
    def file(self) -> Path:
        """The program."""
        return PROBES_FOLDER / f"{self.program or self.name}.py"

    @property
    def threat(self) -> str:
        """What it does, in a sentence."""
        return self.file.read_text(encoding="utf-8").split('"""')[1]


@dataclass(frozen=True, slots=True)
class Finding:
    """What came of a probe: what got through, nothing if the sandbox held."""

    name: str
    threat: str
    through: tuple[str, ...]


_SMALL: Final = Limits(memory_mb=192, processes=24, disk_mb=4, files=2000, open_files=64)
_PARTS: Final = {"parts": 8, "part_mb": 48}
PROBES: Final = (
    Probe("files"),
    Probe("writing"),
    Probe("processes"),
    Probe("network"),
    Probe("kernel"),
    Probe("namespaces"),
    Probe("forks", _SMALL, {"processes": _SMALL.processes}),
    Probe("memory", _SMALL, _PARTS, killable=True),
    Probe("shared", _SMALL, _PARTS, killable=True),
    Probe("page tables", _SMALL, {"tables_mb": 512}, "pagetables", killable=True),
    Probe("disk", replace(_SMALL, memory_mb=512), {"disk_mb": _SMALL.disk_mb}),
    Probe("files in /tmp", _SMALL, {"folder": "/tmp", "many": 300_000}, "manyfiles", killable=True),  # noqa: S108 - inside
    Probe("files in /dev/shm", _SMALL, {"folder": "/dev/shm", "many": 300_000}, "manyfiles", killable=True),  # noqa: S108 - inside
    Probe("descriptors", _SMALL, {"open_files": _SMALL.open_files}),
    Probe("flood"),
    Probe("spinning", replace(_SMALL, cpu_s=1), killable=True),
)


async def attack(start: Start = launch, probes: Sequence[Probe] | None = None) -> AsyncIterator[Finding]:
    """Run the probes, None for all, in sandboxes and yield what came of each. start: how sandboxes are started.

    Raises Unavailable if there is no sandbox to attack.
    """
    with bait() as lying_about:
        neighbour = await start(BotProgram(lying_about.folder, ("sleep", "600")))
        try:
            for probe in PROBES if probes is None else probes:
                through = [*await run_probe(probe, lying_about.facts, start), *lying_about.disturbed()]
                if neighbour.ended:
                    through.append("another bot has ended meanwhile")
                yield Finding(probe.name, probe.threat, tuple(through))
        finally:
            await neighbour.kill()
        yield await _leftovers(lying_about.facts, start)
        yield await _door(lying_about.facts, start)


async def run_probe(probe: Probe, facts: Mapping[str, object], start: Start, door: Path | None = None) -> list[str]:
    """Run one probe and return what got through, also if it did not come to its end."""
    told = json.dumps({**facts, **probe.facts})
    command = ("python", "-B", "-S", f"{probe.file.name}") if door is None else ("python", "-B", probe.file.name)
    program = BotProgram(PROBES_FOLDER, command, door, {"BAIT": told}, probe.limits)
    bot = await start(program)
    try:
        async with asyncio.timeout(PATIENCE_S):
            status: int | None = await bot.wait()
    except TimeoutError:
        status = None
    finally:
        await bot.kill()
    lines = bot.output.text.splitlines()
    through = [line.removeprefix("GOT ") for line in lines if line.startswith("GOT ")]
    killed = probe.killable and status is not None and (status < 0 or "[arena: ended" in bot.output.text)
    if "DONE" not in lines and not killed and not through:
        last = next((line for line in reversed(lines) if line.strip()), "nothing")[-200:]
        how = "was not stopped" if status is None else f"ended with status {status}"
        through.append(f"not told: the probe {how}, its last words: {last}")
    if len(bot.output.kept()) > 3 * HALF_BYTES:
        through.append(f"{len(bot.output.kept())} bytes of output were kept")
    return through


async def _leftovers(facts: Mapping[str, object], start: Start) -> Finding:
    leaving, looking = Probe("leftovers", program="leaving"), Probe("leftovers", program="looking")
    told = {**facts, "mark": secrets.token_hex(8)}
    through = [*await run_probe(leaving, told, start), *await run_probe(looking, told, start)]
    return Finding(leaving.name, leaving.threat, tuple(through))


async def _door(facts: Mapping[str, object], start: Start) -> Finding:
    """Let a probe knock at the door of a real match, knowing the tickets of the other seat and of another match."""
    async with Referee() as referee:
        request = referee_pb2.HostMatchRequest(
            match_id="one", game="first-snow", seed=bytes(16), clock="none", doors=True, unsafe=True,
            seats=[referee_pb2.HostedSeat(bot="probe", version="1")] * 2,
        )  # fmt: skip
        other = referee_pb2.HostMatchRequest()
        other.CopyFrom(request)
        other.match_id = "other"
        async with aclosing(referee.host(request)) as here, aclosing(referee.host(other)) as there:
            opened = (await anext(here)).opened
            tickets = [opened.tickets[1], *(await anext(there)).opened.tickets, "guessed"]
            probe = Probe("door", facts={"tickets": tickets, "methods": _METHODS})
            through = await run_probe(probe, facts, start, Path(opened.doors[0].removeprefix("unix:")))
    return Finding(probe.name, probe.threat, tuple(through))


class Bait:
    """What lies about on this machine while the probes run. facts: what they are told of it."""

    def __init__(self, folder: Path, sleeper: subprocess.Popen[bytes], listeners: list[socket.socket]) -> None:
        self.folder = folder / "bot"
        self._sleeper = sleeper
        self._listeners = listeners
        architecture = ARCHITECTURES.get(platform.machine())
        if architecture is None:
            raise Unavailable(f"no probes for {platform.machine()}", reason="NO_SANDBOX")
        numbers = {name: architecture.number(name) for name in (*FORBIDDEN, *UNKNOWN, "clone", "ioctl")}
        secret = (folder / "secret").read_text()
        self.facts: dict[str, object] = {
            "files": [
                str(folder / "secret"), str(folder), __file__, "/etc/shadow", "/etc/passwd", "/etc/hostname",
                "/root/.bashrc", "/root/.profile", "/var/log", "/sys/kernel", str(Path(sys.prefix) / "pyvenv.cfg"),
                str(Path.home() / ".ssh"),
            ],
            "secret": secret,
            "pids": [sleeper.pid, os.getpid()],
            "port": listeners[0].getsockname()[1],
            "abstract": _name(listeners[2]),
            "sockets": [listeners[3].getsockname(), "/run/docker.sock", "/run/dbus/system_bus_socket"],
            "calls": {name: numbers[name] for name in (*FORBIDDEN, *UNKNOWN) if numbers[name] is not None},
            "clone": numbers["clone"],
            "clone3": numbers["clone3"],
            "ioctl": numbers["ioctl"],
        }  # fmt: skip

    def disturbed(self) -> list[str]:
        """Return what has happened to it."""
        found = [] if self._sleeper.poll() is None else ["a process of this machine has ended meanwhile"]
        for listener in self._listeners:
            try:
                if listener.type is socket.SOCK_DGRAM:
                    listener.recv(1)
                else:
                    listener.accept()[0].close()
            except BlockingIOError:
                continue
            found.append(f"something came to {listener.getsockname()!r}")
        return found


@contextmanager
def bait() -> Iterator[Bait]:
    """Lay out what probes try to reach, for as long as the context lasts."""
    secret = secrets.token_hex(16)
    with tempfile.TemporaryDirectory(prefix="whiteout-bait-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "bot").mkdir()
        (folder / "secret").write_text(secret)
        (folder / "secret").chmod(0o644)
        sleeper = subprocess.Popen(
            [sys.executable, "-S", "-c", "import time; time.sleep(600)"], env={"SECRET": secret}, start_new_session=True
        )
        listeners = [
            _listener(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)),
            _listener(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)),
            _listener(socket.AF_UNIX, socket.SOCK_STREAM, f"\0whiteout/bait/{secret[:8]}"),
            _listener(socket.AF_UNIX, socket.SOCK_STREAM, str(folder / "bait.sock")),
        ]
        (folder / "bait.sock").chmod(0o666)
        try:
            yield Bait(folder, sleeper, listeners)
        finally:
            sleeper.kill()
            sleeper.wait()
            for listener in listeners:
                listener.close()


def _listener(family: int, kind: int, address: tuple[str, int] | str) -> socket.socket:
    listener = socket.socket(family, kind)
    listener.bind(address)
    if kind == socket.SOCK_STREAM:
        listener.listen()
    listener.settimeout(0)
    return listener


def _name(listener: socket.socket) -> str:
    name = listener.getsockname()
    return (name if isinstance(name, str) else bytes(name).decode()).removeprefix("\0")
