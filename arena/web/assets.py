"""Stylesheet, scripts and pictures: read once, served from memory under addresses that change with their content."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final

from arena.core.errors import NotFound

KINDS: Final = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}


@dataclass(frozen=True, slots=True)
class Asset:
    """A file as it is sent."""

    content: bytes
    kind: str
    tag: str


class Assets:
    """The files under arena/web/static by their names, such as "site.css"."""

    def __init__(self, found: Mapping[str, bytes] | None = None) -> None:
        contents = dict(_read(files("arena.web") / "static", "")) if found is None else found
        self._of = {
            name: Asset(content, KINDS[name.rpartition(".")[2]], sha256(content).hexdigest()[:16])
            for name, content in contents.items()
        }

    def address(self, name: str) -> str:
        """Return where a page finds a file; a name that is none is a fault of the template."""
        return f"/static/{name}?v={self._of[name].tag}"

    def find(self, name: str) -> Asset:
        """Return a file. Raises NotFound."""
        if name not in self._of:
            raise NotFound("there is no such file here; reload the page that asked for it", reason="NO_SUCH_FILE")
        return self._of[name]


def _read(folder: Traversable, prefix: str) -> list[tuple[str, bytes]]:
    found: list[tuple[str, bytes]] = []
    for each in sorted(folder.iterdir(), key=lambda one: one.name):
        if each.is_dir():
            found += _read(each, f"{prefix}{each.name}/")
        elif each.name.rpartition(".")[2] in KINDS:
            found.append((f"{prefix}{each.name}", each.read_bytes()))
    return found
