"""Reads a game's RULES.md and looks for what is wrong in its table of rules."""

import re
from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path

TEST = re.compile(r"`(\w+\.py)::(\w+)`")

Row = list[str]


def page_of(game: str) -> str:
    """Return the text of a game's page; game: its folder's name."""
    return files(f"arena.games.{game}").joinpath("RULES.md").read_text(encoding="utf-8")


def rows_of(text: str) -> list[Row]:
    """Return the rows of the tables in a text, heads left out: rule, source, proof."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [row for row in cells if row[0] != "rule" and not set(row[0]) <= {"-"}]


def unfit(rows: Iterable[Row]) -> list[Row]:
    """Return the rows that do not have a rule, a source and a test."""
    return [row for row in rows if len(row) != 3 or not all(row) or not TEST.findall(row[2])]


def missing_tests(rows: Iterable[Row], folder: Path) -> list[str]:
    """Return the tests that rows name and that the folder does not have, with their rule."""
    return [
        f"{file}::{name} (rule: {rule})"
        for rule, _, proof in rows
        for file, name in TEST.findall(proof)
        if not re.search(rf"^def {name}\(", (folder / file).read_text(encoding="utf-8"), re.MULTILINE)
    ]


def rulings(rows: Iterable[Row]) -> set[int]:
    """Return the numbers of the rulings that are named as a source."""
    return {int(number) for _, source, _ in rows for number in re.findall(r"ruling (\d+)", source)}


def repeated(rows: Iterable[Row]) -> set[str]:
    """Return the rules that stand in more than one row."""
    rules = [rule for rule, *_ in rows]
    return {rule for rule in rules if rules.count(rule) > 1}
