import pytest

from arena.core.errors import NotFound, UsageError
from arena.v1 import rating_pb2 as pb


@pytest.fixture
def pool(arena, admin):
    """The pool of a tournament of three bots that has been played."""
    arena.submit(admin, "abot", "bbot", "cbot")
    arena.started(admin, "cup", "abot", "bbot", "cbot", deals=2)
    arena.play()
    return admin.call(admin.ratings.ListRatingPools, pb.ListRatingPoolsRequest()).pools[0]


def board(session, pool_id, **more):
    return session.call(session.ratings.ListRatings, pb.ListRatingsRequest(pool_id=pool_id, **more))


def changes(session, bot, **more):
    return session.call(session.ratings.ListRatingChanges, pb.ListRatingChangesRequest(bot=bot, **more))


def test_a_pool_says_what_makes_its_matches_alike(admin, pool):
    assert (pool.game, pool.seats, pool.remote) == ("first-snow", 2, False)
    assert pool.variant
    assert pool.rules_version >= 1
    assert len(pool.components_sha256) == 64
    assert 0 < pool.draw_probability < 1


def test_pools_are_listed_by_game(admin, pool):
    def count(game):
        return len(admin.call(admin.ratings.ListRatingPools, pb.ListRatingPoolsRequest(game=game)).pools)

    assert (count("first-snow"), count("")) == (1, 1)


def test_a_leaderboard_is_sorted_by_score_and_marks_what_is_provisional(admin, pool):
    answer = board(admin, pool.id)

    assert answer.pool == pool
    assert [each.place for each in answer.ratings] == sorted(each.place for each in answer.ratings)
    scores = [each.score for each in answer.ratings]
    assert scores == sorted(scores, reverse=True)
    for each in answer.ratings:
        assert each.score == pytest.approx(each.mu - 3 * each.sigma)
        assert each.provisional == (each.sigma > answer.provisional_sigma)
        assert (each.matches, each.pending, each.mean_rank, each.forfeits) == (8, 0, 1.5, 0)
        assert each.author == "admin"


def test_a_leaderboard_comes_in_pages(admin, pool):
    whole = [each.bot for each in board(admin, pool.id).ratings]
    request = pb.ListRatingsRequest(pool_id=pool.id, page_size=2)

    pages = list(admin.pages(admin.ratings.ListRatings, request))

    assert [[each.bot for each in page.ratings] for page in pages] == [whole[:2], whole[2:]]


def test_scheduled_matches_are_pending_until_they_are_played(arena, admin, pool):
    arena.started(admin, "second", "abot", "bbot")

    pending = {each.bot: each.pending for each in board(admin, pool.id).ratings}

    assert pending == {"abot": 2, "bbot": 2, "cbot": 0}


def test_every_change_names_its_match_and_the_chain_has_no_gap(admin, pool):
    answer = changes(admin, "abot")

    assert len(answer.changes) == 8
    assert [each.rating_seq for each in answer.changes] == sorted(
        (each.rating_seq for each in answer.changes), reverse=True
    )
    for later, earlier in zip(answer.changes, answer.changes[1:], strict=False):
        assert (later.mu_before, later.sigma_before) == (earlier.mu_after, earlier.sigma_after)
    current = next(each for each in board(admin, pool.id).ratings if each.bot == "abot")
    assert (answer.changes[0].mu_after, answer.changes[0].sigma_after) == (current.mu, current.sigma)
    assert all(each.match_id.isdecimal() and each.HasField("finished_at") for each in answer.changes)


def test_changes_are_filtered_by_version_and_pool_and_come_in_pages(admin, pool):
    assert len(changes(admin, "abot", version=1, pool_id=pool.id).changes) == 8
    first = changes(admin, "abot", page_size=5)
    second = changes(admin, "abot", page_size=5, page_token=first.next_page_token)

    assert (len(first.changes), len(second.changes), second.next_page_token) == (5, 3, "")


def test_a_pool_or_a_bot_that_does_not_exist_is_not_found(admin):
    with pytest.raises(NotFound):
        board(admin, "99")
    with pytest.raises(NotFound):
        changes(admin, "nobody")


def test_a_malformed_pool_id_is_told_as_such(admin):
    for act in (lambda: board(admin, "best"), lambda: changes(admin, "nobody", pool_id="best")):
        with pytest.raises(UsageError) as caught:
            act()
        assert caught.value.code == "BAD_ID"
