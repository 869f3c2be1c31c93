"""`arena prune`: throws away logs and outputs of matches long over, to be run where the database is."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.options import JsonOption
from arena.cli.output import print_json, say
from arena.cli.places import data_folder
from arena.net.given import given_database
from arena.services import retention
from arena.store import open_store, sqlite_url


def prune(
    days: Annotated[int, typer.Option("--days", min=0, max=36_500, help="Keep what is younger than so many days.")],
    data: Annotated[Path | None, typer.Option("--data", metavar="DIR", help="Data folder of `arena up`.")] = None,
    *,
    logs: Annotated[bool, typer.Option("--logs/--no-logs", help="Throw away match logs.")] = True,
    outputs: Annotated[bool, typer.Option("--outputs/--no-outputs", help="Throw away what bots printed.")] = True,
    rehearse: Annotated[bool, typer.Option("--dry-run", help="Only say how much it would be.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Throw away logs and outputs of matches that were over long ago; results, ratings and digests stay.

    The database is that of ARENA_DATABASE, else of the data folder. The arena may run meanwhile. What a tournament that
    is not over, a closed deal or a rating still needs is never touched.
    """
    url = "" if data is not None else given_database(os.environ)
    store = open_store(url or sqlite_url(data_folder(data)))
    try:
        found = retention.prune(
            store, datetime.now(UTC), timedelta(days=days), logs=logs, outputs=outputs, rehearse=rehearse
        )
    finally:
        store.close()
    if as_json:
        print_json({"logs": found.logs, "outputs": found.outputs, "size_bytes": found.size_bytes, "dry_run": rehearse})
        return
    verb = "would be thrown away" if rehearse else "thrown away"
    say(f"{verb}: {found.logs} logs, {found.outputs} outputs, {found.size_bytes / 2**20:.1f} MB as stored")
