"""The pages in a real browser: no accessibility violation, no sideways scrolling, by keyboard, in both colours."""

from contextlib import ExitStack

import pytest
from webbing import WIDTHS, scrolls_sideways, violations, window

PAGES = {
    "/": "",
    "/sign-in": "",
    "/leaderboards": "",
    "/leaderboards/1": "",
    "/bots": "",
    "/bots/aurora": "",
    "/versus?one=aurora&other=borealis": "",
    "/tournaments": "",
    "/matches?state=finished&tournament=night-league": "ann",
    "/tournaments/night-league": "admin",
    "/matches/1/seats/0": "admin",
    "/bots/aurora/versions/1": "ann",
    "/me": "ann",
    "/replay": "",
    "/nothing": "",
}
"""Every kind of page, and as whom it is looked at."""


@pytest.fixture(scope="module")
def cookie(web, played):
    return {name: web.sign_in(secret) for name, secret in played.secrets.items()} | {"": ""}


@pytest.fixture(scope="module")
def page_of(browser, web, cookie):
    """One page for each who looks, which goes from address to address."""
    with ExitStack() as stack:
        yield {
            name: stack.enter_context(window(browser, web, cookie=cookie[name])).new_page()
            for name in sorted(set(PAGES.values()))
        }


LOOKS = (("phone", True), ("desk", False), ("phone", False), ("desk", True))
"""Size of the window, dark or light."""


def faults(page, path: str, size: str, dark: bool) -> list[str]:
    """What axe finds in a page in one size and colour, what the browser refused, and whether it scrolls sideways."""
    refused: list[str] = []

    def hear(said) -> None:
        if said.type == "error":
            refused.append(said.text)

    page.on("console", hear)
    width, height = WIDTHS[size]
    page.set_viewport_size({"width": width, "height": height})
    page.emulate_media(color_scheme="dark" if dark else "light")
    page.goto(path)
    found = violations(page)
    page.remove_listener("console", hear)
    found += [one for one in refused if "404" not in one]
    return found + ["it scrolls sideways"] * scrolls_sideways(page)


@pytest.mark.parametrize("path", PAGES)
def test_a_page_has_no_accessibility_violation_and_fits_its_window(page_of, path):
    """Each page in one size and colour, the next page in another, and on a phone; the long test has them all."""
    size, dark = LOOKS[list(PAGES).index(path) % len(LOOKS)]
    page = page_of[PAGES[path]]
    assert faults(page, path, size, dark) == []
    width, height = WIDTHS["phone"]
    page.set_viewport_size({"width": width, "height": height})
    assert not scrolls_sideways(page)


@pytest.mark.long
@pytest.mark.parametrize("path", PAGES)
def test_a_page_has_no_accessibility_violation_in_any_size_and_colour(browser, web, cookie, path):
    with window(browser, web, cookie=cookie[PAGES[path]]) as context:
        page = context.new_page()
        found = {look: faults(page, path, *look) for look in LOOKS}
    assert {look: said for look, said in found.items() if said} == {}


def test_the_first_stop_of_the_keyboard_leads_past_the_menu(browser, web):
    with window(browser, web) as context:
        page = context.new_page()
        page.goto("/leaderboards/1")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.id") == "content"


def test_the_menu_leads_to_the_page_that_opens_a_log(browser, web):
    with window(browser, web) as context:
        page = context.new_page()
        page.goto("/")
        page.get_by_role("navigation", name="Main").get_by_role("link", name="Open a log").click()
        page.get_by_role("heading", name="Open a match log").wait_for()


def test_a_table_is_sorted_by_its_headings(browser, web):
    with window(browser, web) as context:
        page = context.new_page()
        page.goto("/leaderboards/1")
        page.get_by_role("columnheader", name="Mean rank").get_by_role("link").click()
        assert page.get_by_role("columnheader", name="Mean rank").get_attribute("aria-sort") == "ascending"
        cells = page.get_by_role("cell").locator("xpath=self::*[@data-label='Mean rank']").all_inner_texts()
        assert cells == sorted(cells)


def test_a_table_of_a_phone_keeps_its_meaning_for_screen_readers(browser, web):
    with window(browser, web, size="phone") as context:
        page = context.new_page()
        page.goto("/leaderboards/1")
        assert page.get_by_role("table").count() == 1
        assert page.get_by_role("rowheader").count() == 6
        assert page.get_by_role("cell", name="25.34").count() <= 1
        assert page.locator("tbody tr").first.evaluate("row => getComputedStyle(row).display") == "grid"


def test_signing_in_pausing_and_signing_out_takes_no_more_than_a_token(browser, web, played):
    with window(browser, web) as context:
        page = context.new_page()
        page.goto("/tournaments/night-league")
        page.get_by_role("link", name="Sign in").click()
        page.get_by_label("Token").fill("wo_nothing")
        page.get_by_role("button", name="Sign in").click()
        assert "not known here" in page.get_by_role("alert").inner_text()
        page.get_by_label("Token").fill(played.secrets["olga"])
        page.keyboard.press("Enter")
        page.wait_for_url("**/tournaments/night-league")
        page.get_by_role("button", name="Pause").click()
        page.get_by_role("button", name="Resume").wait_for()
        page.get_by_role("button", name="Resume").click()
        page.get_by_role("button", name="Sign out").click()
        page.get_by_role("link", name="Sign in").wait_for()
        assert context.cookies() == []


def test_the_switch_overrules_the_system_and_is_remembered(browser, web):
    with window(browser, web) as context:
        page = context.new_page()
        page.goto("/")
        light = page.evaluate("getComputedStyle(document.body).backgroundColor")
        page.get_by_role("button", name="Theme: system").click()
        dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
        page.goto("/leaderboards")
        page.get_by_role("button", name="Theme: dark").wait_for()
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == dark != light


def test_every_page_works_without_script(browser, web):
    context = browser.new_context(base_url=web.url, java_script_enabled=False)
    page = context.new_page()
    page.goto("/leaderboards/1")
    page.get_by_label("Bot or author").fill("bob")
    page.get_by_role("button", name="Show").click()
    assert page.locator("tbody tr").count() == 3
    context.close()
