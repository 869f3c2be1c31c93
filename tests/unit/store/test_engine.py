from threading import Barrier, Thread

import pytest
from sqlalchemy import text

from arena.core.errors import Unavailable, UsageError
from arena.store import migrate, open_store
from arena.store.__main__ import main


def write(store, statement):
    with store.write() as tx:
        tx.execute(text(statement))


def count(store):
    with store.read() as tx:
        return tx.execute(text("SELECT count(*) FROM accounts")).scalar_one()


def test_a_database_is_made_and_migrated_once_and_again(url):
    migrate(url)
    migrate(url)
    open_store(url).close()


def test_many_processes_worth_of_migrations_at_once_make_one_schema(url):
    together = Barrier(4)
    failures = []

    def run():
        together.wait()
        try:
            migrate(url)
        except Exception as error:  # noqa: BLE001 - a thread tells the test about everything
            failures.append(error)

    threads = [Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    open_store(url).close()


def test_a_database_without_schema_is_called_older_and_the_way_out_is_named(url):
    with pytest.raises(Unavailable, match=r"python -m arena\.store") as caught:
        open_store(url)
    assert caught.value.code == "DATABASE_OLDER"


def test_a_database_of_a_newer_version_is_refused_and_left_alone(url, store):
    write(store, "UPDATE alembic_version SET version_num = '9999'")
    for call in (open_store, migrate):
        with pytest.raises(Unavailable) as caught:
            call(url)
        assert caught.value.code == "DATABASE_NEWER"
    with store.read() as tx:
        assert tx.execute(text("SELECT version_num FROM alembic_version")).scalar_one() == "9999"


@pytest.mark.parametrize("url", ["", "nonsense", "mysql://host/name", "sqlite://", "sqlite:///:memory:"])
def test_what_is_no_database_url_is_refused(url):
    for call in (open_store, migrate):
        with pytest.raises(UsageError) as caught:
            call(url)
        assert caught.value.code == "BAD_DATABASE_URL"


@pytest.mark.parametrize(("asked", "level"), [("", 2), ("?synchronous=full", 2), ("?synchronous=normal", 1)])
def test_a_commit_survives_a_power_cut_unless_somebody_said_it_need_not(tmp_path, asked, level):
    url = f"sqlite:///{tmp_path}/arena.db{asked}"
    migrate(url)
    store = open_store(url)
    with store.read() as tx:
        found = (
            tx.execute(text("PRAGMA synchronous")).scalar_one(),
            tx.execute(text("PRAGMA journal_mode")).scalar_one(),
        )
    store.close()
    assert found == (level, "wal")


def test_a_level_of_safety_that_does_not_exist_is_refused(tmp_path):
    with pytest.raises(UsageError, match="synchronous"):
        migrate(f"sqlite:///{tmp_path}/arena.db?synchronous=off")


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(Unavailable, match="no-such-folder"):
        migrate(f"sqlite:///{tmp_path}/no-such-folder/arena.db")


def test_a_file_that_is_no_database_is_refused(tmp_path):
    (tmp_path / "arena.db").write_bytes(b"certainly not a database" * 100)
    with pytest.raises(Unavailable):
        open_store(f"sqlite:///{tmp_path}/arena.db")


def test_a_server_that_does_not_answer_is_unavailable_and_no_password_is_shown(tmp_path):
    with pytest.raises(Unavailable) as caught:
        open_store(f"postgresql://me:hush@/name?host={tmp_path}")
    assert "hush" not in caught.value.message
    assert "\n" not in caught.value.message


def test_an_error_rolls_everything_back(store):
    insert = "INSERT INTO accounts (name, role, created_at) VALUES ('ada', 'AUTHOR', '2030-01-01 00:00:00.000000')"

    def fail():
        with store.write() as tx:
            tx.execute(text(insert))
            raise UsageError("no")

    with pytest.raises(UsageError):
        fail()
    assert count(store) == 0


def test_a_writer_that_reads_first_waits_for_the_other_instead_of_failing(store):
    together = Barrier(8)
    failures = []

    def run(number):
        together.wait()
        try:
            for turn in range(10):
                with store.write() as tx:
                    tx.execute(text("SELECT count(*) FROM accounts")).scalar_one()
                    tx.execute(
                        text("INSERT INTO accounts (name, role, created_at) VALUES (:name, 'AUTHOR', '2030-01-01')"),
                        {"name": f"{number}-{turn}"},
                    )
        except Exception as error:  # noqa: BLE001 - a thread tells the test about everything
            failures.append(error)

    threads = [Thread(target=run, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert count(store) == 80


def test_a_reader_is_not_held_up_by_a_writer(store):
    with store.write() as tx:
        tx.execute(text("DELETE FROM accounts"))
        assert count(store) == 0


@pytest.mark.parametrize(
    ("table", "values"),
    [
        ("accounts (name, role, created_at)", "('ada', 'KING', '2030-01-01')"),
        ("tokens (account_id, label, digest, created_at)", "(7, '', 'x', '2030-01-01')"),
    ],
)
def test_the_database_itself_refuses_unknown_states_and_dangling_references(store, table, values):
    with pytest.raises(Exception, match="constraint failed"):
        write(store, f"INSERT INTO {table} VALUES {values}")  # noqa: S608 - both are written above


def test_the_migration_command_tells_success_failure_and_wrong_use_apart(url, capsys, tmp_path):
    assert main([url]) == 0
    assert main([]) == 2
    assert main(["nonsense"]) == 2
    assert main([f"sqlite:///{tmp_path}/missing/arena.db"]) == 1
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 3
    assert all(line.startswith("error: ") for line in lines)
