"""A real web server in this process, what it sends, and pages of it in a real browser."""

import asyncio
import http.client
import io
import socket
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from urllib.parse import urlencode, urlsplit

from playwright.sync_api import Browser, BrowserContext, Page

from arena.web.connections import Connection
from arena.web.server import WebServer
from arena.web.site import Site

WIDTHS = {"phone": (390, 844), "desk": (1280, 900)}


@dataclass(frozen=True)
class Answer:
    """What came back; headers by lower-case name, the last of several."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    def unpacked(self) -> bytes:
        """What is in a zip; nothing of any other answer."""
        if self.headers.get("content-type") != "application/zip":
            return b""
        with zipfile.ZipFile(io.BytesIO(self.body)) as archive:
            return b"".join(archive.read(name) for name in archive.namelist())


class Web:
    """A running server of one site; cookies are the caller's business."""

    def __init__(self, site: Site, url: str) -> None:
        self.site, self.url = site, url

    def fetch(
        self, path: str, *, method: str = "GET", cookie: str = "", form: dict[str, str] | None = None, **headers: str
    ) -> Answer:
        """One request over a connection of its own; header names with underscores for hyphens."""
        where = urlsplit(self.url)
        connection = http.client.HTTPConnection(where.hostname, where.port, timeout=20)
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if cookie:
            sent["Cookie"] = cookie
        body = None
        if form is not None:
            method, body = "POST", urlencode(form)
            sent.setdefault("Content-Type", "application/x-www-form-urlencoded")
        try:
            connection.request(method, path, body=body, headers=sent)
            answer = connection.getresponse()
            headers = {k.lower(): v for k, v in answer.getheaders()}
            stream = headers.get("content-type", "").startswith("text/event-stream")
            return Answer(answer.status, headers, _heard(connection, answer) if stream else answer.read())
        finally:
            connection.close()

    def sign_in(self, secret: str) -> str:
        """Sign in as a browser does; returns the cookie to send."""
        asked = self.fetch("/sign-in")
        cookie = cookie_of(asked)
        answer = self.fetch("/sign-in", cookie=cookie, form={"form_token": form_token_of(asked), "token": secret})
        assert answer.status == 303, answer.text
        return cookie_of(answer)

    def send(self, path: str, cookie: str, page: str = "/", **fields: str) -> Answer:
        """Send a form that stands on a page."""
        token = form_token_of(self.fetch(page, cookie=cookie))
        return self.fetch(path, cookie=cookie, form={"form_token": token, **fields})


def _heard(connection: http.client.HTTPConnection, answer: http.client.HTTPResponse) -> bytes:
    """What a stream sends at once: until half a second passes without a byte, or it ends."""
    heard = b""
    if connection.sock is not None:
        connection.sock.settimeout(0.5)
    with suppress(TimeoutError):
        while part := answer.read1(65536):
            heard += part
    return heard


def cookie_of(answer: Answer) -> str:
    return answer.headers["set-cookie"].partition(";")[0]


def form_token_of(answer: Answer) -> str:
    return answer.text.partition('name="form_token" value="')[2].partition('"')[0]


@contextmanager
def serving(site: Site, connection: type[Connection] = Connection) -> Iterator[Web]:
    """Run the server on an event loop of its own thread while the block runs; it has to leave nothing there."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = WebServer(site, listener, connection=connection)
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_until_complete, args=(server.run(),))
    thread.start()
    try:
        yield Web(site, server.url)
    finally:
        loop.call_soon_threadsafe(server.stop)
        thread.join(20)
        left = asyncio.all_tasks(loop)
        loop.close()
        listener.close()
    assert not thread.is_alive()
    assert not left, "the server has stopped before these ended"


@contextmanager
def window(
    browser: Browser, web: Web, *, size: str = "desk", dark: bool = False, cookie: str = ""
) -> Iterator[BrowserContext]:
    """A fresh profile of the browser: its size by name, the system's colours, signed in with a cookie."""
    width, height = WIDTHS[size]
    context = browser.new_context(
        base_url=web.url,
        viewport={"width": width, "height": height},
        color_scheme="dark" if dark else "light",
        reduced_motion="reduce",
    )
    context.set_default_timeout(30_000)
    if cookie:
        name, _, value = cookie.partition("=")
        context.add_cookies([{"name": name, "value": value, "url": web.url}])
    try:
        yield context
    finally:
        context.close()


def violations(page: Page) -> list[str]:
    """What axe has to say against a page, a line each."""
    page.evaluate(_axe())
    rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
    found = page.evaluate("asked => axe.run(document, asked)", {"runOnly": rules, "resultTypes": ["violations"]})
    return [
        f"{each['id']}: {each['help']}: {node['html'][:200]} {node['failureSummary'][:300]}"
        for each in found["violations"]
        for node in each["nodes"]
    ]


def scrolls_sideways(page: Page) -> bool:
    """Whether a page is wider than its window."""
    return bool(page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"))


@cache
def _axe() -> str:
    return (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
