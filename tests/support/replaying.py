"""What tests of replays do: open one in a browser, read what is sent, put pictures together, forge logs."""

import json

from playwright.sync_api import Page
from screenplay import golden
from webbing import Web

from arena.match import SeatLabel
from arena.match.log import LogWriter
from arena.match.replay import Replay


def opened(page: Page, match_id: int, query: str = "", *, whole: bool = True) -> Page:
    """The page with a match's replay, once all its positions are there; whole: else once it can be used."""
    page.goto(f"/matches/{match_id}/replay{query}")
    page.wait_for_selector("[data-whole]" if whole else "[data-usable]", state="attached")
    return page


def place(page: Page) -> str | None:
    """What the page says of where it is, like "3 / 110"."""
    return page.locator("[data-place]").text_content()


def sent(web: Web, path: str, **headers: str) -> list[dict]:
    """The lines of an answer with frames."""
    answer = web.fetch(path, **headers)
    assert answer.status == 200, answer.text
    return [json.loads(line) for line in answer.body.splitlines()]


def drawn(lines: list[dict]) -> dict[int, str]:
    """The pictures of an answer by ply, put together as the page does it."""
    pieces, pictures = [], {}
    for line in lines:
        pieces += line.get("pieces", [])
        for ply, indices, *_ in line.get("frames", []):
            pictures[ply] = "\n".join(pieces[index] for index in indices)
    return pictures


def forged(rules: int = 1, components: str = "", seats: int = 2, name: str = "a") -> LogWriter:
    """A log with a header that nobody wrote, to go on with."""
    real = Replay(golden("first_snow/golden/standard-2").text.encode().splitlines(keepends=True)).header
    labels = (SeatLabel(name, "1"),) * seats
    writer = LogWriter()
    facts = {each: getattr(real, each) for each in type(real).__slots__}
    writer.add(type(real)(**{**facts, "rules": rules, "components_text": components, "seats": labels}))
    return writer
