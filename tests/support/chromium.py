"""The browser that the web page's tests drive: the system's Chromium, not one that Playwright would download."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def find() -> str:
    """Its program. Fails with the way out where there is none."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    assert found, "these tests drive a browser and find none: `apt-get install chromium`, as root, or put one on PATH"
    return found


@contextmanager
def browsing() -> Iterator[Browser]:
    """A browser without a window, that loads nothing from elsewhere."""
    # Root has no use for Chromium's own sandbox, and the pages are ours.
    arguments = [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    ]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find(), args=arguments)
        try:
            yield browser
        finally:
            browser.close()
