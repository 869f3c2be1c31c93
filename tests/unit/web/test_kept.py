"""What is kept of costly figures, and for how long."""

from datetime import UTC, datetime, timedelta

from arena.web.kept import LEAST_AGE, MOST_KEPT, Kept

NOW = datetime(2030, 1, 2, tzinfo=UTC)


class Counter:
    def __init__(self):
        self.made = 0

    def __call__(self) -> int:
        self.made += 1
        return self.made


def test_what_has_not_changed_is_not_computed_again():
    kept, make = Kept[int](), Counter()
    assert [kept.get("a", NOW + timedelta(days=day), make, seen=1) for day in range(3)] == [1, 1, 1]


def test_what_changes_with_every_match_is_computed_again_once_it_is_old_enough():
    kept, make = Kept[int](), Counter()
    kept.get("a", NOW, make, seen=1)
    assert kept.get("a", NOW + LEAST_AGE / 2, make, seen=2) == 1
    assert kept.get("a", NOW + LEAST_AGE, make, seen=2) == 2


def test_what_somebody_decides_counts_at_once():
    kept, make = Kept[int](), Counter()
    kept.get("a", NOW, make, seen=1, firm="running")
    assert kept.get("a", NOW, make, seen=1, firm="paused") == 2


def test_a_clock_that_was_set_back_keeps_nothing_for_ever():
    kept, make = Kept[int](), Counter()
    kept.get("a", NOW, make, seen=1)
    assert kept.get("a", NOW - timedelta(days=1), make, seen=2) == 2


def test_no_more_is_kept_than_there_is_room_for():
    kept, make = Kept[int](), Counter()
    for key in range(MOST_KEPT + 1):
        kept.get(key, NOW, make, seen=1)
    assert kept.get(0, NOW, make, seen=1) == MOST_KEPT + 2
