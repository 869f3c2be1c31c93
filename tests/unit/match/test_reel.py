"""A replay as frames for one viewer."""

from pathlib import Path

import pytest

import arena.games
from arena.core import CHANCE, Seat
from arena.core.errors import LogError, UsageError
from arena.match import Bank, Clock, Match, SeatEnd, SeatLabel, Setup
from arena.match.entries import Forfeit, Ply
from arena.match.log import BrokenLog, LogWriter
from arena.match.reel import check_playable, course_of, frames, parse_perspective, perspective_text
from arena.match.replay import Replay

GOLDEN = Path(arena.games.__file__).parent
CLOCK = Clock.parse("2s+0.1s,start=5s,margin=50ms")


def golden(name):
    return Replay((GOLDEN / name).read_bytes().splitlines(keepends=True))


@pytest.fixture(scope="module")
def bears():
    return golden("first_snow/golden/standard-2.jsonl")


@pytest.fixture(scope="module")
def shelter():
    return golden("frost_shelter/golden/standard-3.jsonl")


@pytest.fixture
def timed():
    """A match with a clock that has not ended: each turn took 150 ms, then seat 1 of three forfeits."""
    match = Match(Setup("frost-shelter", "standard", (SeatLabel("a", "1"),) * 3, bytes(16), clock=CLOCK))
    match.start()
    banks = [Bank(CLOCK) for _ in range(3)]
    while match.decision is not None and match.plies < 120:
        ask = match.decision
        match.answer(ask.ply, 0, think_ms=150, charged_ms=banks[ask.seat].charge(150))
    match.forfeit({Seat(1): SeatEnd.CRASHED})
    return match, banks


def test_there_is_a_frame_before_the_first_ply_and_one_after_each(bears):
    assert [frame.ply for frame in frames(bears, "public", 0, bears.plies)] == list(range(bears.plies + 1))


@pytest.mark.parametrize("perspective", ["all", "public", Seat(1)])
def test_a_range_of_frames_is_a_part_of_all_of_them(shelter, perspective):
    whole = list(frames(shelter, perspective, 0, 90))
    assert list(frames(shelter, perspective, 60, 75)) == whole[60:76]


@pytest.mark.parametrize(
    "name", sorted(str(path.relative_to(GOLDEN)) for path in GOLDEN.glob("*/golden/*-[123].jsonl"))
)
def test_a_seat_reads_of_every_ply_of_which_the_public_reads(name):
    replay = golden(name)
    viewers = (None, *(Seat(seat) for seat in range(len(replay.header.seats))))
    untold = []
    for line, (public, *seats) in replay.walk(viewers):
        if not replay.game.secrets(len(seats)):
            assert {told.story for told in seats} == {public.story}
        untold += [line.number for told in seats if len(told.story) < len(public.story)]
    assert not untold


def test_a_hidden_bear_is_in_the_frames_of_its_owner_and_of_all_only(bears):
    sent = next(entry for entry in bears.entries if isinstance(entry, Ply) and entry.action.startswith("bear"))
    words = bears.game.describe(bears.game.actions.parse(sent.action), bears.components)

    def told(perspective):
        (frame,) = frames(bears, perspective, sent.ply + 1, sent.ply + 1)
        return f"{frame.picture}{frame.happenings}"

    card = words.rpartition(" ")[2]
    for knowing in (Seat(sent.actor), "all"):
        assert words in told(knowing)
        assert f"bear on {card}" in told(knowing)
    for ignorant in (Seat(1 - sent.actor), "public"):
        assert words not in told(ignorant)
        assert "bear on" not in told(ignorant)


def test_a_frame_of_a_seat_is_made_of_its_view_alone(shelter):
    """Two states that look alike to a seat give it the same frame; here: the picture is that of its view."""
    other = golden("frost_shelter/golden/standard-3.jsonl")
    for frame in frames(shelter, Seat(2), 40, 60):
        other.seek(frame.ply)
        view = type(other.view(Seat(2))).FromString(other.view(Seat(2)).SerializeToString())
        del view.events[:]
        assert frame.picture == other.game.render_svg(view, other.components)


def test_all_seats_together_see_every_hand(shelter):
    (frame,) = frames(shelter, "all", 45, 45)
    for seat in range(3):
        assert f"Hand of seat {seat}" in frame.picture


