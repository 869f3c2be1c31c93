"""What a bot is, and what it is told: the match, its turns, the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from google.protobuf.message import Message

from arena.core import AnyGame, Components, Seat
from arena.core.errors import IllegalAction


@dataclass(frozen=True, slots=True)
class MatchInfo:
    """The facts of a match, fixed from its start.

    game: the rules library of the game. seat: the bot's own, 0 .. seats-1. components: the numbers of this match.
    bot_seed: a number below 2**32 for the bot's own randomness, the same in every replay of the match.
    bank_ms, increment_ms, start_ms, margin_ms: the clock in milliseconds, all 0 when there is none.
    history: events this seat was shown before; empty unless the program joined a match that was already running.
    """

    game: AnyGame
    variant: str
    seats: int
    seat: Seat
    components: Components
    bot_seed: int
    bank_ms: int = 0
    increment_ms: int = 0
    start_ms: int = 0
    margin_ms: int = 0
    history: tuple[Message, ...] = ()


@dataclass(frozen=True, slots=True)
class Turn:
    """One question to the bot.

    ply: the number of this ply in the match. bank_ms: milliseconds left in the bot's bank, 0 without a clock.
    view: what this seat may know now, the game's View message. legal_actions: what it may do, never empty.
    """

    ply: int
    bank_ms: int
    view: Message
    legal_actions: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class SeatReport:
    """How one seat came out: rank (1 is best, 0 in a match that does not count), score (None: none), and its end.

    end: one of PLAYED, ILLEGAL_ACTION, MALFORMED, TIMEOUT, CRASHED, DISCONNECTED, NO_SHOW, RESIGNED, REPLACED.
    """

    rank: int
    score: int | None
    end: str


@dataclass(frozen=True, slots=True)
class GameOver:
    """The end of a match.

    end: COMPLETED, FORFEIT, VOID or ABORTED. seats: one report per seat, in seat order.
    view: the last view of this bot's seat; None when the match never began.
    """

    end: str
    seats: tuple[SeatReport, ...]
    view: Message | None


class Bot:
    """A player of one seat in one match; subclasses say what it does.

    It cannot tell whether it plays in the same process, in a sandbox or over the network. What it prints is kept for
    its author.
    """

    def __init__(self, match: MatchInfo) -> None:
        self.match = match

    def choose(self, turn: Turn) -> Any:
        """Return one of turn.legal_actions."""
        raise NotImplementedError(f"{type(self).__name__} has no method choose(self, turn)")

    def game_over(self, over: GameOver) -> None:
        """Look at the end of the match; the default does nothing."""


def index_of_choice(turn: Turn, chosen: object) -> int:
    """Return where the chosen action stands in turn.legal_actions. Raises IllegalAction, saying what may be chosen."""
    try:
        return turn.legal_actions.index(chosen)
    except ValueError:
        hint = "; is a return statement missing?" if chosen is None else ""
        raise IllegalAction(
            f"choose returned {chosen!r} at ply {turn.ply}, which is none of the {len(turn.legal_actions)} "
            f"turn.legal_actions: {_listed(turn.legal_actions)}{hint}"
        ) from None


def _listed(actions: Sequence[object], most: int = 8) -> str:
    shown = ", ".join(repr(action) for action in actions[:most])
    return shown if len(actions) <= most else f"{shown}, ..."
