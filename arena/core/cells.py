"""How values stand in a CSV file that people open in a spreadsheet."""

from __future__ import annotations

from typing import Any


def cell(value: Any) -> Any:
    """Return a value as a cell: nothing that a spreadsheet would take for a formula or the end of a line."""
    if not isinstance(value, str):
        return "" if value is None else value
    text = f"'{value}" if value.startswith(("=", "+", "-", "@", "\t", "\r")) else value
    return text.replace("\r", " ")  # the csv module does not quote it
