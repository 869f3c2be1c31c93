"""The tree of Search: each node is what has been done so far, each iteration sees another state that fits the view.

An edge is a decision. What follows chance is told apart by who is asked what, so that dice which change nothing do not
split a node. A node that is reached for the first time has all its actions looked at, one step ahead; the value of the
best is what comes back. The same values are the odds (PUCT, Rosin 2011) by which later iterations try the actions. A
state in which other actions are legal than before (information sets: Cowling, Powley and Whitehouse 2012) adds those to
the node and chooses among its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, inf, sqrt
from typing import Any, Final

from arena.core import CHANCE, AnyGame, Seat, Stream
from bots.builtin.search.judge import Judge, Shares

EXPLORATION: Final = 0.3
"""Weight of the odds against the values found; found by trying, like the next."""
SHARPNESS: Final = 20.0
"""An action that is better by 1 / SHARPNESS of the points is tried e times as often at first."""
MOST_NODES: Final = 100_000
"""Nodes at which a tree is full, some 40 MB."""


class Node:
    """A decision, or what chance made of it.

    first: the shares of all seats when it was first looked at. total: sum of what it brought the seat that decided, the
    first look included; visits: how many that were. odds: how promising it was at first, in no unit.
    """

    __slots__ = ("children", "first", "odds", "total", "visits")

    def __init__(self, first: Shares, value: float) -> None:
        self.first = first
        self.visits = 1
        self.total = value
        self.odds = exp(SHARPNESS * value)
        self.children: dict[Any, Node] = {}


class Tree:
    """All that is found out for one decision, and for those of the same seat that follow it at once."""

    def __init__(self, game: AnyGame, judge: Judge, stream: Stream, most_nodes: int = MOST_NODES) -> None:
        self._game = game
        self._judge = judge
        self._stream = stream
        self._most_nodes = most_nodes
        self._size = 0
        self.root = Node((), 0.0)

    @property
    def full(self) -> bool:
        """Whether the tree has as many nodes as it may have."""
        return self._size >= self._most_nodes

    def iterate(self, state: Any) -> None:
        """Go down from the root once, and up again with what was found; the state is used up."""
        node = self.root
        path: list[tuple[Node, Seat]] = []
        while True:
            drawn = self._go_on(state)
            actor = state.to_act
            if actor is None:
                shares = self._judge.shares(state)
                break
            legal = state.legal_actions()
            if drawn:
                node = self._after_chance(node, (actor, tuple(legal)))
            fresh = not node.children
            found = self._children(node, state, legal)
            if fresh:
                shares = max(found, key=_total).first
                break
            place = _most_promising(found)
            node = found[place]
            path.append((node, actor))
            state.apply(legal[place])
        for node, seat in path:
            node.visits += 1
            node.total += shares[seat]

    def _go_on(self, state: Any) -> bool:
        """Make the plies that nobody decides, up to the next decision or the end; returns whether chance made any."""
        drawn = False
        while True:
            actor = state.to_act
            if actor is CHANCE:
                state.apply(self._game.draw(state, self._stream))
                drawn = True
            elif actor is None or len(state.legal_actions()) > 1:
                return drawn
            else:
                state.apply(state.legal_actions()[0])

    def _after_chance(self, node: Node, asked: tuple[Seat, tuple[Any, ...]]) -> Node:
        after = node.children.get(asked)
        if after is None:
            after = node.children[asked] = Node((), 0.0)
            self._size += 1
        return after

    def _children(self, node: Node, state: Any, legal: Sequence[Any]) -> list[Node]:
        """Return the nodes of the legal actions, in their order; those that are new are looked at."""
        children = node.children
        found = []
        for action in legal:
            child = children.get(action)
            if child is None:
                after = state.copy()
                after.apply(action)
                shares = self._judge.shares(after)
                child = children[action] = Node(shares, shares[state.to_act])
                self._size += 1
            found.append(child)
        return found


def is_settled(root: Node, left: float) -> bool:
    """Return whether the most visited action stays so, whatever the iterations that are left bring."""
    first, second = sorted((child.visits for child in root.children.values()), reverse=True)[:2]
    return first - second > left


def _most_promising(found: Sequence[Node]) -> int:
    """Return the place of the node with the best mean, helped on by its odds as long as it has few visits."""
    odds, visits = 0.0, 0
    for node in found:
        odds += node.odds
        visits += node.visits
    weight = EXPLORATION * sqrt(visits) / odds
    best, place = -inf, 0
    for number, node in enumerate(found):
        score = (node.total + weight * node.odds) / node.visits
        if score > best:
            best, place = score, number
    return place


def _total(node: Node) -> float:
    return node.total
