"""Ends a process when the one that started it is gone."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from typing import Final

OPTION: Final = "--exit-with-parent"


def end_with_parent(arguments: Sequence[str], act: Callable[[], object]) -> None:
    """If the option is given, call act once standard input closes: its other end is the parent's."""
    if OPTION in arguments:
        threading.Thread(target=_wait, args=(act,), name="parent-watch", daemon=True).start()


def _wait(act: Callable[[], object]) -> None:
    while os.read(0, 4096):
        continue
    act()
