"""What a sandbox shows of this machine: system libraries, the interpreter and what a bot may import; nothing else."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Final

from arena.core.errors import Unavailable
from arena.core.registry import GROUP
from arena.hosting.library import LIBRARY, library
from arena.hosting.programs import interpreter_home

SITE: Final = Path("/whiteout/site")
"""Where installed packages stand."""

# Every mount costs 0.2 ms of a start, so there are few.
_SYSTEM_FOLDERS: Final = (
    "/usr/bin",
    "/usr/lib",
    "/usr/lib32",
    "/usr/lib64",
    "/usr/local/bin",
    "/usr/local/lib",
    "/usr/share/nodejs",
    "/nix/store",
    "/etc/alternatives",
    "/etc/ld.so.cache",
)
_SYSTEM_ROOTS: Final = ("/bin", "/lib", "/lib32", "/lib64", "/libx32")
_ARENA_PARTS: Final = ("__init__.py", "core", "games", "v1")
_BOTS_PARTS: Final = ("__init__.py", "builtin", "sdk")
_NEEDED_FROM_SITE: Final = ("grpc", "google.protobuf", "numpy", "typing_extensions")


@dataclass(frozen=True, slots=True)
class Mount:
    """One file or folder of this machine and where a sandbox sees it, read-only.

    laid_over: whether it is not bound but laid over an empty folder, which hides its path on this machine.
    """

    source: Path
    dest: Path
    laid_over: bool = False

    def covers(self, path: Path) -> bool:
        """Whether the path of this machine lies inside."""
        return path.is_relative_to(self.source)


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """Everything every sandbox shows: mounts, links (path to target) and the import path for Python."""

    mounts: tuple[Mount, ...]
    links: tuple[tuple[Path, str], ...]
    python_path: tuple[Path, ...]

    def inside(self, path: Path) -> Path:
        """Return where a sandbox sees this path of the machine. Raises Unavailable if it does not."""
        for mount in self.mounts:
            if mount.covers(path):
                return mount.dest / path.relative_to(mount.source)
        raise Unavailable(f"{path} is not visible in a sandbox; install it below /usr", reason="NO_SANDBOX")


def standard_view() -> View:
    """Return the view of this machine that every sandbox gets; found once per process, and while its library is there.

    Raises UsageError if the arena's own files cannot be read, Unavailable if there is no place to show them in.
    """
    try:
        return _view(_library.path())
    except OSError as error:
        raise Unavailable(
            f"the sandbox cannot be made here: a place for the arena's own parts: {error}", reason="NO_SANDBOX"
        ) from None


@lru_cache(maxsize=1)
def _view(own: Path) -> View:
    mounts, links, sites = _machine()
    return View((*mounts, Mount(own, LIBRARY)), links, (LIBRARY, *sites))


@cache
def _machine() -> tuple[tuple[Mount, ...], tuple[tuple[Path, str], ...], tuple[Path, ...]]:
    """Return the mounts and links of all but the library, and where installed packages are found."""
    mounts, links = _system()
    home = interpreter_home()
    if not any(mount.covers(home / "bin") for mount in mounts):
        mounts.append(Mount(home, home))
    sites = _site_folders(mounts)
    mounts.extend(site for site in sites if site.dest != site.source)
    return tuple(mounts), tuple(links), tuple(site.dest for site in sites)


def _system() -> tuple[list[Mount], list[tuple[Path, str]]]:
    mounts = [Mount(path, path) for path in map(Path, _SYSTEM_FOLDERS) if path.exists()]
    links: list[tuple[Path, str]] = []
    for path in map(Path, _SYSTEM_ROOTS):
        if path.is_symlink():
            links.append((path, str(path.readlink())))
        elif path.is_dir():
            mounts.append(Mount(path, path))
    return mounts, links


def _site_folders(mounts: list[Mount]) -> list[Mount]:
    """Return the folders of installed packages that the SDK needs; those visible already where they are."""
    folders: dict[Path, Mount] = {}
    for name in _NEEDED_FROM_SITE:
        spec = importlib.util.find_spec(name)
        if spec is None or spec.origin is None:
            continue
        depth = name.count(".") + (2 if spec.submodule_search_locations is not None else 1)
        folder = Path(spec.origin).resolve().parents[depth - 1]
        seen = any(mount.covers(folder) for mount in mounts)
        folders.setdefault(folder, Mount(folder, folder if seen else SITE / str(len(folders))))
    return [*folders.values()]


def _packages() -> dict[Path, Path]:
    """Return the parts of the project a bot may import, one by one, and games that are not visible yet."""
    parts = {"arena": _ARENA_PARTS, "bots": _BOTS_PARTS}
    own = {Path(name, part): _folder_of(name) / part for name, names in parts.items() for part in names}
    return {**own, **{Path(source.name): source for source in _outside_games()}}


def _folder_of(package: str) -> Path:
    # Found, not imported: hosting stands below the bots' packages.
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise Unavailable("the arena's packages are not installed as files; reinstall it with pip")
    return Path(spec.origin).resolve().parent


def _outside_games() -> list[Path]:
    """Return the packages of games installed from elsewhere, where they are not visible yet (editable installs)."""
    mounts, found = _machine()[0], list[Path]()
    for name in sorted({point.module.partition(".")[0] for point in entry_points(group=GROUP)} - {"arena"}):
        spec = importlib.util.find_spec(name)
        if spec is None or spec.origin is None:
            continue
        origin = Path(spec.origin).resolve()
        source = origin.parent if spec.submodule_search_locations is not None else origin
        if not any(mount.covers(source) for mount in mounts):
            found.append(source)
    return found


_library: Final = library(_packages)
