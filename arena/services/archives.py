"""Reads a submitted archive without trusting it: every check is made before anything touches a disk."""

from __future__ import annotations

import io
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import PurePosixPath
from typing import IO, Final, Self

from arena.core.errors import ArenaError, LimitReached, UsageError

MAX_ARCHIVE_BYTES: Final = 32 * 1024 * 1024
"""What one upload may weigh: a bot with a small model; as one row it stays far below any database's limit."""

MAX_UNPACKED_BYTES: Final = 128 * 1024 * 1024
"""All files together: fits in a sandbox's memory-backed disk."""

MAX_FILE_BYTES: Final = 64 * 1024 * 1024
"""One file, unpacked."""

MAX_FILES: Final = 2000
"""Files of one bot: unpacking them takes well under a second."""

MAX_PATH: Final = 240
"""Characters of a path in the archive: leaves room for the folder it is unpacked into."""

MAX_HEADER: Final = 2048
"""Bytes of a tar's extended header, which holds long names and attributes: tarfile's search through one takes time by
its square (CPython's CVE-2024-6232), and nothing else runs meanwhile."""

_EXTENDED: Final = frozenset({tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE})

_JUNK_FOLDERS: Final = frozenset({"__MACOSX", "__pycache__"})
_JUNK_FILES: Final = frozenset({".DS_Store", "Thumbs.db"})
_CHUNK: Final = 1 << 20

_ZIP_METHODS: Final = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
"""The others are unpacked by zipfile without a bound: a few hundred bytes of bzip2 become gigabytes in one read."""


@dataclass(frozen=True, slots=True)
class ArchiveFile:
    """One file of a bot; path is relative, with forward slashes and without the archive's own outer folder."""

    path: str
    content: bytes
    executable: bool


@dataclass(frozen=True, slots=True)
class _Entry:
    """One member as the archive declares it; open_ reads its bytes."""

    path: str
    size: int
    mode: int
    kind: str


def read_archive(archive: bytes) -> tuple[ArchiveFile, ...]:
    """Return the files of a zip, tar or tar.gz, sorted by path; folders, __MACOSX and .DS_Store are left out.

    A single folder around everything is taken off. Raises UsageError (BAD_ARCHIVE), LimitReached (ARCHIVE_TOO_LARGE,
    TOO_MANY_FILES, FILE_TOO_LARGE, CONTENT_TOO_LARGE, HEADER_TOO_LARGE, PATH_TOO_LONG); each names the file, the limit
    and the way out.
    """
    if len(archive) > MAX_ARCHIVE_BYTES:
        raise _limit(
            f"the archive has {size_text(len(archive))}, {size_text(MAX_ARCHIVE_BYTES)} are allowed; leave out what no"
            " bot needs",
            "ARCHIVE_TOO_LARGE",
        )
    is_zip = archive.startswith((b"PK\x03\x04", b"PK\x05\x06"))
    try:
        files = _checked(_zip_members(archive) if is_zip else _tar_members(archive))
    except ArenaError:
        raise
    except (
        zipfile.BadZipFile,
        tarfile.TarError,
        zlib.error,
        EOFError,
        OSError,
        ValueError,
        LookupError,  # what both raise for headers that make no sense
        OverflowError,
        RecursionError,  # headers of headers of headers
    ) as error:
        raise _bad(f"the archive cannot be read ({_line(error)}); send a zip, tar or tar.gz") from None
    except RuntimeError as error:  # what zipfile raises for an encrypted member
        raise _bad(f"the archive cannot be read ({_line(error)}); send it without a password") from None
    if not files:
        raise _bad("the archive holds no files; pack the bot's folder with its bot.toml")
    return _without_outer_folder(files)


def check_sizes(files: Iterable[tuple[str, int]]) -> None:
    """Raise, for files of these paths and sizes before they are packed, the LimitReached of read_archive."""
    total = 0
    for count, (path, size) in enumerate(files, 1):
        total += size
        if count > MAX_FILES:
            raise _too_many(path)
        if len(path.encode()) > MAX_PATH:
            raise _path_too_long(path)
        if size > MAX_FILE_BYTES:
            raise _too_large(path)
        if total > MAX_UNPACKED_BYTES:
            raise _content_too_large(path)


