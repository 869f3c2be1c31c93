from collections.abc import Callable
from dataclasses import replace

import pytest

from arena.core import Seat
from arena.core.errors import BadComponents, IllegalAction, UnknownName, UsageError
from arena.match import Match, MatchEnd, SeatEnd, Setup

TIMEOUT, CRASHED, NO_SHOW = SeatEnd.TIMEOUT, SeatEnd.CRASHED, SeatEnd.NO_SHOW


def decision(match: Match):
    assert match.decision is not None
    return match.decision


def answer(match: Match, index: int = 0) -> None:
    assert match.answer(decision(match).ply, index)


def test_a_started_match_asks_the_first_seat_with_a_choice(started: Callable[..., Match]) -> None:
    ask = decision(started(2))
    assert len(ask.legal) > 1


def test_a_match_played_out_is_completed_with_the_games_outcome(started, finish) -> None:
    result = finish(started(3)).result
    assert result.end is MatchEnd.COMPLETED
    assert result.seat_ends == (SeatEnd.PLAYED,) * 3
    assert min(result.ranks) == 1
    assert None not in result.scores


@pytest.mark.parametrize("seats", [1, 2, 3, 4])
def test_equal_setups_and_answers_give_equal_logs(started, finish, seats: int) -> None:
    assert finish(started(seats)).log_text() == finish(started(seats)).log_text()


def test_another_seed_gives_other_luck(started, finish) -> None:
    other = started(2, seed=bytes(16))
    assert other.log_text() != started(2).log_text()


def test_a_stale_answer_has_no_effect(started) -> None:
    match = started(2)
    first = decision(match).ply
    answer(match)
    before = match.log_text()
    assert match.answer(first, 0) is False
    assert match.log_text() == before


def test_an_answer_ahead_of_its_ply_has_no_effect(started) -> None:
    match = started(2)
    assert match.answer(decision(match).ply + 1, 0) is False


def test_an_answer_after_the_end_has_no_effect(started, finish) -> None:
    match = finish(started(2))
    assert match.answer(match.result.plies, 0) is False


@pytest.mark.parametrize("index", [-1, 99])
def test_an_index_outside_the_list_is_refused_without_effect(started, index: int) -> None:
    match = started(2)
    before = match.log_text()
    with pytest.raises(IllegalAction):
        match.answer(decision(match).ply, index)
    assert match.log_text() == before
    answer(match)


@pytest.fixture
def with_forced(started, finish, lines_of, first_snow) -> Match:
    """A finished match in which seat 0 had a ply with a single legal action."""
    for seed in range(200):
        match = finish(started(2, **first_snow, seed=seed.to_bytes(16, "big")), seed)
        if any(line.get("auto") == "forced" and line["actor"] == 0 for line in lines_of(match)):
            return match
    raise AssertionError("no forced ply in 200 matches")


def test_a_choice_of_one_is_made_without_asking(with_forced, lines_of) -> None:
    forced = [line for line in lines_of(with_forced) if line.get("auto") == "forced"]
    assert not any("meta" in line for line in forced)


# Forfeits with two seats


@pytest.mark.parametrize("seat", [0, 1])
def test_with_two_seats_a_forfeit_ends_the_match(started, seat: int) -> None:
    match = started(2)
    answer(match)
    match.forfeit({Seat(seat): CRASHED})
    assert match.decision is None
    assert match.result.end is MatchEnd.FORFEIT
    assert match.result.ranks[seat] == 2
    assert match.result.ranks[1 - seat] == 1
    assert match.result.seat_ends[seat] is CRASHED
    assert match.result.seat_ends[1 - seat] is SeatEnd.PLAYED
    assert match.result.scores == (None, None)


def test_two_seats_failing_at_one_moment_after_an_answer_tie(started) -> None:
    match = started(2)
    answer(match)
    match.forfeit({Seat(0): CRASHED, Seat(1): CRASHED})
    assert match.result.end is MatchEnd.FORFEIT
    assert match.result.ranks == (1, 1)


@pytest.mark.parametrize("ends", [{0: NO_SHOW, 1: NO_SHOW}, {0: CRASHED, 1: TIMEOUT}])
def test_two_seats_failing_before_any_answer_make_the_match_void(started, ends: dict[int, SeatEnd]) -> None:
    match = started(2)
    match.forfeit({Seat(seat): end for seat, end in ends.items()})
    assert match.result.end is MatchEnd.VOID
    assert match.result.ranks == (0, 0)
    assert match.result.seat_ends == tuple(ends.values())


def test_one_of_two_not_showing_up_loses(started) -> None:
    match = started(2)
    match.forfeit({Seat(1): NO_SHOW})
    assert match.result.end is MatchEnd.FORFEIT
    assert match.result.ranks == (1, 2)


def test_a_seat_may_fail_before_the_first_ply(setup_of, finish, lines_of) -> None:
    match = Match(setup_of(3))
    match.forfeit({Seat(1): NO_SHOW})
    match.start()
    finish(match)
    assert [line["kind"] for line in lines_of(match)[:3]] == ["header", "forfeit", "ply"]
    assert match.result.ranks[1] == 3


# Forfeits alone


def test_alone_a_forfeit_is_lost(started) -> None:
    match = started(1)
    match.forfeit({Seat(0): TIMEOUT}, think_ms=1, charged_ms=1)
    assert match.result.end is MatchEnd.FORFEIT
    assert match.result.ranks == (2,)


def test_alone_the_house_holds_the_other_rank(started, finish) -> None:
    assert {finish(started(1, seed=bytes([seed]) * 16)).result.ranks for seed in range(12)} == {(1,), (2,)}


# Forfeits with three and more seats


