"""Repository of bots, versions and archives."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection, Row, Select, func, select, update

from arena.store.paging import check_page, make_page
from arena.store.records import Account, Bot, BotVersion, Page
from arena.store.rows import insert_many, insert_one
from arena.store.states import VersionState
from arena.store.tables import accounts, archives, bots, versions

HOUSE_ACCOUNT: Final = "(arena)"
"""Whom the arena's own bots belong to. Brackets: nobody can have such a name."""

HOUSE_BOT: Final = "(random)"
"""That of the arena's own bots which is the opponent of every qualification."""

GUEST_BOT: Final = "({} in person)"
"""What stands for an account itself at a seat."""


@dataclass(frozen=True, slots=True)
class CheckedArchive:
    """An archive that passed its checks, with what its manifest says."""

    content: bytes
    sha256: str
    content_digest: str
    manifest: str
    games: tuple[str, ...]
    language: str


def is_house(version: BotVersion) -> bool:
    """Whether a version is one of the arena's own."""
    return version.author == HOUSE_ACCOUNT


def find_owner(tx: Connection, name: str) -> tuple[int, str] | None:
    """Return a bot's id and its author's name."""
    row = tx.execute(select(bots.c.id, accounts.c.name).join(accounts).where(bots.c.name == name)).one_or_none()
    return None if row is None else (row[0], row[1])


def insert_bot(tx: Connection, name: str, owner: Account, now: datetime) -> int:
    """Store a new bot and return its id."""
    return insert_one(tx, bots, {"name": name, "owner_id": owner.id, "created_at": now})


def find_same_content(tx: Connection, bot_id: int, content_digest: str) -> BotVersion | None:
    """Return the bot's version that has the same files."""
    query = _versions().where(versions.c.bot_id == bot_id, versions.c.content_digest == content_digest)
    row = tx.execute(query).one_or_none()
    return None if row is None else version_of(row)


def insert_version(tx: Connection, bot_id: int, archive: CheckedArchive, state: VersionState, now: datetime) -> int:
    """Store an archive as the bot's next version and return its id."""
    if tx.scalar(select(archives.c.sha256).where(archives.c.sha256 == archive.sha256)) is None:
        insert_many(tx, archives, [{"sha256": archive.sha256, "content": archive.content}])
    last = tx.scalar(select(func.max(versions.c.number)).where(versions.c.bot_id == bot_id)) or 0
    values = {
        "bot_id": bot_id,
        "number": last + 1,
        "state": state,
        "reason": "",
        "games": " ".join(archive.games),
        "language": archive.language,
        "sha256": archive.sha256,
        "content_digest": archive.content_digest,
        "size_bytes": len(archive.content),
        "manifest": archive.manifest,
        "submitted_at": now,
        "failed_in_row": 0,
        "remote": False,
    }
    return insert_one(tx, versions, values)


def insert_remote(
    tx: Connection,
    bot_id: int,
    now: datetime,
    *,
    manifest: str,
    sha256: str,
    games: tuple[str, ...],
    language: str,
) -> int:
    """Store a version whose files are elsewhere, ACCEPTED, as the bot's next, and return its id."""
    last = tx.scalar(select(func.max(versions.c.number)).where(versions.c.bot_id == bot_id)) or 0
    values = {
        "bot_id": bot_id,
        "number": last + 1,
        "state": VersionState.ACCEPTED,
        "reason": "",
        "games": " ".join(games),
        "language": language,
        "sha256": sha256,
        "content_digest": remote_digest(sha256),
        "size_bytes": 0,
        "manifest": manifest,
        "submitted_at": now,
        "failed_in_row": 0,
        "remote": True,
    }
    return insert_one(tx, versions, values)


def remote_digest(sha256: str) -> str:
    """Return what stands for the files of a remote version; the same files may have been submitted, too."""
    return f"remote:{sha256}"


def find_version(
    tx: Connection, bot: str, number: int = 0, *, state: VersionState | None = None, hosted_first: bool = False
) -> BotVersion | None:
    """Return a bot's version, 0 for the newest; state: only among those in it; hosted_first: a remote one only then."""
    query = _versions().where(bots.c.name == bot).limit(1)
    query = query.order_by(*((versions.c.remote,) if hosted_first else ()), versions.c.number.desc())
    if number:
        query = query.where(versions.c.number == number)
    if state is not None:
        query = query.where(versions.c.state == state)
    row = tx.execute(query).one_or_none()
    return None if row is None else version_of(row)


