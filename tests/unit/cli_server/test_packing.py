import io
import os
import zipfile

import pytest

from arena.cli import packing
from arena.cli.packing import pack
from arena.core.errors import LimitReached, UsageError


@pytest.fixture
def folder(tmp_path):
    bot = tmp_path / "bot"
    bot.mkdir()
    (bot / "bot.toml").write_text('name = "bot"\n', encoding="utf-8")
    (bot / "bot.py").write_text("pass\n", encoding="utf-8")
    (bot / "weights").mkdir()
    (bot / "weights" / "one.bin").write_bytes(bytes(100))
    return bot


def names(packed):
    return zipfile.ZipFile(io.BytesIO(packed.archive)).namelist()


def test_every_file_is_packed_under_its_path_from_the_folder(folder):
    assert names(pack(folder)) == ["bot.py", "bot.toml", "weights/one.bin"]


def test_the_same_files_give_the_same_bytes_whatever_their_dates(folder):
    before = pack(folder)
    os.utime(folder / "bot.py", (1, 1))

    assert pack(folder) == before


def test_another_byte_gives_another_checksum(folder):
    before = pack(folder)
    (folder / "bot.py").write_text("pass \n", encoding="utf-8")

    assert pack(folder).sha256 != before.sha256


def test_an_executable_file_stays_executable(folder):
    (folder / "bot.py").chmod(0o700)

    entry = zipfile.ZipFile(io.BytesIO(pack(folder).archive)).getinfo("bot.py")

    assert entry.external_attr >> 16 == 0o100755


@pytest.mark.parametrize("junk", [".git", "__pycache__", ".venv", "weights/__pycache__"])
def test_version_control_and_caches_stay_at_home(folder, junk):
    (folder / junk).mkdir()
    (folder / junk / "file").write_bytes(b"junk")

    assert names(pack(folder)) == ["bot.py", "bot.toml", "weights/one.bin"]


def test_a_link_is_refused_by_name(folder):
    (folder / "secret").symlink_to("/etc/passwd")

    with pytest.raises(UsageError, match="secret is a link"):
        pack(folder)


@pytest.mark.parametrize("name", ["clear\x1b[2J", "left\u202eright", "two\nlines", os.fsdecode(b"latin\xe9")])
def test_a_name_that_no_archive_may_hold_is_refused_before_it_is_packed(folder, name):
    (folder / name).write_bytes(b"")

    with pytest.raises(UsageError, match="in its name; rename it") as caught:
        pack(folder)
    assert caught.value.message.isprintable()


def test_a_folder_without_a_manifest_is_refused(folder):
    (folder / "bot.toml").unlink()

    with pytest.raises(UsageError, match=r"has no bot\.toml"):
        pack(folder)


def test_a_folder_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(UsageError, match="is no folder"):
        pack(tmp_path / "nowhere")


def test_a_pipe_is_refused_by_name(folder):
    os.mkfifo(folder / "pipe")

    with pytest.raises(UsageError, match="pipe is no plain file"):
        pack(folder)


def test_a_file_that_is_too_large_is_named_before_it_is_read(folder):
    with (folder / "weights" / "huge.bin").open("wb") as file:
        file.truncate(100 << 20)
    with pytest.raises(LimitReached, match=r"'weights/huge.bin' has more than 64 MB"):
        pack(folder)


def test_a_folder_that_packs_into_too_much_names_its_largest_file(folder, monkeypatch):
    monkeypatch.setattr(packing, "MAX_ARCHIVE_BYTES", 100)
    with pytest.raises(LimitReached, match=r"'weights/one.bin' with 100 bytes"):
        pack(folder)
