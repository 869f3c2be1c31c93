"""Watches running sandboxes for what no kernel limit here stops: memory of the whole tree, number of files."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Final

from arena.hosting.inside import Inside

LOG: Final = logging.getLogger("worker.watch")
MEMORY_EVERY_S: Final = 0.01
"""How often memory is looked at where no control group limits it; a core fills some 30 MB meanwhile."""
FILES_EVERY_S: Final = 0.25
"""How often files are counted where a control group limits memory: the kernel counts the memory of files, too."""
_MB: Final = 1024 * 1024
_FAR: Final = 8
_CLOSE_EVERY: Final = 10


@dataclass(slots=True, eq=False)
class Watched:
    """One sandbox.

    memory_mb: of all its processes. short_of_memory: whether the kernel limits it and has killed one of them for it,
    None where it does not. end: kills it; verdict: why it was killed. faulty: looking at it has failed.
    """

    first: int
    disks: tuple[str, ...]
    memory_mb: int
    short_of_memory: Callable[[], bool] | None
    files: int
    end: Callable[[], object]
    verdict: str = ""
    inside: Inside | None = field(default=None, repr=False)
    gone: bool = False
    faulty: bool = False
    _looked_at: int = 0
    _looks: int = 0

    def look(self) -> None:
        """Kill the sandbox if it has outgrown a limit."""
        if self.gone or self.verdict or not self._opened():
            return
        self.verdict = self._excess()
        if self.verdict:
            self.end()

    def close(self) -> None:
        """Let go of it."""
        self.gone = True
        if self.inside is not None:
            self.inside.close()
            self.inside = None

    def _opened(self) -> bool:
        if self.inside is None:
            try:
                self.inside = Inside.open(self.first, self.disks)
            except (ProcessLookupError, FileNotFoundError):
                self.gone = True
            except OSError:  # such as no free descriptor: it is there, and looked at as soon as it can be
                return False
        return self.inside is not None

    def _excess(self) -> str:
        if self.inside is None:
            return ""
        if self.inside.files() > self.files:
            return f"it made more than {self.files} files"
        too_much = f"it used more than {self.memory_mb} MB of memory"
        if self.short_of_memory is not None:
            return too_much if self.short_of_memory() else ""
        limit = self.memory_mb * _MB
        counted = self.inside.memory_bytes()
        if counted <= limit:
            return ""
        # What a forked process shares with its parent has been counted twice. A closer look is dear, so it is taken
        # when there is more to see, now and then (shared pages become own ones by writing), and not at all at what
        # nobody can share so often.
        if counted < _FAR * limit:
            self._looks += 1
            if counted <= self._looked_at + limit // 16 and self._looks % _CLOSE_EVERY:
                return ""
            self._looked_at = counted
            if self.inside.own_memory_bytes() <= limit:
                return ""
        return too_much


class Watch:
    """One thread for all sandboxes of this process; it runs while there is something to watch.

    A thread and not a task: it looks on while the event loop is busy.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._watched: set[Watched] = set()
        self._changed = threading.Event()
        self._thread: threading.Thread | None = None

    def add(self, sandbox: Watched) -> None:
        """Begin to watch a sandbox."""
        with self._lock:
            self._watched.add(sandbox)
            if self._thread is None:
                self._changed = threading.Event()
                thread = threading.Thread(target=self._run, args=(self._changed,), name="watch", daemon=True)
                thread.start()
                self._thread = thread  # only one that runs: where there can be none, the next sandbox tries again
            else:
                self._changed.set()

    def remove(self, sandbox: Watched) -> None:
        """Stop watching it; no look at it is under way afterwards. Harmless when it is not watched."""
        with self._lock:
            self._watched.discard(sandbox)
            sandbox.close()
            last = self._thread if not self._watched else None
            if last is not None:
                self._thread = None
                self._changed.set()
        if last is not None:
            last.join()

    def _run(self, changed: threading.Event) -> None:
        rounds = 0
        every = round(FILES_EVERY_S / MEMORY_EVERY_S)
        while True:
            with self._lock:
                if self._changed is not changed or not self._watched:
                    return
                due = [one for one in self._watched if one.short_of_memory is None or rounds % every == 0]
                fast = any(one.short_of_memory is None for one in self._watched)
                for sandbox in due:
                    _look(sandbox)
            rounds += 1 if fast else every
            if changed.wait(MEMORY_EVERY_S if fast else FILES_EVERY_S):
                changed.clear()


def _look(sandbox: Watched) -> None:
    """Look at one sandbox; what goes wrong with it leaves none of the others without a watch."""
    try:
        sandbox.look()
    except ProcessLookupError:
        return
    except Exception:
        if not sandbox.faulty:  # said once: the next look comes in milliseconds
            sandbox.faulty = True
            LOG.exception("a sandbox cannot be looked at")


@cache
def watch() -> Watch:
    """Return the one of this process, a forked one's own; it has no thread while nothing is watched."""
    return Watch()


os.register_at_fork(after_in_child=watch.cache_clear)
