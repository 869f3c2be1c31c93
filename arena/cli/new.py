"""`arena new`: makes a bot folder to start from."""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

import typer

from arena.cli.output import say
from arena.core.errors import UnknownName, UsageError
from arena.core.manifest import DEFAULT_LANGUAGE, check_name
from arena.core.registry import load_game

_SUFFIX: Final = ".tmpl"


def new(
    folder: Path = typer.Argument(..., metavar="DIR", help="The folder to make; its name becomes the bot's."),
    game: str = typer.Option(..., "--game", metavar="G", help="The game the bot plays."),
    language: str = typer.Option(DEFAULT_LANGUAGE, "--language", metavar="L", help="The language to write it in."),
) -> None:
    """Make a folder with a bot that plays its first legal action: bot.toml, the program, README.md."""
    spec = load_game(game).spec
    templates = _templates(language)
    name = check_name(folder.resolve().name.lower().replace("_", "-"))
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} exists and is not an empty folder; name a new one", reason="FOLDER_NOT_EMPTY")
    words = {"@NAME@": name, "@GAME@": spec.id, "@TITLE@": spec.title, "@FOLDER@": str(folder)}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for file in templates:
            target = folder / file.name.removesuffix(_SUFFIX)
            target.write_text(_filled(file.read_text(encoding="utf-8"), words), encoding="utf-8")
    except OSError as wrong:
        raise UsageError(f"{folder} cannot be made: {wrong.strerror}", reason="UNWRITABLE_FILE") from None
    made = sorted(file.name.removesuffix(_SUFFIX) for file in templates)
    say(f"made {folder}: {', '.join(made)}")
    say(f"next: arena play {spec.id} {_as_argument(folder)} random")


def _templates(language: str) -> list[Traversable]:
    root = files("bots").joinpath("templates")
    found = {
        entry.name: [file for file in entry.iterdir() if file.name.endswith(_SUFFIX)]
        for entry in root.iterdir()
        if entry.is_dir()
    }
    if not found.get(language):
        known = ", ".join(sorted(name for name, templates in found.items() if templates))
        raise UnknownName(f"no template for {language!r} here; there are: {known}", reason="UNKNOWN_LANGUAGE")
    return found[language]


def _filled(text: str, words: dict[str, str]) -> str:
    for mark, word in words.items():
        text = text.replace(mark, word)
    return text


def _as_argument(folder: Path) -> str:
    text = str(folder)
    return text if "/" in text else f"./{text}"
