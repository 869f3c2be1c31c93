"""Command lines run in the process of the test."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from arena.cli.main import run


@dataclass(frozen=True)
class Outcome:
    """How a command ended, and what it said."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What it said on stdout, read as JSON."""
        return json.loads(self.out)


def commands(captured: pytest.CaptureFixture[str]) -> Callable[..., Outcome]:
    """Return what runs one command line; what programs of a command's say is told by `capfd` alone."""

    def call(*arguments: object) -> Outcome:
        code = run([str(argument) for argument in arguments])
        said = captured.readouterr()
        return Outcome(code, said.out, said.err)

    return call
