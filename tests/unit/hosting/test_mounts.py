"""What sandboxes show of this machine."""

from __future__ import annotations

import compileall
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from importlib.util import MAGIC_NUMBER, cache_from_source
from pathlib import Path

import pytest

from arena.core.errors import Unavailable
from arena.hosting import mounts, seats
from arena.hosting.library import LIBRARY, PREFIX
from arena.hosting.library import library as library_of
from arena.hosting.mounts import SITE, standard_view
from arena.hosting.seats import all_seats
from arena.hosting.temporary import KeptFolder


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package with one module, which is not compiled."""
    folder = tmp_path / "package"
    folder.mkdir()
    (folder / "module.py").write_text("answer = 42\n")
    return folder


@pytest.fixture
def library(package: Path, tmp_path: Path) -> Iterator[KeptFolder]:
    single = tmp_path / "single.py"
    single.write_text("one = 1\n")
    made = library_of(lambda: {Path("above", "package"): package, Path("single.py"): single})
    yield made
    made.close()


def test_what_bots_import_is_compiled_in_the_copy_and_not_where_it_lies(library: KeptFolder, package: Path) -> None:
    copy = library.path() / "above" / "package"
    compiled = Path(cache_from_source(copy / "module.py"))
    assert compiled.read_bytes()[:4] == MAGIC_NUMBER
    assert str(copy).encode() not in compiled.read_bytes()
    assert str(LIBRARY / "above" / "package" / "module.py").encode() in compiled.read_bytes()
    assert sorted(path.name for path in package.iterdir()) == ["module.py"]


def test_what_is_compiled_already_is_not_compiled_again(library: KeptFolder, package: Path) -> None:
    compileall.compile_dir(package, quiet=2)
    before = Path(cache_from_source(package / "module.py")).read_bytes()
    assert Path(cache_from_source(library.path() / "above" / "package" / "module.py")).read_bytes() == before


def test_nothing_else_lies_in_the_copy_and_everybody_may_read_it(library: KeptFolder, package: Path) -> None:
    (package.parent / "secret.py").touch()
    (package / "module.py").chmod(0o600)
    umask = os.umask(0o077)
    try:
        copy = library.path()
    finally:
        os.umask(umask)
    found = {path.relative_to(copy).as_posix(): path.stat().st_mode & 0o555 for path in copy.rglob("*.py")}
    assert found == {"above/package/module.py": 0o444, "single.py": 0o444}
    assert {path.stat().st_mode & 0o777 for path in (copy, *copy.rglob("*")) if path.is_dir()} == {0o755}
    assert [path.stat().st_mode & 0o444 for path in copy.rglob("*.pyc")] == [0o444] * 2


def test_a_package_that_cannot_be_compiled_is_shown_as_it_is(
    library: KeptFolder, package: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (package / "broken.py").write_text("def\n")
    (package / "__pycache__").touch()
    assert (library.path() / "above" / "package" / "broken.py").read_text() == "def\n"
    assert capfd.readouterr() == ("", "")


def test_a_copy_is_made_once_and_anew_when_somebody_has_removed_it(library: KeptFolder, temporary: Path) -> None:
    copy = library.path()
    assert library.path() == copy
    shutil.rmtree(copy.parent)
    again = library.path()
    assert again != copy
    assert (again / "single.py").is_file()
    library.close()
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize("taken", ["single.py", "above/package/module.py"])
def test_a_copy_is_made_anew_when_a_cleaner_has_taken_something_old_from_it(library: KeptFolder, taken: str) -> None:
    copy = library.path()
    (copy / taken).unlink()
    again = library.path()
    assert (again / taken).is_file()
    assert not copy.exists()
    assert library.path() == again


def test_a_package_that_cannot_be_copied_leaves_nothing_behind(package: Path, temporary: Path) -> None:
    library = library_of(lambda: {Path("package"): package / "missing"})
    for _ in range(2):
        with pytest.raises(Exception, match="missing cannot be read"):
            library.path()
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize(
    ("kept", "make"), [(mounts._library, standard_view), (seats._usual, all_seats), (seats._large, all_seats)]
)
def test_where_no_folder_can_be_made_there_is_no_sandbox_and_one_line_says_why(
    kept: KeptFolder, make: Callable[[], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept.close()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "missing"))
    with pytest.raises(Unavailable, match=r"^the sandbox cannot be made here: a place for [^\n]*$"):
        make()


def test_a_forked_process_makes_a_copy_of_its_own_and_leaves_the_other_one_alone(tmp_path: Path) -> None:
    program = (
        "import os, sys\nfrom arena.hosting.mounts import standard_view\n"
        "first = standard_view().mounts[-1].source\n"
        "if os.fork() == 0:\n    print(standard_view().mounts[-1].source == first, flush=True)\n    sys.exit()\n"
        "os.wait()\nprint(first.is_dir(), standard_view().mounts[-1].source == first)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env={**os.environ, "TMPDIR": str(tmp_path)},
        timeout=60, check=False,
    )  # fmt: skip
    assert done.stdout.splitlines() == ["False", "True True"], done.stderr
    assert list(tmp_path.glob(f"{PREFIX}*")) == []


def test_packages_that_are_visible_where_they_are_get_no_mount_but_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    (folder, *_) = [path for path in map(Path, sys.path) if (path / "grpc").is_dir()]
    assert SITE / "0" in standard_view().python_path
    monkeypatch.setattr(mounts, "_SYSTEM_FOLDERS", (str(folder.resolve()),))

    def forget() -> None:
        mounts._machine.cache_clear()
        mounts._view.cache_clear()

    forget()
    try:
        view = standard_view()
    finally:
        forget()
    assert folder.resolve() in view.python_path
    assert not any(mount.dest.is_relative_to(SITE) for mount in view.mounts)
