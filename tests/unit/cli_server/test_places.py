import os
from pathlib import Path

import pytest

from arena.cli.places import data_folder, find_door
from arena.core.errors import Unauthenticated, Unavailable, UsageError


@pytest.fixture(autouse=True)
def nowhere(tmp_path, monkeypatch):
    """An environment that names no arena, and an empty data folder."""
    for name in [name for name in os.environ if name.startswith("ARENA_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    return tmp_path


@pytest.fixture
def running(tmp_path):
    """A data folder as a running `arena up` leaves it."""
    (tmp_path / "server.json").write_text('{"grpc": "127.0.0.1:7171"}', encoding="utf-8")
    (tmp_path / "admin.token").write_text("wo_local\n", encoding="utf-8")
    return tmp_path


def test_the_data_folder_is_the_option_then_the_environment_then_the_users_own(tmp_path, monkeypatch):
    assert data_folder() == tmp_path / "home" / "whiteout"
    monkeypatch.setenv("ARENA_DATA", str(tmp_path / "env"))
    assert data_folder() == tmp_path / "env"
    assert data_folder(Path("given")) == Path("given")


def test_a_running_arena_up_is_found_with_its_token(running):
    door = find_door(data=running)

    assert (door.address, door.token) == ("127.0.0.1:7171", "wo_local")


def test_the_environment_names_server_and_token(monkeypatch):
    monkeypatch.setenv("ARENA_SERVER", "arena.example:443")
    monkeypatch.setenv("ARENA_TOKEN", "wo_env")

    assert find_door().token == "wo_env"
    assert find_door().address == "arena.example:443"


def test_options_come_before_the_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("ARENA_SERVER", "arena.example:443")
    monkeypatch.setenv("ARENA_TOKEN", "wo_env")
    (tmp_path / "token").write_text("wo_file\n", encoding="utf-8")

    door = find_door("127.0.0.1:1", tmp_path / "token")

    assert (door.address, door.token) == ("127.0.0.1:1", "wo_file")


def test_a_data_folder_that_is_given_opens_with_its_own_token(running, monkeypatch):
    monkeypatch.setenv("ARENA_TOKEN", "wo_of_another_server")
    monkeypatch.setenv("ARENA_SERVER", "arena.example:443")

    door = find_door(data=running)

    assert (door.address, door.token) == ("127.0.0.1:7171", "wo_local")


def test_the_data_folders_admin_token_never_goes_to_another_server(running):
    with pytest.raises(Unauthenticated, match="--token-file"):
        find_door("arena.example:443", data=running)


def test_without_a_server_the_way_out_is_named(tmp_path):
    with pytest.raises(Unavailable, match="arena up") as caught:
        find_door(data=tmp_path)

    assert caught.value.code == "NO_SERVER"


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"grpc": 5}', "not json"])
def test_a_broken_server_file_is_named(running, text):
    (running / "server.json").write_text(text, encoding="utf-8")

    with pytest.raises(UsageError):
        find_door(data=running)


@pytest.mark.parametrize("address", ["nonsense", "host:", ":7070", "host:0", "host:70000", "http://host"])
def test_what_is_no_address_is_refused(address, running):
    with pytest.raises(UsageError, match="HOST:PORT"):
        find_door(address, data=running)


@pytest.mark.parametrize("content", ["", "two words", "line\nline", "gr\u00fcn"])
def test_a_token_file_holds_one_token(tmp_path, content):
    file = tmp_path / "token"
    file.write_text(content, encoding="utf-8")

    with pytest.raises(UsageError, match="does not hold one token"):
        find_door("127.0.0.1:1", file)


def test_a_token_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(UsageError, match="nofile"):
        find_door("127.0.0.1:1", tmp_path / "nofile")
