"""The arena's Python client: one session per server, and the use cases the commands are made of."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self, TypeVar, cast

import grpc

from arena.api.errors import REASON, REQUEST_ID, RETRY_AFTER, kind_of
from arena.cli.packing import Packed, pack
from arena.cli.places import Door, Trust, find_door
from arena.core.errors import ArenaError, LimitReached, Unavailable, UsageError
from arena.core.pings import CLIENT
from arena.net.diagnosis import speaks_tls, tls_failure
from arena.v1 import bot_pb2, tournament_pb2
from arena.v1.account_pb2_grpc import AccountServiceStub
from arena.v1.bot_pb2_grpc import BotServiceStub
from arena.v1.lobby_pb2_grpc import LobbyServiceStub
from arena.v1.match_pb2_grpc import MatchServiceStub
from arena.v1.rating_pb2_grpc import RatingServiceStub
from arena.v1.tournament_pb2_grpc import TournamentServiceStub

Q = TypeVar("Q")
R = TypeVar("R")

CALL_TIMEOUT_S: Final = 30.0
UPLOAD_TIMEOUT_S: Final = 600.0
CLOSE_WAIT_S: Final = 1.0
"""How long an interrupted command waits for its channel to close."""

PAUSES_S: Final = (0.2, 0.5, 1.0, 2.0)
"""Between the tries of a call whose connection broke, or that a server which is starting again could not answer."""

LONGEST_WAIT_S: Final = 2
"""A refusal that says when to try again is waited for, if that is soon; otherwise a person decides."""

CHUNK_BYTES: Final = 64 * 1024
PASSING: Final = frozenset({"CONNECTION_BROKEN", "NO_SERVER", "SERVER_STOPPING", "CONCURRENT_CHANGE"})
"""Reasons that may be gone in a moment: the same call again may succeed, and does no harm."""

_OPTIONS: Final = (
    *CLIENT.options(),  # a server that is gone without a word is noticed while a watch waits for it
    # And one that comes back is found soon, however long it was away; gRPC alone would come to rest for two minutes.
    ("grpc.max_reconnect_backoff_ms", 10_000),
    ("grpc.min_reconnect_backoff_ms", 10_000),
    ("grpc.enable_http_proxy", 0),
)


class Session:
    """An open channel to a server with a token; raises the arena's own errors. To be closed, or used in a `with`."""

    def __init__(self, door: Door) -> None:
        self.address = door.address
        self._door = door
        self._metadata = (("authorization", f"Bearer {door.token}"),)
        self._reached = False
        self._channel = _channel(door)
        self.accounts = AccountServiceStub(self._channel)
        self.bots = BotServiceStub(self._channel)
        self.lobby = LobbyServiceStub(self._channel)
        self.matches = MatchServiceStub(self._channel)
        self.ratings = RatingServiceStub(self._channel)
        self.tournaments = TournamentServiceStub(self._channel)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if error is None or isinstance(error, Exception):
            self.close()
        else:
            # gRPC waits for ever for the end of a call that Ctrl-C has broken off just before it was on its way.
            closing = threading.Thread(target=self.close, daemon=True)
            closing.start()
            closing.join(CLOSE_WAIT_S)

    def close(self) -> None:
        """Close the channel; calls in flight are cancelled."""
        self._channel.close()

    def call(self, method: grpc.UnaryUnaryMultiCallable[Q, R], request: Q, timeout_s: float = CALL_TIMEOUT_S) -> R:
        """Make one call, again if its connection breaks. Raises what the server answered with, or Unavailable.

        Every try carries the same request id, so whatever the call changes is changed once.
        """
        metadata = self._new_metadata()
        return self._tried(lambda: method(request, timeout=timeout_s, metadata=metadata))

    def upload(self, method: grpc.StreamUnaryMultiCallable[Q, R], requests: Iterator[Q]) -> R:
        """Send a stream of requests, once, and return the answer. Raises as call does."""
        try:
            return method(requests, timeout=UPLOAD_TIMEOUT_S, metadata=self._new_metadata())
        except grpc.RpcError as error:
            raise self._foreseen(error) from None

    def _new_metadata(self) -> tuple[tuple[str, str], ...]:
        return (*self._metadata, (REQUEST_ID, uuid.uuid4().hex))

    def _tried(self, call: Callable[[], R]) -> R:
        """Return what a call returns, made again while that helps."""
        for pause_s in PAUSES_S:
            try:
                return self._answered(call)
            except ArenaError as failure:
                if not (wait_s := self._wait_s(failure, pause_s)):
                    raise
                time.sleep(wait_s)
        return self._answered(call)

    def _answered(self, call: Callable[[], R]) -> R:
        try:
            answer = call()
        except grpc.RpcError as error:
            raise self._foreseen(error) from None
        self._reached = True
        return answer

    def _wait_s(self, failure: ArenaError, pause_s: float) -> float:
        """Return how long to wait before the same call is made again; 0 where that would not help."""
        if isinstance(failure, LimitReached):
            return failure.retry_after_s if failure.retry_after_s <= LONGEST_WAIT_S else 0
        passing = failure.code in PASSING and (failure.code != "NO_SERVER" or self._reached)
        return pause_s if passing else 0

    def stream(
        self, method: grpc.UnaryStreamMultiCallable[Q, R], request: Q, timeout_s: float | None = None
    ) -> Iterator[R]:
        """Yield the answers of a server stream; leaving the loop cancels it. Raises as call does.

        As long as nothing has come it is asked for again as a call is.
        """

        def begin() -> tuple[Any, R | None]:
            answers: Any = method(request, timeout=timeout_s, metadata=self._metadata)
            try:
                return answers, next(answers, None)
            except BaseException:
                answers.cancel()
                raise

        answers, first = self._tried(begin)
        try:
            if first is not None:
                yield first
            yield from answers
        except grpc.RpcError as error:
            raise self._foreseen(error) from None
        finally:
            answers.cancel()

    def converse(
        self, method: grpc.StreamStreamMultiCallable[Q, R], requests: Iterator[Q], begun: Callable[[Any], object]
    ) -> Iterator[R]:
        """Yield the answers to a stream of requests; begun is told the call, to cancel it. Raises as call does."""
        answers = method(requests, metadata=self._metadata)
        begun(answers)
        try:
            yield from answers
        except grpc.RpcError as error:
            raise self._foreseen(error) from None
        finally:
            answers.cancel()  # type: ignore[no-untyped-call] # as above

    def pages(self, method: grpc.UnaryUnaryMultiCallable[Q, R], request: Q) -> Iterator[R]:
        """Yield the pages of a listing from the request's page_token on; the request is changed on the way."""
        asked = cast(Any, request)  # every listing's messages have the fields used here, without a common type
        while True:
            answer = self.call(method, request)
            yield answer
            asked.page_token = cast(Any, answer).next_page_token
            if not asked.page_token:
                return

    def _foreseen(self, error: grpc.RpcError) -> ArenaError:
        status, details = error.code(), error.details() or ""
        reason = next((str(entry.value) for entry in error.trailing_metadata() or () if entry.key == REASON), None)
        if reason is not None:
            refusal = kind_of(status)(details, reason=reason)
            if isinstance(refusal, LimitReached):
                refusal.retry_after_s = _retry_after_s(error)
            return refusal
        if status is grpc.StatusCode.DEADLINE_EXCEEDED:
            return Unavailable(
                f"the server at {self.address} did not answer in time; try again later", reason="DEADLINE_EXCEEDED"
            )
        if status is grpc.StatusCode.UNAVAILABLE and "failed to connect" not in details:
            return Unavailable(
                f"the connection to the server at {self.address} broke; try again", reason="CONNECTION_BROKEN"
            )
        if status is grpc.StatusCode.UNAVAILABLE:
            if cause := tls_failure(details) if self._door.trust is not None else self._told_in_plain_text():
                return Unavailable(f"the server at {self.address} is not trusted: {cause}", reason="NOT_TRUSTED")
            return Unavailable(
                f"no server answers at {self.address}; start one with `arena up`, or name one with --server HOST:PORT",
                reason="NO_SERVER",
            )
        return ArenaError(f"the server at {self.address} answered {status.name}: {details}", reason=status.name)

    def _told_in_plain_text(self) -> str:
        if not speaks_tls(self.address):
            return ""
        return f"it speaks TLS and was called without; write https://{self.address}"


