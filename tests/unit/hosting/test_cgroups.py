"""Where control groups can be made, on file systems made of plain files, and what is written into them."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from arena.hosting.cgroups import ControlGroups, Place, Sizes, find_places, mark, sweep

SIZES = Sizes(memory=1 << 28, processes=64, cores=1.5)


@pytest.fixture
def machine(tmp_path):
    """Makes folders that look like control group file systems; returns (membership, mounts) as /proc shows them."""

    def make(*, v1=(), v2=None, path="/", root="/"):
        membership, mounts = [], []
        for number, name in enumerate(v1):
            folder = tmp_path / name
            folder.mkdir()
            membership.append(f"{number}:{name}:{path}")
            mounts.append(f"30 20 0:{number} {root} {folder} rw - cgroup cgroup rw,{name}")
        if v2 is not None:
            folder = tmp_path / "unified"
            folder.mkdir()
            membership.append(f"0::{path}")
            mounts.append(f"31 20 0:99 {root} {folder} rw - cgroup2 cgroup2 rw")
            own = folder / path.removeprefix(root.rstrip("/")).lstrip("/")
            own.mkdir(parents=True, exist_ok=True)
            for each in {own, own.parent} if own != folder else {own}:
                (each / "cgroup.controllers").write_text(v2)
                (each / "cgroup.subtree_control").write_text(v2)
                (each / "cgroup.procs").touch()
        return "\n".join(membership), "\n".join(mounts)

    return make


def files_of(folder: Path) -> dict[str, str]:
    return {file.name: file.read_text() for file in folder.iterdir()}


def group_on(tmp_path, version, *offers):
    """Make a group in a plain folder, where the kernel's files do not appear by themselves."""
    groups = ControlGroups((Place(tmp_path, version, frozenset(offers)),))
    return groups.make(SIZES)


def test_limits_of_version_1_are_written_as_it_reads_them(tmp_path) -> None:
    group = group_on(tmp_path, 1, "memory", "pids", "cpu")
    assert files_of(group.folders[0]) == {
        "memory.limit_in_bytes": str(1 << 28),
        "pids.max": "64",
        "cpu.cfs_period_us": "100000",
        "cpu.cfs_quota_us": "150000",
    }
    assert group.freezer is None


def test_limits_of_version_2_are_written_as_it_reads_them(tmp_path) -> None:
    group = group_on(tmp_path, 2, "memory", "pids", "cpu", "freezer")
    assert files_of(group.folders[0]) == {
        "memory.max": str(1 << 28),
        "pids.max": "64",
        "cpu.max": "150000 100000",
        "cgroup.freeze": "0",
    }
    assert group.freezer == group.folders[0] / "cgroup.freeze"


def test_a_place_where_no_group_can_be_made_is_left_out(tmp_path) -> None:
    group = ControlGroups((Place(tmp_path / "missing", 1, frozenset({"memory"})),)).make(SIZES)
    assert group.active == frozenset()
    group.admit(1)
    group.remove()


@pytest.mark.parametrize(
    ("version", "file", "text"),
    [(1, "memory.oom_control", "under_oom 0\noom_kill 2\n"), (2, "memory.events", "oom 2\noom_kill 2\n")],
)
def test_a_bot_killed_for_want_of_memory_is_noticed(tmp_path, version, file, text) -> None:
    group = group_on(tmp_path, version, "memory")
    assert not group.ran_out_of_memory()
    (group.folders[0] / file).write_text(text.replace("2", "0"))
    assert not group.ran_out_of_memory()
    (group.folders[0] / file).write_text(text)
    assert group.ran_out_of_memory()


def test_a_machine_without_control_groups_has_no_places() -> None:
    def missing() -> str:
        raise FileNotFoundError

    assert find_places(missing, missing) == ()
    assert find_places(lambda: "", lambda: "") == ()
    assert find_places(lambda: "nonsense", lambda: "1 2 - cgroup2 x y") == ()


def test_version_2_is_preferred_and_version_1_fills_in(machine, tmp_path) -> None:
    membership, mounts = machine(v1=("memory", "pids"), v2="memory")
    places = find_places(lambda: membership, lambda: mounts, works=lambda *place: True)
    offers = {(place.version, name) for place in places for name in place.offers}
    assert offers == {(2, "memory"), (2, "freezer"), (1, "pids")}


def test_a_folder_that_does_not_work_is_no_place(machine) -> None:
    membership, mounts = machine(v1=("memory",), v2="memory")
    places = find_places(lambda: membership, lambda: mounts, works=lambda folder, version, offers: version == 1)
    assert {(place.version, name) for place in places for name in place.offers} == {(1, "memory")}


def test_the_own_group_is_the_place_also_where_a_container_sees_a_part_only(machine, tmp_path) -> None:
    membership, mounts = machine(v2="memory", path="/docker/1234/inner", root="/docker/1234")
    (place,) = find_places(lambda: membership, lambda: mounts, works=lambda *place: True)
    assert place.folder == tmp_path / "unified" / "inner"


def test_groups_of_the_dead_are_removed_and_those_of_the_living_stay(tmp_path) -> None:
    mine = tmp_path / f"{mark(os.getpid())}-1"
    reused = tmp_path / f"whiteout-{os.getpid()}-1-1"
    other = tmp_path / "somebody-else"
    for folder in (mine, reused, other):
        folder.mkdir()
    sweep(tmp_path)
    assert sorted(folder.name for folder in tmp_path.iterdir()) == sorted([mine.name, other.name])


def empty(folder: Path) -> None:
    """Do what the kernel does once nothing is in a group any more: let it be removed."""
    for file in folder.iterdir():
        file.unlink()


def test_a_group_that_cannot_be_removed_yet_is_removed_when_the_next_one_is_made(tmp_path) -> None:
    group = group_on(tmp_path, 1, "memory")
    group.remove()
    (left,) = group.folders
    group_on(tmp_path, 1, "memory")
    assert left.is_dir()
    empty(left)
    group_on(tmp_path, 1, "memory")
    assert not left.exists()


def test_a_group_that_cannot_be_removed_yet_is_removed_when_the_next_one_is_removed(tmp_path) -> None:
    (first, second) = (group_on(tmp_path, 1, "memory") for _ in range(2))
    first.remove()
    for group in (first, second):
        empty(group.folders[0])
    second.remove()
    assert not first.folders[0].exists()


def test_the_end_of_a_process_waits_until_its_groups_can_be_removed(tmp_path) -> None:
    program = """
        import sys, threading
        from pathlib import Path
        from arena.hosting.cgroups import ControlGroups, Place, Sizes

        group = ControlGroups((Place(Path(sys.argv[1]), 1, frozenset({"pids"})),)).make(Sizes(1, 1, 1.0))
        group.remove()
        kernel = threading.Timer(0.3, (group.folders[0] / "pids.max").unlink)
        kernel.daemon = True  # nobody else waits for it
        kernel.start()
        print(group.folders[0].name)
    """
    command = [sys.executable, "-c", textwrap.dedent(program), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("whiteout-")
    assert list(tmp_path.iterdir()) == []
