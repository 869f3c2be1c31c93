"""What people do on the replay page: keys, speed, perspective, slider, events, deep links, the seed."""

import re

import pytest
from playwright.sync_api import expect
from replaying import opened, place
from screenplay import CLOCK
from webbing import window


def test_keys_step_and_jump(desk, matches):
    opened(desk, matches.of_name["completed"])
    for key, there in (
        ("ArrowRight", 1),
        ("ArrowRight", 2),
        ("ArrowLeft", 1),
        ("End", 110),
        ("ArrowRight", 110),
        ("Home", 0),
    ):
        desk.keyboard.press(key)
        assert place(desk) == f"{there} / 110", key


@pytest.mark.parametrize(
    ("keys", "there"), [("End ArrowLeft ArrowLeft", 108), ("ArrowRight ArrowRight", 2), ("End Home ArrowRight", 1)]
)
def test_keys_pressed_while_positions_are_loading_add_up(desk, matches, keys, there):
    held = []
    desk.route("**/frames.json*", lambda route: held.append(route))  # noqa: PLW0108 - what is built in cannot be marked
    with desk.expect_request("**/frames.json*"):
        desk.goto(f"/matches/{matches.of_name['completed']}/replay")
    for key in keys.split():
        desk.keyboard.press(key)
    held[0].continue_()
    desk.wait_for_selector("[data-whole]", state="attached")
    assert place(desk) == f"{there} / 110"


def test_space_plays_and_pauses(desk, matches):
    opened(desk, matches.of_name["completed"])
    speeds = desk.locator("[data-speed] option").all_inner_texts()
    assert speeds == ["0.25 ×", "0.5 ×", "1 ×", "2 ×", "4 ×"]
    desk.locator("[data-speed]").select_option("4")
    desk.locator("h1").click()
    desk.keyboard.press("Space")
    expect(desk.locator("[data-place]")).to_have_text(re.compile("[3-9] /|.. /"))
    assert desk.get_by_role("button", name="Pause").is_visible()
    desk.keyboard.press("Space")
    assert desk.get_by_role("button", name="Play", exact=True).is_visible()


def test_the_next_decision_of_a_seat_is_found(desk, matches):
    opened(desk, matches.of_name["completed"])
    desk.locator("[data-decider]").select_option("1")
    desk.get_by_role("button", name="Next decision").click()
    course = desk.locator("[data-viewer]").get_attribute("data-course")
    assert place(desk) == f"{course.index('1', 1)} / 110"
    assert "to move" in desk.locator("[data-seat='1']").inner_text()


def test_a_deep_link_opens_its_ply_and_stepping_names_the_next(desk, matches):
    opened(desk, matches.of_name["completed"], "?ply=12&as=seat-0")
    assert place(desk) == "12 / 110"
    assert "as seat 0 sees it" in desk.locator("[data-board]").inner_text()
    desk.keyboard.press("ArrowRight")
    assert "ply=13" in desk.url
    assert "as=seat-0" in desk.url


def test_another_perspective_keeps_the_ply(desk, matches):
    opened(desk, matches.of_name["completed"])
    for _ in range(4):
        desk.keyboard.press("ArrowRight")
    desk.get_by_role("link", name="seat 1").click()
    desk.wait_for_selector("[data-whole]", state="attached")
    assert place(desk) == "4 / 110"
    assert "as seat 1 sees it" in desk.locator("[data-board]").inner_text()


def test_the_slider_and_the_list_of_events_lead_to_a_ply(desk, matches):
    opened(desk, matches.of_name["completed"])
    desk.locator("[data-story] li[data-ply='7']").click()
    assert place(desk) == "7 / 110"
    desk.locator("[data-slider]").fill("55")
    assert place(desk) == "55 / 110"
    assert desk.locator("[data-story] li[aria-current]").get_attribute("data-ply") == "55"


def test_clocks_and_think_times_are_shown(desk, matches):
    opened(desk, matches.of_name["forfeit"], "?ply=6")
    assert desk.locator("[data-clock]").first.inner_text().endswith(" s")
    assert "ms" in desk.locator("[data-story]").inner_text()


def test_the_clock_notation_of_the_match_is_shown(desk, matches):
    opened(desk, matches.of_name["forfeit"])
    assert str(CLOCK) in desk.locator(".viewer-facts").inner_text()


def test_the_seed_of_an_open_deal_is_copied(browser, web, matches):
    with window(browser, web) as context:
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        page = opened(context.new_page(), matches.of_name["completed"])
        page.get_by_role("button", name="Copy").click()
        page.get_by_text("Copied").wait_for()
        assert page.evaluate("navigator.clipboard.readText()") == page.locator("[data-seed]").inner_text()


def test_a_hostile_name_is_text(desk, matches):
    opened(desk, matches.of_name["forfeit"])
    assert "<img src=x onerror=alert(1)>" in desk.locator(".seat-bot").first.inner_text()
    assert not desk.locator(".seat-bot img").count()


def test_without_script_a_link_a_step_shows_the_match(browser, web, matches):
    context = browser.new_context(base_url=web.url, java_script_enabled=False)
    page = context.new_page()
    page.goto(f"/matches/{matches.of_name['completed']}/replay?ply=3")
    page.get_by_role("link", name="On", exact=True).click()
    assert "4 / 110" in page.locator("noscript, .links").first.inner_text()
    context.close()
