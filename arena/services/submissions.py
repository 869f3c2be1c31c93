"""Bots and their versions: submitting, reading, retiring, unpacking."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256 as sha256_of
from pathlib import Path
from typing import Final

from arena.core.errors import Conflict, NotFound, PermissionDenied, Unavailable, UsageError
from arena.core.manifest import ANY_GAME, check_name, parse_manifest
from arena.core.manifest import FILE_NAME as MANIFEST_FILE
from arena.core.registry import load_game
from arena.services import qualifying
from arena.services.archives import ArchiveFile, content_digest, read_archive
from arena.services.house import find_house
from arena.store import Store, Transaction, bots, tournaments
from arena.store.records import Account, Bot, BotVersion, Page, QualificationMatch
from arena.store.states import Role, TournamentState, VersionState

MAX_MANIFEST_BYTES: Final = 64 * 1024
"""A manifest is a few lines; this leaves room for comments."""


@dataclass(frozen=True, slots=True)
class Submission:
    """The answer to a submission; created is False when a version with the same content was there already."""

    version: BotVersion
    created: bool


def submit(
    store: Store, caller: Account, archive: bytes, sha256: str, now: datetime, *, name: str = "", qualify: bool = False
) -> Submission:
    """Check an archive (zip, tar or tar.gz) and store it as the next version of the bot its bot.toml names.

    sha256: 64 hex digits over the archive as sent. name: if given, has to be the manifest's. qualify: the version is
    CHECKING until its qualification matches are over; otherwise it is ACCEPTED at once. The bot is made at its first
    submission and then belongs to the caller. The same files again answer with the version that has them; if the arena
    could not play its matches, they are queued anew.
    Raises UsageError (BAD_ARCHIVE, BAD_MANIFEST, WRONG_CHECKSUM, UNKNOWN_GAME), LimitReached (ARCHIVE_TOO_LARGE,
    TOO_MANY_FILES, TOO_MANY_CHECKS ...), Conflict (NAME_TAKEN: somebody else's bot). Each names the file, the limit and
    the way out.
    """
    found = sha256_of(archive).hexdigest()
    if found != sha256.lower():
        raise UsageError(
            f"the archive arrived with sha256 {found}, {sha256 or 'none'} was announced; send it again",
            reason="WRONG_CHECKSUM",
        )
    files = read_archive(archive)
    text = _manifest_text(files)
    manifest = parse_manifest(text)
    for game in manifest.games:
        if game != ANY_GAME:
            load_game(game)
    _check_command(manifest.command, files)
    if name not in {"", manifest.name}:
        raise UsageError(
            f"{MANIFEST_FILE} names the bot {manifest.name!r}, the submission {name!r}; make them the same",
            reason="BAD_MANIFEST",
        )
    checked = bots.CheckedArchive(archive, found, content_digest(files), text, manifest.games, manifest.language)
    house = find_house(store, now) if qualify else None
    try:
        return _store(store, caller, manifest.name, checked, house, now=now)
    except Unavailable as fault:
        if fault.code != "CONCURRENT_CHANGE":
            raise
        # Somebody made the same bot, or a game's first pool, at this moment: now it is there.
        return _store(store, caller, manifest.name, checked, house, now=now)


def get_bot(store: Store, name: str) -> Bot:
    """Return a bot with its newest version. Raises NotFound (NO_SUCH_BOT)."""
    latest = get_version(store, name)
    return Bot(latest.bot, latest.author, latest)


def list_bots(store: Store, *, author: str = "", page_size: int = 0, page_token: str = "") -> Page[Bot]:
    """List bots by name, everybody's or one author's."""
    with store.read() as tx:
        return bots.page_bots(tx, author, page_size, page_token)


def get_version(store: Store, bot: str, version: int = 0) -> BotVersion:
    """Return a version of a bot, 0 for the newest. Raises NotFound (NO_SUCH_BOT, NO_SUCH_VERSION)."""
    with store.read() as tx:
        return _version(tx, bot, version)


def get_submission(store: Store, bot: str, version: int = 0) -> tuple[BotVersion, tuple[QualificationMatch, ...]]:
    """Return a version and the matches that decide about it, on one snapshot. Raises as get_version does."""
    with store.read() as tx:
        found = _version(tx, bot, version)
        return found, qualifying.list_matches(tx, found.id)


def not_accepted(version: BotVersion) -> Conflict:
    """Return why a version cannot play now (VERSION_NOT_ACCEPTED), with the way out."""
    label = version.label
    why = {
        VersionState.CHECKING: f"is still being checked; enter it once `arena versions {label}` calls it accepted",
        VersionState.REJECTED: f"was rejected: {version.reason}",
        VersionState.RETIRED: f"is retired; bring it back with `arena restore {label}`",
        VersionState.SET_ASIDE: f"is set aside: {version.reason}; bring it back with `arena restore {label}`",
    }[version.state]
    return Conflict(f"{label} {why}", reason="VERSION_NOT_ACCEPTED")


def parse_label(label: str) -> tuple[str, int]:
    """Split "bot@3" into name and version, "bot" into name and 0. Raises UsageError (BAD_NAME)."""
    name, at, number = label.partition("@")
    check_name(name)
    if at and not (number.isascii() and number.isdigit() and 0 < int(number) < 1 << 31):
        raise UsageError(f"version {number!r} of {name} is no number; write {name}@1", reason="BAD_NAME")
    return name, int(number or 0)


def list_versions(store: Store, bot: str, *, page_size: int = 0, page_token: str = "") -> Page[BotVersion]:
    """List a bot's versions, newest first. Raises NotFound (NO_SUCH_BOT)."""
    with store.read() as tx:
        _version(tx, bot, 0)
        return bots.page_versions(tx, bot, page_size, page_token)


def retire(store: Store, caller: Account, bot: str, version: int, now: datetime) -> BotVersion:
    """Take a version (0: the newest) out of everything not yet scheduled; twice is a success. Its author or an admin.

    Tournaments that have begun keep it until it is withdrawn. Raises NotFound, PermissionDenied, Conflict
    (VERSION_REJECTED).
    """
    with store.write() as tx:
        found = _own_version(tx, caller, bot, version, "retire")
        if found.state is VersionState.REJECTED:
            raise Conflict(f"{found.label} was rejected and plays nowhere; nothing to do", reason="VERSION_REJECTED")
        bots.set_version_state(tx, found.id, VersionState.RETIRED)
        qualifying.stop(tx, found.id, now)
        for name in tournaments.list_entered_in(tx, found.id):
            entered = tournaments.find_tournament(tx, name, lock=True)
            if entered is not None and entered.state is TournamentState.CREATED:
                tournaments.delete_entry(tx, entered.id, found.id)
        return _version(tx, bot, found.version)


def restore(store: Store, caller: Account, bot: str, version: int) -> BotVersion:
    """Bring back a version (0: the newest) that was set aside or retired; twice is a success. Its author or an admin.

    It can be entered again; tournaments it was taken out of stay without it. Raises NotFound, PermissionDenied,
    Conflict (VERSION_REJECTED, VERSION_CHECKING, NEVER_ACCEPTED).
    """
    with store.write() as tx:
        found = _own_version(tx, caller, bot, version, "restore")
        if found.state is VersionState.REJECTED:
            raise Conflict(
                f"{found.label} was rejected: {found.reason}; mend the bot and submit it", reason="VERSION_REJECTED"
            )
        if found.state is VersionState.CHECKING:
            raise Conflict(f"{found.label} is still being checked; wait for the end of that", reason="VERSION_CHECKING")
        if not qualifying.was_accepted(tx, found):
            raise Conflict(
                f"{found.label} was retired before its checks had ended; change the bot and submit it",
                reason="NEVER_ACCEPTED",
            )
        bots.set_version_state(tx, found.id, VersionState.ACCEPTED)
        bots.count_failure(tx, found.id, failed=False)
        return _version(tx, bot, found.version)


def unpack(store: Store, version_id: int, folder: Path) -> int:
    """Write a version's files into an empty or missing folder, as they were checked; return how many bytes they have.

    Files get mode 0644, or 0755 where the archive marks them executable; folders 0755. Raises NotFound, Conflict
    (FOLDER_NOT_EMPTY).
    """
    with store.read() as tx:
        archive = bots.read_archive(tx, version_id)
    if archive is None:
        raise NotFound(f"there is no bot version with id {version_id}", reason="NO_SUCH_VERSION")
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise Conflict(f"{folder} is not empty; name a folder that is", reason="FOLDER_NOT_EMPTY")
    folder.chmod(0o755)
    size = 0
    for file in read_archive(archive):
        size += len(file.content)
        target = folder / file.path
        for parent in reversed(target.relative_to(folder).parents[:-1]):
            (folder / parent).mkdir(exist_ok=True)
            (folder / parent).chmod(0o755)
        target.write_bytes(file.content)
        target.chmod(0o755 if file.executable else 0o644)
    return size


def _store(
    store: Store, caller: Account, name: str, checked: bots.CheckedArchive, house: int | None, *, now: datetime
) -> Submission:
    """Store a checked archive as a version unless it is there; house: the version it has to qualify against."""
    with store.write() as tx:
        bot_id = _own_bot(tx, caller, name, now)
        known = bots.find_same_content(tx, bot_id, checked.content_digest)
        if known is not None and not (house is not None and qualifying.is_undecided(tx, known)):
            return Submission(known, created=False)
        if house is None:
            bots.insert_version(tx, bot_id, checked, VersionState.ACCEPTED, now)
            return Submission(_version(tx, name, 0), created=True)
        qualifying.check_room(tx, caller)
        if known is None:
            bots.insert_version(tx, bot_id, checked, VersionState.CHECKING, now)
        else:
            bots.set_version_state(tx, known.id, VersionState.CHECKING)
        version = _version(tx, name, 0 if known is None else known.version)
        qualifying.begin(tx, version, house, caller, now=now)
        return Submission(version, created=known is None)


def _manifest_text(files: Iterable[ArchiveFile]) -> str:
    for file in files:
        if file.path == MANIFEST_FILE:
            if len(file.content) > MAX_MANIFEST_BYTES:
                raise UsageError(
                    f"{MANIFEST_FILE} has more than {MAX_MANIFEST_BYTES} bytes; shorten it", reason="BAD_MANIFEST"
                )
            try:
                return file.content.decode()
            except UnicodeDecodeError:
                raise UsageError(f"{MANIFEST_FILE} is no UTF-8 text; save it as such", reason="BAD_MANIFEST") from None
    raise UsageError(f"the archive has no {MANIFEST_FILE} in its top folder; add one", reason="BAD_MANIFEST")


def _check_command(command: Sequence[str], files: Iterable[ArchiveFile]) -> None:
    """Raise UsageError (BAD_MANIFEST) if a manifest's command names a file of the folder that cannot be started."""
    known = {file.path: file for file in files}
    program, *rest = command
    python = program in {"python", "python3"}
    script = next(iter(rest), "-") if python else program
    if script.startswith("-") or (not python and not script.startswith("./")):
        return
    file = known.get(script.removeprefix("./"))
    if file is None:
        raise UsageError(
            f"{MANIFEST_FILE} starts {script!r}, which the archive does not have; add it, or correct command",
            reason="BAD_MANIFEST",
        )
    if not python and not file.executable:
        raise UsageError(
            f"{MANIFEST_FILE} starts {script!r}, which may not be executed; `chmod +x {file.path}`",
            reason="BAD_MANIFEST",
        )


def _own_bot(tx: Transaction, caller: Account, name: str, now: datetime) -> int:
    """Return the id of the caller's bot with this name, made if there is none. Raises Conflict (NAME_TAKEN)."""
    owner = bots.find_owner(tx, name)
    if owner is None:
        return bots.insert_bot(tx, name, caller, now)
    bot_id, author = owner
    if author != caller.name:
        raise Conflict(f"bot {name} belongs to {author}; take another name in {MANIFEST_FILE}", reason="NAME_TAKEN")
    return bot_id


def _own_version(tx: Transaction, caller: Account, bot: str, number: int, verb: str) -> BotVersion:
    """Return a version that the caller may change. Raises NotFound, PermissionDenied (NOT_YOURS)."""
    found = _version(tx, bot, number)
    if bots.is_house(found):
        raise PermissionDenied(f"{bot} is the arena's own and stays as it is", reason="NOT_YOURS")
    if caller.name != found.author and not caller.role.covers(Role.ADMIN):
        raise PermissionDenied(f"{found.label} is {found.author}'s; ask them to {verb} it", reason="NOT_YOURS")
    return found


def _version(tx: Transaction, bot: str, number: int) -> BotVersion:
    found = bots.find_version(tx, bot, number)
    if found is not None:
        return found
    if bots.find_owner(tx, bot) is None:
        raise NotFound(f"there is no bot {bot!r}; `arena bots` lists them", reason="NO_SUCH_BOT")
    raise NotFound(f"{bot} has no version {number}; `arena versions {bot}` lists them", reason="NO_SUCH_VERSION")
