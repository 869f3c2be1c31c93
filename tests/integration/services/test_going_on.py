"""An arena that starts again says what it goes on with, and goes on."""

from playing import World, finished

from arena.cli.local.goingon import go_on, left_for_later
from arena.services import tournaments
from arena.store import open_store


def test_nothing_is_said_where_nothing_was_begun(world):
    world.started("old", "ada", "bert")
    world.play_all()
    assert go_on(world.store, world.now) == []


def test_what_remains_is_told_of_every_tournament_that_is_not_over(world):
    world.started("autumn", "ada", "bert", deals=3)
    world.started("winter", "ada", "bert")
    tournaments.pause(world.store, world.admin, "winter")
    claim = world.claim()
    world.record(claim, claim.legs[0], finished(1, 2))
    assert go_on(world.store, world.now) == [
        "the last arena here ended in the middle of 1 match; played again: 1",
        "autumn goes on: 5 of 6 matches to play; `arena tournament watch autumn`",
        "winter is paused: 2 of 2 matches to play; `arena tournament resume winter`",
    ]
    assert [leg.leg for leg in world.claim().legs] == [2]


def test_what_a_stopped_arena_leaves_is_told_with_the_command_that_goes_on(tmp_path, sqlite_template):
    store = open_store(sqlite_template.new_url(tmp_path))
    world = World(store)
    for name in ("autumn", "winter"):
        world.started(name, "ada", "bert")
    tournaments.pause(store, world.admin, "winter")
    store.close()
    assert left_for_later(tmp_path) == [f"autumn: 2 of 2 matches to play; `arena up --data {tmp_path}` goes on with it"]


def test_of_a_folder_without_a_database_nothing_is_told(tmp_path):
    assert left_for_later(tmp_path) == []
