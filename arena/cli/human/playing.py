"""Plays a match with people at some of its seats, hosted or in this process."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from rich.text import Text

from arena.cli.human.person import Desk, Person, Question
from arena.cli.human.screen import Cast, Scene, last_page
from arena.cli.human.terminal import Terminal, presses, woken_by_signals
from arena.cli.playing import Job, Played, SeatWords
from arena.cli.setting import Setting
from arena.core.errors import UsageError
from arena.core.seat import Seat
from arena.match.local import Chooser
from arena.match.match import Decision, Match
from arena.match.replay import Replay
from arena.match.result import SeatEnd

_LONGEST_MS: Final = (1 << 31) - 1
"""People take their time: the referee's cap is as far off as the wire can say (24 days)."""


def play_with_people(setting: Setting, terminal: Terminal) -> tuple[Played, list[Person]]:
    """Play one match in which "human" stands for people at this terminal, and show them its end.

    Returns the people too, who know whether they gave up. Raises UsageError if several are to share what is no
    terminal.
    """
    seats = [Seat(seat) for seat, bot in enumerate(setting.bots) if bot.is_person]
    if len(seats) > 1 and not terminal.interactive:
        raise UsageError(
            f"{len(seats)} people share one screen, which has to be cleared between them: this needs a terminal, "
            "not a pipe or a dumb one",
            reason="NO_TERMINAL",
        )
    components = setting.game.components(setting.components or None, "components")
    names = tuple(bot.manifest.name for bot in setting.bots)
    with asyncio.Runner() as runner:
        desk = Desk(terminal, shared=len(seats) > 1)
        people = {seat: Person(desk, setting.game, components, Cast(names, seat), seat) for seat in seats}

        waiting: list[asyncio.Task[Any]] = []
        with ctrl_c_resigns(desk, runner.get_loop(), waiting):
            job = Job(setting.setup(setting.bots, setting.seed, "local"), setting.bots)
            terminal.say(Text("the match begins ...", style="dim"))
            if setting.in_process:
                played = _play_in_process(job, people, runner)
            else:
                played = runner.run(_until_stopped(_play_hosted(job, people), waiting))
    terminal.clear(forget=desk.shared)
    _show_end(setting, played, seats, names, terminal)
    return played, list(people.values())


@contextmanager
def ctrl_c_resigns(desk: Desk, loop: asyncio.AbstractEventLoop, waiting: list[asyncio.Task[Any]]) -> Iterator[None]:
    """While the block runs, Ctrl-C lets somebody give up, or cancels the tasks in `waiting` when nobody is left to.

    A signal comes between any two steps of the program, so its handler only takes notes; what they mean to those who
    wait is told by the loop. An event that is set by a handler, in the middle of somebody's wait(), can go unheard.
    """

    def pressed() -> bool:
        person = desk.interrupt()
        if person is not None:
            loop.call_soon_threadsafe(person.left.set)
            return True
        stop = [task for task in waiting if not task.cancelling()]
        loop.call_soon_threadsafe(lambda: [task.cancel() for task in stop])
        return bool(stop)

    with woken_by_signals(loop), presses(pressed):
        yield


async def _until_stopped(playing: Coroutine[Any, Any, Played], waiting: list[asyncio.Task[Any]]) -> Played:
    """Play to the end, or raise KeyboardInterrupt once the task in `waiting` was cancelled and has cleared away.

    An exception raised by a signal wherever the program is would leave programs and streams behind.
    """
    task = asyncio.ensure_future(playing)
    waiting.append(task)
    try:
        return await task
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None


async def _play_hosted(job: Job, people: Mapping[Seat, Person]) -> Played:
    from arena.cli.human.guest import SeatedPerson  # noqa: PLC0415 - gRPC costs 150 ms that the other way need not pay
    from arena.hosting.matches import HostedBot, play_hosted  # noqa: PLC0415 - as above
    from arena.hosting.referee import Referee  # noqa: PLC0415 - as above

    timed = job.setup.clock is not None
    seats = [
        HostedBot(bot.folder, bot.manifest.program)
        if (person := people.get(Seat(seat))) is None
        else SeatedPerson(person, timed=timed)
        for seat, bot in enumerate(job.bots)
    ]
    async with Referee() as referee:
        hosted = await play_hosted(job.setup, seats, referee, cap_ms=_LONGEST_MS)
    words = tuple(SeatWords(seat.note, seat.output.text) for seat in hosted.seats)
    return Played(job, hosted.result, hosted.log, words)


def _play_in_process(job: Job, people: Mapping[Seat, Person], runner: asyncio.Runner) -> Played:
    from arena.cli.inprocess import load_bot_class, play_in_process  # noqa: PLC0415 - needed for this way only

    def chooser(person: Person) -> Chooser:
        def choose(match: Match, decision: Decision) -> int:
            view, legal = match.game.parse_turn(match.turn(decision.seat))
            choice = runner.run(person.choose(Question(decision.ply, None, view, legal)))
            if choice is None:
                match.forfeit({decision.seat: SeatEnd.RESIGNED})
                person.say_out()
                return 0  # to a question that is no longer asked
            return choice

        return choose

    seats = [
        load_bot_class(bot) if (person := people.get(Seat(seat))) is None else chooser(person)
        for seat, bot in enumerate(job.bots)
    ]
    match = play_in_process(job.setup, seats)
    if match.result is None:
        raise RuntimeError("play_in_process returned before the end")
    return Played(job, match.result, match.log_text(), (SeatWords("", ""),) * len(seats))


def _show_end(setting: Setting, played: Played, seats: list[Seat], names: tuple[str, ...], terminal: Terminal) -> None:
    """Show the last position: as the one person saw it, as everybody did if several look."""
    own = seats[0] if len(seats) == 1 else None
    replay = Replay(line.encode() for line in played.log.splitlines(keepends=True))
    replay.seek(replay.plies)
    scene = Scene(setting.game, replay.components, Cast(names, own), replay.view(own))
    terminal.say(last_page(scene, played.result, terminal.width))
