"""Finds the bots named on a command line: built-in names, and folders with a bot.toml."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Final

from arena.cli.readiness import check_built, check_node
from arena.core.errors import UnknownName, UsageError
from arena.core.manifest import ANY_GAME, FILE_NAME, Manifest, parse_manifest
from arena.match.setup import SeatLabel


@dataclass(frozen=True, slots=True)
class LocalBot:
    """A bot that lies on this machine; its folder is absolute."""

    folder: Path
    manifest: Manifest
    builtin: bool

    @property
    def label(self) -> SeatLabel:
        """The bot as it stands in logs and tables; a folder has no version until it is submitted."""
        return SeatLabel(self.manifest.name, "builtin" if self.builtin else "local")

    @property
    def is_person(self) -> bool:
        """Whether a person sits there instead of a bot."""
        return self is PERSON


HUMAN: Final = "human"
"""What a BOT argument says for a seat that a person plays."""

PERSON: Final = LocalBot(Path(HUMAN), Manifest(HUMAN, (ANY_GAME,), (HUMAN,), HUMAN), builtin=False)
"""Stands for a person among the bots of a match; it has no folder and no program."""


def builtin_folders() -> dict[str, Path]:
    """Return the folders of the built-in bots by name, sorted."""
    root = Path(str(files("bots").joinpath("builtin")))
    found = sorted(path.parent for path in root.glob(f"*/{FILE_NAME}"))
    return {folder.name: folder for folder in found}


def find_bot(text: str, *, people: bool = False) -> LocalBot:
    """Return the bot that a BOT argument names: a built-in name, else a folder.

    people: "human" stands for PERSON. Raises UnknownName, listing the built-in bots, and UsageError for a folder
    without a usable bot.toml, or that cannot be started here.
    """
    if text == HUMAN:
        if people:
            return PERSON
        raise UsageError("a human plays in `arena play` only; here name bots", reason="NO_HUMAN_HERE")
    builtin = builtin_folders()
    if text in builtin:
        return _read(builtin[text], builtin=True)
    folder = Path(text)
    if folder.is_dir():
        return _read(folder.resolve(), builtin=False)
    if "@" in text:
        raise UsageError(f"{text!r} is a bot on a server; here give a built-in name or a folder", reason="NOT_LOCAL")
    if "/" in text or text.startswith("."):
        raise UnknownName(f"there is no folder {text}; `arena new {text} --game G` makes one", reason="UNKNOWN_BOT")
    names = ", ".join([*builtin, HUMAN] if people else builtin)
    raise UnknownName(
        f"no bot {text!r} here; built in: {names}; or give a folder with a {FILE_NAME}", reason="UNKNOWN_BOT"
    )


def find_bots(texts: Sequence[str], game: str, *, people: bool = False) -> list[LocalBot]:
    """Return the bots named, in order. Raises as find_bot, and UsageError for a bot that does not play the game."""
    bots = [find_bot(text, people=people) for text in texts]
    for bot in bots:
        if not bot.manifest.plays(game):
            played = ", ".join(bot.manifest.games)
            raise UsageError(
                f"{bot.manifest.name} does not play {game}; its {FILE_NAME} names {played}", reason="WRONG_GAME"
            )
    return bots


def _read(folder: Path, *, builtin: bool) -> LocalBot:
    path = folder / FILE_NAME
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise UsageError(
            f"{folder} has no {FILE_NAME}; `arena new DIR --game G` makes a folder with one", reason="NO_MANIFEST"
        ) from None
    except (OSError, UnicodeDecodeError) as wrong:
        raise UsageError(f"{path} cannot be read: {wrong}", reason="BAD_MANIFEST") from None
    bot = LocalBot(folder, parse_manifest(text, str(path)), builtin)
    if not builtin:
        check_node(bot.manifest)
        check_built(folder, bot.manifest)
    return bot
