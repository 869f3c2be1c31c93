"""What is kept of a program's output."""

import pytest

from arena.hosting.capture import CappedOutput


def test_short_output_is_kept_whole() -> None:
    output = CappedOutput(half=8)
    output.feed(b"hello ")
    output.feed(b"world")
    assert output.kept() == b"hello world"
    assert not output.truncated


def test_output_of_exactly_the_cap_is_kept_whole() -> None:
    output = CappedOutput(half=4)
    output.feed(b"12345678")
    assert output.kept() == b"12345678"
    assert not output.truncated


@pytest.mark.parametrize("chunk", [1, 3, 7, 1000])
def test_of_long_output_head_and_tail_are_kept_and_the_gap_is_named(chunk: int) -> None:
    text = bytes(range(48, 123)) * 4
    output = CappedOutput(half=10)
    for start in range(0, len(text), chunk):
        output.feed(text[start : start + chunk])
    assert output.kept() == text[:10] + b"\n[... 280 bytes not kept ...]\n" + text[-10:]
    assert output.truncated


def test_bytes_that_are_no_text_are_shown_with_a_mark() -> None:
    output = CappedOutput()
    output.feed(b"caf\xe9")
    assert output.text == "caf\N{REPLACEMENT CHARACTER}"
