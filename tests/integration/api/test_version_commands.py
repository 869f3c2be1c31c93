"""What `arena bots`, `versions`, `restore` and `output` say of versions that are out of play, and to whom."""

import json

import pytest

from arena.core.errors import Conflict, PermissionDenied
from arena.store import bots
from arena.store.states import VersionState
from arena.v1 import account_pb2
from arena.v1 import bot_pb2 as pb

REASON = "it failed 3 matches in a row, the last: match 7, CRASHED"


@pytest.fixture
def aside(arena, admin):
    """A bot of ann's whose one version was set aside; the session is hers."""
    ann = arena.author("ann")
    arena.submit(ann, "mine")
    with arena.store.write() as tx:
        version = bots.find_version(tx, "mine")
        for _ in range(3):
            bots.count_failure(tx, version.id, failed=True)
        bots.set_version_state(tx, version.id, VersionState.SET_ASIDE, REASON)
    return ann


def test_a_version_that_was_set_aside_is_told_so_with_the_way_back(aside, run):
    assert f"mine@1 is set aside: {REASON}" in run("bots")[1]
    _, out, _ = run("versions", "mine")
    assert f"mine@1 is set aside: {REASON}" in out
    assert "bring it back with `arena restore mine@1`, or submit a new version" in out
    (found,) = json.loads(run("versions", "mine", "--json")[1])
    assert (found["state"], found["failed_in_row"], len(found["sha256"])) == ("BOT_VERSION_STATE_SET_ASIDE", 3, 64)


def test_submitting_its_files_again_says_so_too(arena, aside, run, monkeypatch):
    made = arena.session().call(arena.session().accounts.IssueToken, account_pb2.IssueTokenRequest(account="ann"))
    monkeypatch.setenv("ARENA_TOKEN", made.secret)
    code, out, err = run("submit", str(arena.bot_folder("mine", "print('mine')\n")))
    assert (code, out) == (1, "")
    assert err.startswith(f"error: mine@1 is set aside: {REASON}; change the bot and submit it, or bring it back")


def test_its_author_or_an_admin_brings_it_back_and_nobody_else(arena, aside, run):
    request = pb.RestoreBotVersionRequest(bot="mine", version=1)
    bob = arena.author("bob")
    with pytest.raises(PermissionDenied):
        bob.call(bob.bots.RestoreBotVersion, request)
    for _ in range(2):
        back = aside.call(aside.bots.RestoreBotVersion, request).version
        assert (back.state, back.reason, back.failed_in_row) == (pb.BOT_VERSION_STATE_ACCEPTED, "", 0)
    assert run("restore", "mine") == (0, "mine@1 is accepted\n", "")


def test_it_cannot_be_entered_meanwhile(arena, aside, admin):
    arena.submit(admin, "other")
    with pytest.raises(Conflict, match="mine@1 is set aside"):
        arena.started(admin, "cup", "other", "mine")


def test_every_turns_time_is_shown_when_asked_for(arena, admin, run):
    arena.submit(admin, "ann", "bob")
    arena.started(admin, "cup", "ann", "bob")
    arena.play()
    match = json.loads(run("matches", "--json")[1])[0]["id"]
    code, out, err = run("output", match, "--seat", "0", "--turns")
    assert code == 0
    rows = [line.split() for line in out.splitlines()]
    assert rows.index(["1", "5", "0"]) + 1 == rows.index(["2", "9", "4"])
    assert "rank 1" in err


def test_output_of_a_deal_that_is_still_played_is_closed_to_the_author_too(arena, admin, run):
    ann = arena.author("ann")
    arena.submit(ann, "mine")
    arena.submit(admin, "one", "two")
    arena.started(admin, "cup", "mine", "one", "two")
    arena.play(blocks=1)
    match, seat = next(
        (match["id"], seat["seat"])
        for match in json.loads(run("matches", "--state", "finished", "--json")[1])
        for seat in match["seats"]
    )
    with pytest.raises(PermissionDenied) as caught:
        admin.call(admin.bots.GetSeatOutput, pb.GetSeatOutputRequest(match_id=match, seat=seat))
    assert caught.value.code == "DEAL_CLOSED"
