"""Which programs run when: those that are not to move are stopped."""

import pytest


class NotedBrake:
    """A program that is stopped or runs, and a list of what all of them were told."""

    def __init__(self, name, told):
        self.name = name
        self.told = told
        self.running = True
        self.closed = False

    def stop(self):
        self.running = False
        self.told.append(("stop", self.name))

    def go(self):
        self.running = True
        self.told.append(("go", self.name))

    def close(self):
        self.closed = True


@pytest.fixture
def braked(scene):
    """A match whose programs have brakes; lent before anybody is connected."""

    def make(**arguments):
        match = scene(**arguments)
        match.told = []
        match.brakes = [NotedBrake(place.seat, match.told) for place in match.hosted.places]
        for place, brake in zip(match.hosted.places, match.brakes, strict=True):
            match.hosted.lend(place.seat, brake)
        return match

    return make


def running(match):
    return [brake.name for brake in match.brakes if brake.running]


def test_until_the_first_question_all_programs_run(braked):
    match = braked()
    match.connect(0)
    assert running(match) == [0, 1]


def test_at_every_question_the_asked_program_alone_runs(braked):
    match = braked(seats=3)
    links = match.connect_all()
    while not match.hosted.over:
        assert running(match) == [match.asked.seat]
        match.play_ply(links)


def test_who_has_moved_is_stopped_before_the_next_one_goes_on(braked):
    match = braked()
    links = match.connect_all()
    seat = match.asked.seat
    match.told.clear()
    while match.asked.seat == seat:
        match.play_ply(links)
    assert match.told == [("stop", seat), ("go", 1 - seat)]


def test_a_seat_that_is_asked_again_is_told_nothing(braked):
    match = braked()
    links = match.connect_all()
    before = match.asked.seat
    match.told.clear()
    match.play_ply(links)
    assert bool(match.told) == (match.asked.seat != before)


def test_at_the_end_all_programs_run_to_hear_of_it(braked):
    match = braked()
    links = match.connect_all()
    match.play_out(links)
    assert running(match) == [0, 1]
    assert all(brake.closed for brake in match.brakes)


def test_a_program_that_lost_its_seat_stays_stopped_while_the_others_play_on(braked):
    match = braked(seats=3)
    links = match.connect_all()
    loser = match.asked.seat
    match.resign(loser, links[loser])
    while not match.hosted.over:
        assert running(match) == [match.asked.seat]
        assert match.asked.seat != loser
        match.play_ply(links)
    assert running(match) == [0, 1, 2]


def test_a_brake_lent_late_takes_hold_at_once(scene):
    match = scene()
    match.connect_all()
    told = []
    asked = match.asked.seat
    brakes = [NotedBrake(seat, told) for seat in range(2)]
    for seat, brake in enumerate(brakes):
        match.hosted.lend(seat, brake)
    assert told == [("stop", 1 - asked)]


def test_a_brake_lent_after_the_end_is_let_go(scene):
    match = scene()
    links = match.connect_all()
    match.play_out(links)
    brake = NotedBrake(0, [])
    match.hosted.lend(0, brake)
    assert brake.closed
    assert brake.running


@pytest.mark.parametrize("how", ["abort", "stop"])
def test_a_match_that_is_broken_off_lets_its_programs_go_on(braked, how):
    match = braked()
    match.connect_all()
    if how == "abort":
        match.hosted.abort("enough")
    else:
        match.hosted.stop()
    assert running(match) == [0, 1]


def test_the_clock_of_a_turn_does_not_begin_before_its_program_goes_on(braked):
    match = braked(clock="2s+0s,start=10s,margin=0ms")
    links = match.connect_all()
    while not match.hosted.places[0].answered or not match.hosted.places[1].answered:
        match.play_ply(links)
    slow = match.brakes[match.asked.seat ^ 1]
    go = slow.go
    slow.go = lambda: (match.time.pass_by(1.0), go())
    seat = match.asked.seat
    while match.asked.seat == seat:
        match.play_ply(links)
    match.play_ply(links)
    assert match.hosted.places[slow.name].charged_ms[-1] == 0
