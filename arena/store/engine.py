"""Opens the database and runs transactions on it."""

from __future__ import annotations


class Store:
    """An opened database. Threads may share it; a forked child opens its own."""

    def close(self) -> None:
        """Close every connection."""
        raise NotImplementedError


def migrate(url: str) -> None:
    """Bring the database's schema up to this program's version, creating it if need be; any number may try at once.

    url: "sqlite:///PATH" or "postgresql://USER:PASSWORD@HOST/NAME". Raises UsageError (BAD_DATABASE_URL), Unavailable
    (DATABASE_UNREACHABLE, DATABASE_NEWER).
    """
    raise NotImplementedError


def open_store(url: str) -> Store:
    """Open a database whose schema is this program's.

    Raises UsageError (BAD_DATABASE_URL), Unavailable (DATABASE_UNREACHABLE, DATABASE_OLDER, DATABASE_NEWER).
    """
    raise NotImplementedError
