"""The tree of Search and what it thinks of positions."""

from __future__ import annotations

from itertools import product

import pytest

from arena.core import CHANCE, FastStream, Outcome
from arena.core.registry import load_game
from arena.ladder.stats import points
from bots.builtin.search.judge import Judge, points_shares
from bots.builtin.search.tree import Node, Tree, is_settled

RANKS = [ranks for seats in (2, 3, 4) for ranks in product(range(1, seats + 1), repeat=seats)]
FAIR = [ranks for ranks in RANKS if all(rank == 1 + sum(other < rank for other in ranks) for rank in ranks)]


@pytest.mark.parametrize("ranks", FAIR, ids=str)
def test_what_an_end_is_worth_is_its_share_of_the_points(ranks):
    shares = points_shares(Outcome(ranks, (None,) * len(ranks), ""))
    assert shares == pytest.approx(points(ranks))


def first_decision(name, variant, seats):
    game, stream = load_game(name), FastStream(5)
    state = game.new(variant, seats, game.components(None, ""))
    while state.to_act is CHANCE:
        state.apply(game.draw(state, stream))
    return game, state


@pytest.mark.parametrize(
    ("name", "variant", "seats"),
    [("first-snow", "standard", 2), ("frost-shelter", "standard", 2), ("snowblind", "quick", 4)],
)
def test_what_the_seats_expect_is_half_of_the_points_on_average(name, variant, seats):
    game, state = first_decision(name, variant, seats)
    shares = Judge(game, seats).shares(state)
    assert all(0.0 < share < 1.0 for share in shares)
    assert sum(shares) == pytest.approx(seats / 2)


def test_alone_a_position_is_worth_the_chance_to_win():
    game, state = first_decision("snowblind", "solo", 1)
    assert 0.0 < Judge(game, 1).shares(state)[0] < 1.0


def test_alone_a_won_end_is_worth_more_than_any_way_to_it():
    game, state = first_decision("snowblind", "solo", 1)
    judge = Judge(game, 1)
    now = judge.shares(state.copy())[0]
    state.outcome = Outcome((1,), (0,), "objective")
    won = judge.shares(state.copy())[0]
    state.outcome = Outcome((2,), (0,), "too-late")
    assert won > now > judge.shares(state)[0]


def test_a_judge_values_a_game_without_an_evaluator_by_default_play():
    game, state = first_decision("icefall", load_game("icefall").spec.variants[0].id, 2)
    shares = Judge(game, 2).shares(state)
    assert sum(shares) == pytest.approx(1.0)


def test_a_tree_grows_to_its_bound_and_is_full():
    game, state = first_decision("snowblind", "quick", 2)
    tree = Tree(game, Judge(game, 2), FastStream(1), most_nodes=60)
    rounds = 0
    while not tree.full:
        tree.iterate(state.copy())
        rounds += 1
    assert rounds < 60
    assert 60 <= counted(tree.root) - 1 <= 60 + 2 * 40


def counted(node):
    return 1 + sum(counted(child) for child in node.children.values())


def test_an_iteration_counts_once_on_every_level_it_goes_through():
    game, state = first_decision("first-snow", "standard", 2)
    tree = Tree(game, Judge(game, 2), FastStream(1))
    for _ in range(30):
        tree.iterate(state.copy())
    # Every child has one visit from being looked at; the first iteration only looked.
    assert sum(child.visits - 1 for child in tree.root.children.values()) == 29


@pytest.mark.parametrize(
    ("visits", "left", "settled"), [((9, 4, 1), 4, True), ((9, 4, 1), 5, False), ((3, 3), 0, False)]
)
def test_a_choice_is_settled_when_the_rest_of_the_time_cannot_change_it(visits, left, settled):
    root = Node((), 0.0)
    for action, many in enumerate(visits):
        root.children[action] = Node((), 0.5)
        root.children[action].visits = many
    assert is_settled(root, left) is settled
