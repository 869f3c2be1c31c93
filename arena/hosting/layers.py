"""Which layers of protection a hosted bot gets on this machine, found by trying them out."""

from __future__ import annotations

import asyncio
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from arena.core.errors import ArenaError, Unavailable
from arena.hosting.launch import launch
from arena.hosting.sandbox import BotProgram
from arena.hosting.uids import FIRST_UID, LAST_UID, running_as_root

_NAMESPACES: Final = ("mnt", "pid", "net", "ipc", "uts", "user")
_TRIAL: Final = """
import ctypes, os, resource
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
for name in os.listdir("/proc/self/ns"):
    print(f"ns-{name}", os.readlink(f"/proc/self/ns/{name}"))
print("capabilities", int(status["CapEff"], 16) | int(status["CapPrm"], 16) | int(status["CapBnd"], 16))
print("no-new-privileges", status["NoNewPrivs"].strip())
home = next(line for line in open("/proc/self/mountinfo") if " /home/bot " in line)
print("outer-uid", next((word[4:] for word in home.strip().split(",") if word.startswith("uid=")), "0"))
print("nested", ctypes.CDLL(None).unshare(0x10000000))
print("limits", *(resource.getrlimit(which)[1] for which in
    (resource.RLIMIT_NPROC, resource.RLIMIT_NOFILE, resource.RLIMIT_DATA, resource.RLIMIT_CPU)))
"""


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
    except ArenaError as error:
        return [Layer("sandbox", required=True, active=False, detail=error.message)]
    return [*_namespace_layers(facts), *_privilege_layers(facts), _limit_layer(facts)]


class SandboxCheck:
    """Tries the layers once and remembers that they are sound; one per process that hosts bots."""

    def __init__(self) -> None:
        self._sound = False

    async def require(self) -> None:
        """Raise Unavailable unless every required layer is active."""
        if self._sound:
            return
        for layer in await probe_layers():
            if layer.required and not layer.active:
                raise Unavailable(
                    f"bots cannot be run safely here, {layer.name}: {layer.detail}; arena doctor shows all layers; "
                    "--unsafe-no-sandbox runs bots unprotected",
                    reason="NO_SANDBOX",
                )
        self._sound = True


async def _facts() -> dict[str, str]:
    with tempfile.TemporaryDirectory(prefix="whiteout-trial-") as folder:
        bot = await launch(BotProgram(Path(folder), ("python", "-S", "-c", _TRIAL)))
        try:
            status = await bot.wait()
        finally:
            await bot.kill()
    if status != 0:
        raise Unavailable(f"the trial program failed: {bot.output.text.strip()[-200:]}", reason="NO_SANDBOX")
    return dict(line.split(" ", 1) for line in bot.output.text.splitlines())


def _namespace_layers(facts: dict[str, str]) -> list[Layer]:
    layers: list[Layer] = []
    for name in (*_NAMESPACES, "cgroup"):
        own = Path(f"/proc/self/ns/{name}")
        inside = facts.get(f"ns-{name}")
        apart = inside is not None and os.path.lexists(own) and str(own.readlink()) != inside
        detail = "apart from this machine's" if apart else "shared with this machine"
        layers.append(Layer(f"{name} namespace", required=name in _NAMESPACES, active=apart, detail=detail))
    return layers


def _privilege_layers(facts: dict[str, str]) -> list[Layer]:
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


def _limit_layer(facts: dict[str, str]) -> Layer:
    limits = [int(number) for number in facts["limits"].split()]
    return _layer("resource limits", active=all(limit > 0 for limit in limits), lacking="some are unlimited")


def _layer(name: str, *, active: bool, lacking: str) -> Layer:
    return Layer(name, required=True, active=active, detail="in force" if active else lacking)
