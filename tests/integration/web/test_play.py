"""A person at a seat in the browser: from the form to the end of a match that a real referee hosts."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import pytest
from botsources import FIRST
from playing import World, zipped
from playwright.sync_api import Locator, Page, expect
from webbing import Web, scrolls_sideways, serving, violations, window

import arena.web.parlour
from arena.match import MatchEnd
from arena.services import accounts, matches, submissions
from arena.store import open_store
from arena.store.states import MatchState
from arena.web.site import Site

WORKER = Path(__file__).parents[2] / "support" / "publicworker.py"


@pytest.fixture(scope="module")
def url(sqlite_template, tmp_path_factory) -> str:
    return sqlite_template.new_url(tmp_path_factory.mktemp("play"))


@pytest.fixture(scope="module")
def world(url) -> Iterator[World]:
    store = open_store(url)
    made = World(store, datetime.now(UTC))
    archive = zipped({"bot.toml": 'name = "steady"\ngames = ["*"]\n', "bot.py": FIRST})
    submissions.submit(store, made.admin, archive, sha256(archive).hexdigest(), made.now)
    yield made
    store.close()


@pytest.fixture(scope="module")
def web(world) -> Iterator[Web]:
    with serving(Site(world.store, now=lambda: datetime.now(UTC), key=bytes(32))) as running:
        yield running


@pytest.fixture(scope="module")
def _worker(url) -> Iterator[None]:
    process = subprocess.Popen([sys.executable, str(WORKER), url], stdin=subprocess.PIPE)
    yield
    process.stdin.close()
    process.wait(20)


@pytest.fixture
def cookie_of(world, web):
    """Sign a new account in."""

    def sign_in(name: str) -> str:
        account = world.account(name)
        secret = accounts.issue_token(world.store, account, "", "web", datetime.now(UTC)).secret
        return web.sign_in(secret)

    return sign_in


@contextmanager
def at_table(browser, web, cookie, game, size="desk") -> Iterator[Page]:
    """A page at a table that has just been asked for."""
    with window(browser, web, size=size, cookie=cookie) as context:
        page = context.new_page()
        faults = []
        page.on("pageerror", lambda fault: faults.append(str(fault)))
        page.goto(f"/play?game={game}")
        page.get_by_role("button", name="Take a seat").first.click()
        page.wait_for_url("**/play/*")
        yield page
        assert not faults


def your_turn(page: Page) -> None:
    page.get_by_role("heading", name="Your choice").wait_for(timeout=60_000)


def resign(page: Page) -> None:
    page.get_by_text("Give the seat up").click()
    page.get_by_role("button", name="Yes, I resign").click()
    page.wait_for_selector("[data-stand=over], [data-stand=gone]", state="attached", timeout=60_000)


def chosen(page: Page, button: Locator) -> None:
    """Click, and wait until the page has moved on."""
    ply = page.locator("input[name=ply]").get_attribute("value")
    button.click()
    expect(page.locator(f"input[name=ply][value='{ply}']")).to_have_count(0, timeout=60_000)


@pytest.mark.usefixtures("_worker")
def test_a_person_chooses_on_the_board_and_by_buttons(browser, web, cookie_of) -> None:
    with at_table(browser, web, cookie_of("pia"), "first-snow") as page:
        your_turn(page)
        assert page.get_by_text("you", exact=True).is_visible()
        assert "as seat" in page.locator("[data-board]").inner_text()
        assert not violations(page)
        chosen(page, page.locator("[data-board] .spot text").first)  # a card: the bear is set there
        your_turn(page)
        assert "the bear to card 1" in page.locator("[data-story]").inner_text()
        chosen(page, page.locator("[data-choose] button").last)
        resign(page)


@pytest.mark.usefixtures("_worker")
def test_the_keyboard_finds_the_next_choices_right_after_a_choice(browser, web, cookie_of) -> None:
    with at_table(browser, web, cookie_of("kay"), "icefall") as page:
        your_turn(page)
        first = page.locator("[data-choose] button").first
        first.focus()
        for _ in range(2):
            ply = page.locator("input[name=ply]").get_attribute("value")
            page.keyboard.press("Enter")
            expect(page.locator(f"input[name=ply]:not([value='{ply}'])")).to_have_count(1, timeout=60_000)
            expect(page.get_by_role("heading", name="Your choice")).to_be_focused()
            page.keyboard.press("Tab")
            expect(first).to_be_focused()
        resign(page)


@pytest.mark.usefixtures("_worker")
def test_a_match_is_played_to_its_end_unrated(browser, web, world, cookie_of) -> None:
    with at_table(browser, web, cookie_of("otto"), "icefall") as page:
        while True:
            page.wait_for_selector("[data-choices], [data-stand=over]", state="attached", timeout=60_000)
            if page.locator("[data-stand=over]").count():
                break
            chosen(page, page.locator("[data-choose] button").first)
        assert "rank 1" in page.locator(".seat-cards").inner_text()
        page.get_by_role("link", name="To the match").click()
        page.wait_for_url("**/matches/*")
        page_path = page.url
    number = int(page_path.rpartition("/")[2])
    until = time.monotonic() + 60
    while (match := matches.get_match(world.store, number)).state is not MatchState.FINAL:
        assert time.monotonic() < until, "the match was never recorded"
        time.sleep(0.1)
    assert match.rating_seq is None
    assert match.end is MatchEnd.COMPLETED


@pytest.mark.usefixtures("_worker")
def test_a_page_that_is_closed_and_opened_again_goes_on_and_the_seat_can_be_given_up(browser, web, cookie_of) -> None:
    cookie = cookie_of("quinn")
    with at_table(browser, web, cookie, "first-snow", size="phone") as page:
        your_turn(page)
        page.get_by_role("button", name="Larger board").click()
        assert page.locator("[data-board] svg").bounding_box()["width"] > 1000
        assert not scrolls_sideways(page)
        assert not violations(page)
    with window(browser, web, cookie=cookie) as context:
        page = context.new_page()
        page.goto("/play")
        your_turn(page)
        resign(page)


@pytest.mark.usefixtures("_worker")
def test_whoever_has_no_page_open_any_more_gives_the_seat_up(browser, web, cookie_of, monkeypatch) -> None:
    cookie = cookie_of("rosa")
    with at_table(browser, web, cookie, "first-snow") as page:
        your_turn(page)
        address = page.url.removeprefix(web.url)
    monkeypatch.setattr(arena.web.parlour, "ABSENT_S", 0.1)
    with window(browser, web, cookie=cookie) as context:
        page = context.new_page()
        page.goto(address)
        page.wait_for_selector("[data-stand=over], [data-stand=gone]", state="attached", timeout=60_000)


def test_a_spectator_is_asked_to_sign_in(web) -> None:
    assert web.fetch("/play").status == 401


def test_nobody_sees_the_table_of_somebody_else(web, cookie_of) -> None:
    mine, other = cookie_of("sam"), cookie_of("tess")
    made = web.send(
        "/play", mine, "/play", game="first-snow", variant="standard", seats="2", **{"opponent-1": "steady"}
    )
    assert made.status == 303
    table = made.headers["location"]
    assert web.fetch(table, cookie=mine).status == 200
    for path in ("", "/board", "/events"):
        assert web.fetch(table + path, cookie=other).status == 404
    again = web.send("/play", mine, table, game="first-snow", variant="standard", seats="2", **{"opponent-1": "steady"})
    assert again.status == 409
    assert web.send(f"{table}/choose", mine, table, ply="1", action="0").status == 409
    assert web.send(f"{table}/choose", mine, table, ply="x", action="-1").status == 422
    assert web.send(f"{table}/leave", mine, table).status == 303


@pytest.mark.parametrize(
    "fields",
    [
        {"game": "first-snow", "variant": "standard", "seats": "3", "opponent-1": "steady"},
        {"game": "first-snow", "variant": "standard", "seats": "2"},
        {"game": "first-snow", "variant": "standard", "seats": "2", "opponent-1": "nobody"},
        {"game": "first-snow", "variant": "standard", "seats": "2", "opponent-1": "(admin in person)"},
        {"game": "nothing", "variant": "standard", "seats": "2", "opponent-1": "steady"},
        {"game": "first-snow", "variant": "other", "seats": "²", "opponent-1": "steady"},
    ],
    ids=["seats", "no opponent", "unknown opponent", "a person", "game", "variant"],
)
def test_what_cannot_be_played_is_refused(web, cookie_of, fields, request) -> None:
    cookie = cookie_of(f"una-{request.node.callspec.indices['fields']}")
    assert web.send("/play", cookie, "/play", **fields).status in {404, 422}


def test_the_form_is_accessible(browser, web, cookie_of) -> None:
    with window(browser, web, size="phone", cookie=cookie_of("vera")) as context:
        page = context.new_page()
        page.goto("/play?game=frost-shelter")
        assert not violations(page)
        assert not scrolls_sideways(page)
        assert page.locator("[data-opponent]:not([hidden])").count() == 1
        page.locator("[data-seats]").select_option("5")
        assert page.locator("[data-opponent]:not([hidden])").count() == 4
