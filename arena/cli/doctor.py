"""`arena doctor`: what this machine offers an arena, one line each."""

from __future__ import annotations

import os
import platform
import sys
from dataclasses import asdict

import typer

from arena.cli.local.broker import find_broker
from arena.cli.options import JsonOption
from arena.cli.output import print_json, say
from arena.core.errors import ArenaError
from arena.hosting.layers import Layer, active_layers
from arena.hosting.programs import find_bwrap

OLDEST_PYTHON = (3, 11)


def doctor(*, as_json: JsonOption = False) -> None:
    """Show which layers protect this machine from bots, the broker and Python; 1 if a required one is missing."""
    layers = [_python(), _broker(), _bubblewrap(), *active_layers()]
    missing = [layer for layer in layers if layer.required and not layer.active]
    if as_json:
        print_json([asdict(layer) for layer in layers])
    else:
        for layer in layers:
            mark = "ok" if layer.active else "MISSING" if layer.required else "absent"
            say(f"{mark:<8} {layer.name}: {layer.detail}")
    if missing:
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
