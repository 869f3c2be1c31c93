import argparse

import pytest
from certificates import write_pair

from arena.core.errors import UsageError
from arena.net.tls import add_tls_options, check_plain_text, read_identity


def refusal(certificate, key) -> str:
    with pytest.raises(UsageError) as caught:
        read_identity(certificate, key)
    assert caught.value.code == "BAD_CERTIFICATE"
    assert "\n" not in caught.value.message
    return caught.value.message


def test_without_files_there_is_no_identity():
    assert read_identity(None, None) is None


@pytest.mark.parametrize("authority", ["authority", None])
def test_a_certificate_is_read_with_its_names_and_its_end(tmp_path, authority):
    pair = write_pair(tmp_path, "arena.example", "127.0.0.1", authority=authority)

    found = read_identity(pair.certificate, pair.key)

    assert found is not None
    assert found.names == ("arena.example", "127.0.0.1")
    assert found.certificate == pair.certificate.read_bytes()
    assert found.expires_at.tzinfo is not None


def test_a_private_key_is_not_shown_with_the_identity(tmp_path):
    pair = write_pair(tmp_path)

    found = read_identity(pair.certificate, pair.key)

    assert "PRIVATE" not in repr(found)


def test_one_file_needs_the_other(tmp_path):
    pair = write_pair(tmp_path)

    assert "--tls-cert needs --tls-key" in refusal(pair.certificate, None)
    assert "--tls-key needs --tls-cert" in refusal(None, pair.key)


def test_a_file_that_is_not_there_is_named(tmp_path):
    pair = write_pair(tmp_path)

    assert "nofile.pem: No such file" in refusal(tmp_path / "nofile.pem", pair.key)


def test_a_key_of_another_certificate_is_named(tmp_path):
    one, other = write_pair(tmp_path / "one"), write_pair(tmp_path / "other")

    assert "is not that of the certificate" in refusal(one.certificate, other.key)


def test_what_is_no_certificate_is_named(tmp_path):
    pair = write_pair(tmp_path)
    (tmp_path / "text").write_text("hello\n", encoding="utf-8")

    assert "no PEM certificate chain" in refusal(tmp_path / "text", pair.key)
    assert "no PEM certificate chain" in refusal(pair.key, pair.certificate)


def test_a_key_with_a_password_is_refused_without_asking_for_it(tmp_path):
    pair = write_pair(tmp_path, password=b"snow")

    assert "without a password" in refusal(pair.certificate, pair.key)


def test_a_certificate_out_of_its_time_is_refused(tmp_path):
    old, young = write_pair(tmp_path / "old", valid=(-2, -1)), write_pair(tmp_path / "young", valid=(1, 2))

    assert "has expired; renew it" in refusal(old.certificate, old.key)
    assert "not valid yet" in refusal(young.certificate, young.key)


def test_plain_text_is_spoken_on_loopback_only_unless_said_otherwise(tmp_path):
    pair = write_pair(tmp_path)
    identity = read_identity(pair.certificate, pair.key)

    check_plain_text("127.0.0.1:0", None, allowed=False)
    check_plain_text("0.0.0.0:7070", identity, allowed=False)
    check_plain_text("0.0.0.0:7070", None, allowed=True)
    with pytest.raises(UsageError, match="--tls-cert") as caught:
        check_plain_text("0.0.0.0:7070", None, allowed=False)
    assert caught.value.code == "PLAIN_TEXT_REFUSED"


def test_a_server_program_takes_the_options_by_one_spelling():
    parser = argparse.ArgumentParser()
    add_tls_options(parser)

    asked = parser.parse_args(["--tls-cert", "c.pem", "--tls-key", "k.pem"])

    assert (str(asked.tls_cert), str(asked.tls_key), asked.allow_plain_text) == ("c.pem", "k.pem", False)


def test_whoever_calls_a_host_checks_the_certificate_for_it_or_for_another_of_its_names(tmp_path):
    pair = write_pair(tmp_path, "*.arena.example", "127.0.0.1")
    identity = read_identity(pair.certificate, pair.key)

    assert identity is not None
    assert identity.name_for("127.0.0.1") == "127.0.0.1"
    assert identity.name_for("::1") == "any.arena.example"


def test_a_certificate_that_names_no_host_is_refused(tmp_path):
    pair = write_pair(tmp_path, nameless=True)

    assert "made out to no host name" in refusal(pair.certificate, pair.key)
