"""`arena verify`: logs that are true, changed, cut, unknown."""

from pathlib import Path

import pytest


def test_verify_says_that_a_log_is_true(arena, log: Path) -> None:
    said = arena("verify", log)
    assert said.code == 0
    assert f"{log}: OK, icefall, " in said.out


@pytest.mark.parametrize("what", ['"action":"', '"ranks":[', '"seed":"0', '"think_ms":'])
def test_verify_names_the_line_that_was_changed(arena, log: Path, what: str) -> None:
    text = log.read_text()
    at = text.index(what) + len(what)
    log.write_text(text[:at] + ("x" if text[at] == "d" else "9") + text[at + 1 :])
    said = arena("verify", log)
    assert said.code == 1
    assert f"{log}: line {text[:at].count(chr(10)) + 1}: " in said.out
    assert f"{log}: BROKEN" in said.out


def test_verify_calls_a_cut_log_incomplete(arena, log: Path) -> None:
    log.write_bytes(log.read_bytes()[:3000])
    said = arena("verify", log)
    assert said.code == 1
    assert f"{log}: INCOMPLETE" in said.out


def test_verify_goes_on_after_a_bad_log(arena, log: Path, tmp_path: Path) -> None:
    said = arena("verify", tmp_path / "none.jsonl", log)
    assert said.code == 2
    assert f"{log}: OK" in said.out
    assert said.err == f"error: {tmp_path / 'none.jsonl'} cannot be read: No such file or directory\n"


def test_verify_names_an_unknown_log_version(arena, log: Path) -> None:
    log.write_text(log.read_text().replace('"log":1', '"log":9', 1))
    said = arena("verify", log)
    assert said.code == 1
    assert (
        said.err == f"error: {log}: log version 9 is unknown here, this arena reads 1; use the release that wrote it\n"
    )


def test_verify_gives_json(arena, log: Path) -> None:
    (only,) = arena("verify", log, "--json").json
    assert only["status"] == "OK"
    assert only["chance_checked"]


def test_verify_of_broken_compression_is_an_error(arena, tmp_path: Path) -> None:
    file = tmp_path / "m.zst"
    file.write_bytes(b"\x28\xb5\x2f\xfdnonsense")
    said = arena("verify", file)
    assert said.code == 1
    assert "zstd" in said.err
