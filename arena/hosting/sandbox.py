"""Builds the command line that runs one bot in a sandbox of its own; starts nothing.

An ordinary user's bots run in one bubblewrap. Root's bots run in two: the outer one, still root, lays out the visible
files (an interpreter below a home folder closed to others becomes reachable so), setpriv drops to a user id of the
pool, and the inner one, started by that user, makes all namespaces. The bot is never root of anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import Final

from arena.hosting.mounts import Mount, View, standard_view
from arena.hosting.programs import can_lay_over, find_bwrap, find_tool, interpreter, program_path

BOT_FOLDER: Final = Path("/bot")
HOME: Final = Path("/home/bot")
SOCKET: Final = Path("/run/whiteout/bots.sock")
_OUTER_BWRAP: Final = Path("/whiteout/bwrap")
_INSIDE_ID: Final = "1000"
_SCRATCH: Final = "/tmp"  # noqa: S108 - inside the sandbox, a file system of its own
_SHARED_MEMORY: Final = "/dev/shm"  # noqa: S108 - as above
_MB: Final = 1024 * 1024
_SIGNALS: Final = 1024


DISKS: Final = (_SCRATCH, str(HOME), _SHARED_MEMORY)
"""Where a bot can write; each is a file system of its own."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one bot may use; sizes in MB.

    memory_mb: of all its processes together, its disks included where a control group counts. data_mb and cpu_s (CPU
    time in seconds): of each process. disk_mb, files: of each of its disks. cores: of all together, where a control
    group can say so.
    """

    memory_mb: int = 1024
    data_mb: int = 2048
    disk_mb: int = 32
    files: int = 4096
    file_mb: int = 32
    processes: int = 64
    open_files: int = 256
    cpu_s: int = 3600
    cores: float = 1.0


@dataclass(frozen=True, slots=True)
class Descriptors:
    """What bubblewrap is handed: where to report (--json-status-fd), what to wait for before it runs the program
    (--block-fd), and the system call filter (--seccomp). files: those of named_files(), opened, in that order.
    """

    status: int
    block: int
    filter: int
    files: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class BotProgram:
    """A bot to start: its folder, its command as in its manifest, and the socket that is its only door.

    door_folder: a folder where that socket will lie, by the name of SOCKET, where it is not known yet. In that case the
    bot's folder is empty, and filled later.
    """

    folder: Path
    command: tuple[str, ...]
    socket: Path | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    door_folder: Path | None = None


def sandbox_command(program: BotProgram, *, uid: int | None, handed: Descriptors, zero: bool = True) -> list[str]:
    """Return the argument list that runs the program sandboxed.

    uid: the user id to drop to, None where the arena itself is no root. zero: whether there is a /dev/zero, by which
    memory can be shared without a file. Raises Unavailable if a tool is missing.
    """
    view = standard_view()
    later = program.door_folder is not None
    own = [Mount(program.folder.resolve(), BOT_FOLDER, filled_later=later)]
    if program.door_folder is not None:
        own.append(Mount(program.door_folder.resolve(), SOCKET.parent, filled_later=True))
    elif program.socket is not None:
        own.append(Mount(program.socket.resolve(), SOCKET))
    mounts = (*view.mounts, *own)
    if uid is None:
        return [str(find_bwrap()), *_inner(program, view, mounts, handed, zero=zero)]
    copies = dict(zip(named_files(), handed.files, strict=True))
    outer_mounts, bwrap = _reachable_bwrap([mount for mount in mounts if mount not in copies], view)
    inner_mounts = [_inner_mount(mount) for mount in mounts]
    return [
        *_outer(view, outer_mounts, {mount.dest: file for mount, file in copies.items()}),
        *_drop_to(uid),
        str(bwrap),
        *_inner(program, view, inner_mounts, handed, zero=zero),
    ]


@cache
def named_files() -> tuple[Mount, ...]:
    """Return the single files whose places on this machine a mount would tell; root's sandboxes get copies."""
    mounts = standard_view().mounts
    return tuple(mount for mount in mounts if mount.source != mount.dest and mount.source.is_file())


def bot_command(command: Sequence[str], python: Path) -> list[str]:
    """Return the command of a manifest with "python" replaced by the arena's own interpreter."""
    first, *rest = command
    return [str(python) if first in {"python", "python3"} else first, *rest]


def bot_environment(
    program: BotProgram, python_path: Iterable[Path], home: Path, address: str | None
) -> dict[str, str]:
    """Return the whole environment a bot sees. Hashing is not randomised, so that a bot can be reproduced."""
    door = {} if address is None else {"WHITEOUT_ADDRESS": address}
    return {
        "PATH": program_path(),
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "PYTHONPATH": ":".join(map(str, python_path)),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "PYTHONNOUSERSITE": "1",
        "PYTHONUNBUFFERED": "1",
        "OPENBLAS_NUM_THREADS": "1",
        **door,
        **program.environment,
    }


def sandbox_environment(program: BotProgram) -> dict[str, str]:
    """Return the environment to start a sandbox's command with, which is what the bot sees.

    It holds the bot's ticket, and everybody on a machine may read the words of a command.
    """
    address = None if program.socket is None and program.door_folder is None else f"unix:{SOCKET}"
    return bot_environment(program, standard_view().python_path, HOME, address)


