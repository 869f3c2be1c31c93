"""Finds the .proto files a bot is written from: what it says to the referee, and its game's own messages."""

from __future__ import annotations

import sys
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from arena.core.errors import UsageError
from arena.core.game import AnyGame
from arena.v1 import play_pb2

_OWN_TO_PROTOBUF: Final = "google/protobuf/"


def proto_folder(game: AnyGame) -> str:
    """Return the game's protobuf package as a path, such as "arena/games/first_snow/v1"."""
    package: str = _game_file(game).package
    return package.replace(".", "/")


def proto_files(game: AnyGame) -> dict[str, str]:
    """Return the texts of the files by the names they import each other by; those of protobuf itself are left out.

    Raises UsageError (NO_PROTO) if the game's package does not bring its file beside its stubs.
    """
    texts: dict[str, str] = {}
    waiting = [play_pb2.DESCRIPTOR, _game_file(game)]
    while waiting:
        file: Any = waiting.pop()
        if file.name in texts or file.name.startswith(_OWN_TO_PROTOBUF):
            continue
        texts[file.name] = _text(file.name)
        waiting.extend(file.dependencies)
    return texts


def _game_file(game: AnyGame) -> Any:
    """Return the descriptor of the file the game's messages come from."""
    variant = game.spec.variants[0]
    state = game.new(variant.id, variant.min_seats, game.components(None, "components"))
    return game.view(state, None).DESCRIPTOR.file


def _text(name: str) -> str:
    ours = files("bots").joinpath("templates", "proto", *name.split("/"))
    if ours.is_file():
        return ours.read_text(encoding="utf-8")
    module = sys.modules.get(name.removesuffix(".proto").replace("/", ".") + "_pb2")
    beside = Path(module.__file__).with_name(name.rpartition("/")[2]) if module and module.__file__ else None
    if beside is None or not beside.is_file():
        raise UsageError(
            f"the package that brings {name} does not bring its text; ask its makers to put it beside the stubs",
            reason="NO_PROTO",
        )
    return beside.read_text(encoding="utf-8")
