"""One match without I/O: match, clock, log, replay, verification. No clock is read, no file or socket is opened."""

from arena.match.clock import Bank, Clock, clock_text
from arena.match.local import Chooser, play_local
from arena.match.match import Decision, Match
from arena.match.result import MatchEnd, MatchResult, SeatEnd, final_ranks
from arena.match.setup import SeatLabel, Setup

__all__ = [
    "Bank",
    "Chooser",
    "Clock",
    "Decision",
    "Match",
    "MatchEnd",
    "MatchResult",
    "SeatEnd",
    "SeatLabel",
    "Setup",
    "clock_text",
    "final_ranks",
    "play_local",
]
