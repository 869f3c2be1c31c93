"""Temporary folders and what killed owners leave behind."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from arena.hosting import temporary as temporary_folders
from arena.hosting.temporary import OWN, KeptFolder, owned_folder, quick_place, sweep

ROOT = os.geteuid() == 0
NOBODY = 65534

OWNER = """
import os, sys, tempfile
from arena.hosting.temporary import owned_folder
tempfile.tempdir = sys.argv[1]
with owned_folder("owned-") as folder:
    (folder / "left").touch()
    print(folder, flush=True)
    sys.stdin.read()
"""


KILLED_WHILE_IT_REMOVES = """
import os, signal, sys, tempfile
from arena.hosting.temporary import owned_folder, sweep
tempfile.tempdir = sys.argv[1]

def look(event, arguments):
    global left
    if armed and event in ("os.remove", "os.rmdir", "os.rename"):
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)

armed = False
sys.addaudithook(look)
for left in range(8):
    child = os.fork()
    if child == 0:
        with owned_folder("owned-") as folder:
            (folder / "in").mkdir()
            (folder / "in" / "file").touch()
            (folder / "file").touch()
            armed = True
        os._exit(0)
    killed = os.WIFSIGNALED(os.waitpid(child, 0)[1])
    sweep("owned-")
    print(killed, os.listdir(sys.argv[1]))
