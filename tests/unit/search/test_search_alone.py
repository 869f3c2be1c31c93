"""How Search chooses in a game played alone, on small trees whose every value is written down."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from arena.core import CHANCE, FastStream
from bots.builtin.search.alone import LEAST, Alone


@dataclass
class Spot:
    """A state: where it is in a tree of (who acts, what it looks worth, what follows by action)."""

    tree: dict
    at: str = "root"

    @property
    def to_act(self):
        return self.tree[self.at][0]

    @property
    def worth(self):
        return self.tree[self.at][1]

    def legal_actions(self):
        return tuple(self.tree[self.at][2])

    def apply(self, action):
        self.at = self.tree[self.at][2][action]

    def copy(self):
        return replace(self)


class Chances:
    """The part of a game that is asked: what chance brings."""

    def draw(self, state, stream):
        legal = state.legal_actions()
        return legal[stream.below(len(legal), "coin")]


class Looks:
    """A judge that thinks of a spot what its tree says."""

    def __init__(self, *, knows_odds=True):
        self.knows_odds = knows_odds

    def shares(self, state):
        return (state.worth,)


def coin(worth, heads, tails):
    return (CHANCE, worth, {"heads": heads, "tails": tails})


def decision(worth, *after):
    return (0, worth, dict(enumerate(after)))


def end(worth):
    return (None, worth, {})


TRAP = {
    "root": decision(0.5, "trap", "safe"),
    "trap": coin(0.51, "hard", "hard"),
    "safe": coin(0.50, "easy", "easy"),
    "hard": decision(0.51, "bad", "worse"),
    "easy": decision(0.50, "fine", "bad"),
    "bad": end(0.40),
    "worse": end(0.30),
    "fine": end(0.52),
}
"""The trap looks better, but its next decision has no good answer."""

LUCK = {
    "root": decision(0.5, "dull", "wild"),
    "dull": coin(0.505, "some", "some"),
    "wild": coin(0.500, "all", "nothing"),
    "some": decision(0.505, "kept", "lost"),
    "all": decision(0.9, "won", "lost"),
    "nothing": decision(0.1, "lost", "lost"),
    "kept": end(0.505),
    "won": end(0.9),
    "lost": end(0.1),
}
"""Wild play wins or loses by the coin; decisions bring what was expected."""


def chosen(tree, futures=12, *, knows_odds=True, seed=1):
    spot = Spot(tree)
    alone = Alone(Chances(), Looks(knows_odds=knows_odds), FastStream(seed))
    return alone.choose([spot], spot.legal_actions(), range(futures))


def test_it_avoids_an_action_whose_next_decision_has_no_good_answer():
    assert chosen(TRAP) == 1


@pytest.mark.parametrize("seed", range(20))
def test_luck_in_the_futures_it_tries_changes_nothing(seed):
    assert chosen(LUCK, seed=seed) == 0


def test_with_too_few_futures_it_takes_what_looks_best():
    assert chosen(TRAP, futures=LEAST - 1) == 0


def test_an_action_that_looks_much_worse_is_not_tried():
    tree = {**TRAP, "safe": coin(0.40, "easy", "easy"), "easy": decision(0.40, "fine", "bad"), "fine": end(0.99)}
    assert chosen(tree) == 0


def test_what_chance_brings_counts_where_the_evaluator_does_not_know_the_odds():
    tree = {**LUCK, "nothing": decision(0.6, "fair", "lost"), "fair": end(0.6)}
    assert chosen(tree, knows_odds=True) == 0
    assert chosen(tree, knows_odds=False) == 1
