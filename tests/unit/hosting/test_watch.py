"""The watch over sandboxes, with sandboxes that are what the test says."""

import threading

import pytest

from arena.hosting.watch import Watch, Watched

MB = 1 << 20


class Seen:
    """A sandbox as Inside shows it."""

    def __init__(self, memory=0, own=None, files=0):
        self.memory, self.own, self.made, self.closed = memory, memory if own is None else own, files, False

    def memory_bytes(self):
        return self.memory

    def own_memory_bytes(self):
        return self.own

    def files(self):
        return self.made

    def close(self):
        self.closed = True


def watched(seen, end=lambda: None, short_of_memory=None):
    return Watched(1, (), 100, short_of_memory, 1000, end, inside=seen)


def test_a_modest_sandbox_is_left_alone() -> None:
    one = watched(Seen(memory=100 * MB, files=1000), end=lambda: 1 / 0)
    one.look()
    assert one.verdict == ""


def test_a_sandbox_over_its_memory_is_ended_once_and_told_why() -> None:
    ends = []
    one = watched(Seen(memory=101 * MB), end=lambda: ends.append(1))
    one.look()
    one.look()
    assert one.verdict == "it used more than 100 MB of memory"
    assert len(ends) == 1


def test_memory_shared_by_a_forked_process_counts_once() -> None:
    one = watched(Seen(memory=190 * MB, own=99 * MB), end=lambda: 1 / 0)
    one.look()
    assert one.verdict == ""


def test_a_close_look_is_taken_again_only_when_there_is_more_to_see() -> None:
    seen = Seen(memory=190 * MB, own=99 * MB)
    looks = []
    look = seen.own_memory_bytes
    seen.own_memory_bytes = lambda: looks.append(1) or look()
    one = watched(seen)
    for _ in range(9):
        one.look()
    assert len(looks) == 1
    seen.memory, seen.own = 200 * MB, 105 * MB
    one.look()
    assert "memory" in one.verdict


def test_shared_memory_that_becomes_the_processes_own_is_seen_soon() -> None:
    seen = Seen(memory=190 * MB, own=99 * MB)
    one = watched(seen)
    one.look()
    seen.own = 190 * MB
    for _ in range(10):
        one.look()
    assert "memory" in one.verdict


def test_far_too_much_memory_needs_no_close_look() -> None:
    one = watched(Seen(memory=800 * MB, own=1))
    one.look()
    assert "memory" in one.verdict


def test_where_the_kernel_counts_memory_its_word_is_taken() -> None:
    ends = []
    one = watched(Seen(memory=900 * MB), end=lambda: ends.append(1), short_of_memory=lambda: bool(ends))
    one.look()
    assert one.verdict == ""
    ends.append("the kernel's")
    one.look()
    assert "memory" in one.verdict


def test_a_sandbox_with_too_many_files_is_ended() -> None:
    one = watched(Seen(files=1001))
    one.look()
    assert one.verdict == "it made more than 1000 files"


def test_the_watch_runs_while_there_is_something_to_watch() -> None:
    ended = threading.Event()
    seen = Seen(memory=200 * MB)
    watch, before = Watch(), threading.active_count()
    one, other = watched(seen, end=ended.set), watched(Seen())
    watch.add(one)
    watch.add(other)
    assert ended.wait(10)
    watch.remove(one)
    assert seen.closed
    assert threading.active_count() == before + 1
    watch.remove(other)
    watch.remove(other)
    assert threading.active_count() == before


def test_a_sandbox_can_be_watched_again_after_the_last_one_was_gone() -> None:
    watch = Watch()
    for _ in range(20):
        ended = threading.Event()
        one = watched(Seen(memory=200 * MB), end=ended.set)
        watch.add(one)
        assert ended.wait(10)
        watch.remove(one)


def test_where_there_could_be_no_thread_for_one_sandbox_the_next_is_watched_and_so_is_that_one(monkeypatch) -> None:
    def refused(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    watch, ends = Watch(), [threading.Event(), threading.Event()]
    one, other = (watched(Seen(memory=200 * MB), end=end.set) for end in ends)
    with monkeypatch.context() as none_left:
        none_left.setattr(threading.Thread, "start", refused)
        with pytest.raises(RuntimeError, match="new thread"):
            watch.add(one)
    watch.add(other)
    assert all(end.wait(10) for end in ends)
    watch.remove(one)
    watch.remove(other)


def test_a_process_that_is_gone_is_let_go() -> None:
    one = Watched(2**22 + 1, (), 100, None, 1000, lambda: 1 / 0)
    one.look()
    assert one.gone


def test_a_sandbox_at_which_looking_fails_leaves_no_other_without_a_watch(caplog) -> None:
    class Odd(Seen):
        def __init__(self):
            super().__init__()
            self.looks, self.looked_again = 0, threading.Event()

        def files(self):
            self.looks += 1
            if self.looks == 3:
                self.looked_again.set()
            raise ZeroDivisionError

    odd, seen, ended = Odd(), Seen(memory=1), threading.Event()
    watch = Watch()
    broken, other = watched(odd), watched(seen, end=ended.set)
    watch.add(broken)
    watch.add(other)
    try:
        assert odd.looked_again.wait(20)
        seen.memory = seen.own = 200 * MB
        assert ended.wait(20)
    finally:
        watch.remove(broken)
        watch.remove(other)
    assert caplog.text.count("a sandbox cannot be looked at") == 1


def test_a_sandbox_that_cannot_be_opened_for_a_moment_is_watched_afterwards(monkeypatch) -> None:
    answers = iter([PermissionError(13, "not yet"), OSError(24, "too many files"), Seen(memory=200 * MB)])

    def opened(_cls, _first, _disks):
        answer = next(answers)
        if isinstance(answer, OSError):
            raise answer
        return answer

    monkeypatch.setattr("arena.hosting.watch.Inside.open", classmethod(opened))
    ends = []
    one = Watched(1, (), 100, None, 1000, lambda: ends.append(1))
    for _ in range(3):
        one.look()
    assert ends == [1]
