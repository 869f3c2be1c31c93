"""Joins two connections: what comes on one goes out on the other."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Final, TypeAlias

CHUNK_BYTES: Final = 64 * 1024
GOODBYE_S: Final = 2.0
"""How long the last bytes may take to be accepted."""

Ends: TypeAlias = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def splice(one: Ends, other: Ends) -> None:
    """Carry bytes both ways until both sides have ended, or one has broken. The caller closes them."""
    pumps = {asyncio.ensure_future(_pump(one[0], other[1])), asyncio.ensure_future(_pump(other[0], one[1]))}
    try:
        await asyncio.wait(pumps, return_when=asyncio.FIRST_EXCEPTION)
    finally:
        for pump in pumps:
            pump.cancel()
        await asyncio.gather(*pumps, return_exceptions=True)


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while chunk := await reader.read(CHUNK_BYTES):
        writer.write(chunk)
        await writer.drain()
    if writer.can_write_eof():
        writer.write_eof()
    else:
        # TLS has no half-closed connections: who has nothing more to say is gone.
        raise ConnectionResetError("the other side has ended")


async def hang_up(writer: asyncio.StreamWriter) -> None:
    """Close a connection after what was written to it; what is not taken in time is dropped."""
    writer.close()
    with contextlib.suppress(OSError, TimeoutError):
        async with asyncio.timeout(GOODBYE_S):
            await writer.wait_closed()
    writer.transport.abort()
