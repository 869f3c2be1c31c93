"""The fold by rating_seq: in whatever order matches finish, it equals the sequential fold bit for bit."""

from random import Random

import pytest
from playing import START, World, finished, unrated

from arena.ladder.rating import HOUSE, Rating, fold, update
from arena.match.result import MatchEnd, SeatEnd
from arena.services import ratings, results
from arena.services.matches import get_match
from arena.services.results import Recording
from arena.store import Store, open_store

ORDERS = 50


def decide(seats: int, match_id: int):
    """Some result: mostly ordinary, now and then a tie, a forfeit or an unrated end."""
    chance = Random(match_id)
    kind = chance.random()
    if seats == 1:
        return finished(1 + (kind < 0.4))
    if kind < 0.1:
        return unrated(seats, MatchEnd.VOID if seats == 2 else MatchEnd.ABORTED)
    if kind < 0.2:
        return finished(*(1,) * seats)
    ranks = list(range(1, seats + 1))
    chance.shuffle(ranks)
    if kind < 0.3 and seats > 2:
        ranks = [max(1, rank - 1) if rank == 2 else rank for rank in ranks]
    if kind < 0.4:
        ends = tuple(SeatEnd.CRASHED if rank == seats else SeatEnd.PLAYED for rank in ranks)
        return finished(*ranks, end=MatchEnd.FORFEIT, seat_ends=ends)
    return finished(*ranks)


def scheduled(store: Store, seats: int, variant: str) -> list[Recording]:
    """A tournament with every block claimed, and what is to be recorded."""
    world = World(store)
    world.started("cup", "ada", "bert", "cleo", "dora", game="icefall", variant=variant, seats=seats)
    return [
        Recording(claim.block_id, claim.attempt, leg.match_id, decide(seats, leg.match_id), f"log {leg.match_id}\n")
        for claim in world.claim_all()
        for leg in claim.legs
    ]


def ratings_of(store: Store) -> dict[int, tuple[float, float, int]]:
    rows = ratings.leaderboard(store, 1).items
    assert all(row.pending == 0 for row in rows)
    return {row.version_id: (row.mu, row.sigma, row.matches) for row in rows}


def sequential(store: Store, recordings: list[Recording]) -> dict[int, Rating]:
    """The ratings that follow from the results alone, in the order of rating_seq."""
    found = {recording.match_id: get_match(store, recording.match_id) for recording in recordings}
    ordered = sorted(recordings, key=lambda one: found[one.match_id].rating_seq)
    rated = [one for one in ordered if one.result.end in {MatchEnd.COMPLETED, MatchEnd.FORFEIT}]
    players = ([seat.version_id for seat in found[one.match_id].seats] for one in rated)
    draws = ratings.get_pool(store, 1).draw_probability
    return fold(zip(players, (one.result.ranks for one in rated), strict=True), draws)


@pytest.mark.parametrize(("seats", "variant"), [(2, "race"), (3, "race"), (1, "solo")])
def test_fifty_finishing_orders_give_bit_identical_ratings_and_fold_each_match_once(
    tmp_path, sqlite_template, seats, variant
):
    url = sqlite_template.new_url(tmp_path)
    store = open_store(url)
    recordings = scheduled(store, seats, variant)
    store.close()
    unplayed = (tmp_path / "arena.db").read_bytes()
    found = []
    for order in range(ORDERS):
        # One Store throughout, since it keeps its compiled statements; the file under it is put back.
        (tmp_path / "arena.db").write_bytes(unplayed)
        shuffled = list(recordings)
        Random(order).shuffle(shuffled)
        folded = sum(results.record(store, one, START).folded for one in shuffled)
        assert folded == len(recordings)
        found.append(ratings_of(store))
        if order == ORDERS - 1:
            expected = sequential(store, recordings)
        store.close()
    assert all(one == found[0] for one in found)
    assert {version: (mu, sigma) for version, (mu, sigma, _) in found[0].items()} == {
        version: (rating.mu, rating.sigma) for version, rating in expected.items()
    }