def size_text(size: int) -> str:
    """Return a number of bytes as people read it: 33554432 is "32 MB"."""
    for unit, bytes_in in (("MB", 1 << 20), ("KB", 1 << 10)):
        if size >= bytes_in:
            return f"{size / bytes_in:.1f} {unit}".replace(".0 ", " ")
    return f"{size} bytes"


def content_digest(files: Sequence[ArchiveFile]) -> str:
    """Return 64 hex digits over paths, modes and bytes: equal for equal content, however it was packed."""
    whole = sha256()
    for file in files:
        path = file.path.encode()
        for part in (path, b"x" if file.executable else b"-", file.content):
            whole.update(len(part).to_bytes(8, "little"))
            whole.update(part)
    return whole.hexdigest()


def _checked(members: Iterator[tuple[_Entry, IO[bytes] | None]]) -> list[ArchiveFile]:
    files: dict[str, ArchiveFile] = {}
    folded: dict[str, str] = {}
    total = 0
    for count, (entry, stream) in enumerate(members, 1):
        if count > 2 * MAX_FILES:
            raise _too_many(entry.path)
        path = _checked_path(entry)
        if path is None or stream is None:
            continue
        if len(files) == MAX_FILES:
            raise _too_many(path)
        content = _read_bounded(path, stream, MAX_UNPACKED_BYTES - total)
        total += len(content)
        twin = folded.setdefault(path.casefold(), path)
        if path in files or twin != path:
            raise _bad(f"{path!r} is in the archive twice (as {twin!r}); keep one of them")
        files[path] = ArchiveFile(path, content, bool(entry.mode & 0o111))
    for path in files:
        for parent in PurePosixPath(path).parents:
            if str(parent) in files:
                raise _bad(f"{str(parent)!r} is both a file and a folder; keep one of them")
    return [files[path] for path in sorted(files)]


def _checked_path(entry: _Entry) -> str | None:
    """Return the path of a file that is to be kept, None for a folder or junk. Raises UsageError for a bad one."""
    shown = repr(entry.path)
    if entry.kind == "link":
        raise _bad(f"{shown} is a link; put the file itself into the archive")
    if entry.kind == "other":
        raise _bad(f"{shown} is neither file nor folder; leave it out")
    if "\\" in entry.path or not entry.path.isprintable():
        raise _bad(f"{shown} has a backslash or a control character in its name; rename it")
    if entry.path.startswith("/") or entry.path[1:2] == ":":
        raise _bad(f"{shown} is an absolute path; pack the bot's folder from inside")
    parts = [part for part in entry.path.split("/") if part not in {"", "."}]
    if ".." in parts:
        raise _bad(f"{shown} leads out of the archive by '..'; pack the bot's folder from inside")
    path = "/".join(parts)
    if len(path.encode()) > MAX_PATH:
        raise _path_too_long(path)
    if entry.kind == "folder" or not parts or parts[-1] in _JUNK_FILES or _JUNK_FOLDERS.intersection(parts):
        return None
    if entry.size > MAX_FILE_BYTES:
        raise _too_large(path)
    return path


def _read_bounded(path: str, stream: IO[bytes], left: int) -> bytes:
    """Read a member, trusting no declared size: a bomb is noticed when it passes a limit, not after it is unpacked."""
    chunks: list[bytes] = []
    size = 0
    while chunk := stream.read(_CHUNK):
        size += len(chunk)
        if size > MAX_FILE_BYTES:
            raise _too_large(path)
        if size > left:
            raise _content_too_large(path)
        chunks.append(chunk)
    return b"".join(chunks)


def _zip_members(archive: bytes) -> Iterator[tuple[_Entry, IO[bytes] | None]]:
    if archive.count(b"PK\x01\x02") > 10 * MAX_FILES:  # zipfile would make an object of each before the first check
        raise _too_many("")
    with zipfile.ZipFile(io.BytesIO(archive)) as source:
        for info in source.infolist():
            mode = info.external_attr >> 16
            kind = _kind_of_mode(mode) if stat.S_IFMT(mode) else ("folder" if info.is_dir() else "file")
            entry = _Entry(info.filename, info.file_size, mode, "folder" if info.is_dir() and kind == "file" else kind)
            if entry.kind != "file":
                yield entry, None
                continue
            if info.compress_type not in _ZIP_METHODS:
                raise _bad(
                    f"{info.filename!r} is packed in a way that is not read here; pack it as `zip` does, by deflate"
                )
            with source.open(info) as stream:
                yield entry, stream


