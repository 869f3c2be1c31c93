"""A person at a seat: is shown a turn, is asked until an answer fits, may resign at any time."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from google.protobuf.message import Message
from rich.table import Table
from rich.text import Text

from arena.cli.human.brief import short_rules
from arena.cli.human.menu import Menu
from arena.cli.human.screen import Cast, Scene, choices_width, heading, story, turn_page
from arena.cli.human.terminal import InputEnded, Terminal
from arena.core.game import AnyGame, Components
from arena.core.seat import Seat

COMMANDS: Final = (
    ("NUMBER", "make that choice"),
    ("WORDS", "show only the choices with these words in them (/WORDS if they look like a command or a number)"),
    ("Enter", "turn the page, or show all choices again"),
    ("view", "draw the table again"),
    ("log", "everything that happened so far, as you saw it"),
    ("?", "this page and the short rules of the game"),
    ("resign", "give up; Ctrl-C does so at any time, the log is kept"),
)
_HELP: Final = frozenset({"?", "help", "h", "rules"})
_LOG: Final = frozenset({"log", "history"})
_VIEW: Final = frozenset({"view", "v"})
_RESIGN: Final = frozenset({"resign", "quit", "exit", "q"})
_LEAST_ROWS: Final = 8
_MOST_ROWS: Final = 20


class Leaving(StrEnum):
    """How a person gave up."""

    BY_WORD = "the word resign"
    BY_INTERRUPT = "Ctrl-C"
    BY_END_OF_INPUT = "the end of input"


@dataclass(frozen=True, slots=True)
class Question:
    """One turn as a person is asked it; bank_ms: what is left on the clock, None without one."""

    ply: int
    bank_ms: int | None
    view: Message
    legal: Sequence[Any]


class Desk:
    """The one terminal of a match, and who sits at it; shared: several people take turns."""

    def __init__(self, terminal: Terminal, *, shared: bool) -> None:
        self.terminal = terminal
        self.shared = shared
        self.people: list[Person] = []
        self._at: Person | None = None

    def interrupt(self) -> Person | None:
        """Note that the person at the keyboard gives up and return who it is, None if nobody is left to.

        Whoever calls this has `left` set, in the event loop.
        """
        candidates = ([] if self._at is None else [self._at]) + self.people
        for person in candidates:
            if person.playing:
                person.leaving = Leaving.BY_INTERRUPT
                return person
        return None

    async def hand_to(self, person: Person) -> None:
        """Let a person sit down; somebody else's secrets are off the screen by then."""
        if self.shared and self._at is not person:
            self.terminal.clear(forget=True)
            self._at = person
            tag = Cast(person.cast.names, None).tag(person.seat)
            await self.terminal.ask(f"Seat {tag}, it is your turn. Press Enter when nobody else looks. ")
        self._at = person
        self.terminal.clear(forget=self.shared)

    def after_choice(self, person: Person) -> None:
        """Take a person's secrets off a shared screen."""
        if self.shared:
            self.terminal.clear(forget=True)
        if self.terminal.interactive:
            self.terminal.say(Text(f"seat {person.seat} has chosen; waiting for the others ...", style="dim"))


