"""Running matches for those who look on: one reader a match, any number of onlookers, nothing kept for the slow."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections import deque
from collections.abc import AsyncGenerator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias, cast

from redis.asyncio import Redis
from redis.exceptions import RedisError

from arena.core.errors import ArenaError, LimitReached
from arena.core.live import KEPT, UPDATE, stream_name
from arena.core.registry import load_game
from arena.match.reel import picture
from arena.services.live import Onlooking, look_on
from arena.store.states import MatchState
from arena.v1.live_pb2 import LiveUpdate
from arena.web.connections import is_shared
from arena.web.site import Site
from arena.web.views import read_view

LOG: Final = logging.getLogger("arena.web")
MOST_ONLOOKERS: Final = 100
"""Streams of one server at once: half of the requests that it takes."""

MOST_OF_ONE: Final = 8
"""Streams of one address; a household has several people, and each several tabs."""

HEARTBEAT_S: Final = 10.0
LOOK_S: Final = 2.0
"""How often the database is asked whether a match is over, and a broker that was away is tried again."""

_BEAT: Final = b": still here\n\n"
_Key: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Update:
    """One event as it is sent; brief: without its picture, for those who have missed it and get a newer one."""

    key: _Key
    whole: bytes
    brief: bytes
    has_picture: bool


@dataclass
class Stage:
    """One match that somebody follows; kept: its newest updates. closing: the last event, once the match is over."""

    kept: deque[Update] = field(default_factory=lambda: deque(maxlen=KEPT))
    changed: asyncio.Condition = field(default_factory=asyncio.Condition)
    closing: bytes = b""
    onlookers: int = 0
    reader: asyncio.Task[None] | None = None


class Hub:
    """All matches that are followed on one server; belongs to its event loop."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._stages: dict[int, Stage] = {}
        self._addresses: dict[str, int] = {}
        self._readers: set[asyncio.Task[None]] = set()

    async def close(self) -> None:
        """End every reader, also one whose last onlooker has just left; the server takes no requests any more."""
        for reader in self._readers:
            reader.cancel()
        await asyncio.gather(*self._readers, return_exceptions=True)

    def admit(self, address: str) -> None:
        """Count an onlooker in. Raises LimitReached (TOO_MANY_ONLOOKERS)."""
        of_one = 0 if is_shared(address) else self._addresses.get(address, 0)
        if sum(self._addresses.values()) >= MOST_ONLOOKERS or of_one >= MOST_OF_ONE:
            raise LimitReached(
                "too many are following matches here at the moment; close a page, or come back soon",
                reason="TOO_MANY_ONLOOKERS",
            )
        self._addresses[address] = self._addresses.get(address, 0) + 1

    async def follow(self, match_id: int, address: str, last_event: str) -> AsyncGenerator[bytes]:
        """Yield the events of a match from those after last_event on, until it is over or this server stops.

        An onlooker who is too slow misses what is no longer kept. The address was admitted, and is let go at the end.
        """
        stage = self._stages.setdefault(match_id, Stage())
        stage.onlookers += 1
        if stage.reader is None:
            stage.reader = asyncio.create_task(self._read(match_id, stage))
            self._readers.add(stage.reader)
            stage.reader.add_done_callback(self._readers.discard)
        try:
            seen = _key(last_event)
            yield b"retry: 3000\n\n"  # the caller takes this one, and so makes sure that this is begun, and ended
            while not self._site.stopping.is_set():
                missed = [each for each in stage.kept if each.key > seen]
                for event in _without_old_pictures(missed):
                    yield event
                seen = missed[-1].key if missed else seen
                if stage.closing:
                    yield stage.closing
                    return
                if not await self._news(stage, seen):
                    yield _BEAT
        finally:
            self._leave(match_id, stage, address)

    def _leave(self, match_id: int, stage: Stage, address: str) -> None:
        stage.onlookers -= 1
        self._addresses[address] -= 1
        if not self._addresses[address]:
            del self._addresses[address]
        if not stage.onlookers and stage.reader is not None:
            stage.reader.cancel()
            stage.reader = None
            if self._stages.get(match_id) is stage:
                del self._stages[match_id]

    async def _news(self, stage: Stage, seen: _Key) -> bool:
        """Wait for something to tell, a heartbeat at most; return whether there is."""

        def has_news() -> bool:
            return bool(stage.closing) or bool(stage.kept and stage.kept[-1].key > seen) or self._site.stopping.is_set()

        with suppress(TimeoutError):
            async with asyncio.timeout(HEARTBEAT_S), stage.changed:
                await stage.changed.wait_for(has_news)
        return has_news()

    async def _read(self, match_id: int, stage: Stage) -> None:
        """Follow a match for all its onlookers; ends with the match, or is cancelled when the last of them leaves."""
        seen, looked = "0-0", 0.0
        known: Onlooking | None = None
        client = _client(self._site.broker) if self._site.broker else None
        try:
            while not self._site.stopping.is_set():
                if time.monotonic() - looked >= LOOK_S:
                    known = await self._look(match_id, known)
                    looked = time.monotonic()
                    if known is not None and known.match.state is not MatchState.SCHEDULED:
                        stage.closing = _event("over", {"replay": known.match.deal_open})
                        break
                if client is None or known is None or not known.shown:
                    await asyncio.sleep(LOOK_S / 4)
                    continue
                seen = await self._taken(client, match_id, seen, stage, known)
        finally:
            if client is not None:
                with suppress(RedisError, OSError):
                    await client.aclose()
        async with stage.changed:
            stage.changed.notify_all()

    async def _look(self, match_id: int, known: Onlooking | None) -> Onlooking | None:
        """Read how a match stands; a database that is away leaves what is known, and so does any other fault."""
        try:
            return await asyncio.to_thread(look_on, self._site.store, match_id)
        except ArenaError:
            return known
        except Exception:
            LOG.exception("match %d cannot be looked at", match_id)
            return known

    async def _taken(self, client: Redis, match_id: int, seen: str, stage: Stage, known: Onlooking) -> str:
        """Take updates as _take does; a fault that it does not foresee leaves the onlookers with the next ones."""
        try:
            return await _take(client, match_id, seen, stage, known)
        except Exception:
            LOG.exception("updates of match %d cannot be taken", match_id)
            await asyncio.sleep(LOOK_S)
            return seen


