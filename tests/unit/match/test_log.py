import json

import pytest

from arena.core.errors import LogError
from arena.core.seat import CHANCE, Seat
from arena.match.course import Auto
from arena.match.entries import End, Header, Ply, Times
from arena.match.log import BATCH, BrokenLog, IncompleteLog, LogWriter, read_log


@pytest.fixture
def log(started, finish) -> bytes:
    charges = iter([0, 0, 5, 7, 9] + [3] * 100)
    return finish(started(3, clock="10s+0.1s"), charges=charges).log_text().encode()


def test_every_line_reads_as_it_was_written(log, opened) -> None:
    lines = list(read_log(opened(log)))
    assert [line.number for line in lines] == list(range(1, log.count(b"\n") + 1))
    assert isinstance(lines[0].entry, Header)
    assert isinstance(lines[-1].entry, End)


def test_equal_matches_differ_in_meta_only(started, finish, opened) -> None:
    def facts(meta: str, charged: int) -> list[dict]:
        match = finish(started(2, clock="10s+0s", match_id=meta), charges=iter([0, 0] + [charged] * 99))
        lines = [json.loads(line) for line in match.log_text().splitlines()]
        assert "meta" in lines[0]
        return [{name: value for name, value in line.items() if name != "meta"} for line in lines]

    assert facts("first", 1) == facts("second", 2)


def test_every_line_has_a_hash(log) -> None:
    assert all(len(json.loads(line)["h"]) == 16 for line in log.splitlines())


def test_a_log_cut_anywhere_is_incomplete_and_readable_to_its_last_whole_line(log, opened) -> None:
    for cut in range(len(log)):
        read = []
        with pytest.raises(IncompleteLog) as end:
            read.extend(read_log(opened(log[:cut])))
        assert end.value.line == log[:cut].count(b"\n")


def test_any_changed_byte_is_noticed_in_its_line(log, opened) -> None:
    for at in range(len(log)):
        changed = bytearray(log)
        changed[at] ^= 1
        with pytest.raises(LogError) as refusal:
            list(read_log(opened(bytes(changed))))
        if isinstance(refusal.value, BrokenLog):
            assert refusal.value.line == log[:at].count(b"\n") + 1
        else:
            assert refusal.value.code == "UNKNOWN_LOG_VERSION" or at == len(log) - 1


@pytest.mark.parametrize("line", [1, 5])
def test_a_line_left_out_is_noticed_where_it_is_missing(log, opened, line: int) -> None:
    lines = log.splitlines(keepends=True)
    del lines[line]
    with pytest.raises(BrokenLog) as refusal:
        list(read_log(opened(b"".join(lines))))
    assert refusal.value.line == line + 1


def test_a_changed_time_is_noticed_in_its_line(log, opened) -> None:
    lines = log.splitlines(keepends=True)
    at = next(number for number, line in enumerate(lines) if b'"charged_ms":7,' in line)
    lines[at] = lines[at].replace(b'"charged_ms":7,', b'"charged_ms":6,')
    with pytest.raises(BrokenLog, match="meta") as refusal:
        list(read_log(opened(b"".join(lines))))
    assert refusal.value.line == at + 1


def test_a_changed_digest_is_noticed(log, opened) -> None:
    changed = log[:-6] + (b"0" if log[-6:-5] != b"0" else b"1") + log[-5:]
    with pytest.raises(BrokenLog, match="digest"):
        list(read_log(opened(changed)))


@pytest.mark.parametrize(
    "line",
    [
        b"nonsense\n",
        b"[]\n",
        b"{}\n",
        b'{"kind":"header"}\n',
        b'{"kind":[]}\n',
        b'{"kind":"ply","meta":3}\n',
        b"\xff\xfe\n",
        b"[" * 100_000 + b"\n",
        b"nonsense",
    ],
)
def test_what_is_no_log_is_called_broken_in_its_first_line(line: bytes, opened) -> None:
    with pytest.raises(BrokenLog) as refusal:
        list(read_log(opened(line)))
    assert refusal.value.line == 1
    assert "\n" not in refusal.value.message


@pytest.mark.parametrize(
    "change",
    [
        lambda line: line.replace(b'"ply":', b'"ply": ', 1),
        lambda line: line.replace(b'{"kind":"ply",', b'{"kind":"ply","extra":1,', 1),
        lambda line: line.replace(b'"kind":"ply",', b'"kind":"ply","kind":"ply",', 1),
        lambda line: line.replace(b"}\n", b"}\r\n"),
        lambda line: line + b"\n",
    ],
)
def test_another_way_of_writing_the_same_line_is_no_log_line(log, opened, change) -> None:
    lines = log.splitlines(keepends=True)
    lines[3] = change(lines[3])
    with pytest.raises(BrokenLog):
        list(read_log(opened(b"".join(lines))))


def test_nothing_stands_after_the_result(log, opened) -> None:
    last = log.splitlines(keepends=True)[-1]
    with pytest.raises(BrokenLog, match="after the result"):
        list(read_log(opened(log + last)))


def test_another_log_version_is_named(log, opened) -> None:
    with pytest.raises(LogError, match="log version 2 is unknown") as refusal:
        list(read_log(opened(log.replace(b'"log":1', b'"log":2', 1))))
    assert refusal.value.code == "UNKNOWN_LOG_VERSION"


def test_a_log_is_read_as_a_stream(log) -> None:
    lines = iter(log.splitlines(keepends=True))
    reading = read_log(lines)
    next(reading)
    assert next(lines) == log.splitlines(keepends=True)[1]


@pytest.mark.parametrize("action", ["cool 3", 'a "b" \\ c', "é😀\u2028", "\x00\n\t\x7f", ""])
@pytest.mark.parametrize("entry", [
    Ply(0, CHANCE, ""), Ply(7, Seat(1), "", Auto.FORCED), Ply(12, Seat(4), "", Auto.DEFAULT),
    Ply(3, Seat(0), "", None, Times(12, 0)),
])  # fmt: skip
def test_a_ply_is_written_as_a_json_library_would_write_it(action: str, entry: Ply) -> None:
    writer = LogWriter()
    writer.add(Ply(entry.ply, entry.actor, action, entry.auto, entry.times))
    line = json.loads(writer.text())
    assert line["action"] == action
    assert json.dumps(line, separators=(",", ":")) + "\n" == writer.text()


def test_a_log_that_is_read_while_it_grows_is_the_same_in_the_end() -> None:
    plies = [Ply(number, Seat(number % 2), f"go {number}", None, Times(number, 0)) for number in range(3 * BATCH + 5)]
    quiet, watched = LogWriter(), LogWriter()
    for number, ply in enumerate(plies):
        quiet.add(ply)
        watched.add(ply)
        assert watched.text().count("\n") == number + 1
    assert watched.text() == quiet.text()
