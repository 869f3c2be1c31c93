"""`arena doctor`: what this machine offers an arena, one line each."""

from __future__ import annotations

import asyncio
import os
import platform
import sys
from dataclasses import asdict
from typing import Annotated

import typer

from arena.cli.local.broker import find_broker
from arena.cli.options import JsonOption
from arena.cli.output import print_json, say
from arena.core.errors import ArenaError
from arena.hosting.layers import Layer, active_layers
from arena.hosting.programs import find_bwrap, find_node

OLDEST_PYTHON = (3, 11)
MOST_SHOWN = 10


def doctor(
    *,
    attack: Annotated[
        bool, typer.Option("--attack", help="Run attacking programs in real sandboxes; 1 if one gets through.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Show which layers protect this machine from bots, the broker and Python; 1 if a required one is missing."""
    if attack:
        _attack(as_json=as_json)
        return
    layers = [_python(), _broker(), _bubblewrap(), *active_layers(), _node()]
    missing = [layer for layer in layers if layer.required and not layer.active]
    if as_json:
        print_json([asdict(layer) for layer in layers])
    else:
        for layer in layers:
            mark = "ok" if layer.active else "MISSING" if layer.required else "absent"
            say(f"{mark:<8} {layer.name}: {layer.detail}")
    if missing:
        raise typer.Exit(1)


def _attack(*, as_json: bool) -> None:
    from arena.hosting.attack import Finding, attack  # noqa: PLC0415 - gRPC costs 150 ms that the layers need not pay

    async def run() -> list[Finding]:
        findings: list[Finding] = []
        async for finding in attack():
            findings.append(finding)
            if not as_json:
                say(f"{'THROUGH' if finding.through else 'held':<8} {finding.name}: {finding.threat}")
                for what in finding.through[:MOST_SHOWN]:
                    say(f"         {what}")
        return findings

    findings = asyncio.run(run())
    if as_json:
        print_json([asdict(finding) for finding in findings])
    if any(finding.through for finding in findings):
        raise typer.Exit(1)


def _python() -> Layer:
    sound = sys.version_info[:2] >= OLDEST_PYTHON
    detail = f"{platform.python_version()} ({sys.executable}), {len(os.sched_getaffinity(0))} cores"
    return Layer("python", required=True, active=sound, detail=detail)


def _broker() -> Layer:
    try:
        return Layer("broker", required=True, active=True, detail=str(find_broker()))
    except ArenaError as error:
        return Layer("broker", required=True, active=False, detail=error.message)


def _bubblewrap() -> Layer:
    try:
        return Layer("bubblewrap", required=True, active=True, detail=str(find_bwrap()))
    except ArenaError as error:
        return Layer("bubblewrap", required=True, active=False, detail=error.message)


def _node() -> Layer:
    found = find_node()
    detail = "bots in TypeScript cannot play here; apt-get install nodejs" if found is None else f"{found}, for bots"
    return Layer("node", required=False, active=found is not None, detail=detail)
