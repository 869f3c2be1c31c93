"""Log files of one's own on the replay page: chosen, dropped, cut off, hostile."""

import http.client
import json
import re
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest
import zstandard
from replaying import drawn, forged, place
from screenplay import HOSTILE, golden
from webbing import window

import arena.web.pages.replay
from arena.core import Seat
from arena.match.entries import Ply


def posted(web, content, query="as=all", **headers):
    given = {"Content_Type": "application/octet-stream"} | headers
    where = urlsplit(web.url)
    connection = http.client.HTTPConnection(where.hostname, where.port, timeout=20)
    try:
        connection.request(
            "POST",
            f"/replay/frames.json?{query}",
            body=content,
            headers={name.replace("_", "-"): value for name, value in given.items()},
        )
        answer = connection.getresponse()
        return SimpleNamespace(status=answer.status, body=answer.read())
    finally:
        connection.close()


def problem(answer):
    message = json.loads(answer.body)["error"]["message"]
    assert "\n" not in message
    assert len(message) < 500
    return message


def test_a_file_is_shown_from_every_perspective_without_an_account(web):
    log = golden("first_snow/golden/standard-2").text.encode()
    for content in (log, zstandard.ZstdCompressor().compress(log)):
        lines = [json.loads(line) for line in posted(web, content, "as=seat-1").body.splitlines()]
        assert "Completed" in lines[0]["html"]
        assert len(drawn(lines[1:])) == 111


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "no whole header"),
        (b"hello\n", "line 1: the line is no JSON"),
        (b"[" * 100_000 + b"\n", "no JSON"),
        (b'{"kind":"header","log":' + b"9" * 5000 + b"}\n", "no JSON"),
        (b'{"kind":"header","log":7}\n', "log version 7"),
        (b"\x28\xb5\x2f\xfd\x00broken", "no whole zstd file"),
        (forged(rules=99).text().encode(), "rules version 99"),
        (forged(components="[[" * 20_000).text().encode(), "components_text"),
        (forged(seats=40).text().encode(), "played by 2 bots"),
        (b"x" * (2 * 1024 * 1024 + 1), "more than 2 MB"),
        (zstandard.ZstdCompressor().compress(bytes(50_000_000)), "more than 2 MB"),
    ],
    ids=["empty", "text", "deep", "digits", "version", "zstd", "rules", "components", "seats", "large", "bomb"],
)
def test_a_hostile_file_gets_one_clear_line(web, content, told):
    answer = posted(web, content)
    assert answer.status in {422, 429}
    assert told in problem(answer)


def test_a_hostile_name_in_a_file_is_text(web):
    (opening, *_) = posted(web, forged(name=HOSTILE).text().encode()).body.splitlines()
    html = json.loads(opening)["html"]
    assert "&lt;img src=x onerror=alert(1)&gt;" in html
    assert not re.search("<img|\u202e", html)


def test_a_log_that_the_rules_do_not_give_names_its_line(web):
    writer = forged()
    writer.add(Ply(0, Seat(0), "take 1"))
    assert "line 2" in problem(posted(web, writer.text().encode()))


@pytest.mark.parametrize("headers", [{"Sec_Fetch_Site": "cross-site"}, {"Content_Type": "text/plain"}])
def test_a_file_comes_from_the_page_itself(web, headers):
    assert posted(web, b"{}", **headers).status in {403, 422}


def test_more_files_than_can_be_drawn_soon_are_told_to_come_back(web, monkeypatch):
    monkeypatch.setattr(arena.web.pages.replay, "MOST_WAITING", 0)
    answer = posted(web, golden("first_snow/golden/standard-2").text.encode())
    assert answer.status == 429
    assert "try again" in problem(answer)


@pytest.mark.parametrize("where", ["/replay", "/matches/1/replay"])
def test_a_dropped_file_is_shown_and_its_perspective_changes(desk, where):
    desk.goto(where)
    text = golden("first_snow/golden/standard-2").text
    desk.evaluate(
        """text => {
            const dataTransfer = new DataTransfer();
            dataTransfer.items.add(new File([text], "match.jsonl"));
            const dropped = new DragEvent("drop", {dataTransfer, bubbles: true, cancelable: true});
            document.querySelector("main").dispatchEvent(dropped);
        }""",
        text,
    )
    desk.wait_for_selector("[data-viewer][data-source=''][data-whole]", state="attached")
    desk.keyboard.press("End")
    assert place(desk) == "110 / 110"
    desk.get_by_role("link", name="seat 1").click()
    desk.wait_for_selector("[data-viewer][data-looks='seat-1'][data-whole]", state="attached")
    assert place(desk) == "110 / 110"
    desk.keyboard.press("ArrowLeft")
    assert "as seat 1 sees it" in desk.locator("[data-board]").inner_text()


def test_a_bad_file_is_refused_in_a_line_and_the_page_goes_on(browser, web):
    with window(browser, web) as context:
        page = context.new_page()
        page.goto("/replay")
        page.locator("[data-file]").set_input_files({"name": "a.txt", "mimeType": "", "buffer": b"hello\n"})
        page.get_by_text("line 1: the line is no JSON").wait_for()
        good = golden("first_snow/golden/standard-2").text.encode()
        page.locator("[data-file]").set_input_files({"name": "b.jsonl", "mimeType": "", "buffer": good})
        page.wait_for_selector("[data-whole]", state="attached")
        assert not page.get_by_text("no JSON").is_visible()
