"""What makes a worker a public one: options before the environment, and no plain text to the world."""

import pytest
from certificates import write_pair

from arena.core.errors import UsageError
from worker.public import Public


def test_a_worker_without_an_address_is_not_public():
    assert Public.read([], {}) is None


def test_the_environment_says_it_all(tmp_path):
    pair = write_pair(tmp_path, "arena.example.org")
    public = Public.read(
        [],
        {
            "ARENA_PUBLIC_ADDRESS": "arena.example.org:7443",
            "ARENA_PUBLIC_LISTEN": "0.0.0.0:8443",
            "ARENA_PUBLIC_TLS_CERT": str(pair.certificate),
            "ARENA_PUBLIC_TLS_KEY": str(pair.key),
            "ARENA_PUBLIC_ONLY": "1",
        },
    )
    assert (public.door.listen, public.door.address, public.only) == ("0.0.0.0:8443", "arena.example.org:7443", True)
    assert public.door.shown() == pair.certificate.read_text(encoding="ascii")
    assert public.door.options() == [
        "--public", "0.0.0.0:8443", "--tls-cert", str(pair.certificate), "--tls-key", str(pair.key),
    ]  # fmt: skip


def test_options_come_before_the_environment():
    public = Public.read(["--public-address", "127.0.0.1:7443"], {"ARENA_PUBLIC_ADDRESS": "10.0.0.1:1"})
    assert (public.door.listen, public.door.address, public.door.shown()) == ("127.0.0.1:7443", "127.0.0.1:7443", "")


def test_where_the_port_is_any_free_one_the_referee_says_what_is_called():
    assert Public.read(["--public-address", "127.0.0.1:0"], {}).door.address == ""


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--public-address", "arena"], "BAD_ADDRESS"),
        (["--public-address", "0.0.0.0:7443"], "PLAIN_TEXT_REFUSED"),
        (["--public-address", "127.0.0.1:7443", "--public-listen", "0.0.0.0:7443"], "PLAIN_TEXT_REFUSED"),
        (["--public-address", "127.0.0.1:7443", "--tls-cert", "cert.pem"], "BAD_CERTIFICATE"),
    ],
)
def test_what_cannot_be_or_would_be_read_by_others_is_refused(arguments, code):
    with pytest.raises(UsageError) as caught:
        Public.read(arguments, {})
    assert caught.value.code == code


def test_plain_text_goes_to_the_world_where_somebody_says_so():
    public = Public.read(["--public-address", "0.0.0.0:7443", "--allow-plain-text"], {})
    assert public.door.options() == ["--public", "0.0.0.0:7443", "--allow-plain-text"]
