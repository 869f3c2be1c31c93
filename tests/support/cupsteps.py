"""What is done to a tournament and asked of it, by its organiser unless said otherwise; "cup" where none is named."""

import pytest
from playing import older_wins
from sqlalchemy import text

from arena.core.errors import ArenaError
from arena.services import ratings, tournaments
from arena.services.matches import list_matches

FOUR = ("ada", "bert", "cleo", "dora")


def pause(world, name="cup"):
    return tournaments.pause(world.store, world.admin, name)


def resume(world, name="cup"):
    return tournaments.resume(world.store, world.admin, name, world.now)


def cancel(world, name="cup"):
    return tournaments.cancel(world.store, world.admin, name, world.now)


def withdraw(world, bot, name="cup", caller=None):
    return tournaments.withdraw(world.store, caller or world.admin, world.now, tournament=name, bot=bot)


def enter(world, bot, name="cup", caller=None, **options):
    return tournaments.enter(world.store, caller or world.admin, world.now, tournament=name, bot=bot, **options)


def state(world, name="cup"):
    return tournaments.get(world.store, name).state


def matches_of(world, name="cup", **wanted):
    return list_matches(world.store, tournament=name, page_size=1000, **wanted).items


def pending(world):
    return sum(row.pending for row in ratings.leaderboard(world.store, 1).items)


def play(world, blocks):
    for _ in range(blocks):
        claim = world.claim()
        for leg in claim.legs:
            world.record(claim, leg, older_wins(leg))


def refused(code, call, *arguments):
    with pytest.raises(ArenaError) as caught:
        call(*arguments)
    assert caught.value.code == code
    return caught.value.message


def change_rules(world, name="cup"):
    """As if the tournament had been made for other rules than are installed."""
    pool = tournaments.get(world.store, name).pool_id
    with world.store.write() as tx:
        tx.execute(text("UPDATE pools SET rules_version = rules_version + 1 WHERE id = :pool"), {"pool": pool})
