"""Logs are lines of JSON with the facts under names, and no secret gets through."""

import io
import json
import logging

import pytest

from arena.telemetry.logs import bound_contextvars, configure, get_logger


@pytest.fixture
def lines():
    """What was logged, read back."""
    root = logging.getLogger()
    handlers, level, stream = root.handlers[:], root.level, io.StringIO()
    configure("worker", stream)
    yield lambda: [json.loads(line) for line in stream.getvalue().splitlines()]
    root.handlers[:] = handlers
    root.setLevel(level)


def test_an_event_is_a_line_with_its_facts_and_those_bound_around_it(lines) -> None:
    with bound_contextvars(block=3, attempt=2):
        get_logger("worker").info("match recorded", match=7, end="COMPLETED")
    (line,) = lines()
    assert line.pop("timestamp").endswith("Z")
    assert line == {
        "level": "info", "process": "worker", "logger": "worker", "event": "match recorded",
        "block": 3, "attempt": 2, "match": 7, "end": "COMPLETED",
    }  # fmt: skip


def test_lines_of_libraries_are_of_the_same_kind(lines) -> None:
    logging.getLogger("some.library").warning("lost %d of %d", 1, 2)
    (line,) = lines()
    assert (line["event"], line["logger"], line["level"], line["process"]) == (
        "lost 1 of 2", "some.library", "warning", "worker",
    )  # fmt: skip


def test_a_failure_keeps_its_traceback_in_its_line(lines) -> None:
    get_logger("worker").error("broken", exc_info=ValueError("no good"))
    (line,) = lines()
    assert "ValueError: no good" in line["exception"]


@pytest.mark.parametrize(
    "text",
    [
        "cannot reach postgresql://whiteout:hunter2hunter2@postgres:5432/whiteout",
        "redis://:hunter2hunter2@redis:6379/0 is away",
        "authorization: Bearer hunter2hunter2hunter2",
        "ticket=hunter2hunter2hunter2",
        "token: hunter2hunter2hunter2",
        "unknown: wo_hunter2hunter2",
    ],
)
def test_what_looks_like_a_secret_is_hidden_in_messages_and_facts(lines, text) -> None:
    get_logger("worker").warning("waiting", why=text)
    logging.getLogger("library").warning(text)
    get_logger("worker").error("broken", exc_info=ValueError(text))
    assert len(lines()) == 3
    assert "hunter2hunter2" not in json.dumps(lines())


def test_no_text_obeys_a_terminal_or_fills_the_disk(lines) -> None:
    get_logger("worker").info("said", text="\x1b[2J\nnext" + "x" * 100_000)
    (line,) = lines()
    assert line["text"].startswith("\x1b[2J\nnext")
    assert len(line["text"]) < 5000