class Person:
    """Somebody at a seat. leaving: how they gave up, None while they have not. left: set for those who wait for it."""

    def __init__(self, desk: Desk, game: AnyGame, components: Components, cast: Cast, seat: Seat) -> None:
        self.cast = cast
        self.seat = seat
        self.leaving: Leaving | None = None
        self.left = asyncio.Event()
        self._desk = desk
        self._terminal = desk.terminal
        self.game = game
        self._components = components
        self._told: list[tuple[int, list[str]]] = []
        desk.people.append(self)

    @property
    def playing(self) -> bool:
        """Whether this person has not given up."""
        return self.leaving is None

    def leave(self, how: Leaving) -> None:
        """Give up; in the event loop only."""
        self.leaving = self.leaving or how
        self.left.set()

    def say_out(self) -> None:
        """Say that the match goes on without this person, unless it ends with their leaving."""
        if len(self.cast.names) > 2:
            self._terminal.say("\nYou are out; the others play on. Ctrl-C stops waiting, but keeps no log.")

    async def choose(self, question: Question) -> int | None:
        """Return the index of the choice made; None when the person gave up instead."""
        asking = asyncio.ensure_future(self._ask(question))
        leaving = asyncio.ensure_future(self.left.wait())
        try:
            await asyncio.wait((asking, leaving), return_when=asyncio.FIRST_COMPLETED)
            if self.playing:
                return asking.result()
            return None
        finally:
            for task in (asking, leaving):
                task.cancel()
            await asyncio.gather(asking, leaving, return_exceptions=True)

    async def _ask(self, question: Question) -> int:
        scene = Scene(self.game, self._components, self.cast, question.view)
        self._told.append((question.ply, scene.told()))
        menu = Menu([self.game.describe(action, self._components) for action in question.legal])
        try:
            await self._desk.hand_to(self)
            self._show(scene, question, menu)
            while True:
                line = await self._terminal.ask(f"1-{len(menu)}, or ? for help: ")
                choice = await self._follow(line, scene, question, menu)
                if choice is not None:
                    self._desk.after_choice(self)
                    return choice
        except InputEnded:
            self.leave(Leaving.BY_END_OF_INPUT)
            return -1

    async def _follow(self, line: str, scene: Scene, question: Question, menu: Menu) -> int | None:
        """Do what a line asks for; return the choice if it is one."""
        word = line.lower()
        if line.isdecimal():
            choice = menu.index_of(int(line))
            if choice is None:
                self._terminal.say(f"there is no {line[:20]}; type a number from 1 to {len(menu)}, or ? for help")
            return choice
        if word in _HELP:
            self._show_help()
            self._show_menu(menu)
        elif word in _LOG:
            self._show_log()
            self._show_menu(menu)
        elif word in _VIEW:
            self._terminal.clear(forget=self._desk.shared)
            self._show(scene, question, menu)
        elif word in _RESIGN:
            if (await self._terminal.ask("Resign this match? Type yes to do so: ")).lower() in {"yes", "y"}:
                self.leave(Leaving.BY_WORD)
                await asyncio.Event().wait()
            self._terminal.say("you play on")
        elif not word:
            menu.turn_page(*self._room())
            self._show_menu(menu)
        elif menu.narrow(line.removeprefix("/")):
            self._show_menu(menu)
        else:
            self._terminal.say(f"no choice has {line[:40]!r} in it; type a number from 1 to {len(menu)}, or ? for help")
        return None

    def _room(self) -> tuple[int, int]:
        """Return the columns and rows that the choices have."""
        rows = min(max(self._terminal.height // 2, _LEAST_ROWS), _MOST_ROWS)
        return choices_width(self._terminal.width), rows

    def _show(self, scene: Scene, question: Question, menu: Menu) -> None:
        note = f"your turn, ply {question.ply}"
        if question.bank_ms is not None:
            note += f", {question.bank_ms / 1000:.1f} s left"
        choices = Text("\n".join(menu.lines(*self._room())))
        self._terminal.say(turn_page(scene, note, choices, self._terminal.width))

    def _show_menu(self, menu: Menu) -> None:
        width = self._terminal.width
        self._terminal.say(heading("Your choice", width))
        self._terminal.say(Text("\n".join(menu.lines(width, self._room()[1]))))

    def _show_help(self) -> None:
        width = self._terminal.width
        rules = short_rules(self.game) or f"{self.game.spec.title} comes without short rules."
        self._terminal.say(heading("The game", width))
        self._terminal.say(Text(rules))
        self._terminal.say(heading("What you can type", width))
        commands = Table.grid(padding=(0, 2))
        for word, meaning in COMMANDS:
            commands.add_row(Text(word, style="bold"), meaning)
        self._terminal.say(commands)

    def _show_log(self) -> None:
        width = self._terminal.width
        self._terminal.say(heading("Everything you saw", width))
        for ply, lines in self._told:
            if lines:
                self._terminal.say(Text(f"before ply {ply}", style="dim"))
                self._terminal.say(story(lines, self.cast, width))
