"""What measurements share: programs, which are asked and answer in lines of JSON, and the typical of some values."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

from arena.core.errors import Unavailable
from arena.core.protocol import GRPC_ENVIRONMENT

PROGRAMS: Final = Path(__file__).parent / "programs"
_LONGEST_LINE: Final = 16 * 1024 * 1024


def quantile(values: Sequence[float]) -> float:
    """Return the lower quartile: whatever else a machine does only adds to what something costs."""
    return sorted(values)[len(values) // 4]


@asynccontextmanager
async def program(
    name: str, *words: str, settings: Mapping[str, str] = GRPC_ENVIRONMENT
) -> AsyncIterator[asyncio.subprocess.Process]:
    """Run one of the measuring programs; it ends when its standard input does. settings: what gRPC reads."""
    others = {name: text for name, text in os.environ.items() if name not in GRPC_ENVIRONMENT}
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(PROGRAMS / name),
        *words,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env={**others, **settings},
        limit=_LONGEST_LINE,
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def ask(process: asyncio.subprocess.Process, question: object) -> Any:
    """Tell a program something and return its answer. Raises Unavailable if it has ended."""
    tell(process, question)
    return await answer_of(process)


def tell(process: asyncio.subprocess.Process, question: object) -> None:
    """Tell a program something."""
    if process.stdin is None:
        raise RuntimeError("a pipe was asked for")
    process.stdin.write(json.dumps(question).encode() + b"\n")


async def answer_of(process: asyncio.subprocess.Process) -> Any:
    """Return what a program says next. Raises Unavailable if it has ended."""
    line = await process.stdout.readline() if process.stdout is not None else b""
    if not line:
        raise Unavailable("a measuring program ended early; its last words stand above", reason="BENCH_FAILED")
    return json.loads(line)
