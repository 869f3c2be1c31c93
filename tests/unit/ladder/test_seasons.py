"""The figures of a table and of sequential tests against simulated players of known strength: quick, and at length."""

from random import Random

import numpy as np
import pytest
from seasons import Season, block_scores, decided, ratios
from simulation import World

from arena.ladder.pairing import round_robin
from arena.ladder.sprt import Hypotheses, log_likelihood_ratio
from arena.ladder.standings import share_intervals
from arena.ladder.stats import Leg, block_stats
from arena.ladder.strength import strengths
from arena.ladder.versus import share_of, versus

WORLDS = [World(), World(luck=0, ties=0.5), World(luck=400, ties=0)]


def spread(entrants, elo):
    return list(np.linspace(elo / 2, -elo / 2, entrants))


def season(entrants, elo, seats, deals, **world):
    return Season(spread(entrants, elo), list(round_robin(entrants, seats, deals)), **world)


SEASONS = {
    "two entrants, 30 deals": season(2, 100, 2, 30),
    "four entrants, 5 deals": season(4, 200, 2, 5),
    "four, 600 Elo apart, 5 deals": season(4, 600, 2, 5),
    "six equals, 3 deals": season(6, 0, 2, 3),
    "six, 20 deals, no luck of deals, many ties": season(6, 300, 2, 20, luck=0.0, grid=250.0),
    "eight, 4 deals, much luck of deals": season(8, 600, 2, 4, luck=400.0, grid=0.0),
    "eight, 12 deals, much luck of deals": season(8, 600, 2, 12, luck=400.0, grid=0.0),
    "six at three seats, 4 deals": season(6, 400, 3, 4),
    "eight at four seats, 4 deals": season(8, 500, 4, 4),
    "seven at five seats, 4 deals": season(7, 400, 5, 4),
}


def covered(found: Season, runs: int, seed: int) -> dict[str, float]:
    """How often intervals of strengths, differences, places and points shares hold the truth, over all entrants."""
    stream = np.random.default_rng(seed)
    elo, share = found.truth(stream)
    count = len(elo)
    held = {"strength": 0, "difference": 0, "place": 0, "share": 0}
    for ranks in found.ranks(stream, runs):
        table = strengths(range(count), found.results(ranks), [block.deal for block in found.blocks])
        shares = share_intervals(found.played(ranks))
        for one in range(count):
            mine = table.of[one]
            held["strength"] += mine.elo.low <= elo[one] <= mine.elo.high
            held["share"] += shares[one].low <= share[one] <= shares[one].high
            better, level = (elo > elo[one] + 1).sum(), (abs(elo - elo[one]) <= 1).sum()
            held["place"] += mine.first <= better + level and better + 1 <= mine.last
            between = table.difference(one, (one + 1) % count)
            held["difference"] += between.low <= elo[one] - elo[(one + 1) % count] <= between.high
    return {name: number / runs / count for name, number in held.items()}


def within(found: dict[str, float], low: float, high: float) -> None:
    for name in ("strength", "difference", "share"):
        assert low <= found[name] <= high, found
    assert found["place"] >= low, found


@pytest.mark.parametrize("name", ["four entrants, 5 deals", "six at three seats, 4 deals"])
def test_intervals_of_a_table_hold_the_truth_in_a_short_run(name):
    within(covered(SEASONS[name], runs=40, seed=5), 0.90, 1)


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", SEASONS)
def test_intervals_of_a_table_hold_the_truth(name):
    found = covered(SEASONS[name], runs=400, seed=7)
    print(f"\n{name}: {found}")
    within(found, 0.92, 0.98)


def places_held(entrants, seats, deals, deviation, *, luck=150.0, runs, seed):
    """How often the places of entrants hold the true one, their strengths drawn anew for each run; and how many places
    an interval has."""
    stream = np.random.default_rng(seed)
    held = places = 0
    for _ in range(runs):
        elo = stream.normal(0, deviation, entrants)
        found = Season(list(elo), list(round_robin(entrants, seats, deals)), luck=luck)
        table = strengths(range(entrants), found.results(found.ranks(stream, 1)[0]), [b.deal for b in found.blocks])
        for one, mine in table.of.items():
            held += mine.first <= 1 + (elo > elo[one]).sum() <= mine.last
            places += 1 + mine.last - mine.first
    return held / runs / entrants, places / runs / entrants


