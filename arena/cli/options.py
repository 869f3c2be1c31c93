"""What the commands that talk to a server share: options, words, times, and messages as plain values."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Callable
from datetime import UTC
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from google.protobuf.timestamp_pb2 import Timestamp

from arena.api.plain import as_plain as as_plain  # noqa: PLC0414 - every command that prints JSON takes it from here
from arena.core.errors import UsageError
from arena.net.tls import CERT_HELP, KEY_HELP, PLAIN_HELP

ServerOption = Annotated[
    str | None, typer.Option("--server", metavar="HOST:PORT", help="The server; else $ARENA_SERVER, else `arena up`'s.")
]
CaOption = Annotated[
    Path | None,
    typer.Option("--ca", metavar="FILE", help="Authority that has signed the server's certificate; else $ARENA_CA."),
]
TokenFileOption = Annotated[
    Path | None, typer.Option("--token-file", metavar="FILE", help="File with the token; else $ARENA_TOKEN.")
]
DataOption = Annotated[
    Path | None, typer.Option("--data", metavar="DIR", help="Data folder of the `arena up` to talk to.")
]
TlsCertOption = Annotated[Path | None, typer.Option("--tls-cert", metavar="FILE", help=CERT_HELP)]
TlsKeyOption = Annotated[Path | None, typer.Option("--tls-key", metavar="FILE", help=KEY_HELP)]
PlainTextOption = Annotated[bool, typer.Option("--allow-plain-text", help=PLAIN_HELP)]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]
LimitOption = Annotated[int, typer.Option("--limit", min=1, max=100_000, help="Show at most this many.")]

WIDE: Final = 100

_SPAN: Final = re.compile(r"([1-9][0-9]{0,5})([mhd])")
_SECONDS: Final = {"m": 60, "h": 3600, "d": 86_400}


def word(name_of: Callable[[Any], str], value: int, prefix: str) -> str:
    """Return an enum value as people write it: TOURNAMENT_STATE_RUNNING with its prefix gives "running"."""
    return name_of(value).removeprefix(prefix).replace("_", " ").lower()


def clock_time(stamp: Timestamp) -> str:
    """Return a time for tables, in UTC to the minute; "-" for an absent one."""
    return f"{stamp.ToDatetime(UTC):%Y-%m-%d %H:%M}" if stamp.seconds else "-"


def is_wide() -> bool:
    """Whether a table has room for every column: a terminal of at least WIDE columns, or no terminal at all."""
    return not sys.stdout.isatty() or shutil.get_terminal_size().columns >= WIDE


def parse_span(text: str) -> int:
    """Read a span of time such as 90m, 12h or 30d as seconds. Raises UsageError."""
    found = _SPAN.fullmatch(text)
    seconds = int(found[1]) * _SECONDS[found[2]] if found else 0
    if not 0 < seconds < 1 << 31:
        raise UsageError(f"{text!r} is no span of time; write minutes, hours or days, like 90m, 12h or 30d")
    return seconds
