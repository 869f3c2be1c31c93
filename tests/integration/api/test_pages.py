"""Page tokens: every listing takes its own and refuses all others in one line."""

import base64
import json

import grpc
import pytest
from google.protobuf.message_factory import GetMessageClass

from arena.api.server import SERVICES
from arena.v1 import account_pb2, match_pb2

LISTINGS = {
    f"/{service.full_name}/{method.name}": method
    for service in SERVICES
    for method in service.methods
    if "page_token" in method.input_type.fields_by_name
}
NEEDS = {"ListBotVersions": {"bot": "ada"}, "ListRatings": {"pool_id": "1"}, "ListRatingChanges": {"bot": "ada"}}
FORGED = [
    base64.urlsafe_b64encode(json.dumps(key).encode()).decode()
    for key in (["ada"], [1], [1.5], [], [[1]], [None], ["ada", 1], [True], [10**30], ["\x1b[2J"])
]
GARBAGE = ["tomorrow", "=" * 8, "A" * 3000, "é", "../../etc", "AAAAAAAA", *FORGED]


@pytest.fixture
def filled(arena, admin):
    arena.submit(admin, "ada", "bert")
    arena.submit(admin, "cleo")
    for name in ("ann", "bob"):
        arena.author(name)
    arena.started(admin, "cup", "ada", "bert")
    arena.play()
    arena.started(admin, "next", "ada", "bert")
    return arena


class Asking:
    def __init__(self, arena) -> None:
        self.arena = arena
        self.channel = grpc.insecure_channel(arena.address)

    def page(self, path, token="", size=1, **filters):
        method = LISTINGS[path]
        fields = NEEDS.get(method.name, {}) | filters
        request = GetMessageClass(method.input_type)(page_token=token, page_size=size, **fields)
        answer = GetMessageClass(method.output_type)
        call = self.channel.unary_unary(path, type(request).SerializeToString, answer.FromString)
        return call(request, metadata=[("authorization", f"Bearer {self.arena.admin}")], timeout=20)

    def refusal(self, path, token, **filters):
        with pytest.raises(grpc.RpcError) as caught:
            self.page(path, token, **filters)
        trailing = {entry.key: entry.value for entry in caught.value.trailing_metadata()}
        assert "\n" not in caught.value.details()
        return caught.value.code(), trailing.get("reason")


@pytest.fixture
def asking(filled):
    made = Asking(filled)
    yield made
    made.channel.close()


REFUSED = (grpc.StatusCode.INVALID_ARGUMENT, "BAD_PAGE_TOKEN")


def test_every_listing_refuses_what_it_never_gave_out(asking):
    for path in LISTINGS:
        for token in GARBAGE:
            assert asking.refusal(path, token) == REFUSED, (path, token)


def test_every_listing_refuses_the_tokens_of_every_other(asking):
    tokens = {path: asking.page(path).next_page_token for path in LISTINGS}
    given = {path: token for path, token in tokens.items() if token}
    assert len(given) >= 5
    for path in LISTINGS:
        for other, token in given.items():
            if other != path:
                assert asking.refusal(path, token) == REFUSED, (path, other)


def test_a_token_goes_with_its_filters_but_with_any_page_size(asking):
    path = "/arena.v1.MatchService/ListMatches"
    token = asking.page(path, bot="ada").next_page_token

    assert asking.page(path, token, size=2, bot="ada").matches
    assert asking.refusal(path, token, bot="bert") == REFUSED
    assert asking.refusal(path, token, bot="ada", state=match_pb2.MATCH_STATE_FINISHED) == REFUSED


def test_a_listing_shows_everything_once_whatever_the_size_of_its_pages(filled, admin):
    def ids(size):
        asked = match_pb2.ListMatchesRequest(page_size=size)
        return [each.id for page in admin.pages(admin.matches.ListMatches, asked) for each in page.matches]

    assert ids(1) == ids(3) == ids(0)
    assert len(ids(0)) == 4


def test_what_is_added_while_pages_are_turned_is_not_shown_twice(filled, admin):
    pages = admin.pages(admin.accounts.ListAccounts, account_pb2.ListAccountsRequest(page_size=2))
    seen = [each.name for each in next(pages).accounts]
    filled.author("aaa")
    seen += [each.name for page in pages for each in page.accounts]

    assert seen == ["admin", "ann", "bob"]
