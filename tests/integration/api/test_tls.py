"""TLS with real certificates, and what a person reads when it does not come about."""

import socket
import threading
from contextlib import contextmanager

import pytest
from certificates import write_authority, write_pair

from arena.cli.client import Session, connect
from arena.cli.places import Door, Trust
from arena.core.errors import Unavailable
from arena.net.tls import Identity, read_identity
from arena.v1 import account_pb2


def who(session) -> str:
    return session.call(session.accounts.WhoAmI, account_pb2.WhoAmIRequest()).account.name


@pytest.fixture
def pair(tmp_path):
    return write_pair(tmp_path / "server", "localhost", "127.0.0.1")


@pytest.fixture
def secured(arena_with, pair):
    return arena_with(read_identity(pair.certificate, pair.key))


@pytest.fixture
def token_file(secured):
    file = secured.folder / "token"
    file.write_text(secured.admin, encoding="ascii")
    return file


def failure(server, token_file, ca=None) -> str:
    with connect(server, token_file, None, ca) as session, pytest.raises(Unavailable) as caught:
        who(session)
    assert caught.value.code == "NOT_TRUSTED"
    assert "\n" not in caught.value.message
    return caught.value.message


def test_a_server_with_a_certificate_is_called_by_whoever_names_its_authority(secured, token_file, tmp_path):
    ca = write_authority(tmp_path / "ca.pem")
    for server in (secured.address, f"https://{secured.address}", secured.address.replace("127.0.0.1", "localhost")):
        with connect(server, token_file, None, ca) as session:
            assert who(session) == "admin"


def test_a_server_vouches_for_itself_where_its_own_certificate_is_named(secured, token_file, pair):
    with connect(secured.address, token_file, None, pair.certificate) as session:
        assert who(session) == "admin"


def test_the_authority_may_stand_in_the_environment(secured, token_file, tmp_path, monkeypatch):
    monkeypatch.setenv("ARENA_CA", str(write_authority(tmp_path / "ca.pem")))
    with connect(f"https://{secured.address}", token_file) as session:
        assert who(session) == "admin"


def test_a_stranger_to_the_authority_is_told_to_name_it(secured, token_file, tmp_path):
    other = write_authority(tmp_path / "other.pem", "other")

    for ca in (other, None):
        assert "name its authority with --ca" in failure(f"https://{secured.address}", token_file, ca)


def test_a_server_whose_certificate_names_another_host_is_not_trusted(arena_with, tmp_path, token_file_of):
    pair = write_pair(tmp_path / "other", "arena.example")
    arena = arena_with(read_identity(pair.certificate, pair.key))

    said = failure(arena.address, token_file_of(arena), write_authority(tmp_path / "ca.pem"))

    assert "made out to another name" in said


@pytest.fixture
def token_file_of(tmp_path):
    def write(arena):
        file = tmp_path / "token-of"
        file.write_text(arena.admin, encoding="ascii")
        return file

    return write


@pytest.mark.parametrize(("valid", "words"), [((-2, -1), "has expired"), ((1, 2), "not valid yet")])
def test_a_certificate_out_of_its_time_is_not_trusted(arena_with, tmp_path, token_file_of, valid, words):
    pair = write_pair(tmp_path / "late", "127.0.0.1", valid=valid)
    good = read_identity(*vars(write_pair(tmp_path / "good")).values())
    arena = arena_with(Identity(pair.certificate.read_bytes(), pair.key.read_bytes(), good.names, good.expires_at))

    assert words in failure(arena.address, token_file_of(arena), write_authority(tmp_path / "ca.pem"))


def test_tls_to_a_server_without_says_so(arena, tmp_path, token_file_of):
    said = failure(f"https://{arena.address}", token_file_of(arena), write_authority(tmp_path / "ca.pem"))

    assert "does not speak TLS" in said


def test_plain_text_to_a_server_with_tls_says_so(secured, token_file):
    assert f"write https://{secured.address}" in failure(secured.address, token_file)


@contextmanager
def listener():
    """Accepts connections and keeps what they send; whoever listens shows what a client gives away."""
    heard = []
    with socket.create_server(("127.0.0.1", 0)) as taking:
        taking.settimeout(10)

        def take():
            while True:
                try:
                    line, _ = taking.accept()
                except OSError:
                    return
                with line:
                    line.settimeout(0.3)
                    try:
                        while part := line.recv(65536):
                            heard.append(part)
                    except OSError:
                        continue

        thread = threading.Thread(target=take)
        thread.start()
        yield f"127.0.0.1:{taking.getsockname()[1]}", heard
        taking.shutdown(socket.SHUT_RDWR)
        thread.join(20)


def test_no_byte_of_a_token_leaves_before_the_server_has_proved_who_it_is(tmp_path):
    secret = "wo_" + "s" * 43
    ca = Trust(write_authority(tmp_path / "ca.pem").read_bytes())
    with listener() as (address, heard), Session(Door(address, secret, ca)) as session, pytest.raises(Unavailable):
        session.call(session.accounts.WhoAmI, account_pb2.WhoAmIRequest(), timeout_s=2.0)
    assert heard
    assert secret[:12].encode() not in b"".join(heard)
