"""The mount namespace in which root's sandboxes are made, once for all of a process.

bubblewrap, as root, lays out the visible files and nothing else, and runs a program that does nothing. A thread of this
process joins its mount namespace, which lives by that thread from then on, and starts the sandboxes: what it starts
finds itself there. The kernel ends a sandbox together with the thread that started it: this one lives as long as
the process.

Nothing but starting programs may happen in that thread, for the files it sees are not those of this machine.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import queue
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from arena.core.errors import Unavailable
from arena.hosting.mounts import View, standard_view
from arena.hosting.sandbox import LARGE_SEATS, SEATS, SeatPlaces, outer_command
from arena.hosting.seats import all_seats

_CLONE_FS: Final = 0x200
_CLONE_NEWNS: Final = 0x20000
_SEATS_MAY: Final = 1 | 2 | 4 | 32 | 4096
"""Read-only, no set-user-id, no devices, as they are (MS_REMOUNT | MS_BIND); programs among them can be run."""
_MAKE_S: Final = 20.0
_ANY: Final = b"\n"
_MOST_SAID: Final = 4096
_libc: Final = ctypes.CDLL(None, use_errno=True)


@dataclass(slots=True)
class _Job:
    """Something to do in the thread; told of its end by done, which a result or an error goes with."""

    work: Callable[[], Any]
    done: queue.SimpleQueue[None] = field(default_factory=queue.SimpleQueue)
    result: Any = None
    error: BaseException | None = None


class Holder:
    """A mount namespace with the view laid out, the seats in it, and the thread that lives there.

    Raises Unavailable if it cannot be made.
    """

    def __init__(self, view: View, seats: SeatPlaces) -> None:
        self.view = view
        self.seats = seats
        self._jobs: queue.SimpleQueue[_Job] = queue.SimpleQueue()
        with _laid_out(view, seats) as namespace:
            threading.Thread(target=self._live, name="sandboxes", daemon=True).start()
            self._do(lambda: _enter(namespace))

    def shows(self, view: View, seats: SeatPlaces) -> bool:
        """Whether this is what it shows."""
        return (self.view, self.seats) == (view, seats)

    def popen(self, words: Sequence[str], **options: Any) -> subprocess.Popen[bytes]:
        """Start a program in the namespace, as subprocess.Popen does; without what makes that fork. Raises OSError."""
        started: subprocess.Popen[bytes] = self._do(lambda: subprocess.Popen(words, **options))
        return started

    def _do(self, work: Callable[[], Any]) -> Any:
        job = _Job(work)
        with _nothing_collected():
            self._jobs.put(job)
            job.done.get()
        if job.error is not None:
            raise job.error
        return job.result

    def _live(self) -> None:
        while True:
            job = self._jobs.get()
            try:
                job.result = job.work()
            except BaseException as error:  # noqa: BLE001 - whoever waits for it is told
                job.error = error
            job.done.put(None)
            if isinstance(job.error, _NotEntered):
                return
            del job  # which holds what may end with its last user, and not in this thread


class _NotEntered(Unavailable):
    """The thread is not where it was to live."""

    reason = "NO_SANDBOX"


_lock: Final = threading.Lock()
_kept: list[Holder] = []
_uncollected: Final = threading.Lock()


@contextmanager
def _nothing_collected() -> Iterator[None]:
    """Keep the garbage collector out: what it finds could be finalized in that thread, where a path leads elsewhere."""
    with _uncollected:  # nobody switches it on for others
        collects = gc.isenabled()
        gc.disable()
        try:
            yield
        finally:
            if collects:
                gc.enable()


def _wait() -> None:
    """Before a process is forked: it would never get a lock that a thread holds, or never collect any more."""
    _lock.acquire()
    _uncollected.acquire()


def _go_on() -> None:
    _uncollected.release()
    _lock.release()


def _begin_anew() -> None:
    """Have no holder in a forked process: their threads are its parent's."""
    _kept.clear()
    _go_on()


os.register_at_fork(before=_wait, after_in_parent=_go_on, after_in_child=_begin_anew)


def holder() -> Holder:
    """Return that of this process; it is made when it is first asked for, and anew if what it shows has been removed.

    Raises Unavailable if it cannot be made.
    """
    with _lock:
        view, seats = standard_view(), all_seats()
        if not _kept or not _kept[-1].shows(view, seats):
            # Those before stay: with the thread that has started them sandboxes would end.
            _kept.append(Holder(view, seats))
        return _kept[-1]


def _enter(namespace: int) -> None:
    """Have this thread, and no other, live in a mount namespace. Raises Unavailable."""
    if _libc.unshare(_CLONE_FS) != 0 or _libc.setns(namespace, _CLONE_NEWNS) != 0:
        why = os.strerror(ctypes.get_errno())
        raise _NotEntered(f"the sandbox cannot be made here: its mount namespace cannot be entered: {why}")
    # Where temporary files may not be run, a bot that is a program would be none. What forbids this leaves it so.
    for place in (SEATS, LARGE_SEATS):
        _libc.mount(None, bytes(place), None, _SEATS_MAY, None)


@contextmanager
def _laid_out(view: View, seats: SeatPlaces) -> Iterator[int]:
    """Yield a descriptor of a namespace that bubblewrap has laid out; bubblewrap ends. Raises Unavailable."""
    with ExitStack() as stack:
        here, there = (stack.enter_context(each) for each in socket.socketpair())
        status, tells_status = (stack.enter_context(each) for each in socket.socketpair())
        errors, tells_errors = (stack.enter_context(each) for each in socket.socketpair())
        made = subprocess.Popen(
            outer_command(view, seats, tells_status.fileno()), stdin=there.fileno(), stdout=there.fileno(),
            stderr=tells_errors.fileno(), pass_fds=(tells_status.fileno(),), start_new_session=True,
        )  # fmt: skip
        stack.callback(made.wait)
        stack.callback(made.kill)
        for end in (there, tells_status, tells_errors):
            end.close()
        here.settimeout(_MAKE_S)
        if not _answers(here):
            made.kill()
            last = errors.recv(_MOST_SAID).decode(errors="replace").strip().splitlines()[-1:] or ["it does not answer"]
            raise Unavailable(
                f"the sandbox cannot be made here: {last[0]}; see arena doctor, or use --unsafe-no-sandbox",
                reason="NO_SANDBOX",
            )
        first = json.loads(status.recv(_MOST_SAID).splitlines()[0])["child-pid"]
        namespace = os.open(f"/proc/{first}/ns/mnt", os.O_RDONLY | os.O_CLOEXEC)
        stack.callback(os.close, namespace)
        yield namespace


def _answers(program: socket.socket) -> bool:
    """Whether the program in the namespace says what it is told: then all is laid out."""
    try:
        program.sendall(_ANY)
        return program.recv(len(_ANY)) == _ANY
    except OSError:
        return False
