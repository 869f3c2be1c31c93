"""Builds the command line that runs one bot in a sandbox of its own; starts nothing.

An ordinary user's bots run in one bubblewrap. Root's bots run in two: the outer one, still root, lays out the visible
files once for a process (holder.py; an interpreter below a home folder closed to others becomes reachable so). In what
it has laid out, setpriv drops to a user id of the pool, and the inner one, started by that user, makes all namespaces.
The bot is never root of anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Final

from arena.core.manifest import BRIDGE
from arena.hosting.mounts import Mount, View
from arena.hosting.programs import can_lay_over, find_bwrap, find_tool, interpreter, program_path

BOT_FOLDER: Final = Path("/bot")
HOME: Final = Path("/home/bot")
SOCKET: Final = Path("/run/whiteout/bots.sock")
_DOOR_FOLDER: Final = SOCKET.parent
SEATS: Final = Path("/whiteout/seats")
LARGE_SEATS: Final = Path("/whiteout/large")
"""Where root's outer bubblewrap shows the folders of all sandboxes; a bot sees its own two only, and elsewhere."""
_OUTER_BWRAP: Final = Path("/whiteout/bwrap")
_INSIDE_ID: Final = "1000"
_SCRATCH: Final = "/tmp"  # noqa: S108 - inside the sandbox, a file system of its own
_SHARED_MEMORY: Final = "/dev/shm"  # noqa: S108 - as above
_PLACE: Final = ("--bind", "/proc", "/proc", "--dir", _SCRATCH, "--remount-ro", "/", "--chdir", "/")
"""What makes a place out of the mounts before it in which root's programs can run."""
_DEVICES: Final = ("--dev", "/dev", "--tmpfs", "/dev/pts", "--remount-ro", "/dev/pts")
"""The devices a bot sees; no terminals, which sandboxes would share where these are made once for many."""
_SYSTEM: Final = (Path("/usr"), Path("/etc"))
_MB: Final = 1024 * 1024
_PYTHONS: Final = frozenset({"python", "python3"})


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
    (--block-fd), and the system call filter (--seccomp).
    """

    status: int
    block: int
    filter: int


@dataclass(frozen=True, slots=True)
class SeatPlaces:
    """The two folders that the seats of root's sandboxes lie in. usual: in memory, where there is room. large: on disk,
    for what is too much there.
    """

    usual: Path
    large: Path

    @property
    def mounts(self) -> tuple[Mount, Mount]:
        """How root's outer bubblewrap shows them."""
        return Mount(self.usual, SEATS), Mount(self.large, LARGE_SEATS)

    def inside(self, folder: Path) -> Path:
        """Return where a folder in one of them is shown."""
        in_large = folder.is_relative_to(self.large)
        return LARGE_SEATS / folder.relative_to(self.large) if in_large else SEATS / folder.relative_to(self.usual)


@dataclass(frozen=True, slots=True)
class BotProgram:
    """A bot to start: its folder, its command as in its manifest, and the socket that is its only door.

    door_folder: a folder in which that socket has, or will have, the name of SOCKET, instead of socket.
    """

    folder: Path
    command: tuple[str, ...]
    socket: Path | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    door_folder: Path | None = None


def sandbox_command(
    program: BotProgram,
    view: View,
    *,
    uid: int | None,
    handed: Descriptors,
    zero: bool = True,
    seats: SeatPlaces | None = None,
) -> list[str]:
    """Return the argument list that runs the program sandboxed; view: what every sandbox shows.

    uid: the user id to drop to, None where the arena itself is no root. zero: whether there is a /dev/zero, by which
    memory can be shared without a file. seats: where there is a uid, what the program's folders lie in and the
    outer bubblewraps show, where this is run. Raises Unavailable if a tool is missing.
    """
    if uid is None or seats is None:
        own = _own_mounts(program)
        shown = [*_shown(view, tuple(mount.dest for mount in own), nested=False), *_bound(own)]
        return [str(find_bwrap()), *_inner(program, (*shown, *_DEVICES), handed, zero=zero)]
    own = _seat_mounts(program, seats)
    shown = [*_shown(view, tuple(mount.dest for mount in own), nested=True), *_bound(own), "--dev-bind", "/dev", "/dev"]
    return [*_drop_to(uid), str(_reachable_bwrap(view)[1]), *_inner(program, shown, handed, zero=zero)]


