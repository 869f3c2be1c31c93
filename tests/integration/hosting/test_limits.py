"""Limits are set by a thread that, where the arena is root, has a sandbox's ids for a moment."""

from __future__ import annotations

import gc
import os
import random
import signal
import subprocess
from collections.abc import Iterator

import pytest

from arena.hosting.limits import set_limits
from arena.hosting.sandbox import Limits
from arena.hosting.uids import LAST_UID

ROUNDS = 600
LONGEST_S = 60e-6
TIMES = 2000
"""What takes far longer than that."""


class Interrupted(Exception):
    """What a signal's handler raises, as KeyboardInterrupt or SystemExit are raised."""


@pytest.fixture
def interrupts() -> Iterator[None]:
    def raise_it(_number: int, _frame: object) -> None:
        raise Interrupted

    before = signal.signal(signal.SIGALRM, raise_it)
    gc.disable()  # what is raised in one of its callbacks, which other tests' tools have, is lost
    yield
    gc.enable()
    signal.signal(signal.SIGALRM, before)


@pytest.mark.usefixtures("interrupts")
def test_a_thread_has_its_own_ids_again_whenever_a_signals_handler_raises_something() -> None:
    root = os.geteuid() == 0
    as_other = ["setpriv", "--reuid", str(LAST_UID), "--regid", str(LAST_UID), "--clear-groups", "--"] if root else []
    own = os.getresuid(), os.getresgid()
    moments = random.Random(7)
    interrupted = 0
    with subprocess.Popen([*as_other, "cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"!")
        process.stdin.flush()
        process.stdout.read(1)  # from now on it has the other ids
        for _ in range(ROUNDS):
            try:
                signal.setitimer(signal.ITIMER_REAL, moments.uniform(1e-6, LONGEST_S))
                for _ in range(TIMES):
                    set_limits(process.pid, Limits(), LAST_UID if root else None)
            except Interrupted:
                interrupted += 1
            assert (os.getresuid(), os.getresgid()) == own
    assert interrupted == ROUNDS
