"""Control groups of version 1 or 2, where this user may make them: the kernel's own limits for a whole bot."""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import Final, TypeAlias

from arena.hosting.kernel_files import read_kernel_file, tree_of, write_kernel_file
from arena.hosting.leftovers import Leftovers

CONTROLLERS: Final = ("memory", "pids", "cpu")
FREEZER: Final = "freezer"
"""Stopping a group; version 2 has it without any controller. That of version 1 keeps what is killed from dying."""

_PREFIX: Final = "whiteout-"
_PERIOD_US: Final = 100_000
_MOST_READ: Final = 4096
Works: TypeAlias = Callable[[Path, int, frozenset[str]], bool]
_serial = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Place:
    """A folder in which groups can be made. version: 1 or 2. offers: what a group there can do."""

    folder: Path
    version: int
    offers: frozenset[str]


@dataclass(frozen=True, slots=True)
class Sizes:
    """The limits of a group: bytes of memory, processes and threads, cores."""

    memory: int
    processes: int
    cores: float


@dataclass(slots=True)
class Group:
    """The groups of one bot, one folder a place. active: what they do for it."""

    folders: tuple[Path, ...]
    active: frozenset[str]
    freezer: Path | None = None
    memory_events: str | None = None
    _removed: bool = field(default=False, repr=False)

    def admit(self, pid: int) -> None:
        """Put a process in, with all that it has started already; what it starts from now on is in, too.

        Raises OSError if it cannot be.
        """
        for folder in self.folders:
            write_kernel_file(f"{folder}/cgroup.procs", str(pid))
        # Those of before are all known now: the kernel moves nobody while another one is being started.
        for each in tree_of(pid)[1:]:
            for folder in self.folders:
                with contextlib.suppress(ProcessLookupError):
                    write_kernel_file(f"{folder}/cgroup.procs", str(each))

    def ran_out_of_memory(self) -> bool:
        """Whether the kernel has killed something of the bot for want of memory."""
        if self.memory_events is None:
            return False
        with contextlib.suppress(OSError):
            for line in read_kernel_file(self.memory_events, _MOST_READ).splitlines():
                name, _, number = line.partition(b" ")
                if name == b"oom_kill":
                    return number.strip() not in {b"", b"0"}
        return False

    def remove(self) -> None:
        """Remove the folders of a bot that has ended, now or later; doing it twice is harmless."""
        if not self._removed:
            self._removed = True
            leftovers = Leftovers.of_process()
            leftovers.try_again()
            for folder in self.folders:
                leftovers.remove(folder)


class ControlGroups:
    """Makes a group for every bot. places: where; none of them makes groups that limit nothing."""

    def __init__(self, places: tuple[Place, ...]) -> None:
        self._places = places

    @classmethod
    @cache
    def found(cls) -> ControlGroups:
        """Return those of this machine; found once per process. What killed arenas left behind is removed."""
        places = find_places(Path("/proc/self/cgroup").read_text, Path("/proc/self/mountinfo").read_text)
        for place in places:
            sweep(place.folder)
        return cls(places)

    @classmethod
    def none(cls) -> ControlGroups:
        """Return such as make no groups: the watcher alone guards the bots."""
        return cls(())

    @property
    def offers(self) -> Mapping[str, int]:
        """What groups can do here, with the version of the control groups that do it."""
        return {name: place.version for place in self._places for name in sorted(place.offers)}

    def make(self, sizes: Sizes) -> Group:
        """Return a new group with these limits; a folder that cannot be made or set is left out."""
        Leftovers.of_process().try_again()
        folders: list[Path] = []
        active: set[str] = set()
        group = Group((), frozenset())
        for place in self._places:
            folder = f"{place.folder}/{_own_mark(os.getpid())}-{next(_serial)}"
            try:
                os.mkdir(folder)
                for name in place.offers:
                    _set_limit(folder, place.version, name, sizes)
            except OSError:
                with contextlib.suppress(OSError):
                    os.rmdir(folder)
                continue
            folders.append(Path(folder))
            active |= place.offers
            if FREEZER in place.offers:
                group.freezer = Path(f"{folder}/cgroup.freeze")
            if "memory" in place.offers:
                group.memory_events = f"{folder}/{'memory.events' if place.version == 2 else 'memory.oom_control'}"
        group.folders, group.active = tuple(folders), frozenset(active)
        return group


def find_places(
    read_membership: Callable[[], str], read_mounts: Callable[[], str], works: Works | None = None
) -> tuple[Place, ...]:
    """Return where groups can be made, given the text of /proc/self/cgroup and /proc/self/mountinfo.

    works: tries a folder out. A controller is taken from version 2 where that has it, else from version 1. Raises
    nothing: no place is an answer.
    """
    try:
        memberships = _memberships(read_membership())
        mounts = _mounts(read_mounts())
    except (OSError, ValueError):
        return ()
    places: list[Place] = []
    taken: set[str] = set()
    for names, mount, root in mounts:
        own = _own_folder(memberships.get(names, "/"), mount, root)
        place = _usable(names, own, taken, works or _try_folder)
        if place is not None:
            places.append(place)
            taken |= place.offers
    return tuple(places)


