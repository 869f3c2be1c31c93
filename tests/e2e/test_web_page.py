"""The web page of an arena as `arena up` starts it: a person plays, others look on, real workers tell what they see."""

import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from chromium import browsing
from onlooking import listening
from playwright.sync_api import Browser, BrowserContext, Page, expect

SLOW = '''"""Takes its time, so that there is something to look at."""

import time

from bots.sdk import Bot, run


class Slow(Bot):
    def choose(self, turn):
        time.sleep(0.04)
        return turn.legal_actions[-1]


run(Slow)
'''
PATIENCE_MS = 90_000

pytestmark = pytest.mark.timeout(360)  # the first test starts the whole arena and the browser


@dataclass(frozen=True)
class Site:
    """A fresh arena: its page, the first token, its data folder."""

    url: str
    token: str
    data: Path


@pytest.fixture(scope="module")
def site(lasting, lasting_up) -> Site:
    data = lasting.folder / "data"
    running = lasting_up(data, "--web", "127.0.0.1:0", "--skip-qualification")
    url = running.stdout.readline().removeprefix("web page: ").strip()
    return Site(url, (data / "admin.token").read_text().strip(), data)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with browsing() as made:
        yield made


@pytest.fixture
def context(browser, site) -> Iterator[BrowserContext]:
    made = browser.new_context(base_url=site.url)
    made.set_default_timeout(PATIENCE_MS)
    yield made
    made.close()


@pytest.fixture
def person(context, site) -> Page:
    """Somebody who has signed in and takes a seat against the bot that the form offers first."""
    page = context.new_page()
    page.goto("/sign-in?back=/play")
    page.get_by_label("Token").fill(site.token)
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Take a seat").click()
    your_turn(page)
    return page


def your_turn(page: Page) -> None:
    page.get_by_role("heading", name="Your choice").wait_for()


def choose(page: Page) -> None:
    """Make the first choice, and wait until the next is asked for."""
    ply = page.locator("input[name=ply]").get_attribute("value")
    page.locator("[data-choose] button").first.click()
    expect(page.locator(f"input[name=ply]:not([value='{ply}'])")).to_have_count(1, timeout=PATIENCE_MS)


def resign(page: Page) -> None:
    page.get_by_text("Give the seat up").click()
    page.get_by_role("button", name="Yes, I resign").click()
    page.get_by_role("link", name="To the match").wait_for()


@pytest.fixture
def onlooker(browser, site, person) -> Iterator[Page]:
    """Somebody without an account who follows the person's match."""
    made = browser.new_context(base_url=site.url)
    made.set_default_timeout(PATIENCE_MS)
    page = made.new_page()
    page.goto("/matches?state=running")
    page.get_by_role("rowheader").get_by_role("link").first.click()
    page.get_by_role("link", name="Follow it live").click()
    yield page
    made.close()


def test_a_person_plays_in_a_fresh_arena_and_others_see_it_live(person, onlooker) -> None:
    assert "(greedy)" in person.locator(".seat-cards").inner_text()
    choose(person)
    onlooker.locator("[data-board] svg").wait_for()
    seen = onlooker.locator("[data-place]").inner_text()
    choose(person)
    expect(onlooker.locator("[data-place]")).not_to_have_text(seen, timeout=PATIENCE_MS)
    assert "public view" in onlooker.locator("[data-board]").inner_text()
    resign(person)
    onlooker.get_by_role("link", name="Watch the replay").click()
    expect(onlooker.locator("[data-end=FORFEIT]")).to_contain_text("Ended by forfeit", timeout=PATIENCE_MS)


def test_the_seat_comes_back_by_itself_when_the_web_server_was_started_anew(person, site, lasting) -> None:
    choose(person)
    table = person.url
    (server,) = [one for one in lasting.alive() if "arena.web" in one.cmdline()]
    server.terminate()
    person.wait_for_url(lambda url: "/play/" in url and url != table)
    your_turn(person)
    choose(person)
    resign(person)


def test_a_closed_deal_sends_nothing_from_worker_to_page_and_its_last_match_does(site, lasting) -> None:
    data = ("--data", site.data)
    for name in ("slow-a", "slow-b"):
        bot = lasting.folder / "bin" / name
        bot.mkdir(parents=True)
        (bot / "bot.toml").write_text(f'name = "{name}"\ngames = ["*"]\n')
        (bot / "bot.py").write_text(SLOW)
        assert lasting.run("submit", bot, *data).returncode == 0
    for command in ("create cup --game first-snow --bots slow-a,slow-b --deals 1", "start cup"):
        assert lasting.run("tournament", *shlex.split(command), *data).returncode == 0
    legs = json.loads(lasting.run("matches", "--tournament", "cup", "--json", *data).stdout)
    first, last = sorted(leg["id"] for leg in legs)
    with listening(site.url, first) as closed, listening(site.url, last) as open_:
        open_.until(lambda content: b"<svg" in content, 90)
        assert open_.ended.wait(60)
        assert closed.ended.wait(60)
    assert re.search(rb"position|svg|ply|bank", closed.content) is None
    assert closed.events("over")
    assert open_.events("over") == [{"replay": True}]
    with listening(site.url, first) as later:
        assert later.ended.wait(60)
        assert later.events("over") == [{"replay": True}]