def limit_command(limits: Limits) -> list[str]:
    """Return the prefix that sets the resource limits.

    It runs inside the namespaces: there RLIMIT_NPROC counts this sandbox alone. The data limit counts writable private
    memory, not the address space that node and numpy reserve.
    """
    return [
        str(find_tool("prlimit")),
        f"--nproc={limits.processes}:{limits.processes}",
        f"--nofile={limits.open_files}:{limits.open_files}",
        f"--fsize={limits.file_mb * _MB}:{limits.file_mb * _MB}",
        f"--data={limits.data_mb * _MB}:{limits.data_mb * _MB}",
        f"--cpu={limits.cpu_s}:{limits.cpu_s}",
        "--core=0:0",
        f"--sigpending={_SIGNALS}:{_SIGNALS}",
        f"--memlock={_MB}:{_MB}",
        "--",
    ]


def _inner(program: BotProgram, view: View, mounts: Sequence[Mount], handed: Descriptors, *, zero: bool) -> list[str]:
    size = str(program.limits.disk_mb * _MB)
    return [
        "--unshare-user", "--disable-userns", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts",
        "--unshare-cgroup-try",
        "--uid", _INSIDE_ID, "--gid", _INSIDE_ID, "--hostname", "bot",
        "--cap-drop", "ALL", "--new-session", "--die-with-parent",
        "--json-status-fd", str(handed.status), "--block-fd", str(handed.block), "--seccomp", str(handed.filter),
        *_show(view, mounts),
        "--proc", "/proc",
        "--dev", "/dev",
        *([] if zero else ["--dev-bind", "/dev/null", "/dev/zero"]),
        "--size", size, "--perms", "1777", "--tmpfs", _SHARED_MEMORY, "--remount-ro", "/dev",
        "--size", size, "--perms", "1777", "--tmpfs", _SCRATCH,
        "--dir", str(HOME.parent), "--size", size, "--tmpfs", str(HOME),
        "--remount-ro", "/",
        "--chdir", str(BOT_FOLDER),
        "--",
        *limit_command(program.limits),
        *bot_command(program.command, interpreter()),
    ]  # fmt: skip


def _inner_mount(mount: Mount) -> Mount:
    """Return how the inner bubblewrap mounts what the outer one shows.

    A list of mounts tells where a bound folder comes from; one that is laid over another tells only what it is called
    here.
    """
    may_be = mount.source != mount.dest and mount.source.is_dir() and not mount.filled_later
    return Mount(mount.dest, mount.dest, laid_over=may_be and can_lay_over())


def _outer(view: View, mounts: Sequence[Mount], copies: Mapping[Path, int]) -> list[str]:
    """Return root's bubblewrap: files only, and what the inner one needs to make its own /proc, /dev and root."""
    folders = {parent for path in copies for parent in path.parents}
    return [
        str(find_bwrap()), "--die-with-parent", *_show(view, mounts),
        *(word for folder in sorted(folders) if folder != Path("/") for word in ("--dir", str(folder))),
        *(word for path, file in copies.items() for word in ("--perms", "0444", "--file", str(file), str(path))),
        "--bind", "/proc", "/proc",
        "--dev-bind", "/dev", "/dev", "--dir", _SCRATCH, "--",
    ]  # fmt: skip


def _drop_to(uid: int) -> list[str]:
    return [
        str(find_tool("setpriv")), "--reuid", str(uid), "--regid", str(uid), "--clear-groups", "--inh-caps=-all",
        "--bounding-set=-all", "--no-new-privs", "--pdeathsig", "KILL", "--",
    ]  # fmt: skip


def _reachable_bwrap(mounts: Sequence[Mount], view: View) -> tuple[Sequence[Mount], Path]:
    """Return the outer mounts and where the dropped user finds bubblewrap among them."""
    bwrap = find_bwrap()
    if any(mount.covers(bwrap) for mount in mounts):
        return mounts, view.inside(bwrap)
    return (*mounts, Mount(bwrap, _OUTER_BWRAP)), _OUTER_BWRAP


@lru_cache(maxsize=64)
def _on_the_way(dests: tuple[Path, ...]) -> tuple[str, ...]:
    """Return the folders above the places of mounts, without those that are inside one.

    They are the same for every start, and finding them costs as much as all else of the command.
    """
    folders = {parent for dest in dests for parent in dest.parents if parent != Path("/")}
    inside_mounts = {folder for folder in folders if any(folder.is_relative_to(dest) for dest in dests)}
    return tuple(map(str, sorted(folders - inside_mounts)))


def _show(view: View, mounts: Sequence[Mount]) -> list[str]:
    """Return the words for mounts and links. Folders on the way are made first: bubblewrap makes them closed."""
    words = [word for folder in _on_the_way(tuple(mount.dest for mount in mounts)) for word in ("--dir", folder)]
    for mount in mounts:
        if mount.laid_over:
            words += ["--overlay-src", str(mount.source), "--overlay-src", _SCRATCH, "--ro-overlay", str(mount.dest)]
        else:
            words += ["--ro-bind", str(mount.source), str(mount.dest)]
    for path, target in view.links:
        words += ["--symlink", target, str(path)]
    return words
