"""What a worker has unpacked is used again for blocks to come, for a while and as far as there is room."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Iterator

import pytest
from playing import World

from arena.services import matches, submissions
from arena.store import Store, Transaction
from worker import unpacked
from worker.slot import Slot
from worker.unpacked import KEPT_S, Key, UnpackedVersions

SOURCE = "print('hello')\n"


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def versions(world: World, submit, clock: Clock) -> Iterator[UnpackedVersions]:
    for name in ("ada", "bert"):
        submit(name, f"# {name}\n{SOURCE}")
    opened = UnpackedVersions(world.store, clock)
    yield opened
    opened.close()


@pytest.fixture
def ids(world: World, versions: UnpackedVersions) -> tuple[Key, Key]:
    ada, bert = (submissions.get_version(world.store, name, 1) for name in ("ada", "bert"))
    return (ada.id, ada.sha256), (bert.id, bert.sha256)


def test_a_version_lies_where_it_lay_for_the_block_before(versions: UnpackedVersions, ids: tuple[Key, Key]) -> None:
    assert versions.kept(ids) is None
    first = versions.ready(ids)
    assert versions.kept(ids) == versions.ready(reversed(ids)) == first
    assert [(folder / "bot.py").read_text() for folder in first.values()] == [f"# ada\n{SOURCE}", f"# bert\n{SOURCE}"]


def test_an_old_folder_is_replaced_by_a_new_one(versions: UnpackedVersions, ids: tuple[Key, Key], clock: Clock) -> None:
    first = versions.ready(ids)
    clock.now = KEPT_S
    assert versions.kept(ids) is None
    second = versions.ready(ids)
    assert set(first.values()).isdisjoint(second.values())
    assert not any(folder.exists() for folder in first.values())
    assert all((folder / "bot.py").exists() for folder in second.values())


def test_only_what_there_is_room_for_is_kept_beside_what_is_needed(
    versions: UnpackedVersions, ids: tuple[Key, Key], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unpacked, "KEPT_BYTES", 1)
    both = versions.ready(ids)
    assert all(folder.exists() for folder in both.values())
    ada, bert = ids
    assert versions.ready([bert]) == {bert: both[bert]}
    assert not both[ada].exists()


def test_nothing_is_left_of_versions_that_are_closed(versions: UnpackedVersions, ids: tuple[Key, Key]) -> None:
    folders = versions.ready(ids)
    versions.close()
    assert not any(folder.parent.exists() for folder in folders.values())
    assert all(folder.exists() for folder in versions.ready(ids).values())


def test_a_version_with_another_archive_is_another_one(versions: UnpackedVersions, ids: tuple[Key, Key]) -> None:
    """As ids mean something else when a database is restored under a worker that runs."""
    (ada, _), _ = ids
    before = versions.ready(ids)[ids[0]]
    assert versions.kept([(ada, "another")]) is None
    assert versions.ready([(ada, "another")]) != {(ada, "another"): before}


class Slow:
    """A store whose first reader has to wait."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.asked = threading.Event()
        self.answers = threading.Event()

    def read(self) -> contextlib.AbstractContextManager[Transaction]:
        self.asked.set()
        assert self.answers.wait(30)
        return self.store.read()


def test_a_block_that_is_broken_off_leaves_no_thread_that_unpacks(
    world: World, versions: UnpackedVersions, ids: tuple[Key, Key]
) -> None:
    slow = Slow(world.store)
    versions = UnpackedVersions(slow)

    async def break_off() -> None:
        block = asyncio.create_task(versions.fetched(ids))
        await asyncio.to_thread(slow.asked.wait, 30)
        for _ in range(3):
            block.cancel()
            await asyncio.sleep(0)
        assert not block.done()
        slow.answers.set()
        with pytest.raises(asyncio.CancelledError):
            await block
        folders = versions.kept(ids)
        assert folders is not None
        assert all((folder / "bot.py").exists() for folder in folders.values())

    asyncio.run(break_off())
    versions.close()


def test_bots_that_run_without_a_sandbox_find_fresh_files_in_every_block(world: World, submit) -> None:
    spoils = "import pathlib\nprint(pathlib.Path('mark').exists())\npathlib.Path('mark').touch()\n"
    for name in ("ada", "bert"):
        submit(name, spoils)
    world.started("cup", "ada", "bert", deals=2)
    slot = Slot(world.store, "here:1", lambda: world.now, unsafe=True, set_aside_after=0)
    try:
        assert slot.play_next()
        assert slot.play_next()
    finally:
        slot.close()
    said = [matches.get_seat_record(world.store, world.admin, match_id, 0).output.output for match_id in (1, 3)]
    assert [text.split(b"\n")[0] for text in said] == [b"False", b"False"]