def connect(
    server: str | None = None, token_file: Path | None = None, data: Path | None = None, ca: Path | None = None
) -> Session:
    """Open a session with the server that options, environment or data folder name; see arena.cli.places."""
    return Session(find_door(server, token_file, data, ca))


def _channel(door: Door) -> grpc.Channel:
    if door.trust is None:
        return grpc.insecure_channel(door.address, options=_OPTIONS)
    trust: Trust = door.trust
    named = (("grpc.ssl_target_name_override", trust.name),) if trust.name else ()
    return grpc.secure_channel(door.address, grpc.ssl_channel_credentials(trust.ca), options=(*_OPTIONS, *named))


def _retry_after_s(error: grpc.RpcError) -> int:
    text = next((str(entry.value) for entry in error.trailing_metadata() or () if entry.key == RETRY_AFTER), "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else 0


def submit_folder(
    session: Session, folder: Path, progress: Callable[[int, int], None] | None = None
) -> bot_pb2.SubmitBotResponse:
    """Pack a bot's folder and submit it; progress is told (bytes sent, bytes in all)."""
    return submit_packed(session, pack(folder), progress)


def submit_packed(
    session: Session, packed: Packed, progress: Callable[[int, int], None] | None = None
) -> bot_pb2.SubmitBotResponse:
    """Submit a packed folder; see submit_folder."""

    def requests() -> Iterator[bot_pb2.SubmitBotRequest]:
        size = len(packed.archive)
        header = bot_pb2.SubmitBotHeader(sha256=packed.sha256, size_bytes=size)
        yield bot_pb2.SubmitBotRequest(header=header)
        for at in range(0, size, CHUNK_BYTES):
            yield bot_pb2.SubmitBotRequest(chunk=packed.archive[at : at + CHUNK_BYTES])
            if progress is not None:
                progress(min(at + CHUNK_BYTES, size), size)

    return session.upload(session.bots.SubmitBot, requests())


def wait_until_checked(session: Session, bot: str, version: int) -> bot_pb2.BotVersion:
    """Follow a submitted version's checks and return it once it is accepted or rejected."""
    request = bot_pb2.WatchSubmissionRequest(bot=bot, version=version)
    last = bot_pb2.BotVersion()
    for answer in session.stream(session.bots.WatchSubmission, request):
        last = answer.version
    return last


def create_tournament(
    session: Session,
    name: str,
    game: str,
    bots: list[str],
    deals: int,
    *,
    variant: str = "",
    seats: int = 0,
    clock: str = "",
    components: str = "",
) -> tournament_pb2.Tournament:
    """Create a tournament of bots written as NAME (the newest version) or NAME@VERSION."""
    entrants = [tournament_pb2.Entrant(bot=bot, version=version) for bot, version in map(parse_bot, bots)]
    request = tournament_pb2.CreateTournamentRequest(
        name=name,
        game=game,
        variant=variant,
        seats=seats,
        deals=deals,
        clock=clock,
        entrants=entrants,
        components=components,
    )
    return session.call(session.tournaments.CreateTournament, request).tournament


def start_tournament(session: Session, name: str) -> tournament_pb2.Tournament:
    """Start a tournament; starting a running one is a success."""
    request = tournament_pb2.StartTournamentRequest(name=name)
    return session.call(session.tournaments.StartTournament, request).tournament


def watch_tournament(session: Session, name: str) -> Iterator[tournament_pb2.WatchTournamentResponse]:
    """Yield a tournament's state and progress now and after every change; ends when it is over."""
    return session.stream(session.tournaments.WatchTournament, tournament_pb2.WatchTournamentRequest(name=name))


def parse_bot(text: str) -> tuple[str, int]:
    """Read NAME or NAME@VERSION; version 0 stands for the newest. Raises UsageError."""
    name, at, version = text.partition("@")
    if name and not at:
        return name, 0
    if name and version.isdecimal() and 0 < int(version) < 1 << 31:
        return name, int(version)
    raise UsageError(f"{text!r} is no bot; write NAME or NAME@VERSION, like greedy@2", reason="BAD_BOT_NAME")
