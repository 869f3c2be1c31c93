"""The match log as JSON Lines: a writer, and a strict reader that streams.

A line is {facts..., "h": chain, "meta": {...}} in the one way json.dumps writes it with separators "," and ":".
- h: 16 hex digits of blake2b over the h of the line before (none for the first) and the line's facts. It covers all
  that equal matches have in common, so equal matches have equal h.
- meta: what may differ between equal matches. It ends with "check": 8 hex digits of blake2b over the line's h and the
  rest of meta, so that a change in a time or a date is noticed in its line. The result's meta is its digest alone.
- digest: sha256 over all bytes before the last line and the last line without its meta.

Neither stops a forger who computes them anew: such a log fails against the rules, the seed or the server's digest.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b, sha256
from typing import Final

from arena.core.errors import LogError
from arena.core.seat import CHANCE
from arena.match.entries import LOG_VERSION, End, Entry, Header, Json, Ply, from_json, to_json

_HEAD: Final = b'{"kind":'
_dump: Final = json.JSONEncoder(separators=(",", ":")).encode
_quote: Final = json.encoder.encode_basestring_ascii

BATCH: Final = 32
"""Entries that are sealed together. Sealed one by one between two turns they cost twice as much; many more at once
would keep other matches waiting."""


class BrokenLog(LogError):
    """A line that cannot be what the arena wrote; line counts from 1."""

    reason = "BROKEN_LOG"

    def __init__(self, line: int, why: str) -> None:
        super().__init__(f"line {line}: {why}")
        self.line = line
        self.why = why


class IncompleteLog(LogError):
    """A log that ends before its result; all lines up to `line` are whole."""

    reason = "INCOMPLETE_LOG"

    def __init__(self, line: int) -> None:
        super().__init__(f"incomplete: the log ends after line {line}, before the result")
        self.line = line


@dataclass(frozen=True, slots=True)
class Line:
    """One entry and where it stands, counted from 1."""

    number: int
    entry: Entry


class Chain:
    """What ties a line to those before it: the last h, and the digest over everything so far."""

    def __init__(self) -> None:
        self._link = ""
        self._digest = sha256()

    def seal(self, entry: Entry) -> tuple[str, str]:
        """Return the one way this entry is written as the next line, line break included, and the line's h."""
        body, meta = _texts(entry)
        link = blake2b((self._link + body).encode(), digest_size=8).hexdigest()
        line = f'{body[:-1]},"h":"{link}"}}\n'
        if isinstance(entry, End):
            whole = self._digest.copy()
            whole.update(line.encode())
            meta = f'{{"digest":"{whole.hexdigest()}"}}'
        elif meta:
            check = blake2b((link + meta).encode(), digest_size=4).hexdigest()
            meta = f'{meta[:-1]},"check":"{check}"}}'
        return f'{line[:-2]},"meta":{meta}}}\n' if meta else line, link

    def accept(self, line: str, link: str) -> None:
        """Take a sealed line, and its h, as the last one."""
        self._link = link
        self._digest.update(line.encode())


class LogWriter:
    """Builds a log line by line; lines are sealed in batches, and when the text is asked for."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._waiting: list[Entry] = []
        self._chain = Chain()

    def add(self, entry: Entry) -> None:
        """Append one line; an End gets its digest here."""
        self._waiting.append(entry)
        if len(self._waiting) >= BATCH:
            self._seal()

    def text(self) -> str:
        """Return the log so far."""
        self._seal()
        return "".join(self._lines)

    def _seal(self) -> None:
        for entry in self._waiting:
            line, link = self._chain.seal(entry)
            self._chain.accept(line, link)
            self._lines.append(line)
        self._waiting.clear()


def read_log(lines: Iterable[bytes]) -> Iterator[Line]:
    """Read a log line by line, each checked before it is given out.

    lines: as a file opened for reading bytes gives them, line breaks included. Raises BrokenLog at the first line that
    is not exactly as written, LogError for another log version, IncompleteLog after the last whole line if no
    result comes.
    """
    chain = Chain()
    number = 0
    ended = False
    for number, raw in enumerate(lines, 1):
        if ended:
            raise BrokenLog(number, "there is a line after the result")
        if not raw.endswith(b"\n") and _HEAD.startswith(raw[: len(_HEAD)]):
            raise IncompleteLog(number - 1)
        entry, found = _parse(raw, number)
        if isinstance(entry, Header) != (number == 1):
            raise BrokenLog(number, "a log has one header, its first line")
        line, link = chain.seal(entry)
        if raw != line.encode():
            raise BrokenLog(number, _difference(entry, found, json.loads(line)))
        chain.accept(line, link)
        ended = isinstance(entry, End)
        yield Line(number, entry)
    if not ended:
        raise IncompleteLog(number)


def _texts(entry: Entry) -> tuple[str, str]:
    """Return the JSON of a line's facts and of its meta, "" for none; plies by hand, at a third of the cost."""
    if not isinstance(entry, Ply):
        facts, meta = to_json(entry)
        return _dump(facts), _dump(meta) if meta else ""
    actor = '"chance"' if entry.actor is CHANCE else int(entry.actor)
    auto = "" if entry.auto is None else f',"auto":"{entry.auto.value}"'
    times = entry.times
    return (
        f'{{"kind":"ply","ply":{entry.ply},"actor":{actor},"action":{_quote(entry.action)}{auto}}}',
        "" if times is None else f'{{"think_ms":{times.think_ms},"charged_ms":{times.charged_ms}}}',
    )


def _parse(raw: bytes, number: int) -> tuple[Entry, Json]:
    """Read one line into its entry and its JSON. Raises BrokenLog, or LogError for another log version."""
    try:
        line = json.loads(raw)
    except (ValueError, RecursionError):
        raise BrokenLog(number, "the line is no JSON") from None
    if not isinstance(line, dict):
        raise BrokenLog(number, "the line is no JSON object")
    version = line.get("log", LOG_VERSION)
    if number == 1 and line.get("kind") == "header" and version != LOG_VERSION:
        raise LogError(
            f"log version {version!r} is unknown here, this arena reads {LOG_VERSION}; use the release that wrote it",
            reason="UNKNOWN_LOG_VERSION",
        )
    facts = {name: value for name, value in line.items() if name not in {"h", "meta"}}
    meta = line.get("meta", {})
    try:
        entry = from_json(facts, {name: value for name, value in meta.items() if name != "check"})
    except (KeyError, TypeError, ValueError, AttributeError) as wrong:
        raise BrokenLog(number, f"the line does not read as a log entry ({_why(wrong)})") from None
    return entry, line


def _difference(entry: Entry, found: Json, expected: Json) -> str:
    """Say what is wrong with a line that is not written as its entry would be."""
    if found.get("h") != expected["h"]:
        return "the line was changed: its hash h does not fit"
    if isinstance(entry, End):
        return "the digest does not fit the file"
    if found.get("meta") != expected.get("meta"):
        return "the meta of the line was changed: its check does not fit"
    return "the line is not written the way the arena writes it"


def _why(wrong: Exception) -> str:
    return f"no field {wrong}" if isinstance(wrong, KeyError) else str(wrong)
