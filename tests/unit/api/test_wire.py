import pytest

from arena.api.site import page_size
from arena.api.wire import parse_id
from arena.core.errors import UsageError


def test_an_id_is_read_as_it_was_given_out():
    assert parse_id("17", "match") == 17
    assert parse_id(str((1 << 31) - 1), "match") == (1 << 31) - 1


@pytest.mark.parametrize("text", ["", "0", "-1", "1.0", "x", "９", "0x10", str(1 << 31), "9" * 500, "1; drop table"])
def test_anything_else_is_no_id(text):
    with pytest.raises(UsageError, match="is no match") as caught:
        parse_id(text, "match")

    assert caught.value.code == "BAD_ID"


@pytest.mark.parametrize("asked", [-1, 1001])
def test_a_page_has_at_most_1000_items(asked):
    assert page_size(1000) == 1000
    with pytest.raises(UsageError):
        page_size(asked)
