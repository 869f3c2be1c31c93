"""Tokens of pages come back from anybody, changed in any way."""

import base64
import json

import pytest

from arena.core.errors import UsageError
from arena.store.paging import check_page, make_page


def token(key: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(key).encode()).decode()


def test_a_token_holds_the_key_of_the_last_item():
    page = make_page([1.5, 2.5, 3.5], 2, str, lambda row: (row, 7))
    assert check_page(2, page.next_page_token, float, int) == (2, (2.5, 7))


@pytest.mark.parametrize(
    "key",
    [[], 1, None, {}, [1], ["a", 1], [True, 1], [1.0, 1 << 63], [float("nan"), 1], [float("inf"), 1], [[1.0], 1]],
)
def test_a_key_of_another_listing_is_refused(key):
    with pytest.raises(UsageError) as caught:
        check_page(0, token(key), float, int)
    assert caught.value.code == "BAD_PAGE_TOKEN"


@pytest.mark.parametrize("name", ["\0", "\ud800", "\x1b[2J", "a\n"])
def test_a_name_that_no_database_takes_is_refused(name):
    with pytest.raises(UsageError) as caught:
        check_page(0, token([name]), str)
    assert caught.value.code == "BAD_PAGE_TOKEN"


@pytest.mark.parametrize("text", ["x", "====", "é", "\0", "9" * 10_000, base64.b64encode(b"[" * 5000).decode()])
def test_what_is_no_token_at_all_is_refused(text):
    with pytest.raises(UsageError) as caught:
        check_page(0, text, str)
    assert caught.value.code == "BAD_PAGE_TOKEN"
