"""Prepares a database for its services: `python -m arena.cli.local.prepare --token-file FILE`.

The database is the one that ARENA_DATABASE (or a file, see arena.net.given) names: its URL may carry a password, and
command lines are seen by all.
Brings the schema up to date and, where there is no account yet, makes an admin whose token goes into the file. Doing it
again changes nothing. Exit codes: 0 done, 1 failure, 2 usage.
"""

from __future__ import annotations

import argparse
import os
import sys
from datetime import UTC, datetime
from pathlib import Path

from arena.core.errors import ArenaError, UsageError
from arena.net.given import given_database
from arena.services import accounts
from arena.store import migrate, open_store


def main() -> int:
    """Prepare the database that the environment names; return the exit code."""
    parser = argparse.ArgumentParser(prog="prepare", description="Prepares a database for its services.")
    parser.add_argument("--token-file", required=True, type=Path, metavar="FILE", help="for the first admin token")
    asked = parser.parse_args()
    try:
        database = given_database(os.environ)
        if not database:
            raise UsageError("ARENA_DATABASE is not set; give the URL of the database to prepare")
        prepare(database, asked.token_file)
    except ArenaError as error:
        print(f"error: {error.message}", file=sys.stderr)
        return error.exit_code
    return 0


def prepare(database: str, token_file: Path) -> None:
    """Migrate the database; if it has no account, make an admin and keep the token where only its owner can read it.

    Raises UsageError for a file that cannot be written, Unavailable for a database that cannot be used.
    """
    migrate(database)
    store = open_store(database)
    try:
        new = token_file.with_suffix(".new")
        try:
            new.unlink(missing_ok=True)
            # Opened before the token is made: a token that cannot be written down would be lost for ever.
            with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
                first = accounts.bootstrap(store, datetime.now(UTC))
                if first is not None:
                    file.write(f"{first.secret}\n")
            if first is not None:
                new.replace(token_file)
            else:
                new.unlink()
        except OSError as error:
            raise UsageError(f"token file {token_file}: {error.strerror}; name another") from None
    finally:
        store.close()


if __name__ == "__main__":
    sys.exit(main())
