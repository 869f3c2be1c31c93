"""What a match shows a seat of Snowblind, where many plies are made without asking."""

import random

import pytest

from arena.match.local import play_local
from arena.match.match import Decision, Match, SeatLabel, Setup


@pytest.mark.parametrize(("variant", "seats"), [("quick", 2), ("epic", 3), ("solo", 1)])
def test_a_seat_is_shown_none_of_its_plies_twice(variant: str, seats: int) -> None:
    shown = [0] * seats
    choose = random.Random(3)

    def own_events(match: Match, seat: int) -> int:
        return sum(event.HasField("seat") and event.seat == seat for event in match.view(seat).events)

    def chooser(match: Match, decision: Decision) -> int:
        shown[decision.seat] += own_events(match, decision.seat)
        return choose.randrange(len(decision.legal))

    setup = Setup(game="snowblind", variant=variant, seats=(SeatLabel("a", "1"),) * seats, seed=bytes(16))
    match = play_local(setup, [chooser] * seats)
    for seat in range(seats):
        plies = match.log_text().count(f'"actor":{seat},')
        assert 0 < shown[seat] + own_events(match, seat) <= plies