def test_postgresql_gives_the_ratings_of_sqlite_bit_for_bit(tmp_path, sqlite_template, postgres):
    found = []
    for url, order in ((sqlite_template.new_url(tmp_path), 1), (postgres.new_url(), 2)):
        store = open_store(url)
        recordings = scheduled(store, 3, "race")
        Random(order).shuffle(recordings)
        for one in recordings:
            results.record(store, one, START)
        found.append(ratings_of(store))
        store.close()
    assert found[0] == found[1]


def test_a_match_waits_for_the_earlier_matches_of_its_participants_and_is_shown_as_pending(world):
    world.started("cup", "ada", "bert", "cleo")
    legs = [(claim, leg) for claim in world.claim_all() for leg in claim.legs]
    last_claim, last = legs[-1]
    assert world.record(last_claim, last, finished(1, 2)).folded == 0
    assert {row.pending for row in ratings.leaderboard(world.store, 1).items} == {4}
    for claim, leg in legs[:-2]:
        assert world.record(claim, leg, finished(1, 2)).folded == 1
    claim, leg = legs[-2]
    assert world.record(claim, leg, finished(1, 2)).folded == 2


def test_matches_of_other_bots_do_not_wait_for_each_other(world):
    world.started("cup", "ada", "bert", "cleo", "dora")
    claims = world.claim_all()
    first = claims[0].legs[0]
    others = next(
        claim
        for claim in claims[1:]
        if not {seat.bot for seat in claim.legs[0].seats} & {seat.bot for seat in first.seats}
    )
    assert world.record(others, others.legs[0], finished(1, 2)).folded == 1


def test_history_shows_the_match_behind_each_change_newest_first(world):
    world.started("cup", "ada", "bert")
    claim = world.claim()
    for leg in claim.legs:
        world.record(claim, leg, finished(1, 2))
    page = ratings.history(world.store, "ada", page_size=1)
    newest = page.items[0]
    oldest = ratings.history(world.store, "ada", page_size=1, page_token=page.next_page_token).items[0]
    assert [newest.match_id, oldest.match_id] == [claim.legs[1].match_id, claim.legs[0].match_id]
    assert (oldest.mu_before, oldest.sigma_before) == (25.0, 25 / 3)
    assert (newest.mu_before, newest.sigma_before) == (oldest.mu_after, oldest.sigma_after)
    row = next(row for row in ratings.leaderboard(world.store, 1).items if row.bot == "ada")
    assert (row.mu, row.sigma) == (newest.mu_after, newest.sigma_after)
    assert ratings.history(world.store, "ada", version=1, pool_id=99).items == ()


def test_a_solo_match_is_rated_against_the_house(world):
    world.started("cup", "ada", game="icefall", variant="solo")
    world.play_all(lambda leg: finished(1))
    row = ratings.leaderboard(world.store, 1).items[0]
    assert Rating(row.mu, row.sigma) == update([Rating()], [1], 0.0)[0]
    assert row.mu > HOUSE.mu


def test_the_second_tournament_of_a_pool_goes_on_with_its_ratings(world):
    world.started("spring", "ada", "bert")
    world.play_all()
    before = {row.bot: row.mu for row in ratings.leaderboard(world.store, 1).items}
    world.started("autumn", "ada", "bert", "cleo")
    world.play_all()
    assert len(ratings.list_pools(world.store, game="first-snow").items) == 1
    changes = ratings.history(world.store, "ada").items
    assert changes[4 - 1].mu_before == before["ada"]
    assert [change.rating_seq for change in changes] == sorted((c.rating_seq for c in changes), reverse=True)


def test_equal_scores_share_a_place_across_pages(world):
    world.started("cup", "ada", "bert", "cleo", "dora")
    claim = world.claim()
    world.record(claim, claim.legs[0], finished(1, 2))
    places, token = [], ""
    while True:
        page = ratings.leaderboard(world.store, 1, page_size=1, page_token=token)
        places.extend(row.place for row in page.items)
        token = page.next_page_token
        if not token:
            break
    assert places == [row.place for row in ratings.leaderboard(world.store, 1).items]
    assert places == [1, 2, 2, 4]
