"""Plays First Snow with the weights that train.py has learned."""

from pathlib import Path

import numpy as np
from features import features

from arena.core import FastStream
from bots.sdk import Bot, run

SAMPLES = 3


class Learned(Bot):
    """Takes the action after which the weights expect the highest lead, over some states that fit the view."""

    def __init__(self, match):
        super().__init__(match)
        self.stream = FastStream(match.bot_seed)
        self.weights = np.load(Path(__file__).with_name("weights.npy"))

    def choose(self, turn):
        """Return the most promising of the legal actions."""
        totals = np.zeros(len(turn.legal_actions))
        for _ in range(SAMPLES):
            state = self.match.game.sample(turn.view, self.match.components, self.stream)
            for place, action in enumerate(turn.legal_actions):
                after = state.copy()
                after.apply(action)
                totals[place] += features(after, self.match.seat) @ self.weights
        return turn.legal_actions[int(totals.argmax())]


if __name__ == "__main__":
    run(Learned)
