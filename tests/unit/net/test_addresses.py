import pytest

from arena.core.errors import UsageError
from arena.net.addresses import callable_here, is_local, split_address


@pytest.mark.parametrize(
    ("address", "parts"),
    [
        ("127.0.0.1:0", ("127.0.0.1", 0)),
        ("arena.example:65535", ("arena.example", 65535)),
        ("[::1]:7070", ("::1", 7070)),
    ],
)
def test_an_address_is_a_host_and_a_port(address, parts):
    assert split_address(address) == parts


@pytest.mark.parametrize(
    "address",
    [
        "", "7070", ":7070", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:65536", "127.0.0.1:-1", "::1:7070",
        "[]:7070", "a b:1", "http://host:1", "user@host:1", "host:٣", "host:0000001",
    ],
)  # fmt: skip
def test_what_is_no_address_is_named(address):
    with pytest.raises(UsageError) as caught:
        split_address(address)

    assert caught.value.code == "BAD_ADDRESS"
    assert repr(address) in caught.value.message


def test_nobody_is_called_at_port_0():
    with pytest.raises(UsageError):
        split_address("127.0.0.1:0", lowest_port=1)


@pytest.mark.parametrize("address", ["127.0.0.1:0", "localhost:1", "[::1]:1", "127.8.8.8:1", "unix:/tmp/api.sock"])
def test_loopback_and_sockets_stay_on_this_machine(address):
    assert is_local(address)


@pytest.mark.parametrize(
    "address", ["0.0.0.0:1", "[::]:1", "192.168.1.5:1", "arena.example:1", "localhost.example:1", "2130706433:1"]
)
def test_everything_else_does_not(address):
    assert not is_local(address)


@pytest.mark.parametrize(
    ("address", "called"),
    [
        ("0.0.0.0:7070", "127.0.0.1:7070"),
        ("[::]:7070", "[::1]:7070"),
        ("192.168.1.5:7070", "192.168.1.5:7070"),
        ("arena.example:7070", "arena.example:7070"),
        ("unix:/tmp/api.sock", "unix:/tmp/api.sock"),
    ],
)
def test_a_server_on_every_interface_is_called_on_loopback(address, called):
    assert callable_here(address) == called