def _tar_members(archive: bytes) -> Iterator[tuple[_Entry, IO[bytes] | None]]:
    # Stream mode never seeks back, and the bound stops a gzip bomb that hides between the members.
    bounded = _Bounded(archive)
    with tarfile.open(fileobj=bounded, mode="r|", tarinfo=_Member) as source:
        for info in source:
            kind = (
                "file"
                if info.isreg()
                else "folder"
                if info.isdir()
                else "link"
                if info.issym() or info.islnk()
                else "other"
            )
            stream = source.extractfile(info) if kind == "file" else None
            yield _Entry(info.name, info.size, info.mode, kind), stream


class _Member(tarfile.TarInfo):
    """A member of a tar; one whose extended header is too long is not read."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        """Read a header block. Raises LimitReached (HEADER_TOO_LARGE) before what belongs to it is read."""
        found = super().frombuf(buf, encoding, errors)
        if found.type in _EXTENDED and found.size > MAX_HEADER:
            raise _limit(
                f"an extended header of the tar has {size_text(found.size)}, {size_text(MAX_HEADER)} are allowed; pack"
                " without attributes (`tar --no-xattrs`), or a zip",
                "HEADER_TOO_LARGE",
            )
        return found


class _Bounded(io.RawIOBase):
    """A tar's plain bytes, unzipped on the way, that end with an error past the limit for all files and headers."""

    def __init__(self, archive: bytes) -> None:
        super().__init__()
        self._unzip = zlib.decompressobj(wbits=31) if archive.startswith(b"\x1f\x8b") else None
        self._rest = memoryview(archive)
        self._left = MAX_UNPACKED_BYTES + 2 * MAX_FILES * 1024

    def read(self, size: int = -1) -> bytes:
        if size < 0:
            raise ValueError("a tar is read piece by piece")
        parts: list[bytes] = []
        while size > 0 and (part := self._next(size)):
            parts.append(part)
            size -= len(part)
            self._left -= len(part)
            if self._left < 0:
                raise _content_too_large("")
        return b"".join(parts)

    def _next(self, size: int) -> bytes:
        if self._unzip is None:
            part = bytes(self._rest[:size])
            self._rest = self._rest[size:]
            return part
        while not self._unzip.eof:
            pending = self._unzip.unconsumed_tail
            if not pending:
                pending = bytes(self._rest[:_CHUNK])
                self._rest = self._rest[_CHUNK:]
            part = self._unzip.decompress(pending, size)
            if part:
                return part
            if not pending:
                raise EOFError("it ends too early")
        return b""


def _kind_of_mode(mode: int) -> str:
    if stat.S_ISREG(mode):
        return "file"
    if stat.S_ISDIR(mode):
        return "folder"
    return "link" if stat.S_ISLNK(mode) else "other"


def _without_outer_folder(files: list[ArchiveFile]) -> tuple[ArchiveFile, ...]:
    outer = {file.path.split("/")[0] for file in files}
    if len(outer) > 1 or any("/" not in file.path for file in files):
        return tuple(files)
    cut = len(outer.pop()) + 1
    return tuple(ArchiveFile(file.path[cut:], file.content, file.executable) for file in files)


def _line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def _bad(message: str) -> UsageError:
    return UsageError(message, reason="BAD_ARCHIVE")


def _limit(message: str, reason: str) -> LimitReached:
    return LimitReached(message, reason=reason)


def _too_many(path: str) -> LimitReached:
    first = f"; {path!r} is one too many" if path else ""
    return _limit(f"the archive holds more than {MAX_FILES} files{first}; pack data into fewer", "TOO_MANY_FILES")


def _too_large(path: str) -> LimitReached:
    return _limit(f"{path!r} has more than {size_text(MAX_FILE_BYTES)}; make it smaller or split it", "FILE_TOO_LARGE")


def _content_too_large(path: str) -> LimitReached:
    up_to = f"with {path!r} " if path else ""
    return _limit(
        f"{up_to}the files have more than {size_text(MAX_UNPACKED_BYTES)} unpacked; send fewer or smaller",
        "CONTENT_TOO_LARGE",
    )


def _path_too_long(path: str) -> LimitReached:
    return _limit(f"{path!r} is longer than {MAX_PATH} characters; shorten names or folders", "PATH_TOO_LONG")
