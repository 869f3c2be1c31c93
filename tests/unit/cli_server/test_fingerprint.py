"""What stands for a connected bot's files: the same files give the same digits, anything else gives others."""

import os

import pytest

from arena.cli.packing import fingerprint
from arena.core.errors import UsageError


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "bot.toml").write_text('name = "bot"\ngames = ["*"]\n', encoding="utf-8")
    (tmp_path / "bot.py").write_text("pass\n", encoding="utf-8")
    return tmp_path


def test_dates_and_caches_are_no_part_of_it(folder):
    before = fingerprint(folder)
    os.utime(folder / "bot.py", (1, 1))
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "bot.pyc").write_bytes(b"x")
    assert fingerprint(folder) == before


@pytest.mark.parametrize(
    "change",
    [
        lambda folder: (folder / "bot.py").write_text("pass #\n", encoding="utf-8"),
        lambda folder: (folder / "bot.py").rename(folder / "other.py"),
        lambda folder: (folder / "bot.py").chmod(0o755),
        lambda folder: (folder / "new.bin").write_bytes(b""),
    ],
)
def test_bytes_names_and_rights_are(folder, change):
    before = fingerprint(folder)
    change(folder)
    assert fingerprint(folder) != before


def test_a_model_that_no_archive_could_hold_is_no_obstacle(folder):
    with (folder / "model.bin").open("wb") as file:
        file.truncate(300 * 1024 * 1024)
    assert len(fingerprint(folder)) == 64


def test_a_folder_without_a_manifest_is_refused(tmp_path):
    with pytest.raises(UsageError, match=r"has no bot\.toml"):
        fingerprint(tmp_path)
