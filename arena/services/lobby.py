"""The lobby: versions that play from their authors' machines come here, and are called to their seats.

Presence costs one write per process that holds streams, however many wait: a desk beats for all of them. A place is
taken from a version's row in the transaction that claims a block, so nobody is called to more matches than it takes.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from arena.core.errors import Conflict, NotFound, PermissionDenied, Unavailable, UsageError
from arena.core.manifest import ANY_GAME, parse_manifest
from arena.core.registry import load_game
from arena.services.accounts import Entropy
from arena.services.rights import require
from arena.services.submissions import MAX_MANIFEST_BYTES, Submission, not_accepted
from arena.store import Store, Transaction, bots
from arena.store import lobby as repository
from arena.store.records import Account, BotVersion
from arena.store.states import Role, VersionState

BEAT: Final = timedelta(seconds=5)
"""How often a desk says that it is there."""

DEAD_AFTER: Final = timedelta(seconds=20)
"""Without a beat for so long a desk is dead, and who waited there is not there: four beats, a slow commit included."""

PATIENCE: Final = timedelta(minutes=5)
"""How long a match waits for an absent seat before it is played without it: time to restart a machine."""

DESK_LOST: Final = "DESK_LOST"
"""The reason of an error: a desk has been taken for dead."""

DESK_BYTES: Final = 7
"""Of a desk's id: it fits into a key of 64 bits."""

MAX_PLACES: Final = 32
"""Matches of one version at once."""

GUEST_MANIFEST: Final = 'name = "guest"\ngames = ["*"]\n'
_SESSION: Final = re.compile(r"[0-9A-Za-z]{16,64}")
_SHA256: Final = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Call:
    """A seat that a version is called to. bots: all seats, as NAME@VERSION; clock: notation."""

    id: int
    version_id: int
    stream: str
    match_id: int
    seat: int
    address: str
    ticket: str = field(repr=False)
    certificate: str
    game: str
    variant: str
    bots: tuple[str, ...]
    clock: str


@dataclass(frozen=True, slots=True)
class Entered:
    """Who waits now, and the matches of the invitations it plays, as far as they are known."""

    version: BotVersion
    playing: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class Board:
    """What concerns a desk now. calls: to be told, each once; open: all that go on, each with its version."""

    calls: tuple[Call, ...]
    open: Mapping[int, int]


def moments(now: datetime, patience: timedelta = PATIENCE) -> repository.Moments:
    """Return what presence is judged by at this moment; patience: how long an absent seat is waited for."""
    return repository.Moments(now, now - DEAD_AFTER, now - patience)


def register(store: Store, caller: Account, manifest: str, sha256: str, now: datetime) -> Submission:
    """Make a bot known that plays from its author's machine, as the next version of the bot that the manifest names.

    sha256: over its files, 64 hex digits; the same again answers with the version that has it. It is ACCEPTED at once:
    nothing of it runs here. Raises UsageError (BAD_MANIFEST, UNKNOWN_GAME, WRONG_CHECKSUM), Conflict (NAME_TAKEN).
    """
    if _SHA256.fullmatch(sha256) is None:
        raise UsageError("sha256 is to have 64 lower-case hex digits, over the bot's files", reason="WRONG_CHECKSUM")
    if len(manifest.encode()) > MAX_MANIFEST_BYTES:
        raise UsageError(f"bot.toml has more than {MAX_MANIFEST_BYTES} bytes; shorten it", reason="BAD_MANIFEST")
    read = parse_manifest(manifest)
    for game in read.games:
        if game != ANY_GAME:
            load_game(game)
    with store.write() as tx:
        owner = bots.find_owner(tx, read.name)
        if owner is not None and owner[1] != caller.name:
            raise Conflict(f"bot {read.name} belongs to {owner[1]}; take another name in bot.toml", reason="NAME_TAKEN")
        bot_id = bots.insert_bot(tx, read.name, caller, now) if owner is None else owner[0]
        known = bots.find_same_content(tx, bot_id, bots.remote_digest(sha256))
        if known is not None:
            return Submission(known, created=False)
        return Submission(_insert(tx, bot_id, manifest, sha256, now), created=True)


def guest_of(tx: Transaction, caller: Account, now: datetime) -> BotVersion:
    """Return the version that stands for an account itself at a seat; made at the first call."""
    require(caller, Role.AUTHOR, "taking a seat")
    name = bots.GUEST_BOT.format(caller.name)
    known = bots.find_version(tx, name)
    if known is not None:
        return known
    bot_id = bots.insert_bot(tx, name, caller, now)
    return _insert(tx, bot_id, GUEST_MANIFEST, "", now)


def open_desk(store: Store, now: datetime, *, entropy: Entropy = secrets.token_bytes) -> int:
    """Open a desk for a process that will hold streams; return its id.

    It is drawn: an id that was given again would have a process which stood still for a while take another's desk for
    the one it has lost.
    """
    desk = int.from_bytes(entropy(DESK_BYTES))
    with store.write() as tx:
        repository.insert_desk(tx, desk, now)
    return desk


def beat(store: Store, desk: int, now: datetime) -> bool:
    """Say that a desk is there, clear dead ones away, forget what is over; False if this one was taken for dead."""
    with store.write() as tx:
        repository.close_desks(tx, repository.dead_desks(moments(now)), now)
        repository.sweep(tx, now)
        return repository.beat_desk(tx, desk, now)


def close_desk(store: Store, desk: int, now: datetime) -> None:
    """Close a desk; nobody waits there any more."""
    with store.write() as tx:
        repository.close_desks(tx, repository.one_desk(desk), now)


