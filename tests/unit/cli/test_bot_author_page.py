"""The page for bot authors states the limits that the code has."""

from pathlib import Path

from arena.core.manifest import MAX_WORDS
from arena.core.protocol import MAX_MESSAGE_BYTES, MAX_RECONNECTS
from arena.hosting.capture import HALF_BYTES
from arena.hosting.sandbox import Limits
from arena.services import archives
from arena.services.archives import size_text
from arena.services.qualifying import MAX_CHECKING
from arena.services.setting_aside import SET_ASIDE_AFTER

PAGE = (Path(__file__).parents[3] / "docs" / "bot-author.md").read_text(encoding="utf-8")
LIMITS = Limits()


def table() -> str:
    """The limits as the page has to show them."""
    rows = {
        "archive, packed": size_text(archives.MAX_ARCHIVE_BYTES),
        "all files, unpacked": size_text(archives.MAX_UNPACKED_BYTES),
        "one file": size_text(archives.MAX_FILE_BYTES),
        "files": f"{archives.MAX_FILES}, paths of {archives.MAX_PATH} bytes",
        "extended header of a tar's file": size_text(archives.MAX_HEADER),
        "words of `command`, and `games`": f"{MAX_WORDS} each",
        "versions of one author being checked": f"{MAX_CHECKING}",
        "memory of all its processes": f"{LIMITS.memory_mb} MB",
        "private memory of one process": f"{LIMITS.data_mb} MB",
        "processor": f"{LIMITS.cores:g} core, {LIMITS.cpu_s} s a process",
        "processes and threads": f"{LIMITS.processes}",
        "open files of one process": f"{LIMITS.open_files}",
        "home, `/tmp`, `/dev/shm`": f"{LIMITS.disk_mb} MB and {LIMITS.files} files each, {LIMITS.file_mb} MB a file",
        "output kept": f"the first and the last {size_text(HALF_BYTES)}",
        "a message to the referee": size_text(MAX_MESSAGE_BYTES),
        "a seat's streams": f"1, opened again {MAX_RECONNECTS} times at most",
    }
    lines = [f"| {what} | {limit} |" for what, limit in rows.items()]
    return "\n".join(["| what | limit |", "|---|---|", *lines])


def test_the_page_states_the_limits_of_the_code():
    assert table() in PAGE, f"paste this into docs/bot-author.md:\n{table()}"


def test_the_page_states_after_how_many_failures_a_version_is_set_aside():
    assert f"fails {['no', 'one', 'two', 'three', 'four', 'five'][SET_ASIDE_AFTER]} matches in a row" in PAGE
