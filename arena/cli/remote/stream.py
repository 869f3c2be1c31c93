"""One stream of the lobby: read in a thread of its own, heard on the event loop."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Protocol

from arena.cli.client import Session
from arena.core.errors import ArenaError, Unavailable
from arena.v1 import lobby_pb2 as pb


class Stream(Protocol):
    """What holds a bot's place in the lobby."""

    async def heard(self) -> pb.AwaitMatchResponse | ArenaError | None:
        """Return the next answer; None once the stream has ended in order, the error if it broke."""

    def offer(self, places: int) -> None:
        """Take so many more matches."""

    def leave(self) -> None:
        """Take no more; the stream ends once nothing is on its way."""

    def close(self) -> None:
        """End the stream."""


class LobbyStream:
    """Enters the lobby and hands over what is said there, until it ends or breaks."""

    def __init__(self, session: Session, enter: pb.EnterLobby) -> None:
        self._session = session
        self._loop = asyncio.get_running_loop()
        self._answers: asyncio.Queue[pb.AwaitMatchResponse | ArenaError | None] = asyncio.Queue()
        self._requests: queue.SimpleQueue[pb.AwaitMatchRequest | None] = queue.SimpleQueue()
        self._requests.put(pb.AwaitMatchRequest(enter=enter))
        self._call: Any = None
        self._thread = threading.Thread(target=self._read, name="lobby", daemon=True)
        self._thread.start()

    async def heard(self) -> pb.AwaitMatchResponse | ArenaError | None:
        """Return the next answer; None once the server has ended the stream in order, the error if it broke."""
        return await self._answers.get()

    def offer(self, places: int) -> None:
        """Take so many more matches."""
        self._requests.put(pb.AwaitMatchRequest(offer=pb.OfferPlaces(places=places)))

    def leave(self) -> None:
        """Take no more; the server ends the stream once nothing is on its way."""
        self._requests.put(pb.AwaitMatchRequest(leave=pb.LeaveLobby()))

    def close(self) -> None:
        """End the stream."""
        self._requests.put(None)
        if self._call is not None:
            self._call.cancel()

    def _read(self) -> None:
        end: ArenaError | None = None
        requests: Iterator[pb.AwaitMatchRequest] = iter(self._requests.get, None)
        try:
            for answer in self._session.converse(self._session.lobby.AwaitMatch, requests, self._begun):
                self._tell(answer)
        except ArenaError as error:
            end = error
        except ValueError:  # the channel has been closed
            end = None
        except Exception as fault:  # noqa: BLE001 - whatever it is, the host must hear that nobody reads any more
            end = Unavailable(f"the stream of the lobby failed: {type(fault).__name__}", reason="STREAM_FAILED")
        finally:
            self._requests.put(None)
        self._tell(end)

    def _begun(self, call: Any) -> None:
        self._call = call

    def _tell(self, what: pb.AwaitMatchResponse | ArenaError | None) -> None:
        with suppress(RuntimeError):  # the loop has ended, nobody hears
            self._loop.call_soon_threadsafe(self._answers.put_nowait, what)
