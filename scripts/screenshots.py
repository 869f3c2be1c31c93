"""Takes the pictures of the web page that README and docs show: `make screenshots`.

An arena with a small simulated season and one with real logs are filled, served on free ports and looked at by the
system's Chromium.
"""

import sys
import tempfile
from contextlib import closing
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "support"))

from chromium import browsing  # noqa: E402 - tests/support has to be on the path first
from databases import SqliteTemplate  # noqa: E402
from screenplay import stage  # noqa: E402
from webbing import WIDTHS, serving, window  # noqa: E402
from webseason import season  # noqa: E402

from arena.store import open_store  # noqa: E402
from arena.web.site import Site  # noqa: E402

PICTURES = ROOT / "docs" / "pictures"
LARGEST = 160_000
SHOTS = (
    ("front", "/", "desk", False),
    ("leaderboard", "/leaderboards/1", "desk", False),
    ("bot", "/bots/aurora", "desk", True),
    ("tournament", "/tournaments/winter-cup", "desk", False),
    ("versus", "/versus?one=aurora&other=crevasse", "desk", False),
    ("leaderboard-phone", "/leaderboards/1", "phone", True),
)
"""Name, address, size of the window, dark or light."""

REPLAYS = (("replay", "/matches/{completed}/replay?ply=62", "desk", False),)
"""The same of the arena with real logs."""


def main() -> int:
    PICTURES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "template").mkdir()
        template = SqliteTemplate(place / "template")
        with (
            closing(open_store(template.new_url(_new(place / "season")))) as store,
            closing(open_store(template.new_url(_new(place / "logs")))) as logs,
            browsing() as browser,
        ):
            made, played = season(store), stage(logs)
            with serving(Site(store, now=lambda: made.world.now)) as web:
                sizes = [_shoot(browser, web, shot) for shot in SHOTS]
            with serving(Site(logs, now=lambda: played.world.now)) as web:
                named = [(name, path.format(**played.of_name), *look) for name, path, *look in REPLAYS]
                sizes += [_shoot(browser, web, shot) for shot in named]
    return 1 if max(sizes) > LARGEST else 0


def _new(folder: Path) -> Path:
    folder.mkdir()
    return folder


def _shoot(browser, web, shot: tuple[str, str, str, bool]) -> int:
    name, path, size, dark = shot
    file = PICTURES / f"{name}.png"
    with window(browser, web, size=size, dark=dark) as context:
        page = context.new_page()
        page.set_viewport_size({"width": WIDTHS[size][0], "height": 760})
        page.goto(path)
        if "/replay" in path:
            page.wait_for_selector("[data-whole]", state="attached")
        page.screenshot(path=file)
    weight = file.stat().st_size
    print(f"{file.relative_to(ROOT)}: {weight / 1000:.0f} kB{' - too large' if weight > LARGEST else ''}")
    return weight


if __name__ == "__main__":
    sys.exit(main())