"""

SWEEPER = """
import sys, tempfile
from arena.hosting.temporary import sweep
tempfile.tempdir = sys.argv[1]
sweep("owned-")
"""


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


@pytest.fixture
def owner(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-c", OWNER, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with process:
        assert process.stdout.readline()
        yield process
        process.kill()


def test_a_folder_is_there_for_its_owner_alone_and_gone_afterwards(tmp_path) -> None:
    with owned_folder("owned-") as folder:
        assert folder.stat().st_mode & 0o777 == 0o700
        assert [folder] == list(tmp_path.iterdir())
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_owner_left_is_removed_by_the_next(tmp_path, owner) -> None:
    owner.kill()
    owner.wait()
    assert len(list(tmp_path.iterdir())) == 1
    with owned_folder("owned-") as folder:
        assert list(tmp_path.iterdir()) == [folder]


def test_what_an_owner_left_that_was_killed_while_it_removed_its_folder_is_removed_by_the_next(tmp_path) -> None:
    words = [sys.executable, "-c", KILLED_WHILE_IT_REMOVES, str(tmp_path)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=True)
    moments = done.stdout.splitlines()
    assert moments.count("True []") >= 5
    assert set(moments) == {"True []", "False []"}


@pytest.mark.parametrize(("temporary", "user"), [("/tmp", 1000), ("/somewhere/else", 0), ("/somewhere/else", 1000)])
def test_nothing_lies_in_memory_for_an_ordinary_user_and_where_somebody_has_chosen_a_place(temporary, user) -> None:
    assert temporary_folders._quick_place(temporary, user) == Path(temporary)


def test_roots_small_files_lie_in_memory_where_there_is_room(tmp_path) -> None:
    room = shutil.disk_usage("/dev/shm").free >= 256 * 1024 * 1024
    assert temporary_folders._quick_place("/tmp", 0) == Path("/dev/shm" if room else "/tmp")
    assert quick_place() == tmp_path


def test_what_a_killed_owner_left_in_memory_is_removed_by_the_next_wherever_that_has_its_files(tmp_path) -> None:
    left = Path(tempfile.mkdtemp(prefix="owned-", dir="/dev/shm"))
    (left / ".owner").touch()
    with owned_folder("owned-"):
        assert not left.exists()


def test_a_mark_that_is_a_pipe_or_a_link_keeps_nobody_waiting_and_is_not_followed(tmp_path) -> None:
    for name, make in (("pipe", os.mkfifo), ("link", lambda mark: mark.symlink_to(tmp_path / "theirs"))):
        (tmp_path / f"owned-{name}").mkdir()
        make(tmp_path / f"owned-{name}" / ".owner")
    (tmp_path / "theirs").touch()
    subprocess.run([sys.executable, "-c", SWEEPER, str(tmp_path)], timeout=20, check=True)
    assert (tmp_path / "owned-link").is_dir()


def test_a_link_to_a_folder_of_this_user_is_not_taken_for_one(tmp_path) -> None:
    (tmp_path / "dear").mkdir()
    (tmp_path / "dear" / ".owner").touch()
    for name in ("owned-one", "owned-two.gone"):
        (tmp_path / name).symlink_to(tmp_path / "dear")
    sweep("owned-")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["dear", "owned-one", "owned-two.gone"]


def test_folders_of_other_users_stay_whatever_they_are_called(tmp_path) -> None:
    for name in ("owned-one", "owned-two.gone"):
        (tmp_path / name).mkdir()
        (tmp_path / name / ".owner").touch()
        if ROOT:
            os.chown(tmp_path / name, NOBODY, NOBODY)
    sweep("owned-")
    assert len(list(tmp_path.iterdir())) == (2 if ROOT else 0)


def test_what_somebody_has_put_in_the_place_of_a_folder_that_lasts_is_not_used_and_not_removed(tmp_path) -> None:
    kept = KeptFolder("owned-", "in", Path.mkdir)
    first = kept.path().parent
    first.rename(tmp_path / "taken")
    (first / "in").mkdir(parents=True)
    if ROOT:
        os.chown(first, NOBODY, NOBODY)
    second = kept.path().parent
    assert second != first
    assert first.exists() == ROOT
    kept.close()
    assert not second.exists()


@pytest.mark.parametrize(("mode", "closed"), [(0o1777, True), (0o755, True), (0o777, False), (0o775, False)])
def test_nothing_of_roots_lies_where_others_could_give_its_name_to_something_else(tmp_path, mode, closed) -> None:
    tmp_path.chmod(mode)
    assert temporary_folders._is_ours(tmp_path) == (closed and ROOT)
    if ROOT:
        os.chown(tmp_path, NOBODY, NOBODY)
        assert not temporary_folders._is_ours(tmp_path)


def test_what_may_not_be_run_is_no_place_for_who_is_root_in_a_namespace_of_users_only(tmp_path) -> None:
    (tmp_path / "all").write_text("         0          0 4294967295\n")
    (tmp_path / "some").write_text("         0     100000      65536\n")
    for flags, users, may in ((os.ST_NOEXEC, "all", True), (os.ST_NOEXEC, "some", False), (0, "some", True)):
        assert temporary_folders._may_run(flags, tmp_path / users) == may


def test_a_living_owners_folder_stays(tmp_path, owner) -> None:
    with owned_folder("owned-"):
        assert len(list(tmp_path.iterdir())) == 2


def test_folders_of_another_prefix_and_without_a_mark_stay(tmp_path) -> None:
    (tmp_path / "other-1").mkdir()
    (tmp_path / "owned-unmarked").mkdir()
    with owned_folder("owned-"):
        assert len(list(tmp_path.iterdir())) == 3


def test_whatever_runs_for_long_makes_only_folders_that_go_with_the_next_one():
    root = Path(temporary_folders.__file__).parents[2]
    made_otherwise = [
        path.name
        for folder in ("worker", "referee", "arena/hosting")
        for path in (root / folder).glob("*.py")
        if path.name not in {"temporary.py", "attack.py"}  # the latter is `arena doctor --attack`
        and ("mkdtemp" in (text := path.read_text()) or "TemporaryDirectory" in text)
    ]
    assert made_otherwise == []


def test_the_names_of_all_such_folders_begin_alike():
    root = Path(temporary_folders.__file__).parents[2]
    texts = [path.read_text() for folder in ("arena/hosting", "worker") for path in (root / folder).rglob("*.py")]
    pattern = r'(?:owned_folder\(|PREFIX: Final = )"([^"]*)"'
    prefixes = [prefix for text in texts for prefix in re.findall(pattern, text)]
    assert len(prefixes) >= 5
    assert all(prefix.startswith(OWN) for prefix in prefixes), prefixes
