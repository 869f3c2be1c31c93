"""What a tournament is made of, and what its table counts."""

import pytest
from cupsteps import FOUR, matches_of, pending, refused, state
from playing import finished, older_wins, unrated

from arena.core.errors import ArenaError, NotFound
from arena.match.result import MatchEnd
from arena.services import dispatch, ratings, tournaments
from arena.store.states import Format, TournamentState


def test_with_an_odd_number_everybody_plays_equally_often(world):
    world.started("cup", "ada", "bert", "cleo", "dora", "emil")
    world.play_all()
    assert {row.standing.matches for row in tournaments.standings(world.store, "cup").rows} == {8}


def test_a_double_no_show_counts_for_nobody_and_ends_the_block(world):
    world.started("cup", "ada", "bert")
    claim = world.claim()
    for leg in claim.legs:
        world.record(claim, leg, unrated(2))
    table = tournaments.standings(world.store, "cup")
    assert [(row.standing.matches, row.standing.unrated) for row in table.rows] == [(0, 2), (0, 2)]
    assert state(world) is TournamentState.FINISHED
    assert {row.matches for row in ratings.leaderboard(world.store, 1).items} == {0}
    assert pending(world) == 0


def test_a_forfeited_leg_counts_and_its_block_goes_on(world):
    world.started("cup", "ada", "bert")
    claim = world.claim()
    world.record(claim, claim.legs[0], finished(1, 2, end=MatchEnd.FORFEIT))
    world.record(claim, claim.legs[1], older_wins(claim.legs[1]))
    assert tournaments.progress(world.store, "cup").counts.finished == 2
    assert {row.matches for row in ratings.leaderboard(world.store, 1).items} == {2}


def test_what_is_asked_for_by_hand_gets_its_share_and_no_more(world):
    turns = [dispatch.lanes(number)[0] for number in range(12)]
    assert {lane: turns.count(lane) for lane in turns} == {
        "TOURNAMENT": 6,
        "QUALIFICATION": 2,
        "CHALLENGE": 2,
        "LADDER": 2,
    }
    assert all(len(dispatch.lanes(number)) == 4 for number in range(6))


def test_several_faults_are_told_at_once_each_with_its_field(world):
    world.submit("ada")
    with pytest.raises(ArenaError) as caught:
        tournaments.create(
            world.store,
            world.admin,
            world.now,
            name="The Cup",
            game="first-snow",
            entrants=(("ada", 0), ("nobody", 0)),
            seats=5,
            deals=0,
            clock="soon",
        )
    assert caught.value.code == "BAD_TOURNAMENT"
    for field in ("5 faults: name: ", "deals: ", "clock: ", "seats: ", "bots[2]: "):
        assert field in caught.value.message


def test_one_bot_makes_no_tournament(world):
    world.submit("ada")
    with pytest.raises(ArenaError) as caught:
        world.create("cup", "ada")
    assert caught.value.code == "TOO_FEW_ENTRANTS"
    with pytest.raises(NotFound):
        tournaments.get(world.store, "cup")


def test_a_gauntlets_heads_meet_the_rest_and_not_each_other(world):
    for bot in FOUR:
        world.submit(bot)
    world.create("cup", "cleo", "dora", format=Format.GAUNTLET, heads=(("ada", 0), ("bert", 0)))
    tournaments.start(world.store, world.admin, "cup", world.now)
    pairs = {frozenset(seat.bot for seat in match.seats) for match in matches_of(world)}
    assert pairs == {frozenset(pair) for pair in (("ada", "cleo"), ("ada", "dora"), ("bert", "cleo"), ("bert", "dora"))}
    world.play_all()
    assert state(world) is TournamentState.FINISHED


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"format": Format.GAUNTLET}, "BAD_HEADS"),
        ({"heads": (("dora", 0),)}, "BAD_HEADS"),
        ({"format": Format.GAUNTLET, "heads": (("ada", 0),)}, "ALREADY_ENTERED"),
        ({"format": Format.REQUEST}, "BAD_FORMAT"),
        ({"format": Format.LADDER, "game": "icefall", "variant": "solo"}, "TOO_FEW_SEATS"),
    ],
)
def test_a_format_that_does_not_fit_is_refused(world, options, code):
    for bot in FOUR:
        world.submit(bot)
    refused(code, lambda: world.create("cup", "ada", "bert", **options))
