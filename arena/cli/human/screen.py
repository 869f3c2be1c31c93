"""What a person sees: who plays, the game's own drawing in colours, what happened, the choices."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Any, Final

from google.protobuf.message import Message
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from arena.core.game import AnyGame, Components
from arena.core.seat import Seat
from arena.match.result import MatchResult, SeatEnd

WIDE: Final = 132
"""Columns from which the drawing and what happened stand side by side."""

_BOARD: Final = 80
_MOST_BOARD: Final = 110
_GAP: Final = 3
_STORY: Final = 12
_LAST_STORY: Final = 20
_SEAT_STYLES: Final = ("bold cyan", "bold magenta", "bold green", "bold yellow", "bold blue")
_COLOURS: Final = {"purple": "magenta", "grey": "bright_black"}
_SEAT: Final = re.compile(r"\b[Ss]eat (\d)\b")
_SEAT_LINE: Final = re.compile(r"[> ] *[Ss]eat (\d)\b")
_ACTOR: Final = re.compile(r"^seat (\d) ")
_RULE: Final = re.compile(r"(-{60,}|={60,})")
_HAND: Final = re.compile(r"^\s*(your )?hand\b", re.IGNORECASE)
_COLOUR: Final = re.compile(r"\b(red|yellow|green|blue|purple|grey)\b(-d\d+)?")
_ASIDE: Final = re.compile(r"\(reconstructed\)")


@dataclass(frozen=True, slots=True)
class Cast:
    """Who sits where, as one of them sees it; own: the seat that looks, None for nobody's."""

    names: tuple[str, ...]
    own: Seat | None

    def tag(self, seat: int) -> str:
        """Return the seat's number and name, such as "1 greedy"; the one who looks is "you"."""
        return f"{seat} {'you' if seat == self.own else self.names[seat]}"

    def roster(self) -> Text:
        """Return everybody in one line, each in the colour of the seat."""
        line = Text("seats: ")
        for seat in range(len(self.names)):
            line.append("   " if seat else "")
            line.append(self.tag(seat), style_of(seat))
        return line


@dataclass(frozen=True, slots=True)
class Scene:
    """A view of one seat with what is needed to draw it."""

    game: AnyGame
    components: Components
    cast: Cast
    view: Message

    def told(self) -> list[str]:
        """Return what happened since the seat's last turn, in the game's words."""
        return self.game.story(self.view, self.components)

    def drawing(self, width: int) -> Text:
        """Return the game's drawing without its account of what happened, in colours."""
        silent: Any = type(self.view).FromString(self.view.SerializeToString())
        del silent.events[:]
        lines = self.game.render_text(silent, self.components, width).rstrip("\n").split("\n")
        return Text("\n").join(_coloured(_without_empty_end(lines), self.cast.own))


def style_of(seat: int) -> str:
    """Return the colour of a seat."""
    return _SEAT_STYLES[seat % len(_SEAT_STYLES)]


def turn_page(scene: Scene, note: str, choices: RenderableType, width: int) -> RenderableType:
    """Return a turn's page: who plays, the drawing, what happened, the choices; note: what else is to be said."""
    room = choices_width(width)
    told = story(scene.told(), scene.cast, room, most=_STORY, more="type log")
    gap = [Text("")] if width >= WIDE else []
    rest: list[RenderableType] = [heading("What happened", room), told, *gap, heading("Your choice", room), choices]
    return _page(scene, note, rest, width)


def last_page(scene: Scene, result: MatchResult, width: int) -> RenderableType:
    """Return the last page of a match: the drawing, what happened last, and how the one who looks came out."""
    room = choices_width(width)
    told = story(scene.told(), scene.cast, room, most=_LAST_STORY, more="arena replay shows them")
    rest: list[RenderableType] = [heading("What happened", room), told, Text("")]
    if scene.cast.own is not None:
        rest.append(Text(f" {verdict(result, scene.cast.own)} ", f"{style_of(scene.cast.own)} reverse"))
    return _page(scene, "the match is over", rest, width)


def verdict(result: MatchResult, seat: Seat) -> str:
    """Return how a seat came out, in words for whoever sat there."""
    rank, end, seats = result.ranks[seat], result.seat_ends[seat], len(result.ranks)
    if rank == 0:
        return f"The match does not count: {result.reason}."
    lost = {SeatEnd.PLAYED: "", SeatEnd.RESIGNED: "You resigned. ", SeatEnd.TIMEOUT: "Your time ran out. "}
    words = lost.get(end, f"Your seat was lost: {end}. ")
    shared = result.ranks.count(rank) > 1
    if rank == 1:
        return words + ("You share the victory." if shared else "You won.")
    if seats <= 2:
        return f"{words}You lost."
    return f"{words}You {'share' if shared else 'have'} rank {rank} of {seats}."


