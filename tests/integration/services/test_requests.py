"""Challenges and repeats: unrated, on seeds of their own or the same again, and no way around closed deals."""

import pytest
from playing import finished, older_wins

from arena.core.errors import ArenaError, Conflict, LimitReached, NotFound, PermissionDenied
from arena.services import dispatch, ratings, requests, tournaments
from arena.services.matches import get_match, list_matches
from arena.store.states import MatchState, Role, TournamentState


@pytest.fixture
def bots(world):
    """Ada is alice's, Bert is bob's."""
    accounts = {name: world.account(name) for name in ("alice", "bob", "carl")}
    world.submit("ada", accounts["alice"])
    world.submit("bert", accounts["bob"])
    return accounts


def challenge(world, caller, *names, **options):
    return requests.challenge(
        world.store,
        caller,
        world.now,
        challenged=tuple((name, 0) for name in names),
        entropy=world.entropy,
        **options,
    )


def test_a_challenge_is_played_and_never_touches_ratings(world, bots):
    made = challenge(world, bots["alice"], "ada", "bert", blocks=3)
    assert (made.tournament.rated, len(made.match_ids)) == (False, 6)
    assert world.play_all() == 6
    assert tournaments.get(world.store, made.tournament.name).state is TournamentState.FINISHED
    assert ratings.list_pools(world.store).items == ()
    assert {match.rating_seq for match in list_matches(world.store).items} == {None}


def test_a_challenge_leaves_the_ratings_of_its_pool_alone(world, bots):
    world.started("cup", "ada", "bert")
    world.play_all()
    before = ratings.leaderboard(world.store, 1).items
    challenge(world, bots["alice"], "ada", "bert")
    world.play_all(lambda leg: finished(2, 1))
    assert ratings.leaderboard(world.store, 1).items == before


def test_every_block_of_a_challenge_has_a_deal_of_its_own_and_every_seat_order(world, bots):
    made = challenge(world, bots["alice"], "ada", "bert", blocks=2)
    claims = world.claim_all()
    assert len({claim.legs[0].seed for claim in claims}) == 2
    for claim in claims:
        assert {tuple(seat.bot for seat in leg.seats) for leg in claim.legs} == {("ada", "bert"), ("bert", "ada")}
    assert made.tournament.deals == 2


def test_authors_challenge_with_a_bot_of_their_own_and_organisers_with_any(world, bots):
    with pytest.raises(PermissionDenied) as caught:
        challenge(world, bots["carl"], "ada", "bert")
    assert caught.value.code == "NOT_YOURS"
    assert challenge(world, world.account("olga", Role.ORGANISER), "ada", "bert")


def test_a_bot_may_be_challenged_by_itself(world, bots):
    challenge(world, bots["alice"], "ada", "ada")
    claim = world.claim()
    assert [seat.bot for seat in claim.legs[0].seats] == ["ada", "ada"]
    for leg in claim.legs:
        world.record(claim, leg, finished(1, 2))


@pytest.mark.parametrize(
    ("names", "options", "code"),
    [
        (("ada",), {}, "WRONG_NUMBER_OF_SEATS"),
        (("ada",) * 21, {}, "WRONG_NUMBER_OF_SEATS"),
        ((), {}, "TOO_FEW_ENTRANTS"),
        (("ada", "nobody"), {}, "NO_SUCH_BOT"),
        (("ada", "bert"), {"game": "chess"}, "WRONG_GAME"),
        (("ada", "bert"), {"blocks": 0}, "BAD_BLOCKS"),
        (("ada", "bert"), {"blocks": 101}, "BAD_BLOCKS"),
        (("ada", "bert"), {"clock": "soon"}, "BAD_CLOCK"),
        (("ada", "bert"), {"variant": "blitz"}, "UNKNOWN_VARIANT"),
    ],
)
def test_a_challenge_that_cannot_be_is_refused_and_stores_nothing(world, bots, names, options, code):
    with pytest.raises(ArenaError) as caught:
        challenge(world, bots["alice"], *names, **options)
    assert caught.value.code == code
    assert tournaments.list_tournaments(world.store, requests=True).items == ()


@pytest.mark.parametrize(
    "clock", ["none", "24m+0.1s", "10s+24m", "10s+0.1s,start=24m", "10s+0.1s,margin=24m", "2147483647ms+0s"]
)
def test_no_author_keeps_workers_busy_by_a_clock_of_his_own(world, bots, clock):
    with pytest.raises(PermissionDenied, match="ask an organiser") as caught:
        challenge(world, bots["alice"], "ada", "bert", clock=clock)
    assert caught.value.code == "CLOCK_TOO_LONG"
    assert tournaments.list_tournaments(world.store, requests=True).items == ()
    organiser = world.account("olga", Role.ORGANISER)
    assert challenge(world, organiser, "ada", "bert", clock=clock).match_ids


