"""Reads and writes match logs on disk, plain or compressed with zstd (told by the file's first bytes, or its name)."""

from __future__ import annotations

import io
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

import zstandard

from arena.core.errors import LogError, UsageError

_MAGIC: Final = b"\x28\xb5\x2f\xfd"


@contextmanager
def open_log(path: Path) -> Iterator[IO[bytes]]:
    """Open a log for reading line by line; what is raised while it is read names the file.

    Raises UsageError for a file that cannot be read, LogError for bad zstd.
    """
    try:
        with path.open("rb") as raw:
            if raw.read(len(_MAGIC)) != _MAGIC:
                raw.seek(0)
                yield raw
                return
            raw.seek(0)
            with zstandard.ZstdDecompressor().stream_reader(raw, read_across_frames=True) as plain:
                yield io.BufferedReader(plain)
    except LogError as wrong:
        raise LogError(f"{path}: {wrong.message}", reason=wrong.code) from None
    except OSError as wrong:
        raise UsageError(f"{path} cannot be read: {wrong.strerror or wrong}", reason="UNREADABLE_FILE") from None
    except zstandard.ZstdError as wrong:
        raise LogError(f"{path} is no whole zstd file: {wrong}") from None


def check_writable(path: Path) -> None:
    """Raise UsageError unless a file can be made at this path; called before long work."""
    folder = path.parent
    if not folder.is_dir():
        raise UsageError(f"{path} cannot be written: there is no folder {folder}", reason="UNWRITABLE_FILE")
    if path.is_dir() or not os.access(folder, os.W_OK):
        raise UsageError(
            f"{path} cannot be written; name a file in a folder you may write to", reason="UNWRITABLE_FILE"
        )


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """Open a file to write that takes the place of an older one when it is whole; an error leaves the older one."""
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
        try:
            yield file
            file.close()
            Path(file.name).chmod(0o644)
            Path(file.name).replace(path)
        except BaseException:
            Path(file.name).unlink(missing_ok=True)
            raise


def write_file(path: Path, content: bytes) -> None:
    """Write a whole file or none: an older one of the name stays until the new one is complete."""
    with replacing(path) as file:
        file.write(content)


def write_log(path: Path, text: str) -> None:
    """Write a match log; compressed if the name ends in .zst."""
    content = text.encode()
    write_file(path, zstandard.ZstdCompressor().compress(content) if path.suffix == ".zst" else content)
