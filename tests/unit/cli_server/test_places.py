import os
from pathlib import Path

import pytest
from certificates import write_authority

from arena.cli.places import Door, Trust, data_folder, find_door
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
    assert find_door().trust == Trust()


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


@pytest.mark.parametrize("address", ["127.0.0.1:1", "localhost:7070", "[::1]:7070", "unix:/tmp/api.sock"])
def test_this_machines_own_server_is_called_in_plain_text(address, monkeypatch):
    monkeypatch.setenv("ARENA_TOKEN", "wo_env")

    assert find_door(address) == Door(address, "wo_env")


@pytest.mark.parametrize("address", ["arena.example:7070", "192.168.1.5:7070", "[fe80::1]:7070", "0.0.0.0:7070"])
def test_everybody_elses_is_called_with_tls(address, monkeypatch):
    monkeypatch.setenv("ARENA_TOKEN", "wo_env")

    assert find_door(address).trust == Trust()


@pytest.mark.parametrize(
    ("written", "called"),
    [
        ("https://127.0.0.1:7070", "127.0.0.1:7070"),
        ("https://arena.example", "arena.example:443"),
        ("https://arena.example/", "arena.example:443"),
        ("https://[::1]", "[::1]:443"),
        ("https://[::1]:7070", "[::1]:7070"),
    ],
)
def test_https_means_tls_everywhere(written, called, monkeypatch):
    monkeypatch.setenv("ARENA_TOKEN", "wo_env")

    assert find_door(written) == Door(called, "wo_env", Trust())


def test_plain_text_to_another_machine_has_to_be_written_out(monkeypatch):
    monkeypatch.setenv("ARENA_TOKEN", "wo_env")

    assert find_door("plain://arena.lan:7070") == Door("arena.lan:7070", "wo_env", None, plain=True)


def test_no_door_takes_a_token_to_another_machine_in_plain_text_by_mistake():
    with pytest.raises(UsageError, match=r"plain://arena\.lan:7070") as caught:
        Door("arena.lan:7070", "wo_secret")

    assert caught.value.code == "PLAIN_TEXT_REFUSED"
    assert "wo_secret" not in caught.value.message


@pytest.mark.parametrize("address", ["http://arena.lan:7070", "https://", "plain://", "https://host:0", "https://a b"])
def test_other_schemes_and_halves_of_addresses_are_refused(address, monkeypatch):
    monkeypatch.setenv("ARENA_TOKEN", "wo_env")

    with pytest.raises(UsageError) as caught:
        find_door(address)
    assert caught.value.code == "BAD_ADDRESS"


def test_an_authority_that_is_named_means_tls(tmp_path, monkeypatch):
    monkeypatch.setenv("ARENA_TOKEN", "wo_env")
    ca = write_authority(tmp_path / "ca.pem")

    assert find_door("127.0.0.1:7070", ca=ca).trust == Trust(ca.read_bytes())
    with pytest.raises(UsageError, match="leave --ca out"):
        find_door("plain://127.0.0.1:7070", ca=ca)


def test_an_authority_of_the_environment_changes_nothing_for_this_machines_own_server(tmp_path, monkeypatch, running):
    monkeypatch.setenv("ARENA_CA", str(write_authority(tmp_path / "ca.pem")))

    assert find_door(data=running).trust is None
    assert find_door("127.0.0.1:7070", tmp_path / "admin.token").trust is None
    assert find_door("https://127.0.0.1:7070", tmp_path / "admin.token").trust is not None


@pytest.mark.parametrize(
    "content", ["", "hello", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", "\u00e4"]
)
def test_an_authority_file_holds_a_certificate(tmp_path, monkeypatch, content):
    monkeypatch.setenv("ARENA_TOKEN", "wo_env")
    (tmp_path / "ca.pem").write_text(content, encoding="utf-8")

    with pytest.raises(UsageError, match="holds no certificate") as caught:
        find_door("https://arena.example", ca=tmp_path / "ca.pem")
    assert caught.value.code == "BAD_CA_FILE"
    with pytest.raises(UsageError, match="No such file"):
        find_door("https://arena.example", ca=tmp_path / "none.pem")


def test_a_running_arena_up_with_tls_is_known_by_the_certificate_it_wrote_down(running):
    (running / "server.json").write_text(
        '{"grpc": "127.0.0.1:7171", "tls": {"certificate": "PEM", "name": "arena.example"}}', encoding="utf-8"
    )

    assert find_door(data=running) == Door("127.0.0.1:7171", "wo_local", Trust(b"PEM", "arena.example"))


@pytest.mark.parametrize("token", ["two words", "line\nline", "gr\u00fcn"])
def test_a_token_of_the_environment_that_cannot_be_sent_is_named_and_not_shown(monkeypatch, token):
    monkeypatch.setenv("ARENA_TOKEN", token)

    with pytest.raises(UsageError, match="ARENA_TOKEN does not hold one token") as caught:
        find_door("127.0.0.1:1")
    assert token not in caught.value.message


def test_a_token_is_not_shown_with_its_door():
    assert "wo_secret" not in repr(Door("127.0.0.1:1", "wo_secret"))
