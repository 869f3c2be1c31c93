"""`arena new`: makes a bot folder to start from."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

import typer

from arena.cli.output import note, say
from arena.cli.protofiles import proto_files, proto_folder
from arena.cli.readiness import INSTALL_NODE
from arena.core.errors import UnknownName, UsageError
from arena.core.game import AnyGame
from arena.core.manifest import DEFAULT_LANGUAGE, check_name
from arena.core.registry import load_game

_SUFFIX: Final = ".tmpl"
_TYPED: Final = frozenset({"typescript"})
"""Languages whose programs are made from the .proto files; their folders get copies."""
_FIRST_STEPS: Final = {"typescript": "npm install && npm run build, in the folder (Node 18 or newer)"}


def new(
    folder: Path = typer.Argument(..., metavar="DIR", help="The folder to make; its name becomes the bot's."),
    game: str = typer.Option(..., "--game", metavar="G", help="The game the bot plays."),
    language: str = typer.Option(
        DEFAULT_LANGUAGE, "--language", metavar="L", help="python, typescript, or stdio: any program that reads lines."
    ),
) -> None:
    """Make a folder with a bot that plays its first legal action: bot.toml, the program, README.md."""
    rules = load_game(game)
    spec = rules.spec
    template = _template(language)
    name = check_name(folder.resolve().name.lower().replace("_", "-"))
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} exists and is not an empty folder; name a new one", reason="FOLDER_NOT_EMPTY")
    words = {
        "@NAME@": name,
        "@GAME@": spec.id,
        "@TITLE@": spec.title,
        "@FOLDER@": _as_argument(folder),
        "@PROTO@": proto_folder(rules),
    }
    texts = {path: _filled(file.read_text(encoding="utf-8"), words) for path, file in _files(template)}
    made = sorted(texts)
    if language in _TYPED:
        texts |= _protos(rules)
        made.append("proto/")
    try:
        for path, text in texts.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
    except OSError as wrong:
        raise UsageError(f"{folder} cannot be made: {wrong.strerror}", reason="UNWRITABLE_FILE") from None
    say(f"made {folder}: {', '.join(made)}")
    if language in _FIRST_STEPS:
        say(f"first: {_FIRST_STEPS[language]}")
        if shutil.which("npm") is None:
            note(f"npm is not installed here; {INSTALL_NODE}")
    say(f"next: arena play {spec.id} {_as_argument(folder)} random")


def _template(language: str) -> Traversable:
    root = files("bots").joinpath("templates")
    found = {entry.name: entry for entry in root.iterdir() if entry.is_dir() and any(path for path, _ in _files(entry))}
    if language not in found:
        known = ", ".join(sorted(found))
        raise UnknownName(f"no template for {language!r} here; there are: {known}", reason="UNKNOWN_LANGUAGE")
    return found[language]


def _files(folder: Traversable, above: str = "") -> Iterator[tuple[str, Traversable]]:
    """Yield the files of a template with their paths in the folder to be made."""
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _files(entry, f"{above}{entry.name}/")
        elif entry.name.endswith(_SUFFIX):
            yield above + entry.name.removesuffix(_SUFFIX), entry


def _protos(game: AnyGame) -> dict[str, str]:
    return {f"proto/{name}": text for name, text in proto_files(game).items()}


def _filled(text: str, words: dict[str, str]) -> str:
    for mark, word in words.items():
        text = text.replace(mark, word)
    return text


def _as_argument(folder: Path) -> str:
    text = str(folder)
    return text if "/" in text else f"./{text}"
