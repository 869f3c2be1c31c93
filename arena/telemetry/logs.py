"""Structured logs: each event is one line of JSON on standard error, its facts under names of their own.

A line may hold ids, counts, states, names of games and accounts; never a token, a ticket, a seed, or text of a bot.
"""

from __future__ import annotations

import logging
import re
import sys
from typing import Any, Final, TextIO

import structlog
from structlog.contextvars import bound_contextvars, merge_contextvars
from structlog.typing import EventDict, FilteringBoundLogger, Processor

__all__ = ["FilteringBoundLogger", "bound_contextvars", "configure", "get_logger", "hide_secrets"]

_SECRETS: Final = (
    (re.compile(r"(?<=://)([^\s:/@]*):[^\s@]+@"), r"\1:***@"),  # the password of a database's or broker's address
    (re.compile(r"\bwo_[\w-]{8,}"), "wo_***"),  # a token, see arena.services.accounts
    (re.compile(r"(?i)\b(bearer|ticket|token|secret|password)([ =:]+)[\w.~+/=-]{16,}"), r"\1\2***"),
)

_MOST_CHARS: Final = 4000
"""Of one text in a line: a traceback of ours is shorter, and nobody fills the disk by a long message."""

_OURS: Final = ("arena", "worker", "dispatcher", "web")
_QUIET: Final = ("alembic", "celery", "kombu", "amqp", "asyncio", "uvicorn")


def get_logger(name: str) -> FilteringBoundLogger:
    """Return the logger of a part of the arena: `LOG.info("match recorded", match=7)`.

    It hands its events to the standard logger of that name, so that it works in a process that has configured nothing.
    """
    logger: FilteringBoundLogger = structlog.wrap_logger(
        logging.getLogger(name),
        processors=[
            structlog.stdlib.filter_by_level,
            merge_contextvars,
            structlog.stdlib.add_logger_name,
            structlog.stdlib.add_log_level,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    return logger


def configure(process: str, stream: TextIO | None = None) -> None:
    """Let this process write its log; process: api, web, dispatcher or worker. stream: standard error."""

    def name_process(_logger: Any, _method: str, event: EventDict) -> EventDict:
        return {**event, "process": process}

    shared: list[Processor] = [
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        name_process,
        structlog.processors.format_exc_info,
        hide_secrets,
    ]
    formatter = structlog.stdlib.ProcessorFormatter(
        # Events of libraries take the same way.
        foreign_pre_chain=[structlog.stdlib.add_logger_name, structlog.stdlib.add_log_level],
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *shared, _as_line],
    )
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(formatter)
    root = logging.getLogger()
    for old in root.handlers[:]:
        root.removeHandler(old)
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    for name in _OURS:
        logging.getLogger(name).setLevel(logging.INFO)  # a library may set the root's level to its own
    for name in _QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)


def hide_secrets(_logger: Any, _method: str, event: EventDict) -> EventDict:
    """Take out of every text what looks like a secret, and cut long texts: a second line behind not logging them."""
    return {name: _without_secrets(value) if isinstance(value, str) else value for name, value in event.items()}


def without_secrets(text: str) -> str:
    """Return a text without what looks like a secret."""
    for pattern, replacement in _SECRETS:
        text = pattern.sub(replacement, text)
    return text


def _without_secrets(text: str) -> str:
    text = without_secrets(text)
    return text if len(text) <= _MOST_CHARS else f"{text[: _MOST_CHARS // 2]} ... {text[-_MOST_CHARS // 2 :]}"


_JSON: Final = structlog.processors.JSONRenderer(default=str)
_FIRST: Final = ("timestamp", "level", "process", "logger", "event")


def _as_line(logger: Any, method: str, event: EventDict) -> str:
    """Write the facts that every line has first; JSON escapes what a terminal would obey."""
    ordered = {name: event[name] for name in _FIRST if name in event}
    return str(_JSON(logger, method, {**ordered, **event}))
