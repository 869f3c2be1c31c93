"""What a match keeps of the public's events for those who look on."""

from arena.match.match import MOST_TOLD


def test_without_being_asked_a_match_tells_the_last_plys_events(started) -> None:
    match = started(3)
    assert match.take_public_view() == match.view(None)


def test_the_events_of_all_plies_between_two_looks_are_told_once(started) -> None:
    match = started(3)
    match.tell_public()
    told = []
    while match.decision is not None:
        before = match.plies
        match.answer(match.decision.ply, 0)
        told.append((match.plies - before, len(match.take_public_view().events)))
    assert any(plies > 1 for plies, _ in told), "no chance in between: this test shows nothing"
    assert all(events >= plies for plies, events in told)
    assert not match.take_public_view().events


def test_nothing_but_the_public_view_is_told(started) -> None:
    match = started(3)
    match.tell_public()
    match.answer(match.decision.ply, 0)
    shown, public = match.take_public_view(), match.view(None)
    del shown.events[:]
    bare = type(public)()
    bare.CopyFrom(public)
    del bare.events[:]
    assert shown == bare


def test_events_that_nobody_takes_are_dropped(started, first_snow) -> None:
    match = started(2, **first_snow)
    match.tell_public()
    while match.decision is not None:
        match.answer(match.decision.ply, 0)
    assert match.plies > MOST_TOLD
    assert len(match.take_public_view().events) == MOST_TOLD


def test_telling_the_public_changes_no_byte_of_the_log(started) -> None:
    plain, told = started(3), started(3)
    told.tell_public()
    for match in (plain, told):
        while match.decision is not None:
            match.answer(match.decision.ply, 0)
    assert plain.log_text() == told.log_text()
