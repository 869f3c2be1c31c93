"""Receives an archive from a stream of requests; nothing of it touches the disk before it is whole and right."""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Final

from arena.core.errors import LimitReached, UsageError
from arena.services.archives import size_text
from arena.v1.bot_pb2 import SubmitBotHeader, SubmitBotRequest

CHUNK_BYTES: Final = 1 << 20
IDLE_S: Final = 30.0
WHOLE_S: Final = 600.0
_SHA256: Final = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Upload:
    """A whole archive whose bytes match its header."""

    header: SubmitBotHeader
    archive: bytes


async def receive(requests: AsyncIterator[SubmitBotRequest], max_bytes: int, idle_s: float = IDLE_S) -> Upload:
    """Read a header and chunks to the end of the stream.

    Raises LimitReached for an archive above max_bytes (at the header, before a byte is read), a chunk above 1 MB or a
    stream silent for idle_s seconds or open for WHOLE_S; UsageError for anything that does not match the header.
    """
    try:
        async with asyncio.timeout(WHOLE_S):
            return await _receive(requests, max_bytes, idle_s)
    except TimeoutError:
        raise LimitReached(
            f"an upload has to end within {WHOLE_S:g} s; submit again over a faster line",
            reason="UPLOAD_STALLED",
            retry_after_s=1,
        ) from None


async def _receive(requests: AsyncIterator[SubmitBotRequest], max_bytes: int, idle_s: float) -> Upload:
    header = await _read_header(requests, max_bytes, idle_s)
    archive = bytearray()
    digest = hashlib.sha256()
    while (request := await _next(requests, idle_s)) is not None:
        if request.WhichOneof("kind") != "chunk":
            raise UsageError("after the header only chunks may follow", reason="BAD_UPLOAD")
        if len(request.chunk) > CHUNK_BYTES:
            raise LimitReached(f"a chunk has at most {CHUNK_BYTES} bytes; send smaller ones", reason="CHUNK_TOO_LARGE")
        archive += request.chunk
        if len(archive) > header.size_bytes:
            raise UsageError(
                f"more bytes came than the {header.size_bytes} of the header; submit again", reason="WRONG_SIZE"
            )
        digest.update(request.chunk)
    if len(archive) < header.size_bytes:
        raise UsageError(
            f"the upload ended after {len(archive)} of {header.size_bytes} bytes; submit again", reason="WRONG_SIZE"
        )
    if digest.hexdigest() != header.sha256:
        raise UsageError(
            f"the archive arrived with sha256 {digest.hexdigest()}, its header says {header.sha256}; submit again",
            reason="WRONG_CHECKSUM",
        )
    return Upload(header, bytes(archive))


async def _read_header(requests: AsyncIterator[SubmitBotRequest], max_bytes: int, idle_s: float) -> SubmitBotHeader:
    request = await _next(requests, idle_s)
    if request is None or request.WhichOneof("kind") != "header":
        raise UsageError("an upload begins with its header", reason="BAD_UPLOAD")
    header = request.header
    if not _SHA256.fullmatch(header.sha256):
        raise UsageError("the header's sha256 has to be 64 lower-case hex digits", reason="BAD_UPLOAD")
    if header.size_bytes < 1:
        raise UsageError("the header's size_bytes has to be above 0", reason="BAD_UPLOAD")
    if header.size_bytes > max_bytes:
        raise LimitReached(
            f"the archive has {size_text(header.size_bytes)}, the limit is {size_text(max_bytes)};"
            " leave out what is not needed",
            reason="ARCHIVE_TOO_LARGE",
        )
    return header


async def _next(requests: AsyncIterator[SubmitBotRequest], idle_s: float) -> SubmitBotRequest | None:
    try:
        return await asyncio.wait_for(anext(requests), idle_s)
    except StopAsyncIteration:
        return None
    except TimeoutError:
        raise LimitReached(
            f"nothing came for {idle_s:g} s; submit again", reason="UPLOAD_STALLED", retry_after_s=1
        ) from None