@pytest.mark.parametrize("seats", [3, 4])
def test_with_more_seats_a_forfeited_one_is_played_on_and_ranks_last(started, finish, lines_of, seats: int) -> None:
    match = started(seats)
    out = decision(match).seat
    match.forfeit({out: CRASHED})
    finish(match)
    assert match.result.end is MatchEnd.FORFEIT
    assert match.result.ranks[out] == seats
    assert None not in match.result.scores
    assert any(line.get("auto") == "default" and line["actor"] == out for line in lines_of(match))
    assert not any("think_ms" in line.get("meta", {}) for line in lines_of(match) if line.get("actor") == out)


def test_a_seat_that_is_not_asked_may_forfeit_and_the_question_stands(started) -> None:
    match = started(3)
    before = decision(match)
    turn = match.turn(before.seat)
    match.forfeit({Seat((before.seat + 1) % 3): CRASHED})
    assert match.decision == before
    assert match.turn(before.seat) == turn


def test_the_earlier_forfeit_ranks_lower(started, finish) -> None:
    match = started(4)
    match.forfeit({Seat(2): CRASHED})
    answer(match)
    match.forfeit({Seat(0): CRASHED})
    finish(match)
    assert (match.result.ranks[2], match.result.ranks[0]) == (4, 3)


def test_forfeits_of_one_moment_tie(started, finish) -> None:
    match = started(4)
    match.forfeit({Seat(2): CRASHED, Seat(0): NO_SHOW})
    finish(match)
    assert (match.result.ranks[2], match.result.ranks[0]) == (3, 3)


def test_the_last_seat_left_has_won(started) -> None:
    match = started(3)
    answer(match)
    match.forfeit({Seat(1): CRASHED})
    match.forfeit({Seat(2): CRASHED})
    assert match.decision is None
    assert match.result.ranks == (1, 3, 2)


def test_all_seats_forfeited_after_an_answer_rank_by_their_moments(started) -> None:
    match = started(3)
    answer(match)
    match.forfeit({Seat(1): CRASHED})
    match.forfeit({Seat(0): CRASHED, Seat(2): TIMEOUT})
    assert match.result.end is MatchEnd.FORFEIT
    assert match.result.ranks == (1, 3, 1)


def test_no_seat_of_three_starting_makes_the_match_void(started) -> None:
    match = started(3)
    match.forfeit({Seat(1): NO_SHOW})
    match.forfeit({Seat(0): NO_SHOW, Seat(2): NO_SHOW})
    assert match.result.end is MatchEnd.VOID


def test_a_seat_forfeits_once(started, lines_of) -> None:
    match = started(3)
    match.forfeit({Seat(1): CRASHED})
    match.forfeit({Seat(1): TIMEOUT})
    assert match.seat_ends[1] is CRASHED
    assert sum(line["kind"] == "forfeit" for line in lines_of(match)) == 1


def test_a_forfeit_after_the_end_has_no_effect(started, finish) -> None:
    match = finish(started(2))
    before = match.log_text()
    match.forfeit({Seat(0): CRASHED})
    assert match.log_text() == before


def test_playing_on_is_no_way_to_forfeit(started) -> None:
    with pytest.raises(ValueError, match="cannot forfeit"):
        started(2).forfeit({Seat(0): SeatEnd.PLAYED})


# Abort


def test_an_aborted_match_is_unranked_and_says_why(started) -> None:
    match = started(2)
    match.abort("the absolute cap of 60 s")
    assert match.decision is None
    assert match.result.end is MatchEnd.ABORTED
    assert match.result.ranks == (0, 0)
    assert match.result.reason == "the absolute cap of 60 s"


def test_a_finished_match_cannot_be_aborted(started, finish) -> None:
    match = finish(started(2))
    match.abort("too late")
    assert match.result.end is MatchEnd.COMPLETED


# What seats are shown


def test_the_turn_is_what_the_game_makes_of_view_and_choices(started) -> None:
    match = started(2)
    ask = decision(match)
    view, legal = match.game.parse_turn(match.turn(ask.seat))
    assert legal == ask.legal
    assert view == match.view(ask.seat)


def test_only_the_asked_seat_has_a_turn(started) -> None:
    match = started(2)
    with pytest.raises(ValueError, match="not asked"):
        match.turn(Seat(1 - decision(match).seat))


def test_history_grows_by_the_events_of_each_answered_turn(started) -> None:
    match = started(2)
    seat = decision(match).seat
    shown = []
    for _ in range(6):
        if decision(match).seat == seat:
            assert match.history(seat) == shown
            shown += list(match.view(seat).events)
        answer(match)


def test_no_event_is_lost_to_plies_made_without_asking(with_forced, lines_of) -> None:
    game, components = with_forced.game, with_forced.components
    happened = []
    state = game.new("standard", 2, components)
    for line in lines_of(with_forced):
        if line["kind"] == "ply":
            if line["actor"] == 0:
                happened += list(game.view(state, Seat(0)).events)
            state.apply(game.actions.parse(line["action"]))
    happened += list(game.view(state, Seat(0)).events)
    shown = with_forced.history(Seat(0)) + list(with_forced.view(Seat(0)).events)
    assert shown == happened


# Setups that cannot be played


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"game": "no-such-game"}, UnknownName),
        ({"variant": "no-such-variant"}, UnknownName),
        ({"variant": "solo"}, UsageError),
        ({"components": "nonsense = 1"}, BadComponents),
    ],
)
def test_a_setup_that_cannot_be_played_is_refused(setup_of: Callable[..., Setup], change, error) -> None:
    with pytest.raises(error):
        Match(replace(setup_of(2), **change))
