"""A backup as docs/operator.md makes it, restored as it says, goes on to the same end as the arena it was taken of."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from playing import World, older_wins
from sqlalchemy import select

from arena.cli.main import run as run_command
from arena.services import dispatch, tournaments
from arena.store import Store, migrate, open_store, sqlite_url
from arena.store.states import TournamentState
from arena.store.tables import METADATA


def everything(store: Store) -> dict[str, list]:
    """Every row of every table."""
    with store.read() as tx:
        return {table.name: sorted(map(repr, tx.execute(select(table)).all())) for table in METADATA.sorted_tables}


def numbers(store: Store) -> list:
    with store.read() as tx:
        table = METADATA.tables["ratings"]
        return tx.execute(select(table).order_by(table.c.version_id)).all()


def half_played(world: World) -> None:
    """A tournament with a block recorded, another on lease, and some queued."""
    world.started("cup", "ada", "bert", "cleo", deals=2)
    claim = world.claim()
    for leg in claim.legs:
        world.record_whole(claim, leg, older_wins(leg))
    assert world.claim() is not None


def go_on(store: Store, now) -> World:
    """Play on where a store stands until its tournament is over."""
    world = World.__new__(World)
    world.store, world.now = store, now
    world.wait(minutes=5)
    assert dispatch.expire(store, world.now).lost == 1  # the lease of a worker that is not there any more
    world.wait(minutes=5)
    world.play_all()
    assert tournaments.get(store, "cup").state is TournamentState.FINISHED
    return world


def check(world: World, taken: dict[str, list], restored: Store) -> None:
    assert everything(restored) == taken
    go_on(restored, world.now)
    go_on(world.store, world.now)
    assert numbers(restored) == numbers(world.store)
    restored.close()


def test_a_data_folder_is_copied_while_it_is_used_and_goes_on_elsewhere(tmp_path: Path, capsys) -> None:
    data, copy, elsewhere = tmp_path / "data", tmp_path / "backup.db", tmp_path / "elsewhere"
    data.mkdir()
    migrate(sqlite_url(data))
    world = World(open_store(sqlite_url(data)))
    half_played(world)
    taken = everything(world.store)
    assert run_command(["backup", "--data", str(data), "-o", str(copy)]) == 0
    assert copy.stat().st_mode & 0o077 == 0
    assert run_command(["backup", "--data", str(data), "-o", str(copy)]) == 1
    assert "is there already" in capsys.readouterr().err
    elsewhere.mkdir()
    shutil.copy(copy, elsewhere / "arena.db")
    migrate(sqlite_url(elsewhere))  # as `arena up` does
    check(world, taken, open_store(sqlite_url(elsewhere)))
    world.store.close()


@pytest.fixture
def tool(postgres) -> Callable[..., None]:
    """Run a program of the PostgreSQL server."""

    def run(name: str, *arguments: object) -> None:
        program = Path(postgres._server.bin_path) / name
        subprocess.run([str(program), *map(str, arguments)], check=True, capture_output=True)

    return run


def test_a_postgresql_database_is_dumped_and_goes_on_in_another(postgres, tool, tmp_path: Path) -> None:
    world = World(open_store(postgres.new_url()))
    half_played(world)
    taken = everything(world.store)
    here, there, dump = (
        (postgres._server.get_uri(name) for name in ("arena", "postgres")),
        "restored",
        tmp_path / "dump",
    )
    source, maintenance = here
    tool("pg_dump", "--format=custom", f"--file={dump}", source)
    tool("psql", "--command", f"CREATE DATABASE {there}", maintenance)
    try:
        tool("pg_restore", "--no-owner", "--exit-on-error", "--dbname", postgres._server.get_uri(there), dump)
        url = postgres._server.get_uri(there)
        migrate(url)  # as the service `prepare` does
        check(world, taken, open_store(url))
    finally:
        world.store.close()
        tool("psql", "--command", f"DROP DATABASE {there} WITH (FORCE)", maintenance)