def outer_command(view: View, seats: SeatPlaces, status: int) -> list[str]:
    """Return root's bubblewraps: files only, and what the inner ones need to make their own /proc, /dev and root.

    The first one brings everything to its place; the second lays over what a list of mounts would tell the origin of.
    Laid over once, it costs a start nothing. The program they run answers what it is told. status: a descriptor for
    the second one's --json-status-fd.
    """
    mounts, bwrap = _reachable_bwrap(view)
    mounts = (*mounts, *seats.mounts)
    there = _together(_laid_over(mount) for mount in mounts)
    return [
        str(find_bwrap()), "--die-with-parent", *_words(view, mounts, ()), "--dev-bind", "/dev", "/dev", *_PLACE,
        "--", str(bwrap), "--die-with-parent", "--json-status-fd", str(status),
        *_words(view, there, ()), *_DEVICES, *_PLACE, "--", str(find_tool("cat")),
    ]  # fmt: skip


def _own_mounts(program: BotProgram) -> tuple[Mount, ...]:
    """Return what one sandbox shows that others do not: its bot's files and its door."""
    files = Mount(program.folder.resolve(), BOT_FOLDER)
    if program.door_folder is not None:
        return files, Mount(program.door_folder, _DOOR_FOLDER)
    return (files,) if program.socket is None else (files, Mount(program.socket.resolve(), SOCKET))


def _seat_mounts(program: BotProgram, seats: SeatPlaces) -> tuple[Mount, ...]:
    """Return how the inner bubblewrap mounts a seat's folders; they may be filled later, so nothing is laid over."""
    files = Mount(seats.inside(program.folder), BOT_FOLDER)
    if program.door_folder is None:
        return (files,)
    return files, Mount(seats.inside(program.door_folder), _DOOR_FOLDER)


def bot_command(command: Sequence[str], python: Path) -> list[str]:
    """Return the command of a manifest with "python" replaced by the arena's own interpreter."""
    first, *rest = command
    return [str(python) if first in _PYTHONS else first, *rest]


def is_script(command: Sequence[str]) -> bool:
    """Whether this is a plain call of a Python script, which a program of the SDK can become."""
    first, *rest = command
    return first in _PYTHONS and bool(rest) and rest[0].endswith(".py") and not rest[0].startswith("-")


def sdk_command(module: str) -> tuple[str, ...]:
    """Return the words that start a module of the SDK in a sandbox, the garbage collector switched off.

    -S: what is installed beside the interpreter is no bot's business, and to look through it a fifth of a start.
    -P: nothing in the bot's folder takes the place of a module. -c: to run a module by its name costs 10 ms more.
    """
    return ("python", "-S", "-P", "-c", f"import gc; gc.disable(); from bots.sdk.{module} import main; main()")


def script_command(command: Sequence[str]) -> Sequence[str]:
    """Return what a sandbox runs for a bot's command: the SDK becomes a Python script, or bridges to other programs."""
    if is_script(command):
        return (*sdk_command("starting"), *command[1:])
    return (command[0], "-S", *command[1:]) if tuple(command[: len(BRIDGE)]) == BRIDGE else command


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


def sandbox_environment(program: BotProgram, view: View) -> dict[str, str]:
    """Return the environment to start a sandbox's command with, which is what the bot sees.

    It holds the bot's ticket, and everybody on a machine may read the words of a command.
    """
    address = None if program.socket is None and program.door_folder is None else f"unix:{SOCKET}"
    return bot_environment(program, view.python_path, HOME, address)


