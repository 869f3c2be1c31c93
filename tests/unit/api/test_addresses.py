import pytest

from arena.api.server import check_address
from arena.core.errors import UsageError


@pytest.mark.parametrize(
    "address", ["127.0.0.1:0", "localhost:7070", "[::1]:1", "127.8.8.8:65535", "unix:/tmp/api.sock"]
)
def test_loopback_needs_no_permission(address):
    check_address(address, allow_plain_text=False)


@pytest.mark.parametrize("address", ["0.0.0.0:7070", "[::]:7070", "192.168.1.5:7070", "arena.example:7070"])
def test_plain_text_beyond_loopback_has_to_be_allowed(address):
    with pytest.raises(UsageError, match="--allow-plain-text") as caught:
        check_address(address, allow_plain_text=False)

    assert caught.value.code == "PLAIN_TEXT_REFUSED"
    check_address(address, allow_plain_text=True)


@pytest.mark.parametrize("address", ["", "7070", ":7070", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:65536"])
def test_what_is_no_address_is_named(address):
    with pytest.raises(UsageError) as caught:
        check_address(address, allow_plain_text=True)

    assert caught.value.code == "BAD_ADDRESS"
