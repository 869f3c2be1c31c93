"""Programs of small bots that play any game."""

FIRST = """
from bots.sdk import Bot, run
class First(Bot):
    def choose(self, turn):
        print("ply", turn.ply)
        return turn.legal_actions[0]
run(First)
"""
"""Always takes the first legal action, and says so."""

SLEEPER = FIRST.replace("return", "import time; time.sleep(600); return")
"""Connects, is asked, and does not answer."""