def _inner(program: BotProgram, shown: Sequence[str], handed: Descriptors, *, zero: bool) -> list[str]:
    size = str(program.limits.disk_mb * _MB)
    return [
        "--unshare-user", "--disable-userns", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts",
        "--unshare-cgroup-try",
        "--uid", _INSIDE_ID, "--gid", _INSIDE_ID, "--hostname", "bot",
        "--cap-drop", "ALL", "--new-session", "--die-with-parent",
        "--json-status-fd", str(handed.status), "--block-fd", str(handed.block), "--seccomp", str(handed.filter),
        *shown,
        "--proc", "/proc",
        *([] if zero else ["--dev-bind", "/dev/null", "/dev/zero"]),
        "--size", size, "--perms", "1777", "--tmpfs", _SHARED_MEMORY, "--remount-ro", "/dev",
        "--size", size, "--perms", "1777", "--tmpfs", _SCRATCH,
        "--dir", str(HOME.parent), "--size", size, "--tmpfs", str(HOME),
        "--remount-ro", "/",
        "--chdir", str(BOT_FOLDER),
        "--",
        *bot_command(script_command(program.command), interpreter()),
    ]  # fmt: skip


def _laid_over(mount: Mount) -> Mount:
    """Return how the second bubblewrap mounts what the first one shows.

    A list of mounts tells where a bound folder comes from; one that is laid over another tells only what it is called
    here. Seats are bound: what is laid over does not show what comes later.
    """
    may_be = mount.dest not in {mount.source, SEATS, LARGE_SEATS} and mount.source.is_dir()
    return Mount(mount.dest, mount.dest, laid_over=may_be and can_lay_over())


def _drop_to(uid: int) -> list[str]:
    return [
        str(find_tool("setpriv")), "--reuid", str(uid), "--regid", str(uid), "--clear-groups", "--inh-caps=-all",
        "--bounding-set=-all", "--no-new-privs", "--pdeathsig", "KILL", "--",
    ]  # fmt: skip


@lru_cache(maxsize=1)
def _reachable_bwrap(view: View) -> tuple[tuple[Mount, ...], Path]:
    """Return the outer mounts that every sandbox has, and where the dropped user finds bubblewrap among them."""
    bwrap = find_bwrap()
    if any(mount.covers(bwrap) for mount in view.mounts):
        return view.mounts, view.inside(bwrap)
    return (*view.mounts, Mount(bwrap, _OUTER_BWRAP)), _OUTER_BWRAP


# What every sandbox shows is put into words once, for it takes longer than all else of a command.


@lru_cache(maxsize=8)
def _shown(view: View, places: tuple[Path, ...], *, nested: bool) -> tuple[str, ...]:
    """Return the words for what every sandbox shows; places: of the mounts that are to follow.

    nested: whether it is shown by an inner bubblewrap.
    """
    mounts = _together(Mount(mount.dest, mount.dest) for mount in view.mounts) if nested else view.mounts
    return _words(view, mounts, places)


def _together(mounts: Iterable[Mount]) -> tuple[Mount, ...]:
    """Return the mounts with those below a system folder as one: what the outer bubblewrap shows of it is no more."""
    above = {mount: next((top for top in _SYSTEM if mount.dest.is_relative_to(top)), None) for mount in mounts}
    return tuple(dict.fromkeys(mount if top is None else Mount(top, top) for mount, top in above.items()))


def _words(view: View, mounts: Sequence[Mount], places: Sequence[Path]) -> tuple[str, ...]:
    """Return the words for mounts and links. Folders on the way are made first: bubblewrap makes them closed."""
    dests = {*places, *(mount.dest for mount in mounts)}
    folders = {parent for dest in dests for parent in dest.parents} - {Path("/")}
    on_the_way = sorted(folder for folder in folders if not any(folder.is_relative_to(dest) for dest in dests))
    made = (word for folder in on_the_way for word in ("--dir", str(folder)))
    links = (word for path, target in view.links for word in ("--symlink", target, str(path)))
    return (*made, *_bound(mounts), *links)


def _bound(mounts: Iterable[Mount]) -> list[str]:
    words: list[str] = []
    for mount in mounts:
        if mount.laid_over:
            words += ["--overlay-src", str(mount.source), "--overlay-src", _SCRATCH, "--ro-overlay", str(mount.dest)]
        else:
            words += ["--ro-bind", str(mount.source), str(mount.dest)]
    return words
