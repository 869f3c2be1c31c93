"""The choices of a turn as a numbered list that can be paged and filtered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

GAP: Final = 3
FEW: Final = 5
"""So many choices stand below each other, whatever the room."""


class Menu:
    """Choices in words, numbered from 1 in the order given; a filter hides some, but no number changes."""

    def __init__(self, choices: Sequence[str]) -> None:
        self._choices = choices
        self._shown = list(range(len(choices)))
        self._page = 0
        self.filter = ""

    def __len__(self) -> int:
        return len(self._choices)

    def index_of(self, number: int) -> int | None:
        """Return the index of the choice with this number, None if there is none."""
        return number - 1 if 1 <= number <= len(self._choices) else None

    def narrow(self, text: str) -> bool:
        """Show only the choices with all of these words in them; return False, without effect, if there is none."""
        words = text.lower().split()
        shown = [at for at, choice in enumerate(self._choices) if all(word in choice.lower() for word in words)]
        if not shown:
            return False
        self._shown, self._page, self.filter = shown, 0, text
        return True

    def turn_page(self, width: int, height: int) -> None:
        """Go to the next page; from the last one, back to the first of all choices."""
        if self._page + 1 < len(self._pages(width, height)):
            self._page += 1
        else:
            self.narrow("")

    def lines(self, width: int, height: int) -> list[str]:
        """Return the open page in columns read downwards; no line is wider than width, no page has more lines than
        height, but for choices too long for one line.
        """
        pages = self._pages(width, height)
        lines = list(pages[self._page])
        notes = []
        if self.filter:
            notes.append(f"{len(self._shown)} of {len(self._choices)} with {self.filter!r}; Enter shows all")
        if len(pages) > 1:
            notes.append(f"page {self._page + 1} of {len(pages)}; Enter turns the page, a word filters")
        return lines + [f"({note})" for note in notes]

    def _pages(self, width: int, height: int) -> list[list[str]]:
        digits = len(str(len(self._choices)))
        cells = [f"{at + 1:>{digits}}  {self._choices[at]}" for at in self._shown]
        column = max(map(len, cells)) + GAP
        columns = 1 if len(cells) <= FEW else max(1, (width + GAP) // column)
        rows = min(height, -(-len(cells) // columns))
        pages = []
        for start in range(0, len(cells), rows * columns):
            page = cells[start : start + rows * columns]
            tall = -(-len(page) // columns) if start == 0 and len(page) == len(cells) else rows
            pages.append(["".join(f"{cell:<{column}}" for cell in page[row::tall]).rstrip() for row in range(tall)])
        return [[line for line in page if line] for page in pages]
