"""The options that commands playing matches share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

Variant: TypeAlias = Annotated[str | None, typer.Option("--variant", metavar="V", help="Variant of the game.")]
Seed: TypeAlias = Annotated[
    str | None,
    typer.Option("--seed", metavar="N", help="Number below 2**128; chosen at random and printed if left out."),
]
ClockNotation: TypeAlias = Annotated[
    str | None, typer.Option("--clock", metavar="C", help='Such as "10s+0.1s", or none; the game\'s own if left out.')
]
ComponentFile: TypeAlias = Annotated[
    Path | None, typer.Option("--components", metavar="FILE", help="Play with the component numbers of this file.")
]
InProcess: TypeAlias = Annotated[
    bool, typer.Option("--in-process", help="Play Python bots in this process: no sandbox, no clock.")
]
Unsafe: TypeAlias = Annotated[
    bool, typer.Option("--unsafe-no-sandbox", help="Start the bots as ordinary programs; the log says so.")
]
Json: TypeAlias = Annotated[bool, typer.Option("--json", help="Print JSON.")]
