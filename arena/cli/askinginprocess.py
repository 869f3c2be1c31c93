"""Asks a Python bot in this very process what a log asked a seat, so that a debugger can look on."""

from __future__ import annotations

import sys
import traceback
from contextlib import redirect_stdout

from arena.cli.asking import Asked, Decision
from arena.cli.botref import LocalBot
from arena.cli.inprocess import load_bot_class
from arena.core.chance import bot_seed
from arena.core.errors import GameError, Terminated
from arena.core.seat import Seat
from arena.match.clock import Clock
from arena.match.replay import Question, Replay
from bots.sdk import Bot, MatchInfo, Turn
from bots.sdk.bot import index_of_choice


def ask_class(bot: LocalBot, match: Replay, seat: Seat) -> Asked:
    """Make the bot's object and ask it everything; what it prints goes to stderr.

    Raises UsageError for a bot that cannot be loaded here, GameError (BOT_FAILED) for one that raises.
    """
    bot_class = load_bot_class(bot)
    decisions: list[Decision] = []
    with redirect_stdout(sys.stderr):
        try:
            player: Bot | None = None
            for question in match.questions(seat):
                player = player or bot_class(_match_info(match, seat))
                decisions.append(Decision(question, _choose(player, match, question)))
        except Terminated:
            raise
        except (Exception, SystemExit) as fault:  # noqa: BLE001 - a bot may raise anything
            traceback.print_exception(fault)
            where = f"after {len(decisions)} turns"
            raise GameError(f"{bot.manifest.name} raised {where}: {fault}", reason="BOT_FAILED") from None
    return Asked(tuple(decisions), "")


def _choose(player: Bot, match: Replay, question: Question) -> int:
    body = match.game.turn(question.view, question.legal).SerializeToString(deterministic=True)
    view, legal = match.game.parse_turn(body)
    turn = Turn(ply=question.ply, bank_ms=question.bank_ms, view=view, legal_actions=legal)
    return index_of_choice(turn, player.choose(turn))


def _match_info(match: Replay, seat: Seat) -> MatchInfo:
    header = match.header
    clock = Clock.parse(header.clock) or Clock(0, 0, 0, 0)
    return MatchInfo(
        game=match.game,
        variant=header.variant,
        seats=len(header.seats),
        seat=seat,
        components=match.components,
        bot_seed=0 if header.seed is None else bot_seed(header.seed, seat),
        bank_ms=clock.bank_ms,
        increment_ms=clock.increment_ms,
        start_ms=clock.start_ms,
        margin_ms=clock.margin_ms,
    )
