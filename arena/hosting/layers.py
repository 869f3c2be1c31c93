"""Which layers of protection a hosted bot gets on this machine, found by trying them out."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from arena.core.errors import ArenaError, Unavailable
from arena.hosting.brakes import FreezerBrake, SignalBrake
from arena.hosting.cgroups import ControlGroups
from arena.hosting.fence import BrakeAt
from arena.hosting.inside import Inside
from arena.hosting.launch import launch
from arena.hosting.orphans import end_orphans
from arena.hosting.sandbox import DISKS, BotProgram, Limits
from arena.hosting.temporary import owned_folder
from arena.hosting.uids import FIRST_UID, LAST_UID, running_as_root
from arena.hosting.watch import MEMORY_EVERY_S

_NAMESPACES: Final = ("mnt", "pid", "net", "ipc", "uts", "user")
_TRIAL: Final = """
import ctypes, os, resource, socket
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
for name in os.listdir("/proc/self/ns"):
    print(f"ns-{name}", os.readlink(f"/proc/self/ns/{name}"))
print("capabilities", int(status["CapEff"], 16) | int(status["CapPrm"], 16) | int(status["CapBnd"], 16))
print("no-new-privileges", status["NoNewPrivs"].strip())
home = next(line for line in open("/proc/self/mountinfo") if " /home/bot " in line)
print("outer-uid", next((word[4:] for word in home.strip().split(",") if word.startswith("uid=")), "0"))
print("filter", status["Seccomp"].strip())
families = []
for family in range(64):
    try:
        socket.socket(family, socket.SOCK_DGRAM).close()
        families.append(family)
    except OSError:
        pass
print("families", *families)
print("memory-left-over", ctypes.CDLL(None).shmget(0, 4096, 0o1600))
for disk in ("/tmp", "/home/bot", "/dev/shm"):
    print("disk-" + disk, os.statvfs(disk).f_blocks * os.statvfs(disk).f_frsize)
print("nested", ctypes.CDLL(None).unshare(0x10000000))
print("limits", *(resource.getrlimit(which)[1] for which in
    (resource.RLIMIT_NPROC, resource.RLIMIT_NOFILE, resource.RLIMIT_DATA, resource.RLIMIT_CPU)), flush=True)
while True: pass
"""
_TRIAL_S: Final = 10.0
_STILL_S: Final = 0.06
_MB: Final = 1024 * 1024
_POLL_S: Final = 0.005


@dataclass(frozen=True, slots=True)
class Layer:
    """One layer of protection; required ones must be active or hosted bots are refused."""

    name: str
    required: bool
    active: bool
    detail: str


def active_layers() -> list[Layer]:
    """Return every layer with what was found, by running a small program in a sandbox (some 50 ms).

    Not to be called on a running event loop: there probe_layers() does the same.
    """
    return asyncio.run(probe_layers())


async def probe_layers() -> list[Layer]:
    """Return every layer with what was found; a sandbox that cannot be made is one missing layer."""
    try:
        facts = await _facts()
        said = facts.said
    except ArenaError as error:
        return [Layer("sandbox", required=True, active=False, detail=error.message)]
    groups = ControlGroups.found().offers
    return [
        *_namespace_layers(said), *_privilege_layers(said), *_call_layers(said), _limit_layer(said),
        *_tree_layers(groups, seen=facts.seen), _disk_layer(said),
        _stop_layer(groups, seen=facts.seen, stopped=facts.stopped),
    ]  # fmt: skip


class SandboxCheck:
    """Tries the layers once and remembers that they are sound; one per process that hosts bots. layers: as found."""

    def __init__(self) -> None:
        self.layers: tuple[Layer, ...] = ()
        self._sound = False

    async def require(self) -> None:
        """Raise Unavailable unless every required layer is active."""
        if self._sound:
            return
        end_orphans()  # of those that were killed while they started bots: nobody else comes by for sure
        self.layers = tuple(await probe_layers())
        for layer in self.layers:
            if layer.required and not layer.active:
                raise Unavailable(
                    f"bots cannot be run safely here, {layer.name}: {layer.detail}; arena doctor shows all layers; "
                    "--unsafe-no-sandbox runs bots unprotected",
                    reason="NO_SANDBOX",
                )
        self._sound = True


@dataclass(frozen=True, slots=True)
class _Facts:
    """What a trial bot said, and whether it could be looked into and stopped from outside."""

    said: Mapping[str, str]
    seen: bool
    stopped: bool


async def _facts() -> _Facts:
    with owned_folder("whiteout-trial-") as folder:
        bot = await launch(BotProgram(Path(folder), ("python", "-S", "-c", _TRIAL)))
        try:
            async with asyncio.timeout(_TRIAL_S):
                while not _is_whole(bot.output.text) and not bot.ended:  # noqa: ASYNC110 - output raises no event
                    await asyncio.sleep(_POLL_S)
            said = dict(line.partition(" ")[::2] for line in bot.output.text.splitlines())
            if not _is_whole(bot.output.text):
                await bot.wait()  # raises if it was the sandbox that failed
                raise Unavailable(f"the trial program failed: {bot.output.text.strip()[-200:]}", reason="NO_SANDBOX")
            brake = await bot.brake()
            return _Facts(said, *(await _outside(brake) if brake is not None else (False, False)))
        except TimeoutError:
            raise Unavailable("the trial program says nothing", reason="NO_SANDBOX") from None
        finally:
            await bot.kill()


def _is_whole(said: str) -> bool:
    """Whether the trial program has said all: its last line, which comes in pieces, to its end."""
    return said.endswith("\n") and said.splitlines()[-1].startswith("limits ")


async def _outside(at: BrakeAt) -> tuple[bool, bool]:
    """Return whether the sandbox's memory can be seen and its processes be stopped."""
    try:
        inside = Inside.open(at.first, DISKS)
        brake = SignalBrake(at.first) if at.freezer is None else FreezerBrake(at.freezer)
    except OSError:
        return False, False
    if inside is None:
        return False, False
    with closing(inside), closing(brake):
        brake.stop()
        before = inside.cpu_ticks()
        await asyncio.sleep(_STILL_S)
        return inside.memory_bytes() > 0, inside.cpu_ticks() - before <= 1