def get_version(tx: Connection, version_id: int) -> BotVersion:
    """Return the version with this id, which is there."""
    return version_of(tx.execute(_versions().where(versions.c.id == version_id)).one())


def list_out(tx: Connection, version_ids: Collection[int]) -> list[BotVersion]:
    """Return those of the versions that are not ACCEPTED."""
    query = _versions().where(versions.c.id.in_(version_ids), versions.c.state != VersionState.ACCEPTED)
    return [version_of(row) for row in tx.execute(query)]


def set_version_state(tx: Connection, version_id: int, state: VersionState, reason: str = "") -> None:
    """Change where a version stands."""
    tx.execute(update(versions).where(versions.c.id == version_id).values(state=state, reason=reason))


def count_failure(tx: Connection, version_id: int, *, failed: bool) -> None:
    """Count a match to the row of those that a version failed one after the other, or end that row."""
    value = versions.c.failed_in_row + 1 if failed else 0
    tx.execute(update(versions).where(versions.c.id == version_id).values(failed_in_row=value))


def count_failures(tx: Connection, verdicts: Sequence[tuple[int, bool]], failing: Collection[int]) -> None:
    """Count a match for or against the versions it has shown to fail or not, in their order.

    failing: those that have failed before, in a row; nearly all have not.
    """
    for version_id, failed in verdicts:
        if failed or version_id in failing:
            count_failure(tx, version_id, failed=failed)


def read_failures(tx: Connection, version_id: int) -> int:
    """Return how many matches a version has failed one after the other, up to the latest."""
    return int(tx.execute(select(versions.c.failed_in_row).where(versions.c.id == version_id)).scalar_one())


def page_bots(tx: Connection, author: str, page_size: int, page_token: str) -> Page[Bot]:
    """List bots by name, everybody's ("") or one author's; not the arena's own, and no people."""
    size, after = check_page(page_size, page_token, str)
    # The page is cut first: joined with their versions, bots might be looked through from the versions' side.
    listed = select(bots.c.id).where(~bots.c.name.startswith("(")).order_by(bots.c.name).limit(size + 1)
    if author:
        owner = select(accounts.c.id).where(accounts.c.name == author).scalar_subquery()
        listed = listed.where(bots.c.owner_id == owner)
    if after:
        listed = listed.where(bots.c.name > after[0])
    others = versions.alias()
    newest = select(func.max(others.c.number)).where(others.c.bot_id == bots.c.id).scalar_subquery()
    query = _versions().where(bots.c.id.in_(list(tx.scalars(listed))), versions.c.number == newest)
    query = query.order_by(bots.c.name)
    return make_page(tx.execute(query).all(), size, _bot, lambda row: (row.bot,))


def page_versions(tx: Connection, bot: str, page_size: int, page_token: str) -> Page[BotVersion]:
    """List a bot's versions, newest first."""
    size, after = check_page(page_size, page_token, int)
    query = _versions().where(bots.c.name == bot).order_by(versions.c.number.desc()).limit(size + 1)
    if after:
        query = query.where(versions.c.number < after[0])
    return make_page(tx.execute(query).all(), size, version_of, lambda row: (row.number,))


def read_archive(tx: Connection, version_id: int) -> bytes | None:
    """Return the archive of a version as it was sent."""
    query = select(archives.c.content).join(versions, versions.c.sha256 == archives.c.sha256)
    content: bytes | None = tx.scalar(query.where(versions.c.id == version_id))
    return content


def _versions() -> Select[Any]:
    columns = select(versions, bots.c.name.label("bot"), accounts.c.name.label("author"))
    return columns.join(bots, bots.c.id == versions.c.bot_id).join(accounts, accounts.c.id == bots.c.owner_id)


def version_of(row: Row[Any]) -> BotVersion:
    """Read a version off a row that names its bot and author."""
    return BotVersion(
        id=row.id,
        bot=row.bot,
        author=row.author,
        version=row.number,
        state=row.state,
        reason=row.reason,
        games=tuple(row.games.split()),
        language=row.language,
        sha256=row.sha256,
        size_bytes=row.size_bytes,
        manifest=row.manifest,
        submitted_at=row.submitted_at,
        failed_in_row=row.failed_in_row,
        remote=row.remote,
    )


def _bot(row: Row[Any]) -> Bot:
    return Bot(row.bot, row.author, version_of(row))
