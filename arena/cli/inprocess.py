"""Plays bots in this very process: quick and debuggable, without sandbox and without clock."""

from __future__ import annotations

import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from importlib.util import module_from_spec, spec_from_file_location
from itertools import count
from pathlib import Path
from typing import Final

from arena.cli.botref import LocalBot
from arena.core.chance import bot_seed
from arena.core.errors import Terminated, UsageError
from arena.core.manifest import STDIO
from arena.core.seat import Seat
from arena.match.local import Chooser, play_local
from arena.match.match import Decision, Match
from arena.match.result import MatchResult
from arena.match.setup import Setup
from bots.sdk import Bot, GameOver, MatchInfo, SeatReport, Turn
from bots.sdk.bot import index_of_choice
from bots.sdk.running import collected_runs

_numbers: Final = count()


def play_in_process(setup: Setup, seats: Sequence[type[Bot] | Chooser]) -> Match:
    """Play one match to its end; what a bot prints goes to stderr, and so does the traceback of one that raises.

    seats: a bot's class, or whoever else chooses there.
    """
    players = {Seat(seat): _Player(kind) for seat, kind in enumerate(seats) if isinstance(kind, type)}
    choosers = [kind if not isinstance(kind, type) else players[Seat(seat)].choose for seat, kind in enumerate(seats)]

    def crashed(decision: Decision, fault: BaseException) -> None:
        label = setup.seats[decision.seat].bot
        print(f"seat {decision.seat} ({label}) raised at ply {decision.ply}:", file=sys.stderr)
        traceback.print_exception(fault)

    with redirect_stdout(sys.stderr):
        match = play_local(setup, choosers, now_ms=_now_ms, crashed=crashed)
        for seat, player in players.items():
            player.game_over(match, seat)
    return match


def load_bot_class(bot: LocalBot) -> type[Bot]:
    """Import a Python bot's program and return the class it runs.

    The module gets a name of its own; the folder is on sys.path while it loads, and modules found in it are forgotten
    afterwards, so that two bots may each have an evaluation.py. Raises UsageError (NOT_IN_PROCESS,
    BOT_DOES_NOT_LOAD).
    """
    command = bot.manifest.command
    if bot.manifest.language == STDIO:
        raise UsageError(
            f"{bot.manifest.name} reads and writes lines; --in-process plays bots of the Python SDK only",
            reason="NOT_IN_PROCESS",
        )
    if bot.manifest.language != "python" or len(command) != 2 or command[0] != "python":
        raise UsageError(
            f"{bot.manifest.name} is started by {' '.join(command)!r}; --in-process plays Python bots started by"
            " 'python FILE' only",
            reason="NOT_IN_PROCESS",
        )
    path = bot.folder / command[1]
    spec = spec_from_file_location(f"whiteout_bot_{next(_numbers)}_{bot.manifest.name.replace('-', '_')}", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise UsageError(f"{path} is no Python program, but the bot's command names it", reason="BOT_DOES_NOT_LOAD")
    module = module_from_spec(spec)
    sys.modules[spec.name] = module
    with _home(bot.folder), collected_runs() as classes, redirect_stdout(sys.stderr):
        try:
            spec.loader.exec_module(module)
        except Terminated:
            raise
        except (Exception, SystemExit) as fault:
            raise UsageError(f"{path} does not load: {_in_one_line(fault)}", reason="BOT_DOES_NOT_LOAD") from fault
    if not classes:
        classes = [value for value in vars(module).values() if _is_bot_of(value, spec.name)]
    if len(classes) != 1:
        raise UsageError(
            f"{path} has to run one bot, as `run(MyBot)`; it runs {len(classes)}", reason="BOT_DOES_NOT_LOAD"
        )
    return classes[0]


class _Player:
    """One seat's bot, made when it is first asked."""

    def __init__(self, bot_class: type[Bot]) -> None:
        self._class = bot_class
        self._bot: Bot | None = None

    def choose(self, match: Match, decision: Decision) -> int:
        if self._bot is None:
            self._bot = self._class(_match_info(match, decision.seat))
        view, legal = match.game.parse_turn(match.turn(decision.seat))
        turn = Turn(ply=decision.ply, bank_ms=0, view=view, legal_actions=legal)
        return index_of_choice(turn, self._bot.choose(turn))

    def game_over(self, match: Match, seat: Seat) -> None:
        result = match.result
        if self._bot is None or result is None:
            return
        try:
            self._bot.game_over(GameOver(result.end, _reports(result), match.view(seat)))
        except Terminated:
            raise
        except (Exception, SystemExit) as fault:  # noqa: BLE001 - the result stands whatever a bot makes of it
            print(f"seat {seat} raised in game_over:", file=sys.stderr)
            traceback.print_exception(fault)


def _match_info(match: Match, seat: Seat) -> MatchInfo:
    setup = match.setup
    return MatchInfo(
        game=match.game,
        variant=setup.variant,
        seats=len(setup.seats),
        seat=seat,
        components=match.components,
        bot_seed=bot_seed(setup.seed, seat),
    )


def _reports(result: MatchResult) -> tuple[SeatReport, ...]:
    seats = zip(result.ranks, result.scores, result.seat_ends, strict=True)
    return tuple(SeatReport(rank, score, end) for rank, score, end in seats)


def _now_ms() -> int:
    return time.monotonic_ns() // 1_000_000


@contextmanager
def _home(folder: Path) -> Iterator[None]:
    """Let modules be imported from the folder, and forget them afterwards."""
    before = set(sys.modules)
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        for name in set(sys.modules) - before:
            if Path(getattr(sys.modules[name], "__file__", None) or "/").is_relative_to(folder):
                del sys.modules[name]


def _is_bot_of(value: object, module: str) -> bool:
    return isinstance(value, type) and issubclass(value, Bot) and value.__module__ == module


def _in_one_line(fault: BaseException) -> str:
    return " ".join(traceback.format_exception_only(fault)[-1].split())
