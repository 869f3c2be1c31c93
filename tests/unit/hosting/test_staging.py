"""Files of a bot under another name, while whoever owns them does what he can."""

from __future__ import annotations

import ctypes
import os
import socket
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from arena.core.errors import UsageError
from arena.hosting.staging import NoRoom, copy_readable, remove_copy, show_readable

Show = Callable[[Path, Path], None]
BOTH = pytest.mark.parametrize("show", [copy_readable, show_readable])
SECRET = "nobody else's"
ROUNDS = 300
_EXCHANGE = 2
_HERE = -100
libc = ctypes.CDLL(None)


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    folder = tmp_path / "bot"
    (folder / "below").mkdir(parents=True)
    for name in ("file", "below/file"):
        (folder / name).write_text("mine")
    return folder


@contextmanager
def swapping(pairs: list[tuple[Path, Path]]) -> Iterator[None]:
    """Exchange the names of two files, and back, all the time."""
    end = threading.Event()

    def swap() -> None:
        while not end.is_set():
            for one, other in pairs:
                libc.renameat2(_HERE, bytes(one), _HERE, bytes(other), _EXCHANGE)

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        yield
    finally:
        end.set()
        thread.join()


def files(folder: Path) -> Iterator[Path]:
    """Yield what is no folder and no link, below no link either."""
    for at, _, names in os.walk(folder):
        yield from (path for path in map(Path(at).joinpath, names) if not path.is_symlink())


@BOTH
def test_who_swaps_files_for_links_meanwhile_gets_nothing_that_is_not_below_his_folder(
    show: Show, bot: Path, tmp_path: Path
) -> None:
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "file").write_text(SECRET)
    (vault / "file").chmod(0o600)
    (bot / "link").symlink_to(vault / "file")
    (bot / "linked").symlink_to(vault)
    kept = 0
    with swapping([(bot / "file", bot / "link"), (bot / "below", bot / "linked")]):
        for number in range(ROUNDS):
            copy = tmp_path / f"copy{number}"
            with suppress(UsageError):
                show(bot, copy)
            texts = [path.read_text() for path in files(copy)]
            assert SECRET not in texts
            kept += "mine" in texts
            remove_copy(copy)
    assert kept > 0


@BOTH
def test_who_swaps_a_file_for_a_socket_or_a_pipe_meanwhile_gets_none_shown_and_keeps_nobody_waiting(
    show: Show, bot: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(bot)  # a socket's path is short
    with socket.socket(socket.AF_UNIX) as door:
        door.bind("door")
        os.mkfifo("pipe")
        with swapping([(bot / "file", bot / "door"), (bot / "below/file", bot / "pipe")]):
            for number in range(ROUNDS):
                copy = tmp_path / f"copy{number}"
                with suppress(UsageError):
                    show(bot, copy)
                assert all(stat.S_ISREG(path.lstat().st_mode) for path in files(copy))
                remove_copy(copy)


@BOTH
def test_no_file_runs_as_its_owner_where_it_is_copied(show: Show, bot: Path, tmp_path: Path) -> None:
    (bot / "file").chmod(0o4700)
    show(bot, tmp_path / "copy")
    assert (tmp_path / "copy" / "file").stat().st_mode & 0o7777 == 0o744


@BOTH
def test_folders_that_lie_too_deep_in_each_other_are_refused_in_one_line(show: Show, bot: Path, tmp_path: Path) -> None:
    bot.joinpath(*["d"] * 99).mkdir(parents=True)
    show(bot, tmp_path / "copy")
    bot.joinpath(*["d"] * 100).mkdir(parents=True)
    with pytest.raises(UsageError, match=r"^.* cannot be read: [^\n]*too many folders lie in each other$"):
        show(bot, tmp_path / "other")


def test_files_that_everybody_may_read_are_linked_and_others_copied(bot: Path, tmp_path: Path) -> None:
    (bot / "below/file").chmod(0o600)
    show_readable(bot, tmp_path / "copy")
    same = [(tmp_path / "copy" / name).samefile(bot / name) for name in ("file", "below/file")]
    assert same == [True, False]
    assert (tmp_path / "copy/below/file").stat().st_mode & 0o777 == 0o644


def test_what_is_more_than_may_be_copied_is_not_a_fault_of_the_folder(bot: Path, tmp_path: Path) -> None:
    size = len("mine")
    copy_readable(bot, tmp_path / "fits", 2 * size)
    assert len(list(files(tmp_path / "fits"))) == 2
    with pytest.raises(NoRoom, match=r"^there is no room to copy [^\n]*/bot: [^\n]*$"):
        copy_readable(bot, tmp_path / "copy", 2 * size - 1)


def test_a_file_that_grows_while_it_is_copied_does_not_become_more_than_may_be_copied(
    bot: Path, tmp_path: Path
) -> None:
    (bot / "endless").symlink_to("/dev/zero")
    (bot / "below" / "holes").touch()
    os.truncate(bot / "below" / "holes", 1 << 40)
    most = 1 << 20
    with pytest.raises(NoRoom):
        copy_readable(bot, tmp_path / "copy", most)
