"""What every game promises about chance: honest odds, reproducible from seed and label, nothing drawn ahead."""

import math
from collections import Counter

from arena.core import CHANCE, KeyedStream

DRAWS = 300


def chance_positions(case, **bounds):
    return (at for at in case.all_positions(**bounds) if at.state.to_act is CHANCE)


def key(number):
    return number.to_bytes(16, "big")


def test_weights_are_positive_and_one_for_each_event(case):
    for at in chance_positions(case):
        weights = case.game.weights(at.state)
        assert len(weights) == len(at.state.legal_actions()), at.where
        assert all(isinstance(weight, int) and weight > 0 for weight in weights), f"{at.where}: {weights}"


def test_a_draw_is_legal_and_changes_nothing(case):
    for at in chance_positions(case, walks=2, at_most=60):
        before = case.fingerprint(at.state)
        for seed in range(4):
            assert case.game.draw(at.state, KeyedStream(key(seed))) in at.state.legal_actions(), at.where
        assert case.fingerprint(at.state) == before, f"{at.where}: a draw left a trace"


def test_equal_seed_and_label_give_the_equal_event(case):
    for at in chance_positions(case, walks=2, at_most=60):
        twin = at.state.copy()
        for seed in range(4):
            first = case.game.draw(at.state, KeyedStream(key(seed)))
            assert case.game.draw(twin, KeyedStream(key(seed))) == first, at.where


def test_draws_fit_the_odds(case):
    """Chi-square with a bound that honest dice pass; loaded ones and values fixed beforehand do not."""
    seen = Counter()
    for at in chance_positions(case, walks=2):
        legal = tuple(at.state.legal_actions())
        if len(legal) == 1 or seen[legal] or len(seen) >= 12:
            continue
        seen[legal] += 1
        weights = case.game.weights(at.state)
        drawn = Counter(case.game.draw(at.state, KeyedStream(key(seed))) for seed in range(DRAWS))
        total = sum(weights)
        expected = [DRAWS * weight / total for weight in weights]
        chi = sum((drawn[event] - mean) ** 2 / mean for event, mean in zip(legal, expected, strict=True))
        freedom = len(legal) - 1
        # Rare events make single terms large: each may add up to about 1 / mean.
        slack = sum(1 / mean for mean in expected if mean < 1)
        assert chi < freedom + 6 * math.sqrt(2 * freedom + slack) + 12, f"{at.where}: chi-square {chi:.0f}"
