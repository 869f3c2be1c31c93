"""Bots and their versions: submitting, reading, retiring, unpacking."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from arena.store import Store
from arena.store.records import Account, Bot, BotVersion, Page


@dataclass(frozen=True, slots=True)
class Submission:
    """The answer to a submission; created is False when a version with the same content was there already."""

    version: BotVersion
    created: bool


def submit(store: Store, caller: Account, archive: bytes, sha256: str, now: datetime, *, name: str = "") -> Submission:
    """Check an archive (zip, tar or tar.gz) and store it as the next version of the bot its bot.toml names.

    sha256: 64 hex digits over the archive as sent. name: if given, has to be the manifest's. The bot is made at its
    first submission and then belongs to the caller. The same files again answer with the version that has them.
    Raises UsageError (BAD_ARCHIVE, BAD_MANIFEST, WRONG_CHECKSUM, UNKNOWN_GAME), LimitReached (ARCHIVE_TOO_LARGE,
    TOO_MANY_FILES ...), Conflict (NAME_TAKEN: somebody else's bot). Each names the file, the limit and the way out.
    """
    raise NotImplementedError


def get_bot(store: Store, name: str) -> Bot:
    """Return a bot with its newest version. Raises NotFound (NO_SUCH_BOT)."""
    raise NotImplementedError


def list_bots(store: Store, *, author: str = "", page_size: int = 0, page_token: str = "") -> Page[Bot]:
    """List bots by name, everybody's or one author's."""
    raise NotImplementedError


def get_version(store: Store, bot: str, version: int = 0) -> BotVersion:
    """Return a version of a bot, 0 for the newest. Raises NotFound (NO_SUCH_BOT, NO_SUCH_VERSION)."""
    raise NotImplementedError


def parse_label(label: str) -> tuple[str, int]:
    """Split "bot@3" into name and version, "bot" into name and 0. Raises UsageError (BAD_NAME)."""
    raise NotImplementedError


def list_versions(store: Store, bot: str, *, page_size: int = 0, page_token: str = "") -> Page[BotVersion]:
    """List a bot's versions, newest first. Raises NotFound (NO_SUCH_BOT)."""
    raise NotImplementedError


def retire(store: Store, caller: Account, bot: str, version: int) -> BotVersion:
    """Take a version (0: the newest) out of everything not yet scheduled; twice is a success. Its author or an admin.

    Raises NotFound, PermissionDenied, Conflict (VERSION_REJECTED).
    """
    raise NotImplementedError


def unpack(store: Store, version_id: int, folder: Path) -> None:
    """Write a version's files into an empty or missing folder, as they were checked.

    Files get mode 0644, or 0755 where the archive marks them executable; folders 0755. Raises NotFound, Conflict
    (FOLDER_NOT_EMPTY).
    """
    raise NotImplementedError
