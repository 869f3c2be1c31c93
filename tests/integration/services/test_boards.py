"""What pages tell of bots beyond their ratings."""

import pytest
from playing import finished

from arena.services import boards, ratings


@pytest.fixture
def played(world):
    """Three bots, two deals; everything of the first deal is over, two blocks of the second."""
    world.started("cup", "ann", "bob", "cyd", deals=2)
    for _ in range(5):
        claim = world.claim()
        for leg in claim.legs:
            world.record_whole(
                claim, leg, finished(*(1 + (seat.bot > min(s.bot for s in leg.seats)) for seat in leg.seats))
            )
    return world


def test_a_board_lists_every_version_best_first(played):
    pool, rows = boards.board(played.store, 1)

    assert pool.game == "first-snow"
    assert [row.bot for row in rows] == ["ann", "bob", "cyd"]


def test_certainty_counts_only_matches_of_open_deals(played):
    found = boards.certainty(played.store, 1)

    assert found.matches == 6
    assert set(found.strength) == set(found.think_ms) == {row.version_id for row in boards.board(played.store, 1)[1]}


def test_the_stamp_changes_with_every_match_and_every_deal_that_opens(played):
    before = boards.stamp(played.store, 1)
    played.play_all()

    folded, opened = boards.stamp(played.store, 1)
    assert folded > before[0]
    assert opened == before[1] + 1


def test_trends_and_histories_end_with_the_last_open_deal(played):
    (profile,) = boards.profile(played.store, "ann")

    assert len(profile.steps) == 4
    assert profile.ratings[0].matches > 4
    assert [
        len(trend) for trend in boards.trends(played.store, 1, [row.version_id for row in profile.ratings]).values()
    ] == [4]
    assert len(ratings.history(played.store, "ann", only_open=True).items) == 4
    assert len(ratings.history(played.store, "ann").items) == profile.ratings[0].matches


def test_a_profile_ranks_a_bot_as_the_board_does(played):
    placed = {row.bot: row.place for row in boards.board(played.store, 1)[1]}

    for bot, place in placed.items():
        assert boards.profile(played.store, bot)[0].ratings[0].place == place


def test_opponents_are_counted_from_a_bots_own_side(played):
    (profile,) = boards.profile(played.store, "bob")

    assert [(one.bot, one.wins, one.ties, one.losses) for one in profile.opponents] == [
        ("ann", 0, 0, 2),
        ("cyd", 2, 0, 0),
    ]


def test_meetings_of_two_bots_come_newest_first_and_from_open_deals(played):
    found = boards.met(played.store, "ann", "bob")

    assert [(leg.deal, leg.leg, leg.ranks) for leg in found] == [(1, 2, (1, 2)), (1, 1, (1, 2))]
    assert [leg.seats for leg in found] == [(0, 1), (1, 0)]


def test_a_pool_of_solo_play_has_no_rank_intervals(world):
    world.submit("solo", games='"snowblind"')
    world.started("alone", "solo", game="snowblind", variant="solo", seats=1, deals=2)
    world.play_all(lambda leg: finished(1))

    assert boards.certainty(world.store, 1).strength == {}
