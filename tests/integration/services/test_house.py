"""The arena's own bots: there for everybody who wants a match, unrated, never set aside, in nobody's name."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from playing import finished

from arena.core.errors import UsageError
from arena.core.manifest import ANY_GAME, parse_manifest
from arena.match.result import MatchEnd, SeatEnd
from arena.services import requests, submissions
from arena.services.house import OPPONENTS, QUALIFIER, find_house
from arena.services.matches import get_match
from arena.store import bots
from arena.store.states import MatchState, VersionState
from worker.block import INSTALLED


def challenge(world, caller, *labels, game="first-snow"):
    challenged = tuple(label and (label, 0) for label in labels)
    return requests.challenge(world.store, caller, world.now, challenged=challenged, game=game, entropy=world.entropy)


def test_a_person_meets_them_in_an_arena_where_nobody_has_submitted_anything(world):
    made = challenge(world, world.account("pia"), None, "(greedy)", "(greedy)", "(search)", game="frost-shelter")
    seats = get_match(world.store, made.match_ids[0]).seats
    assert sorted(seat.bot for seat in seats) == ["(greedy)", "(greedy)", "(pia in person)", "(search)"]
    assert not made.tournament.rated
    assert submissions.list_bots(world.store).items == ()


def test_an_authors_bot_meets_them_too_and_workers_find_their_files_installed(world):
    world.submit("ada", ann := world.account("ann"))
    challenge(world, ann, "ada", "(search)")
    for leg in world.claim().legs:
        (own,) = [seat for seat in leg.seats if seat.bot == "(search)"]
        assert (own.sha256, parse_manifest(own.manifest).name) == ("", "search")


@pytest.mark.parametrize("bot", OPPONENTS)
def test_each_is_installed_under_its_name_and_plays_every_game(world, bot):
    version = submissions.get_version(world.store, bot) if find_house(world.store, world.now, bot) else None
    named = parse_manifest(version.manifest)
    installed = parse_manifest((INSTALLED / named.name / "bot.toml").read_text())
    assert (installed.name, installed.games, installed.program) == (named.name, (ANY_GAME,), named.program)
    assert version.state is VersionState.RETIRED


def test_whoever_wants_them_at_once_gets_the_same(world):
    together = Barrier(4)

    def find(bot):
        together.wait()
        return find_house(world.store, world.now, bot)

    with ThreadPoolExecutor(4) as pool:
        one, other, third, same = pool.map(find, ("(greedy)", "(search)", QUALIFIER, "(greedy)"))
    assert len({one, other, third}) == 3
    assert same == one


def test_their_failures_set_nobody_aside_and_take_no_match_from_those_who_wait(world):
    world.submit("ada", ann := world.account("ann"))
    *_, waiting = [challenge(world, ann, "ada", "(greedy)") for _ in range(3)]
    own = find_house(world.store, world.now, "(greedy)")
    for claim in (world.claim(), world.claim()):
        for leg in claim.legs:
            ends = tuple(SeatEnd.CRASHED if seat.version_id == own else SeatEnd.PLAYED for seat in leg.seats)
            ranks = tuple(1 + (end is SeatEnd.CRASHED) for end in ends)
            world.record(claim, leg, finished(*ranks, end=MatchEnd.FORFEIT, seat_ends=ends), answers=(9, 9))
    with world.store.read() as tx:
        assert bots.read_failures(tx, own) == 4
    states = {get_match(world.store, number).state for number in waiting.match_ids}
    assert states == {MatchState.SCHEDULED}


@pytest.mark.parametrize("label", ["(bob in person)", "(arena)", "(nobody)", "((greedy))"])
def test_nothing_else_in_brackets_can_be_named_and_no_person(world, label):
    """Otherwise anybody could seat somebody who waits for another match."""
    challenge(world, world.account("bob"), None, "(greedy)")
    with pytest.raises(UsageError) as caught:
        challenge(world, world.account("pia"), None, label)
    assert caught.value.code == "BAD_NAME"
