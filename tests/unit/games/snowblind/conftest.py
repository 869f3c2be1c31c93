"""Positions of Snowblind for the tests, written zone by zone."""

import re

import pytest

from arena.core import CHANCE, FastStream
from arena.games.snowblind import GAME
from arena.games.snowblind.actions import ACTIONS, ROLLS
from arena.games.snowblind.components import Die
from arena.games.snowblind.state import BARRELS, CAMPS, CRATES, DICE, FACTS, FLAG, FOOD, LYING, TRACK, Phase
from arena.games.snowblind.turns import begin_turn

SLOTS = {
    "C": 0,
    "Y": 1,
    "B": 2,
    "c": LYING,
    "y": LYING + 1,
    "b": LYING + 2,
    "crate": CRATES,
    "food": FOOD,
    "barrel": BARRELS,
    "camp": CAMPS,
}


def slots(text):
    """Return the counts of a zone for a text such as "C YY b 4 crate 1 camp"; small letters lie."""
    counts = [0] * 10
    for number, word in re.findall(r"(?:(\d+) )?([a-zA-Z]+)", text):
        if word in SLOTS:
            counts[SLOTS[word]] += int(number or 1)
        else:
            for letter in word:
                counts[SLOTS[letter]] += 1
    return counts


class Table:
    """A state to lay out, to act in by notation, and to look at."""

    def __init__(self, variant="quick", seats=2, components=None):
        self.state = GAME.new(variant, seats, components or GAME.components(None, ""))
        if seats > 1:
            self.play("compass 0")

    def lay(self, seat=0, flag=None, **zones):
        """Clear a seat's track and lay these zones: z3="C 4 crate"."""
        state = self.state
        state.track[seat * TRACK : (seat + 1) * TRACK] = bytes(TRACK)
        for name, text in zones.items():
            at = state.start(seat, int(name[1:]))
            state.track[at : at + 10] = bytes(slots(text))
        on_tracks = sum(sum(state.track[lane * TRACK + FOOD : (lane + 1) * TRACK : 10]) for lane in range(state.seats))
        state.food = state.components.food - on_tracks
        if flag is not None:
            self.fact(seat, FLAG, flag)
        state.forget_legal_actions()
        return self

    def fact(self, seat, name, value):
        """Set one of a seat's facts."""
        self.state.facts[seat * FACTS + name] = value
        self.state.forget_legal_actions()
        return self

    def pool(self, *dice, seat=0):
        """Move dice from the board to a seat's pool."""
        for name in dice:
            die = Die[name.upper().replace("-", "_")]
            self.state.dice[die] -= 1
            self.state.dice[(seat + 1) * DICE + die] += 1
        self.state.forget_legal_actions()
        return self

    def turn(self, seat):
        """Give the turn to a seat."""
        begin_turn(self.state, seat)
        self.state.forget_legal_actions()
        return self

    def play(self, *texts):
        """Act by notation."""
        for text in texts:
            self.state.apply(ACTIONS.parse(text))
        return self

    def roll(self, *faces):
        """Let the pool show these faces."""
        for face in faces:
            self.state.apply(ROLLS[face - 1])
        return self

    def pass_all(self):
        """Let everybody pass, flags staying where they are, until the weather comes or the game is over."""
        while self.state.to_act not in (None, CHANCE):
            self.play("leave flag" if self.state.phase is Phase.FLAG else "pass")
        return self

    @property
    def legal(self):
        """The notations of what is legal."""
        return [ACTIONS.text_of(action) for action in self.state.legal_actions()]

    def zone(self, zone, seat=0):
        """Return the counts of a zone as a text that slots() reads."""
        at = self.state.start(seat, zone)
        return list(self.state.track[at : at + 10])

    def shows(self, zone, text, seat=0):
        """Return whether a zone holds exactly this."""
        return self.zone(zone, seat) == slots(text)

    def get(self, name, seat=0):
        """Return one of a seat's facts."""
        return self.state.facts[seat * FACTS + name]

    def pool_of(self, seat=0):
        """Return the dice of a seat's pool by kind."""
        first = (seat + 1) * DICE
        return {Die(die).name.lower(): many for die, many in enumerate(self.state.dice[first : first + DICE]) if many}


@pytest.fixture
def table():
    """Return a function that makes a table: variant, seats, components."""
    return Table


@pytest.fixture
def playout():
    """Return a function that yields the state after every ply of a random game."""

    def walk(variant, seats, seed):
        stream = FastStream(seed)
        state = GAME.new(variant, seats, GAME.components(None, ""))
        yield state
        while state.to_act is not None:
            legal = state.legal_actions()
            chance = state.to_act is CHANCE
            state.apply(GAME.draw(state, stream) if chance else legal[stream.below(len(legal), "")])
            yield state

    return walk