def sweep(folder: Path) -> None:
    """Remove groups of processes that are gone; the kernel itself keeps those that are not empty."""
    with contextlib.suppress(OSError):
        for left in folder.glob(f"{_PREFIX}*"):
            pid, _, rest = left.name.removeprefix(_PREFIX).partition("-")
            then = rest.partition("-")[0]
            if pid.isdecimal() and left.is_dir() and started(int(pid)) != then:
                with contextlib.suppress(OSError):
                    left.rmdir()


def _memberships(text: str) -> dict[frozenset[str], str]:
    """Return this process' path by controllers; version 2 has none and is the empty set."""
    found: dict[frozenset[str], str] = {}
    for line in text.splitlines():
        _, names, path = line.split(":", 2)
        found[frozenset(name for name in names.split(",") if name)] = path
    return found


def _mounts(text: str) -> list[tuple[frozenset[str], Path, str]]:
    """Return (controllers, mount point, root of the mount) of every control group file system, version 2 first."""
    found: list[tuple[frozenset[str], Path, str]] = []
    for line in text.splitlines():
        before, _, after = line.partition(" - ")
        kind, _, options = after.split(" ", 2)
        words = before.split(" ")
        if kind == "cgroup2":
            found.insert(0, (frozenset(), Path(words[4]), words[3]))
        elif kind == "cgroup":
            names = frozenset(options.split(",")) & {*CONTROLLERS, "cpuacct", "cpuset", "net_cls", "net_prio"}
            if names & set(CONTROLLERS):
                found.append((names, Path(words[4]), words[3]))
    return found


def _own_folder(path: str, mount: Path, root: str) -> Path:
    """Return this process' own folder below a mount; a container's mount shows a part of the tree only."""
    inside = path.removeprefix(root.rstrip("/")) if path.startswith(root) else "/"
    folder = mount / inside.lstrip("/")
    return folder if folder.is_dir() else mount


def _usable(names: frozenset[str], own: Path, taken: set[str], works: Works) -> Place | None:
    if names:
        wanted = frozenset(names & set(CONTROLLERS)) - taken
        return Place(own, 1, wanted) if wanted and works(own, 1, wanted) else None
    # Version 2: a group with processes cannot hand controllers down, so its parent may have to be the place.
    best: Place | None = None
    for folder in (own, own.parent):
        offers = _offers_of_v2(folder, change=folder == own)
        if offers and works(folder, 2, offers) and (best is None or len(offers) > len(best.offers)):
            best = Place(folder, 2, offers)
    return best


def _offers_of_v2(folder: Path, *, change: bool) -> frozenset[str]:
    """Return what groups in a folder can do; change: whether controllers it has may be handed down first."""
    control = folder / "cgroup.subtree_control"
    try:
        lacking = set(CONTROLLERS) - set(control.read_text().split()) if change else set()
        able = set((folder / "cgroup.controllers").read_text().split())
        for name in sorted(lacking & able):
            with contextlib.suppress(OSError):
                control.write_text(f"+{name}")
        handed_down = set(control.read_text().split()) & set(CONTROLLERS)
    except OSError:
        return frozenset()
    return frozenset(handed_down | {FREEZER})


def _try_folder(folder: Path, version: int, offers: frozenset[str]) -> bool:
    """Make a group, set limits, put a child of ours in and remove it all again."""
    trial = folder / f"{_own_mark(os.getpid())}-{next(_serial)}"
    try:
        trial.mkdir()
    except OSError:
        return False
    try:
        for name in offers:
            _set_limit(str(trial), version, name, Sizes(1 << 28, 64, 1.0))
        return os.access(trial / "cgroup.procs", os.W_OK) and os.access(folder / "cgroup.procs", os.W_OK)
    except OSError:
        return False
    finally:
        Leftovers.of_process().remove(trial)


def _set_limit(folder: str, version: int, name: str, sizes: Sizes) -> None:
    for file, value, needed in _settings(version, name, sizes):
        if needed or os.path.exists(f"{folder}/{file}"):
            write_kernel_file(f"{folder}/{file}", value)


def _settings(version: int, name: str, sizes: Sizes) -> Iterator[tuple[str, str, bool]]:
    """Yield (file, value, whether the limit is none without it)."""
    quota = str(round(sizes.cores * _PERIOD_US))
    if name == FREEZER:
        yield "cgroup.freeze", "0", True
    elif name == "pids":
        yield "pids.max", str(sizes.processes), True
    elif name == "cpu" and version == 2:
        yield "cpu.max", f"{quota} {_PERIOD_US}", True
    elif name == "cpu":
        yield "cpu.cfs_period_us", str(_PERIOD_US), True
        yield "cpu.cfs_quota_us", quota, True
    elif version == 2:
        yield "memory.max", str(sizes.memory), True
        yield "memory.swap.max", "0", False
        yield "memory.oom.group", "1", False
    else:
        yield "memory.limit_in_bytes", str(sizes.memory), True
        yield "memory.memsw.limit_in_bytes", str(sizes.memory), False


@lru_cache(maxsize=1)
def _own_mark(pid: int) -> str:
    """Return the mark of this process itself, which does not change; a forked one has another number."""
    return mark(pid)


def mark(pid: int) -> str:
    """Return how the names of all groups that a process makes begin."""
    return f"{_PREFIX}{pid}-{started(pid)}"


def started(pid: int) -> str:
    """Return when a process was started, in the kernel's ticks, "" if there is none: numbers are used again."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""
