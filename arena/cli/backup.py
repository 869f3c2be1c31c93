"""`arena backup`: a copy of the database of an arena on this machine, made while it runs."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.output import note, say
from arena.cli.places import data_folder
from arena.core.errors import Conflict, Unavailable
from arena.store.engine import DATABASE_FILE


def backup(
    file: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="Where the copy goes; a new file.")],
    data: Annotated[Path | None, typer.Option("--data", metavar="DIR", help="Data folder of `arena up`.")] = None,
) -> None:
    """Copy the database of a data folder into a file, all of one moment; the arena may run meanwhile.

    To restore, put the file as arena.db into an empty folder and run `arena up --data FOLDER`. PostgreSQL has pg_dump.
    """
    source = data_folder(data) / DATABASE_FILE
    if not source.is_file():
        raise Unavailable(f"there is no database {source}; name its data folder with --data", reason="NO_DATABASE")
    try:
        # What decides rated play stands in it: nobody else is to read it.
        os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        raise Conflict(f"{file} is there already; name a new file", reason="FILE_EXISTS") from None
    except OSError as error:
        raise Unavailable(f"cannot write {file}: {error.strerror}", reason="CANNOT_WRITE") from None
    try:
        with closing(sqlite3.connect(source)) as database, closing(sqlite3.connect(file)) as copy:
            database.backup(copy)
    except sqlite3.Error as error:
        file.unlink()
        raise Unavailable(f"{source} cannot be copied: {error}", reason="CANNOT_COPY") from None
    say(f"{file}: {file.stat().st_size / 2**20:.1f} MB")
    note("tokens are in it as hashes only; keep the token files, too")