async def _take(client: Redis, match_id: int, seen: str, stage: Stage, known: Onlooking) -> str:
    """Take the next updates of a match from the broker, if they come soon; return where to go on."""
    try:
        answer = await client.xread({stream_name(match_id): seen}, count=KEPT, block=int(LOOK_S * 1000))
    except (RedisError, OSError):
        await asyncio.sleep(LOOK_S / 2)
        return seen
    entries = [entry for _, found in cast(Any, answer) or () for entry in found]
    if not entries:
        return seen
    events = await asyncio.to_thread(_events, entries, known)
    async with stage.changed:
        stage.kept.extend(events)
        stage.changed.notify_all()
    return str(entries[-1][0].decode())


def _without_old_pictures(missed: list[Update]) -> list[bytes]:
    """Return what an onlooker has not had yet: the newest picture, and the words of those before it."""
    newest = max((place for place, each in enumerate(missed) if each.has_picture), default=0)
    return [each.brief if place < newest else each.whole for place, each in enumerate(missed)]


def _events(entries: list[tuple[bytes, Mapping[bytes, bytes]]], known: Onlooking) -> list[Update]:
    """Draw updates; one that cannot be read or drawn is left out."""
    events: list[Update] = []
    for raw, fields in entries:
        name = raw.decode()
        try:
            told = position(LiveUpdate.FromString(fields.get(UPDATE, b"")), known)
        except Exception as fault:  # noqa: BLE001 - whatever it is, it costs an update, and no onlooker the others
            LOG.warning("match %d: an update cannot be shown: %r", known.match.id, fault)
            continue
        whole = _event("position", told, name)
        drawn = told.pop("picture", None) is not None
        events.append(Update(_key(name), whole, _event("position", told, name), drawn))
    return events


def position(update: LiveUpdate, known: Onlooking) -> dict[str, Any]:
    """Return what a page shows of an update; without picture and words where nothing has changed."""
    game = load_game(known.match.game)
    told: dict[str, Any] = {
        "ply": update.ply,
        "seat": update.seat,
        "banks": list(update.bank_ms),
        "deadline": update.deadline_ms,
    }
    if update.public_view:
        components = game.components(known.components or None, "components")
        view = read_view(known.match.game, update.public_view)
        told["picture"] = picture(game, view, components)
        told["words"] = list(game.story(view, components))
    return told


def _event(kind: str, value: Mapping[str, Any], name: str = "") -> bytes:
    head = f"id: {name}\n" if name else ""
    return f"{head}event: {kind}\ndata: {json.dumps(value, separators=(',', ':'))}\n\n".encode()


def _key(name: str) -> _Key:
    """Return the place of an entry of a stream, such as "1526919030474-55"; of anything else the start."""
    milliseconds, dash, number = name.partition("-")
    if not (dash and len(name) <= 40 and name.isascii() and milliseconds.isdecimal() and number.isdecimal()):
        return (0, 0)
    return (int(milliseconds), int(number))


def _client(broker: str) -> Redis:
    url = broker.replace("redis+socket://", "unix://", 1)  # what the client calls it
    return Redis.from_url(url, socket_connect_timeout=LOOK_S, socket_timeout=3 * LOOK_S)
