"""Keeps the beginning and the end of what a program prints and throws the middle away."""

from __future__ import annotations

from collections import deque

HALF_BYTES = 32 * 1024


class CappedOutput:
    """Up to `half` bytes from the start and as many from the end; the rest is only counted."""

    __slots__ = ("_half", "_head", "_tail", "_tail_size", "total")

    def __init__(self, half: int = HALF_BYTES) -> None:
        self._half = half
        self._head = bytearray()
        self._tail: deque[bytes] = deque()
        self._tail_size = 0
        self.total = 0

    @property
    def truncated(self) -> bool:
        """Whether something has been thrown away already."""
        return self.total > 2 * self._half

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes."""
        self.total += len(chunk)
        room = self._half - len(self._head)
        self._head += chunk[:room]
        rest = chunk[room:] if room > 0 else chunk
        if rest:
            self._tail.append(rest[-self._half :])
            self._tail_size += len(self._tail[-1])
        while self._tail and self._tail_size - len(self._tail[0]) >= self._half:
            self._tail_size -= len(self._tail.popleft())

    def kept(self) -> bytes:
        """Return what was kept; a line in the middle says how many bytes are missing."""
        tail = b"".join(self._tail)[-self._half :]
        missing = self.total - len(self._head) - len(tail)
        gap = f"\n[... {missing} bytes not kept ...]\n".encode() if missing else b""
        return bytes(self._head) + gap + tail

    @property
    def text(self) -> str:
        """What was kept, for people."""
        return self.kept().decode(errors="replace")