def test_an_author_may_challenge_by_a_quicker_clock(world, bots):
    assert challenge(world, bots["alice"], "ada", "bert", clock="1s+0s,start=5s,margin=20ms").match_ids


def test_bots_without_a_common_game_are_told_so(world, bots):
    world.submit("skier", games='"icefall"')
    world.submit("walker", games='"first-snow"')
    with pytest.raises(ArenaError) as caught:
        challenge(world, world.admin, "skier", "walker")
    assert caught.value.code == "NO_COMMON_GAME"


def test_nobody_has_more_than_a_few_requests_waiting(world, bots):
    for _ in range(requests.MAX_OPEN):
        challenge(world, bots["alice"], "ada", "bert")
    with pytest.raises(LimitReached):
        challenge(world, bots["alice"], "ada", "bert")
    assert challenge(world, bots["bob"], "ada", "bert")
    world.play_all()
    assert challenge(world, bots["alice"], "ada", "bert")


def test_challenges_neither_starve_behind_a_tournament_nor_keep_it_waiting(world, bots):
    world.started("cup", "ada", "bert", "cleo", "dora", deals=10)
    for _ in range(requests.MAX_OPEN):
        challenge(world, bots["alice"], "ada", "bert", blocks=20)
    order = [world.claim().tournament == "cup" for _ in range(30)]
    assert 4 <= order.count(False) <= 8
    first = order.index(False)
    assert first < len(dispatch.TURNS)


def test_listings_leave_requests_out_unless_asked(world, bots):
    challenge(world, bots["alice"], "ada", "bert")
    assert tournaments.list_tournaments(world.store).items == ()
    assert len(tournaments.list_tournaments(world.store, requests=True).items) == 1


def again(world, match_id, caller=None):
    return requests.reproduce(world.store, caller or world.admin, world.now, match_id=match_id, entropy=world.entropy)


def test_a_match_is_played_again_with_the_same_bots_seats_seed_and_clock(world, bots):
    world.started("cup", "ada", "bert", clock="3s+0.1s,start=10s,margin=50ms")
    first = world.claim()
    for leg in first.legs:
        world.record(first, leg, older_wins(leg))
    made = again(world, first.legs[1].match_id, bots["carl"])
    second = world.claim()
    assert [leg.match_id for leg in second.legs] == list(made.match_ids)
    assert (second.legs[0].seats, second.legs[0].seed) == (first.legs[1].seats, first.legs[1].seed)
    assert (second.clock, second.game, second.variant) == (first.clock, first.game, first.variant)
    before = ratings.leaderboard(world.store, 1).items
    world.record(second, second.legs[0], finished(1, 2))
    assert ratings.leaderboard(world.store, 1).items == before
    assert get_match(world.store, made.match_ids[0]).deal_open
    assert tournaments.get(world.store, made.tournament.name).secret == ""


def test_a_match_of_a_closed_deal_is_not_played_again(world, bots):
    world.started("cup", "ada", "bert", "cleo")
    claim = world.claim()
    for leg in claim.legs:
        world.record(claim, leg, older_wins(leg))
    with pytest.raises(PermissionDenied) as caught:
        again(world, claim.legs[0].match_id)
    assert caught.value.code == "DEAL_CLOSED"
    with pytest.raises(NotFound):
        again(world, 999)


def test_a_match_that_was_never_played_is_not_played_again(world, bots):
    world.started("cup", "ada", "bert")
    tournaments.cancel(world.store, world.admin, "cup", world.now)
    match = list_matches(world.store, state=MatchState.CANCELLED).items[0]
    with pytest.raises(NotFound) as caught:
        again(world, match.id)
    assert caught.value.code == "NO_LOG"


def test_a_request_can_be_cancelled_by_whoever_asked(world, bots):
    made = challenge(world, bots["alice"], "ada", "bert")
    with pytest.raises(PermissionDenied):
        tournaments.cancel(world.store, bots["bob"], made.tournament.name, world.now)
    tournaments.cancel(world.store, bots["alice"], made.tournament.name, world.now)
    assert world.claim() is None
    with pytest.raises(Conflict):
        tournaments.enter(world.store, world.admin, world.now, tournament=made.tournament.name, bot="ada")
