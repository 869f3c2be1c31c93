"""What a process is told by its environment; secrets also by way of files, as containers are given them.

NAME_FILE names a file that holds what NAME would: an environment is seen by every process of a user and by whoever
inspects a container, a file is not.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final
from urllib.parse import quote, urlsplit, urlunsplit

from arena.core.errors import UsageError

DATABASE: Final = "ARENA_DATABASE"
DATABASE_PASSWORD: Final = "ARENA_DATABASE_PASSWORD"  # noqa: S105 - the name of one
BROKER: Final = "ARENA_BROKER"


def given(environment: Mapping[str, str], name: str) -> str:
    """Return a variable, or the content of the file that NAME_FILE names; "" if neither is there.

    Raises UsageError (BAD_SETTING) for both, or for a file that cannot be read.
    """
    value, file = environment.get(name, ""), environment.get(f"{name}_FILE", "")
    if not file:
        return value
    if value:
        raise UsageError(f"{name} and {name}_FILE are both set; keep one", reason="BAD_SETTING")
    try:
        return Path(file).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no text"
        raise UsageError(f"{name}_FILE={file}: {why}; name a readable file", reason="BAD_SETTING") from None


def given_database(environment: Mapping[str, str]) -> str:
    """Return the database's URL, with the password of ARENA_DATABASE_PASSWORD(_FILE) put in; "" if none is given.

    Raises UsageError (BAD_SETTING).
    """
    url, password = given(environment, DATABASE), given(environment, DATABASE_PASSWORD)
    if not (url and password):
        return url
    parts = urlsplit(url)
    user, at, where = parts.netloc.rpartition("@")
    if not at or ":" in user:
        raise UsageError(
            f"{DATABASE_PASSWORD} goes with a URL that names a user and no password: postgresql://USER@HOST/NAME",
            reason="BAD_SETTING",
        )
    return urlunsplit(parts._replace(netloc=f"{user}:{quote(password, safe='')}@{where}"))