def _namespace_layers(facts: Mapping[str, str]) -> list[Layer]:
    layers: list[Layer] = []
    for name in (*_NAMESPACES, "cgroup"):
        own = Path(f"/proc/self/ns/{name}")
        inside = facts.get(f"ns-{name}")
        apart = inside is not None and os.path.lexists(own) and str(own.readlink()) != inside
        detail = "apart from this machine's" if apart else "shared with this machine"
        layers.append(Layer(f"{name} namespace", required=name in _NAMESPACES, active=apart, detail=detail))
    return layers


def _privilege_layers(facts: Mapping[str, str]) -> list[Layer]:
    # The kernel shows the owner of a sandbox's file system as the machine counts user ids.
    outer_uid = int(facts["outer-uid"])
    if running_as_root():
        dropped = FIRST_UID <= outer_uid <= LAST_UID
        uid_detail = f"bots run as {FIRST_UID} .. {LAST_UID}, one each" if dropped else f"bots run as {outer_uid}"
        uids = Layer("user id of its own", required=True, active=dropped, detail=uid_detail)
    else:
        uids = Layer("user id of its own", required=False, active=False, detail="only root can give one")
    return [
        uids,
        _layer("no capabilities", active=facts["capabilities"] == "0", lacking="a bot keeps capabilities"),
        _layer("no new privileges", active=facts["no-new-privileges"] == "1", lacking="setuid programs work"),
        _layer("no nested namespaces", active=facts["nested"] != "0", lacking="a bot can make namespaces"),
    ]


def _limit_layer(facts: Mapping[str, str]) -> Layer:
    wanted = Limits()
    most = (wanted.processes, wanted.open_files, wanted.data_mb * _MB, wanted.cpu_s)
    found = [int(number) for number in facts["limits"].split()]
    limited = all(0 < limit <= at for limit, at in zip(found, most, strict=True))
    return _layer("resource limits", active=limited, lacking="a bot may have more than it should")


def _call_layers(facts: Mapping[str, str]) -> list[Layer]:
    filtered = facts["filter"] == "2" and facts["memory-left-over"] == "-1"
    families = facts.get("families", "")
    return [
        _layer("system call filter", active=filtered, lacking="a bot may make any system call"),
        _layer("unix sockets only", active=families == str(int(socket.AF_UNIX)), lacking=f"families {families} open"),
    ]


def _tree_layers(groups: Mapping[str, int], *, seen: bool) -> list[Layer]:
    """Return the limits of a bot as a whole; without a control group its memory is watched."""
    memory = _group_detail("memory", groups) or f"watched every {MEMORY_EVERY_S * 1000:.0f} ms, no control group"
    if not seen:
        memory = "a sandbox cannot be looked into from outside; root needs CAP_SYS_PTRACE for it"
    layers = [Layer("memory of the whole bot", required=True, active=seen, detail=memory)]
    for name, title in (("pids", "processes by control group"), ("cpu", "cores by control group")):
        detail = _group_detail(name, groups)
        layers.append(Layer(title, required=False, active=bool(detail), detail=detail or "no control group to be had"))
    return layers


def _group_detail(name: str, groups: Mapping[str, int]) -> str:
    return f"control group, version {groups[name]}" if name in groups else ""


def _disk_layer(facts: Mapping[str, str]) -> Layer:
    limits = Limits()
    sound = all(int(facts[f"disk-{disk}"]) == limits.disk_mb * _MB for disk in DISKS)
    detail = f"{limits.disk_mb} MB and {limits.files} files each, in memory" if sound else "the disks have other sizes"
    return Layer("small disks", required=True, active=sound, detail=detail)


def _stop_layer(groups: Mapping[str, int], *, seen: bool, stopped: bool) -> Layer:
    detail = _group_detail("freezer", groups) or "by signals; many processes may hold out for a while"
    if not seen:
        detail = "it cannot be seen whether a bot stops"
    elif not stopped:
        detail = "a bot that is told to stop runs on"
    return Layer("seats not to move are stopped", required=True, active=stopped, detail=detail)


def _layer(name: str, *, active: bool, lacking: str) -> Layer:
    return Layer(name, required=True, active=active, detail="in force" if active else lacking)
