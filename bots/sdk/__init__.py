"""The SDK: what a bot author imports.

from bots.sdk import Bot, run

class MyBot(Bot):
    def choose(self, turn):
        return turn.legal_actions[0]

run(MyBot)
"""

from bots.sdk.bot import Bot, GameOver, MatchInfo, SeatReport, Turn
from bots.sdk.running import run

__all__ = ["Bot", "GameOver", "MatchInfo", "SeatReport", "Turn", "run"]
