"""How the replay page looks on phone and desk, what axe says of it, and how fast it is with 771 plies."""

import statistics
import time

import pytest
from replaying import opened, place
from webbing import scrolls_sideways, violations, window


@pytest.mark.parametrize(
    ("name", "look"),
    [
        ("completed", "phone light"),
        ("forfeit", "desk dark"),
        *(pytest.param(*one, marks=pytest.mark.long) for one in (("void", "phone dark"), ("aborted", "desk light"))),
    ],
)
def test_the_page_is_readable_and_accessible(browser, web, matches, name, look):
    size, colours = look.split()
    with window(browser, web, size=size, dark=colours == "dark") as context:
        page = opened(context.new_page(), matches.of_name[name], "?ply=20")
        assert not violations(page)


@pytest.mark.parametrize("name", ["forfeit", "closed"])
def test_the_page_of_a_match_is_readable_and_accessible(browser, web, matches, name):
    with window(browser, web, size="phone", dark=True) as context:
        page = context.new_page()
        page.goto(f"/matches/{matches.of_name[name]}")
        assert not violations(page)
        assert not scrolls_sideways(page)
        assert page.get_by_role("link", name="Watch the replay").count() == (name != "closed")


@pytest.mark.parametrize("name", ["completed", "five", "long"])
def test_no_game_makes_a_phone_scroll_sideways(browser, web, matches, name):
    with window(browser, web, size="phone") as context:
        page = opened(context.new_page(), matches.of_name[name], "?ply=40", whole=False)
        assert not scrolls_sideways(page)
        assert page.locator("[data-board] svg").bounding_box()["width"] <= 390


_STEP = """async () => {
    const board = document.querySelector("[data-board]"), start = performance.now();
    document.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight", bubbles: true}));
    board.getBoundingClientRect();
    await new Promise(done => requestAnimationFrame(() => setTimeout(done)));
    return performance.now() - start;
}"""


def stretch() -> float:
    """How many times longer work takes now than it costs, because others use the processors; 1 on a quiet machine."""
    wall, work = time.perf_counter(), time.process_time()
    while time.process_time() - work < 0.1:
        sum(range(1000))
    return max(1.0, (time.perf_counter() - wall) / (time.process_time() - work))


def test_771_plies_are_of_use_within_a_second_and_a_step_shows_within_100_ms(browser, web, matches):
    """The best of a few openings; a step is the median of twenty, painted; without what others take of the machine."""
    openings, steps = [], []
    for _ in range(4):
        with window(browser, web) as context:
            before = stretch()
            page = opened(context.new_page(), matches.of_name["long"], "?ply=500", whole=False)
            took = page.evaluate("performance.getEntriesByName('replay-usable')[0].startTime")
            openings.append(took / ((before + stretch()) / 2))
            if openings[-1] < 1000:
                page.wait_for_selector("[data-whole]", state="attached", timeout=120_000)
                steps = [page.evaluate(_STEP) for _ in range(20)]
                assert place(page) == "520 / 771"
                break
    assert min(openings) < 1000, openings
    assert statistics.median(steps) / stretch() < 100, steps
