"""Packs a bot's folder into the archive that is submitted: the same files give the same bytes."""

from __future__ import annotations

import hashlib
import io
import stat
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from arena.cli.readiness import check_built
from arena.core.errors import LimitReached, UsageError
from arena.core.manifest import Manifest, parse_manifest
from arena.services.archives import MAX_ARCHIVE_BYTES, check_sizes, size_text

MANIFEST: Final = "bot.toml"
LEFT_OUT: Final = frozenset(
    {".git", ".hg", ".svn", ".venv", "__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".DS_Store"}
)
LEFT_OUT_OF: Final = {"typescript": frozenset({"node_modules"})}
"""What more is left out for a language: its bundle has all of it."""
_EPOCH: Final = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Packed:
    """A folder as one ZIP archive; sha256 is 64 hex digits over its bytes."""

    archive: bytes
    sha256: str
    files: int


def pack(folder: Path) -> Packed:
    """Pack every file of the folder but those of version control and caches, and what its language rebuilds.

    Raises UsageError for a folder that is not there, has no bot.toml, is not built, holds a link or cannot be read,
    LimitReached for what a server would refuse for its size.
    """
    check_folder(folder)
    try:
        names = _packed_names(folder)
        sizes = {name: (folder / name).stat().st_size for name in names}
        check_sizes(sizes.items())
        archive = _zip(folder, names)
    except OSError as error:
        raise UsageError(f"{error.filename or folder}: {error.strerror}; the bot was not packed") from None
    if len(archive) > MAX_ARCHIVE_BYTES:
        largest = max(sizes, key=lambda name: sizes[name])
        raise LimitReached(
            f"the folder packs into {size_text(len(archive))}, {size_text(MAX_ARCHIVE_BYTES)} are allowed; the largest"
            f" file is {largest!r} with {size_text(sizes[largest])}",
            reason="ARCHIVE_TOO_LARGE",
        )
    return Packed(archive, hashlib.sha256(archive).hexdigest(), len(names))


def fingerprint(folder: Path) -> str:
    """Return 64 hex digits over a folder's files: their names, bytes, and which may be executed.

    The same files as pack takes, without its limits on size. Raises UsageError as pack does.
    """
    check_folder(folder)
    digest = hashlib.sha256()
    try:
        for name in _packed_names(folder):
            path = folder / name
            executable = bool(path.stat().st_mode & stat.S_IXUSR)
            with path.open("rb") as file:
                content = hashlib.file_digest(file, "sha256").hexdigest()
            digest.update(f"{content} {'x' if executable else '-'} {name}\n".encode())
    except OSError as error:
        raise UsageError(f"{error.filename or folder}: {error.strerror}; the bot cannot be connected") from None
    return digest.hexdigest()


def check_folder(folder: Path) -> None:
    """Raise UsageError unless this is a bot's folder."""
    if not folder.is_dir():
        raise UsageError(f"{folder} is no folder; give the folder of a bot", reason="NO_SUCH_FOLDER")
    if not (folder / MANIFEST).is_file():
        raise UsageError(
            f"{folder} has no {MANIFEST}; write one, or begin with `arena new DIR --game GAME`", reason="NO_MANIFEST"
        )


def _packed_names(folder: Path) -> list[str]:
    manifest = _manifest(folder)
    if manifest is None:
        return _files(folder, LEFT_OUT)
    check_built(folder, manifest)
    return _files(folder, LEFT_OUT | LEFT_OUT_OF.get(manifest.language, frozenset()))


def _manifest(folder: Path) -> Manifest | None:
    """Return the manifest, None if it cannot be read: what is wrong with it is the server's to say."""
    try:
        return parse_manifest((folder / MANIFEST).read_text(encoding="utf-8"))
    except (UsageError, UnicodeDecodeError):
        return None


def _files(folder: Path, left_out: frozenset[str]) -> list[str]:
    names = []
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder)
        if not left_out.isdisjoint(name.parts):
            continue
        if path.is_symlink():
            raise UsageError(f"{path} is a link; put the file itself into the folder", reason="LINK_IN_FOLDER")
        if path.is_dir():
            continue
        if not path.is_file():
            raise UsageError(f"{path} is no plain file; take it out of the folder", reason="ODD_FILE_IN_FOLDER")
        if not str(name).isprintable():
            raise UsageError(
                f"{str(path)!r} has a control character, or bytes that are no UTF-8, in its name; rename it",
                reason="ODD_FILE_IN_FOLDER",
            )
        names.append(name.as_posix())
    return names


def _zip(folder: Path, names: list[str]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            path = folder / name
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.create_system = 3  # Unix, on every machine: it is part of the bytes
            executable = bool(path.stat().st_mode & stat.S_IXUSR)
            entry.external_attr = (stat.S_IFREG | (0o755 if executable else 0o644)) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, path.read_bytes())
    return buffer.getvalue()
