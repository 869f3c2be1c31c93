"""Standings, comparisons and reliability of stored tournaments, on both databases."""

import pytest
from playing import finished, older_wins

from arena.core.errors import NotFound, UsageError
from arena.match.result import MatchEnd, SeatEnd
from arena.services import comparing, tournaments


def play_deal(world, blocks, decide=older_wins):
    for _ in range(blocks):
        claim = world.claim()
        for leg in claim.legs:
            world.record_whole(claim, leg, decide(leg))


def test_nothing_of_a_closed_deal_is_in_any_figure(world):
    world.started("cup", "ada", "bert", "cleo", deals=2)
    play_deal(world, 2)
    table = tournaments.standings(world.store, "cup", detail=True)
    assert (table.closed, [row.standing.matches for row in table.rows]) == (4, [0, 0, 0])
    assert all(row.detail.think is None and not row.detail.against for row in table.rows)
    assert comparing.compare(world.store, "ada", "bert") == ()
    assert comparing.predictions(world.store, 1)[1].pairs == 0
    play_deal(world, 1)
    assert tournaments.standings(world.store, "cup").closed == 0
    assert comparing.predictions(world.store, 1)[1].pairs == 6


def test_a_withdrawn_bot_stays_in_the_table_with_what_it_has_played(world):
    world.started("cup", "ada", "bert", "cleo", deals=2)
    play_deal(world, 3)
    tournaments.withdraw(world.store, world.admin, world.now, tournament="cup", bot="ada")
    world.play_all()
    table = {row.entrant.bot: row for row in tournaments.standings(world.store, "cup", detail=True).rows}
    assert table["ada"].entrant.withdrawn
    assert (table["ada"].standing.matches, table["bert"].standing.matches) == (4, 6)
    assert (sum(table["ada"].planned.seats), sum(table["bert"].planned.seats)) == (4, 6)


@pytest.mark.parametrize(("variant", "seats"), [("race", 3), ("race", 4), ("solo", 1)])
def test_tables_of_more_and_of_fewer_seats_have_all_details(world, variant, seats):
    world.started("cup", "ada", "bert", "cleo", "dora", game="icefall", variant=variant, seats=seats, deals=2)
    world.play_all((lambda leg: finished(1)) if seats == 1 else None)
    table = tournaments.standings(world.store, "cup", detail=True)
    assert [row.entrant.bot for row in table.rows] == ["ada", "bert", "cleo", "dora"]
    for row in table.rows:
        assert len(row.planned.seats) == seats
        assert row.planned.deals == 2
        assert row.detail.strength.first <= row.place <= row.detail.strength.last
        assert row.detail.share.low <= row.standing.share <= row.detail.share.high
        assert len(row.detail.against) == (0 if seats == 1 else 3)


def test_a_block_with_a_forfeit_counts_for_points_and_is_left_out_of_a_comparison(world):
    world.started("cup", "ada", "bert", deals=2)
    ends = (SeatEnd.PLAYED, SeatEnd.TIMEOUT)
    play_deal(world, 1, lambda leg: finished(1, 2, end=MatchEnd.FORFEIT, seat_ends=ends))
    play_deal(world, 1)
    (found,) = comparing.compare(world.store, "ada", "bert", tournament="cup")
    assert (found.left_out, found.found.blocks, found.found.wins) == (1, 1, 2)
    assert tournaments.standings(world.store, "cup").rows[0].standing.matches == 4
    assert comparing.predictions(world.store, 1)[1].matches == 2


def test_versions_of_one_bot_are_compared_and_a_bot_with_itself_is_not(world):
    world.submit("ada")
    world.submit("ada", text="second")
    world.create("cup")
    for version in (1, 2):
        tournaments.enter(world.store, world.admin, world.now, tournament="cup", bot="ada", version=version)
    tournaments.start(world.store, world.admin, "cup", world.now)
    world.play_all()
    (found,) = comparing.compare(world.store, "ada", "ada", version=1, other_version=2)
    assert (found.found.wins, found.found.losses) == (2, 0)
    with pytest.raises(UsageError):
        comparing.compare(world.store, "ada", "ada")
    with pytest.raises(NotFound):
        comparing.compare(world.store, "ada", "ada", version=1, other_version=7)


def test_a_proof_names_the_archives_of_the_start_and_open_deals_only(world):
    world.submit("ada")
    world.submit("bert")
    world.create("cup", "ada", "bert", deals=2)
    assert tournaments.proof(world.store, "cup").archives == ()
    tournaments.start(world.store, world.admin, "cup", world.now)
    play_deal(world, 1)
    found = tournaments.proof(world.store, "cup")
    assert (list(found.deals), len(found.archives), found.tournament.secret) == ([1], 2, "")
