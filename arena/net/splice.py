"""Joins two connections: what comes on one goes out on the other."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Final, TypeAlias

CHUNK_BYTES: Final = 64 * 1024
GOODBYE_S: Final = 2.0
"""How long the last bytes may take to come, and to be accepted."""

Ends: TypeAlias = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def splice(one: Ends, other: Ends, silent_s: float | None = None) -> BaseException | None:
    """Carry bytes both ways until a side has ended, or broken; return what broke it. The caller closes them.

    silent_s: the other is broken once it has said nothing for so long (TimeoutError). Once one side has ended, what the
    other has still to say may take GOODBYE_S: where it is gone without a word, it will never end.
    """
    pumps = (
        asyncio.ensure_future(_pump(one[0], other[1])),
        asyncio.ensure_future(_pump(other[0], one[1], silent_s)),
    )
    try:
        done, pending = await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
        broken = next((pump.exception() for pump in done), None)
        if pending and broken is None:
            await asyncio.wait(pending, timeout=GOODBYE_S)
        return broken
    finally:
        for pump in pumps:
            pump.cancel()
        await asyncio.gather(*pumps, return_exceptions=True)


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, silent_s: float | None = None) -> None:
    while True:
        async with asyncio.timeout(silent_s):
            chunk = await reader.read(CHUNK_BYTES)
        if not chunk:
            break
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
