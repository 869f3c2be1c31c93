import pytest

from arena.api.limits import Places, Rate
from arena.core.errors import LimitReached


class Time:
    def __init__(self) -> None:
        self.s = 100.0

    def __call__(self) -> float:
        return self.s


def refused(rate, key) -> LimitReached:
    with pytest.raises(LimitReached) as caught:
        rate.take(key)
    return caught.value


def test_so_many_calls_may_come_at_once_and_then_so_many_a_second():
    time = Time()
    rate = Rate(2.0, 3, time)
    for _ in range(3):
        rate.take("ann")
    refused(rate, "ann")
    time.s += 0.5
    rate.take("ann")
    refused(rate, "ann")


def test_a_refusal_says_when_the_next_call_is_let_in_and_then_it_is():
    time = Time()
    rate = Rate(0.25, 1, time)
    rate.take("ann")

    limit = refused(rate, "ann")

    assert (limit.code, limit.retry_after_s) == ("RATE_LIMITED", 4)
    time.s += limit.retry_after_s
    rate.take("ann")


def test_a_refused_call_costs_nothing():
    time = Time()
    rate = Rate(1.0, 1, time)
    rate.take("ann")
    for _ in range(100):
        refused(rate, "ann")
    time.s += 1
    rate.take("ann")


def test_a_long_rest_saves_no_more_than_the_burst():
    time = Time()
    rate = Rate(10.0, 2, time)
    rate.take("ann")
    time.s += 3600
    rate.take("ann")
    rate.take("ann")
    refused(rate, "ann")


def test_one_accounts_calls_are_not_counted_to_another():
    rate = Rate(1.0, 1, Time())
    rate.take("ann")
    rate.take("bob")


def test_a_place_is_free_again_however_its_block_ends():
    places = Places()
    full = LimitReached("full")
    with pytest.raises(RuntimeError), places.one("ann", 1, full):
        raise RuntimeError
    with places.one("ann", 1, full), places.one("bob", 1, full), pytest.raises(LimitReached):
        places.one("ann", 1, full).__enter__()
    with places.one("ann", 1, full):
        pass