def test_places_in_a_random_field_hold_the_truth_in_a_short_run():
    held, places = places_held(8, 2, 4, 120.0, runs=40, seed=3)
    assert held >= 0.92
    assert places <= 6


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    ("entrants", "seats", "deals", "deviation", "luck"),
    [
        (10, 2, 4, 5, 150),
        (10, 2, 4, 20, 150),
        (10, 2, 4, 60, 150),
        (10, 2, 4, 120, 150),
        (10, 2, 4, 250, 150),
        (20, 2, 3, 100, 150),
        (40, 2, 2, 100, 150),
        (12, 3, 4, 100, 150),
        (8, 4, 4, 120, 150),
        (12, 2, 12, 120, 400),
    ],
)
def test_places_in_a_random_field_hold_the_truth(entrants, seats, deals, deviation, luck):
    held, places = places_held(entrants, seats, deals, deviation, luck=luck, runs=max(30, 2000 // entrants), seed=12)
    print(
        f"\n{entrants} at {seats} seats, {deals} deals, {deviation} Elo, luck {luck}: {held:.3f}, {places:.1f} places"
    )
    assert 0.92 <= held <= 0.98


@pytest.mark.long
@pytest.mark.timeout(900)
def test_intervals_of_the_often_undefeated_are_wider_than_they_need_be():
    """900 Elo in 15 blocks: what the virtual matches say is most of what is known."""
    found = covered(season(4, 900, 2, 5), runs=400, seed=7)
    print(f"\nfour, 900 Elo apart, 5 deals: {found}")
    assert all(held >= 0.95 for held in found.values())


def shares_held(seats: int, blocks: int, elo: float, runs: int, seed: int) -> float:
    """How often `arena match` among so many bots gives intervals of points shares that hold the truth."""
    found = Season(spread(seats, elo), [*round_robin(seats, seats, blocks)][:blocks])
    stream = np.random.default_rng(seed)
    _, share = found.truth(stream)
    held = 0
    for ranks in found.ranks(stream, runs):
        legs = [
            [Leg(tuple(int(result.ranks[result.players.index(one)]) for one in range(seats)), True) for result in block]
            for block in found.results(ranks)
        ]
        stats = block_stats(legs)
        held += sum(mine.points.low <= share[one] <= mine.points.high for one, mine in enumerate(stats.entrants))
    return held / runs / seats


@pytest.mark.parametrize("seats", [3, 5])
def test_intervals_of_a_match_among_several_hold_the_truth_in_a_short_run(seats):
    assert 0.92 <= shares_held(seats, 20, 200, runs=300, seed=3) <= 0.98


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize("seats", [3, 4, 5])
@pytest.mark.parametrize(("blocks", "elo"), [(10, 0), (20, 200), (60, 400)])
def test_intervals_of_a_match_among_several_hold_the_truth(seats, blocks, elo):
    found = shares_held(seats, blocks, elo, runs=1500, seed=4)
    print(f"\n{seats} seats, {blocks} blocks, {elo} Elo: {found:.3f}")
    assert 0.92 <= found <= 0.98


@pytest.mark.parametrize("world", WORLDS)
def test_the_likelihood_of_superiority_means_what_it_says(world):
    """Where all pairs are equal, it is above 95 % in at most about 5 of 100 matches."""
    stream = Random(17)
    found = [versus(world.pair(stream, 0, 30)) for _ in range(500)]
    assert sum(each.superiority > 0.95 for each in found if each is not None) / 500 <= 0.07


def test_blocks_side_by_side_score_as_those_of_one_pair():
    world, stream = World(), Random(3)
    one = [sum(world.play(stream, 80.0)) for _ in range(4000)]
    many = block_scores(world, np.random.default_rng(3), 80.0, 40_000)
    assert sum(one) / 8000 == pytest.approx(world.share(80.0), abs=0.02)
    assert many.mean() / 4 == pytest.approx(world.share(80.0), abs=0.005)


def test_ratios_side_by_side_are_those_of_one_test():
    stream = np.random.default_rng(2)
    counts = stream.integers(0, 40, (50, 5)).astype(float)
    hypotheses = Hypotheses(-10, 45)
    together = ratios(counts + np.array([0.5, 0, 0, 0, 0.5]), hypotheses)
    for mine, each in zip(together, counts, strict=True):
        seen = {place / 4: count for place, count in enumerate(each) if count}
        assert mine == pytest.approx(log_likelihood_ratio(seen, hypotheses), abs=1e-6)


@pytest.mark.parametrize("truth", ["low", "high"])
def test_errors_of_a_sequential_test_stay_within_their_bounds_in_a_short_run(truth):
    world, hypotheses = World(), Hypotheses(0, 100, 0.05, 0.1)
    low, high, _ = decided(world, hypotheses, world.elo_for(share_of(getattr(hypotheses, truth))), runs=500, seed=5)
    wrong, allowed = (high, hypotheses.alpha) if truth == "low" else (low, hypotheses.beta)
    assert wrong <= allowed
    assert low + high == pytest.approx(1)


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize(
    ("hypotheses", "runs"),
    [
        (Hypotheses(0, 15), 20_000),
        (Hypotheses(0, 30), 5000),
        (Hypotheses(0, 60, 0.01, 0.1), 5000),
        (Hypotheses(-20, 20, 0.1, 0.02), 5000),
    ],
)
def test_errors_of_a_sequential_test_stay_within_their_bounds(world, hypotheses, runs):
    low, high = hypotheses.low, hypotheses.high
    answers = {
        true: decided(world, hypotheses, world.elo_for(share_of(true)), runs=runs, seed=9) for true in (low, high)
    }
    print(
        f"\n{world} {hypotheses}: wrong HIGH {answers[low][1]:.3f}, wrong LOW {answers[high][0]:.3f},"
        f" blocks {answers[low][2]:.0f} and {answers[high][2]:.0f}"
    )
    assert answers[low][1] <= hypotheses.alpha
    assert answers[high][0] <= hypotheses.beta
