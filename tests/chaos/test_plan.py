"""The plan of a chaos drill follows from its seed."""

from faults import EVERYWHERE, Kind, plan


def test_a_seed_gives_one_plan_and_another_seed_another() -> None:
    assert plan(7, EVERYWHERE, 18, 6) == plan(7, EVERYWHERE, 18, 6)
    assert len({plan(seed, EVERYWHERE, 18, 6) for seed in range(100)}) == 100


def test_faults_come_in_order_and_before_the_last_match() -> None:
    for seed in range(100):
        moments = [fault.after for fault in plan(seed, EVERYWHERE, 18, 6)]
        assert moments == sorted(moments)
        assert 0 <= moments[0] <= moments[-1] < 17


def test_no_kind_comes_again_before_each_has_come() -> None:
    for seed in range(100):
        kinds = [fault.kind for fault in plan(seed, list(Kind), 100, 30)]
        assert set(kinds[: len(Kind)]) == set(Kind)
        assert len(set(kinds[len(Kind) : 2 * len(Kind)])) == len(Kind)
