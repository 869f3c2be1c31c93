"""What a worker or dispatcher is told at its start: the one place here that reads the environment."""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from arena.core.errors import UsageError
from arena.net.given import BROKER, DATABASE, given_database
from arena.net.given import given as given_text
from arena.services.dispatch import LEASE as DEFAULT_LEASE
from arena.services.lobby import PATIENCE as DEFAULT_PATIENCE
from arena.services.setting_aside import SET_ASIDE_AFTER as DEFAULT_SET_ASIDE_AFTER

UNSAFE: Final = "ARENA_UNSAFE_NO_SANDBOX"
PONDERING: Final = "ARENA_PONDERING"
SET_ASIDE_AFTER: Final = "ARENA_SET_ASIDE_AFTER"
LEASE: Final = "ARENA_LEASE_S"
GRACE: Final = "ARENA_GRACE_S"
PATIENCE: Final = "ARENA_REMOTE_WAIT_S"

DEFAULT_GRACE_S: Final = 3.0
"""How long a match may go on after SIGTERM before its block is handed back."""


@dataclass(frozen=True, slots=True)
class Settings:
    """database: a SQLAlchemy URL. broker: redis://HOST:PORT/N or redis+socket:///PATH; both may come from files, see
    arena.net.given. unsafe: bots run without a sandbox, because the operator said so. set_aside_after: matches that a
    version may fail in a row, 0 for any number. pondering: bots may run while they are not to move.
    lease: how long a claim lives without a heartbeat; the same for all workers and dispatchers of an arena. grace_s:
    how many seconds a match may go on after SIGTERM. patience: how long a match with remote seats waits for an absent
    one; the same for all of an arena.
    """

    database: str
    broker: str
    unsafe: bool
    set_aside_after: int
    pondering: bool
    lease: timedelta
    grace_s: float
    patience: timedelta
    name: str

    @classmethod
    def read(cls, environment: Mapping[str, str] | None = None) -> Settings:
        """Read the environment. Raises UsageError that names the variable."""
        given = os.environ if environment is None else environment
        failures = given.get(SET_ASIDE_AFTER) or str(DEFAULT_SET_ASIDE_AFTER)
        if not failures.isdecimal():
            raise UsageError(
                f"{SET_ASIDE_AFTER}={failures!r} is no number of matches; give 1 or more, 0 for never",
                reason="BAD_SETTING",
            )
        return cls(
            database=_needed(
                given_database(given), DATABASE, "sqlite:///data/whiteout.db or postgresql://USER:PASSWORD@HOST/NAME"
            ),
            broker=_broker(_needed(given_text(given, BROKER), BROKER, "redis://HOST:6379/0 or redis+socket:///PATH")),
            unsafe=given.get(UNSAFE, "") == "1",
            set_aside_after=int(failures),
            pondering=given.get(PONDERING, "") == "1",
            lease=timedelta(seconds=_seconds(given, LEASE, DEFAULT_LEASE.total_seconds(), lowest=1.0)),
            grace_s=_seconds(given, GRACE, DEFAULT_GRACE_S, lowest=0.0),
            patience=timedelta(seconds=_seconds(given, PATIENCE, DEFAULT_PATIENCE.total_seconds(), lowest=0.0)),
            name=f"{socket.gethostname()}:{os.getpid()}",
        )


def _needed(value: str, name: str, example: str) -> str:
    if not value:
        raise UsageError(f"{name} is not set; give it like {example}", reason="BAD_SETTING")
    return value


def _seconds(given: Mapping[str, str], name: str, default: float, *, lowest: float) -> float:
    text = given.get(name) or str(default)
    if not re.fullmatch(r"\d{1,5}(\.\d{1,3})?", text) or float(text) < lowest:
        raise UsageError(f"{name}={text!r} is no number of seconds; give {lowest:g} or more", reason="BAD_SETTING")
    return float(text)


def _broker(url: str) -> str:
    if not url.startswith(("redis://", "rediss://", "redis+socket://")):
        raise UsageError(
            f"{BROKER} is no Redis URL; give redis://HOST:PORT/0 or redis+socket:///PATH", reason="BAD_SETTING"
        )
    return url
