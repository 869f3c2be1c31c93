"""How commands speak: results on stdout as tables or JSON, everything else on stderr, progress on terminals only."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, Protocol

_PIPED_WIDTH: Final = 1000


class Interrupted(Exception):
    """A command was interrupted and says how to resume; ends with exit code 130."""


class Progress(Protocol):
    """Counts finished pieces of long work."""

    def advance(self, text: str = "") -> None:
        """Count one more piece; text says what is going on."""

    def tell(self, text: str) -> None:
        """Say something else meanwhile."""


def readable(text: str) -> str:
    """Return a stranger's text so that it cannot steer a terminal: what is not printable stands as an escape."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() or char in "\n\t" else char.encode("unicode_escape").decode() for char in text
    )


def note(message: str) -> None:
    """Say something on stderr that is no result."""
    print(readable(message), file=sys.stderr)


def error(message: str) -> None:
    """Say on stderr why the command failed."""
    print(f"error: {readable(message)}", file=sys.stderr)


def say(message: str = "") -> None:
    """Print a line of the result on stdout."""
    print(readable(message))


def counted(number: int, thing: str) -> str:
    """Return how many there are of a thing: "1 match", "2 matches", "3 bots"."""
    plural = "es" if thing.endswith(("ch", "s", "x")) else "s"
    return f"{number} {thing}{plural if number != 1 else ''}"


def print_json(value: Any) -> None:
    """Print the result as one JSON document on stdout."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    if not text.replace("\n", "").isprintable():
        text = "".join(char if char.isprintable() or char == "\n" else json.dumps(char)[1:-1] for char in text)
    print(text)


def print_table(
    headers: Sequence[str], rows: Sequence[Sequence[object]], *, title: str = "", piped_width: int = _PIPED_WIDTH
) -> None:
    """Print rows as a table on stdout; numbers are set right, everything else left. Never cut, also when piped.

    piped_width: where a table that goes to no terminal is folded; by default nowhere, so that a row is a line.
    """
    from rich.box import SIMPLE_HEAD  # noqa: PLC0415 - 40 ms that `arena --help` need not pay
    from rich.console import Console  # noqa: PLC0415 - as above
    from rich.table import Table  # noqa: PLC0415 - as above

    table = Table(
        box=SIMPLE_HEAD,
        title=title or None,
        title_justify="left",
        pad_edge=False,
        collapse_padding=True,
        show_edge=False,
    )
    for column, header in enumerate(headers):
        cells = [row[column] for row in rows if row[column] is not None]
        numeric = bool(cells) and all(isinstance(cell, int | float) for cell in cells)
        table.add_column(header, justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        table.add_row(*(_cell(value) for value in row))
    console = Console(markup=False, highlight=False)
    if not console.is_terminal:
        console.width = piped_width
    console.print(table)


def _cell(value: object) -> str:
    if value is None:
        return "-"
    return f"{value:.2f}" if isinstance(value, float) else readable(str(value))


class _Silent:
    def advance(self, text: str = "") -> None:
        """Say nothing."""

    def tell(self, text: str) -> None:
        """Say nothing."""


@contextmanager
def progress(label: str, total: int) -> Iterator[Progress]:
    """Show a bar on stderr while the block runs, if stderr is a terminal; total is the number of pieces."""
    if not sys.stderr.isatty():
        yield _Silent()
        return
    from rich.console import Console  # noqa: PLC0415 - only terminals need it
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn  # noqa: PLC0415 - as above
    from rich.progress import Progress as Bar  # noqa: PLC0415 - as above

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[text]}"),
    )
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=total, text="")

        class _Shown:
            def advance(self, text: str = "") -> None:
                bar.update(task, advance=1, text=text)

            def tell(self, text: str) -> None:
                bar.update(task, text=text)

        yield _Shown()
