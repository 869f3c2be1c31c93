"""The page for researchers runs as it stands."""

import contextlib
import io
import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[3] / "docs" / "researcher.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def test_the_page_has_examples() -> None:
    assert len(BLOCKS) >= 4


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_an_example_runs(number) -> None:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(BLOCKS[number], f"example {number}", "exec"), {})  # noqa: S102 - our own documentation
    assert printed.getvalue() or "print(" not in BLOCKS[number]
