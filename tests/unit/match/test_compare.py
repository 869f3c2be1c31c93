"""Two logs of what should be the same match: where they part, and what does not count as parting."""

from dataclasses import replace

import pytest

from arena.core import CHANCE
from arena.core.errors import LogError
from arena.match.compare import describe, first_difference
from arena.match.entries import End, Forfeit, Header, Ply, Times
from arena.match.log import LogWriter, read_log


def lines(entries) -> list[bytes]:
    writer = LogWriter()
    for entry in entries:
        writer.add(entry)
    return writer.text().encode().splitlines(keepends=True)


@pytest.fixture
def played(started, finish):
    match = finish(started(3))
    return [line.entry for line in read_log(match.log_text().encode().splitlines(keepends=True))]


def changed(entries, kind, **values):
    """The entries with the first one of a kind that has an actor asked, or any, changed."""
    at = next(number for number, entry in enumerate(entries) if isinstance(entry, kind))
    return [*entries[:at], replace(entries[at], **values), *entries[at + 1 :]]


def test_the_same_match_at_another_time_with_other_ids_is_the_same(played):
    again = changed(played, Header, meta={"match": "99", "started": "2031-01-01"})
    slower = [
        replace(entry, times=Times(entry.times.think_ms + 3, 0)) if isinstance(entry, Ply) and entry.times else entry
        for entry in again
    ]
    assert first_difference(lines(played), lines(slower)) is None


def test_another_action_is_named_with_its_ply_and_both_actors(played):
    plies = [entry for entry in played if isinstance(entry, Ply) and entry.actor is not CHANCE]
    at = played.index(plies[1])
    other = [*played[:at], replace(plies[1], action="something else"), *played[at + 1 :]]
    found = first_difference(lines(played), lines(other))
    assert found.ply == plies[1].ply
    assert (found.first, found.second) == (
        f"seat {plies[1].actor}: {plies[1].action}",
        f"seat {plies[1].actor}: something else",
    )


def test_a_forfeit_in_place_of_a_ply_is_a_difference(played):
    at = next(number for number, entry in enumerate(played) if isinstance(entry, Ply))
    forfeit = Forfeit(played[at].ply, {0: "TIMEOUT"})
    assert describe(forfeit) == "seat 0 forfeits: TIMEOUT"
    assert describe(None) == "nothing more"


def test_another_result_is_a_difference_without_a_ply(played):
    end = played[-1]
    assert isinstance(end, End)
    other = [*played[:-1], replace(end, result=replace(end.result, reason="another word"))]
    found = first_difference(lines(played), lines(other))
    assert (found.ply, "another word" in found.second) == (None, True)


def test_another_seed_or_seat_differs_in_the_header(played):
    found = first_difference(lines(played), lines(changed(played, Header, seed=bytes(16))))
    assert found.ply is None
    assert found.first.startswith(f"{played[0].game} ({played[0].variant}), rules ")


def test_a_log_that_stops_short_is_refused(played):
    with pytest.raises(LogError):
        first_difference(lines(played), lines(played)[:-1])