def enter(
    store: Store,
    caller: Account,
    now: datetime,
    *,
    desk: int,
    stream: str,
    session: str,
    bot: str = "",
    version: int = 0,
    guest: bool = False,
    places: int = 0,
    playing: Collection[int] = (),
) -> Entered:
    """Let a version wait at a desk, on a stream; an older stream of the same session does not wait any more.

    guest: the caller itself. places: matches that it takes now. playing: invitations that it plays; others that are
    open are sent (again). Raises UsageError (BAD_SESSION, BAD_PLACES), NotFound, PermissionDenied (NOT_YOURS), Conflict
    (NOT_REMOTE, VERSION_NOT_ACCEPTED, ALREADY_THERE), Unavailable (DESK_LOST).
    """
    if _SESSION.fullmatch(session) is None:
        raise UsageError("a session is named by 16 to 64 letters and digits, drawn at random", reason="BAD_SESSION")
    check_places(places)
    with store.write() as tx:
        found = guest_of(tx, caller, now) if guest else _own(tx, caller, bot, version)
        there = repository.find_waiting(tx, found.id, moments(now))
        if there is not None and there.session != session and there.desk_alive:
            raise Conflict(
                f"{found.label} is in the lobby already, from another program; end that one, or come back in a minute"
                " if it has died",
                reason="ALREADY_THERE",
            )
        if not repository.hold_desk(tx, desk):
            raise Unavailable("the server had no time for the lobby; come back", reason=DESK_LOST)
        known = repository.list_matches(tx, found.id, playing)
        repository.sweep(tx, now)
        repository.sit_down(tx, found.id, desk_id=desk, stream=stream, session=session, places=places, playing=playing)
        return Entered(found, known)


def offer(store: Store, version_id: int, stream: str, places: int) -> None:
    """Take so many more matches. Raises UsageError (BAD_PLACES)."""
    check_places(places)
    with store.write() as tx:
        repository.add_places(tx, version_id, stream, places, MAX_PLACES)


def withdraw(store: Store, version_id: int, stream: str) -> None:
    """Take no more matches; what one has been called to stays."""
    with store.write() as tx:
        repository.close_places(tx, version_id, stream)


def leave(store: Store, stream: str, now: datetime) -> None:
    """Wait no more; no effect on a stream that another has replaced."""
    with store.write() as tx:
        repository.stand_up(tx, stream, now)


def look(store: Store, desk: int) -> Board:
    """Return what concerns those who wait at a desk; one statement, whoever waits, and one a call."""
    with store.read() as tx:
        found = repository.list_calls(tx, desk)
        calls = tuple(
            Call(
                one.id, one.version_id, one.stream, one.match_id, one.seat, one.address, one.ticket, one.certificate,
                one.game, one.variant, repository.list_seats(tx, one.match_id), one.clock,
            )
            for one in found
            if one.open and one.ticket and not one.sent
        )  # fmt: skip
    return Board(calls, {one.id: one.version_id for one in found if one.open})


def find_out(store: Store, version_ids: Collection[int]) -> dict[int, BotVersion]:
    """Return those of the versions that may not play any more; one statement for all of them."""
    with store.read() as tx:
        return {one.id: one for one in bots.list_out(tx, version_ids)}


def is_finished(store: Store, match_id: int) -> bool:
    """Whether a match has a result."""
    with store.read() as tx:
        return repository.is_finished(tx, match_id)


def mark_told(store: Store, call: Call) -> bool:
    """Note that a stream is being told of a call; False if the call is another stream's by now."""
    with store.write() as tx:
        return repository.mark_sent(tx, call.id, call.stream)


def open_seat(
    store: Store,
    block_id: int,
    attempt: int,
    match_id: int,
    seat: int,
    *,
    address: str,
    ticket: str,
    certificate: str = "",
) -> None:
    """Say where a seat is taken and with which ticket; certificate: PEM to trust there, "" for plain text."""
    with store.write() as tx:
        repository.open_seat(
            tx, block_id, attempt, match_id, seat, address=address, ticket=ticket, certificate=certificate
        )


def check_places(places: int) -> None:
    """Raise UsageError (BAD_PLACES) unless so many matches can be played at once."""
    if not 0 <= places <= MAX_PLACES:
        raise UsageError(f"{places} places cannot be offered; give 0 to {MAX_PLACES}", reason="BAD_PLACES")


def _insert(tx: Transaction, bot_id: int, manifest: str, sha256: str, now: datetime) -> BotVersion:
    read = parse_manifest(manifest)
    version_id = bots.insert_remote(
        tx, bot_id, now, manifest=manifest, sha256=sha256, games=read.games, language=read.language
    )
    repository.insert_known(tx, version_id, now)
    return bots.get_version(tx, version_id)


def _own(tx: Transaction, caller: Account, bot: str, version: int) -> BotVersion:
    found = bots.find_version(tx, bot, version)
    if found is None:
        raise NotFound(f"there is no version {version} of a bot {bot!r}; register it first", reason="NO_SUCH_VERSION")
    if found.author != caller.name:
        raise PermissionDenied(f"{found.label} is {found.author}'s; connect a bot of your own", reason="NOT_YOURS")
    if not found.remote:
        raise Conflict(
            f"{found.label} is hosted by the arena; what plays from your machine is registered first",
            reason="NOT_REMOTE",
        )
    if found.state is not VersionState.ACCEPTED:
        raise not_accepted(found)
    return found