def choices_width(width: int) -> int:
    """Return how many columns a page of this width has for what stands below or beside the drawing."""
    return width if width < WIDE else width - _BOARD - _GAP


def heading(title: str, width: int) -> Text:
    """Return a heading as a line across."""
    return Text(f"-- {title} ".ljust(width, "-"), style="dim")


def story(lines: Sequence[str], cast: Cast, width: int, *, most: int | None = None, more: str = "") -> RenderableType:
    """Return what happened, the actor of each line set apart.

    Only the last lines if the whole takes more than most lines of this width; more says where to find the others.
    """
    tags = max(len(cast.tag(seat)) for seat in range(len(cast.names)))
    grid = Table.grid(padding=(0, 2, 0, 0), pad_edge=False)
    grid.add_column(no_wrap=True, min_width=tags)
    grid.add_column(overflow="fold")
    left_out = 0 if most is None else _too_many(lines, width - tags - 2, most)
    if left_out:
        grid.add_row("", Text(f"({left_out} earlier {'line' if left_out == 1 else 'lines'}: {more})", style="dim"))
    for line in lines[left_out:]:
        actor = _ACTOR.match(line)
        if actor is None or int(actor[1]) >= len(cast.names):
            grid.add_row("", _words(line))
        else:
            seat = int(actor[1])
            grid.add_row(Text(cast.tag(seat), style_of(seat)), _words(line[actor.end() :]))
    if not lines:
        grid.add_row("", Text("nothing yet", style="dim"))
    return grid


def _page(scene: Scene, note: str, rest: Sequence[RenderableType], width: int) -> RenderableType:
    """Put the drawing above the rest, or beside it where there is room."""
    top = scene.cast.roster()
    top.append(f"   {note}")
    if width < WIDE:
        return Group(top, Text(""), scene.drawing(min(width, _MOST_BOARD)), *rest)
    panes = Table.grid(padding=(0, _GAP, 0, 0), pad_edge=False)
    panes.add_column(width=_BOARD, no_wrap=True)
    panes.add_column(width=choices_width(width), overflow="fold")
    panes.add_row(scene.drawing(_BOARD), Group(*rest))
    return Group(top, Text(""), panes)


def _too_many(lines: Sequence[str], width: int, most: int) -> int:
    """Return how many of the first lines to leave out so that the rest takes most lines of this width."""
    rows = 0
    for left_out in range(len(lines), 0, -1):
        rows += len(wrap(lines[left_out - 1], width))
        if rows > most:
            return min(left_out, len(lines) - 1)
    return 0


def _words(line: str) -> Text:
    text = Text(line)
    for found in _SEAT.finditer(line):
        text.stylize(style_of(int(found[1])), *found.span())
    for found in _COLOUR.finditer(line):
        text.stylize(_COLOURS.get(found[1], found[1]), *found.span())
    return text


def _without_empty_end(lines: list[str]) -> list[str]:
    """Drop a last section of at most two lines: where a game tells what happened, with nothing to tell."""
    rules = [at for at, line in enumerate(lines) if _RULE.fullmatch(line)]
    return lines[: rules[-1]] if len(rules) > 1 and len(lines) - rules[-1] <= 3 else lines


def _coloured(lines: Sequence[str], own: Seat | None) -> list[Text]:
    """Colour a drawing: its title, its rules, the seats, and what belongs to the one who looks in bold."""
    shown: list[Text] = []
    mine = False
    for number, line in enumerate(lines):
        text = _words(line)
        seat = _SEAT_LINE.match(line)
        if seat is not None:
            mine = own is not None and int(seat[1]) == own
        elif not line.startswith("  "):
            mine = False
        if number == 0 or mine:
            text.stylize("bold")
        elif _RULE.fullmatch(line):
            text.stylize("dim")
        if own is not None and (hand := _HAND.match(line)):
            text.stylize("bold")
            text.stylize("reverse", *hand.span())
        for found in _ASIDE.finditer(line):
            text.stylize("dim", *found.span())
        shown.append(text)
    return shown