def test_all_seats_together_are_told_what_each_was_told(shelter):
    dealt = [frame for frame in frames(shelter, "all", 0, 45) if any("is dealt" in str(h) for h in frame.happenings)]
    assert {seat for seat in range(3) if any(f"seat {seat} is dealt Food" in str(one.happenings) for one in dealt)}
    public = "".join(str(frame.happenings) for frame in frames(shelter, "public", 0, 45))
    assert "is dealt Food" not in public


def test_the_clocks_are_counted_as_the_referee_counted_them(timed, opened):
    match, banks = timed
    replay = Replay(opened(match.log_text()))
    (last,) = frames(replay, "public", replay.plies, replay.plies)
    assert last.banks == tuple(bank.remaining_ms for bank in banks)


def test_a_forfeit_stands_with_the_position_it_happened_in(timed, opened):
    match, _ = timed
    replay = Replay(opened(match.log_text()))
    forfeit = next(entry for entry in replay.entries if isinstance(entry, Forfeit))
    shown = frames(replay, "all", 100, replay.plies)
    ends = [(frame.ply, one.ends) for frame in shown for one in frame.happenings if one.ends]
    assert ends == [(forfeit.ply, ((1, SeatEnd.CRASHED),))]


def test_a_frame_says_how_long_was_thought(timed, opened):
    match, _ = timed
    replay = Replay(opened(match.log_text()))
    asked = [one for frame in frames(replay, "public", 0, replay.plies) for one in frame.happenings if one.times]
    assert asked
    assert {one.times.think_ms for one in asked} == {150}


def test_the_course_names_for_each_ply_who_was_asked(bears):
    course = course_of(bears)
    plies = [entry for entry in bears.entries if isinstance(entry, Ply)]
    assert len(course) == bears.plies
    assert [one == "c" for one in course] == [ply.actor is CHANCE for ply in plies]
    assert [one == "." for one in course] == [ply.auto is not None for ply in plies]


def test_a_match_without_a_ply_has_one_frame(opened):
    match = Match(Setup("first-snow", "standard", (SeatLabel("a", "1"),) * 2, bytes(16)))
    match.forfeit({Seat(0): SeatEnd.NO_SHOW, Seat(1): SeatEnd.NO_SHOW})
    replay = Replay(opened(match.log_text()))
    (only,) = frames(replay, "all", 0, 0)
    assert [end for one in only.happenings for _, end in one.ends] == [SeatEnd.NO_SHOW] * 2
    assert only.banks == ()


@pytest.mark.parametrize("span", [(-1, 3), (5, 4), (0, 10_000)])
def test_plies_that_are_not_there_are_refused(bears, span):
    with pytest.raises(UsageError, match="no plies"):
        list(frames(bears, "public", *span))


def test_a_seat_that_is_not_there_is_refused(bears):
    with pytest.raises(UsageError, match="no seat 7"):
        list(frames(bears, Seat(7), 0, 1))


@pytest.mark.parametrize("text", ["all", "public", "seat-0", "seat-12"])
def test_a_perspective_reads_as_it_is_written(text):
    assert perspective_text(parse_perspective(text)) == text


@pytest.mark.parametrize("text", ["", "0", "seat-", "seat--1", "seat-123456789", "seat-²", "ALL"])
def test_what_is_no_perspective_is_refused(text):
    with pytest.raises(UsageError, match="all, public or seat-N"):
        parse_perspective(text)


def test_a_log_of_other_rules_is_refused_before_anything_is_drawn(bears, monkeypatch):
    monkeypatch.setattr(bears, "header", type(bears.header)(**{**fields(bears.header), "rules": 99}))
    with pytest.raises(LogError, match="rules version 99"):
        check_playable(bears)


def fields(header):
    return {name: getattr(header, name) for name in type(header).__slots__}


def test_a_log_that_the_rules_do_not_give_is_refused(opened):
    """The chain fits, for whoever forges a log writes it anew; the rules do not."""
    real = golden("first_snow/golden/standard-2.jsonl")
    forged = LogWriter()
    forged.add(real.header)
    forged.add(Ply(0, Seat(0), "take 1"))
    with pytest.raises(BrokenLog, match="line 2"):
        check_playable(Replay(opened(forged.text())))


def test_a_drawing_with_few_lines_between_two_plies_shares_most_of_them():
    """What a page is sent once: lines that the pictures of a match have in common."""
    for name in ("first_snow/golden/standard-2", "frost_shelter/golden/standard-5", "snowblind/golden/quick-4"):
        pictures = [frame.picture.splitlines() for frame in frames(golden(f"{name}.jsonl"), "all", 0, 100)]
        shared = {line for picture in pictures for line in picture}
        assert len(shared) < sum(map(len, pictures)) / 8, name
