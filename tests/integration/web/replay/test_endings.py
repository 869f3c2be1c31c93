"""Every way in which a match can end, as its replay or its page shows it in a browser."""

import re

import pytest
from replaying import opened, place
from screenplay import cut, golden
from webbing import window


@pytest.mark.parametrize(
    ("name", "end", "words"),
    [
        ("completed", "COMPLETED", "Completed (points) after 110 plies"),
        ("forfeit", "FORFEIT", "Ended by forfeit after"),
        ("void", "VOID", "Void: no bot started"),
        ("aborted", "ABORTED", "Aborted by the arena: the match took longer than its cap"),
        ("out", "FORFEIT", "Ended by forfeit"),
        ("five", "COMPLETED", "Completed (damage) after 371 plies"),
    ],
)
def test_every_ending_shows_with_names_seats_and_ranks(desk, matches, name, end, words):
    opened(desk, matches.of_name[name])
    assert words in " ".join(desk.locator(f"[data-end={end}]").inner_text().split())
    cards = desk.locator(".seat-card").all_inner_texts()
    assert len(cards) == (5 if name in {"five", "out"} else 2)
    assert all("Seat" in card and "@1" in card for card in cards)
    assert any("rank 1" in card for card in cards) == (end in {"COMPLETED", "FORFEIT"})
    reason = {"forfeit": "timeout", "void": "no show", "out": "crashed"}.get(name)
    assert reason is None or any(reason in card for card in cards)


def test_a_forfeit_stands_among_the_events(desk, matches):
    opened(desk, matches.of_name["forfeit"], "?ply=9999")
    assert "seat 1 forfeits: timeout" in desk.locator("[data-now]").inner_text()


def test_a_match_without_a_ply_is_shown_and_goes_nowhere(desk, matches):
    opened(desk, matches.of_name["void"])
    assert place(desk) == "0 / 0"
    desk.keyboard.press("ArrowRight")
    desk.keyboard.press("Space")
    assert place(desk) == "0 / 0"


def test_a_truncated_file_shows_up_to_its_last_whole_line(desk):
    desk.goto("/replay")
    log = cut(golden("first_snow/golden/standard-2"), 31)
    desk.locator("[data-file]").set_input_files({"name": "cut.jsonl", "mimeType": "", "buffer": log.encode()})
    desk.wait_for_selector("[data-whole]", state="attached")
    assert "The log is cut off: it stops after 30 plies" in desk.locator("[data-end=CUT]").inner_text()
    desk.keyboard.press("End")
    assert place(desk) == "30 / 30"


def test_a_match_that_the_arena_gave_up_without_a_log_says_why_and_offers_no_replay(browser, web, matches):
    number = matches.of_name["lost"]
    with window(browser, web) as context:
        page = context.new_page()
        page.goto(f"/matches/{number}")
        told = " ".join(page.locator("[data-end=ABORTED]").inner_text().split())
        assert told.startswith("Aborted (given up after 3 lost attempts; the last: the machine was switched off)")
        assert page.get_by_text("The match left no log.").is_visible()
        assert page.get_by_role("main").get_by_role("link", name=re.compile("replay|log", re.IGNORECASE)).count() == 0
        cards = page.locator(".seat-card").all_inner_texts()
        assert len(cards) == 2
        assert all("rank" not in card for card in cards)
        assert all(any(bot in card for card in cards) for bot in ("alpha@1", "beta@1"))
        answer = page.goto(f"/matches/{number}/replay")
        assert answer.status == 404
        page.get_by_role("link", name="To the match").click()
        page.wait_for_url(f"**/matches/{number}")
