"""Brings a database's schema up to date: `python -m arena.store URL`."""

from __future__ import annotations

import sys

from arena.core.errors import ArenaError
from arena.store.engine import migrate


def main(arguments: list[str]) -> int:
    """Migrate the database of the one argument; return the exit code."""
    if len(arguments) != 1:
        print("error: give one database URL, such as sqlite:///data/arena.db", file=sys.stderr)
        return 2
    try:
        migrate(arguments[0])
    except ArenaError as error:
        print(f"error: {error.message}", file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
