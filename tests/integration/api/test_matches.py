import hashlib

import pytest

from arena.cli.matches import fetch_log
from arena.core.errors import ArenaError, NotFound, PermissionDenied, UsageError
from arena.v1 import bot_pb2
from arena.v1 import match_pb2 as pb
from arena.v1.match_result_pb2 import MATCH_END_COMPLETED, SEAT_END_PLAYED


@pytest.fixture
def played(arena, admin):
    """A tournament of two authors' bots with two deals, the first of them played."""
    arena.submit(arena.author("ann"), "abot")
    arena.submit(arena.author("bob"), "bbot")
    arena.started(admin, "cup", "abot", "bbot", deals=2)
    arena.play(blocks=1)
    return "cup"


def listed(session, **wanted):
    request = pb.ListMatchesRequest(**wanted)
    return [match for page in session.pages(session.matches.ListMatches, request) for match in page.matches]


def output(session, match, seat):
    return session.call(session.bots.GetSeatOutput, bot_pb2.GetSeatOutputRequest(match_id=match.id, seat=seat))


def secret_session(arena, admin, account):
    from arena.v1 import account_pb2

    made = admin.call(admin.accounts.IssueToken, account_pb2.IssueTokenRequest(account=account))
    return arena.session(made.secret)


def test_a_finished_match_tells_its_result(admin, played):
    match = listed(admin, state=pb.MATCH_STATE_FINISHED)[0]

    assert admin.call(admin.matches.GetMatch, pb.GetMatchRequest(match_id=match.id)).match == match
    assert (match.tournament, match.game, match.deal) == ("cup", "first-snow", 1)
    assert (match.end, match.reason, match.plies, match.attempts) == (MATCH_END_COMPLETED, "points", 42, 1)
    assert [(seat.rank, seat.score, seat.end) for seat in match.seats] == [
        (1, 20, SEAT_END_PLAYED),
        (2, 10, SEAT_END_PLAYED),
    ]
    assert {(seat.bot, seat.version, seat.author) for seat in match.seats} == {("abot", 1, "ann"), ("bbot", 1, "bob")}
    assert match.HasField("finished_at")


def test_a_waiting_match_has_no_result(admin, played):
    match = listed(admin, state=pb.MATCH_STATE_QUEUED)[0]

    assert (match.deal, match.end, match.log_sha256, match.deal_open) == (2, 0, "", False)
    assert [(seat.rank, seat.HasField("score"), seat.end) for seat in match.seats] == [(0, False, 0), (0, False, 0)]


def test_matches_are_filtered_by_state_tournament_game_and_bot(arena, admin, played):
    arena.submit(admin, "cbot")
    arena.started(admin, "other", "abot", "cbot")

    def count(**wanted):
        return len(listed(admin, **wanted))

    assert (count(), count(tournament="cup"), count(tournament="other")) == (6, 4, 2)
    assert (count(bot="abot"), count(bot="bbot"), count(bot="cbot")) == (6, 4, 2)
    assert (count(state=pb.MATCH_STATE_FINISHED), count(state=pb.MATCH_STATE_QUEUED)) == (2, 4)
    assert (count(state=pb.MATCH_STATE_RUNNING), count(state=pb.MATCH_STATE_CANCELLED)) == (0, 0)
    assert count(game="first-snow") == 6


def test_matches_come_in_pages_without_gaps_or_doubles(admin, played):
    whole = [match.id for match in listed(admin)]

    assert [match.id for match in listed(admin, page_size=3)] == whole
    assert len(set(whole)) == 4


def test_a_log_arrives_whole_and_with_its_digest(admin, played):
    match = listed(admin, state=pb.MATCH_STATE_FINISHED)[0]
    request = pb.GetMatchLogRequest(match_id=match.id)

    parts = list(admin.stream(admin.matches.GetMatchLog, request))
    content = b"".join(part.chunk for part in parts)

    assert len(parts) > 1
    assert fetch_log(admin, match.id) == content
    assert parts[0].sha256 == match.log_sha256 == hashlib.sha256(content).hexdigest()
    assert parts[0].size_bytes == len(content)


def test_there_is_no_log_before_the_match_is_played(admin, played):
    match = listed(admin, state=pb.MATCH_STATE_QUEUED)[0]

    with pytest.raises(ArenaError) as caught:
        fetch_log(admin, match.id)
    assert caught.value.code in {"NO_LOG", "DEAL_CLOSED"}


def test_a_log_stays_closed_until_the_last_block_of_its_deal(arena, admin):
    arena.submit(admin, "abot", "bbot", "cbot")
    arena.started(admin, "cup", "abot", "bbot", "cbot")
    arena.play(blocks=1)
    match = listed(admin, state=pb.MATCH_STATE_FINISHED)[0]

    with pytest.raises(PermissionDenied) as caught:
        fetch_log(admin, match.id)
    assert caught.value.code == "DEAL_CLOSED"
    assert match.log_sha256 == ""
    arena.play()
    assert fetch_log(admin, match.id)


def test_an_author_reads_the_output_of_own_bots_only(arena, admin, played):
    match = listed(admin, state=pb.MATCH_STATE_FINISHED)[0]
    ann = secret_session(arena, admin, "ann")
    own = next(seat.seat for seat in match.seats if seat.author == "ann")

    answer = output(ann, match, own)

    assert (answer.bot, answer.version, answer.truncated) == ("abot", 1, False)
    assert answer.output.startswith(b"out abot")
    assert (list(answer.think_ms), list(answer.charged_ms)) == ([5, 9], [0, 4])
    with pytest.raises(PermissionDenied) as caught:
        output(ann, match, 1 - own)
    assert caught.value.code == "NOT_YOURS"
    assert output(admin, match, 1 - own).output.startswith(b"out bbot")


@pytest.mark.parametrize("seat", [-1, 2, 1 << 30])
def test_a_seat_that_does_not_exist_is_not_found(admin, played, seat):
    with pytest.raises(NotFound) as caught:
        output(admin, listed(admin, state=pb.MATCH_STATE_FINISHED)[0], seat)
    assert caught.value.code == "NO_SUCH_SEAT"


@pytest.mark.parametrize("number", ["4711", "2147483647"])
def test_a_match_that_does_not_exist_is_not_found(admin, number):
    with pytest.raises(NotFound) as caught:
        admin.call(admin.matches.GetMatch, pb.GetMatchRequest(match_id=number))
    assert caught.value.code == "NO_SUCH_MATCH"
    with pytest.raises(NotFound):
        fetch_log(admin, number)


@pytest.mark.parametrize("number", ["", "x", "-1", "1e3", "9" * 100])
def test_a_malformed_id_is_told_as_such(admin, number):
    for act in (
        lambda: admin.call(admin.matches.GetMatch, pb.GetMatchRequest(match_id=number)),
        lambda: fetch_log(admin, number),
        lambda: admin.call(admin.bots.GetSeatOutput, bot_pb2.GetSeatOutputRequest(match_id=number)),
    ):
        with pytest.raises(UsageError) as caught:
            act()
        assert caught.value.code == "BAD_ID"


def test_a_filter_that_names_nothing_is_told_as_such(admin):
    for wanted in ({"tournament": "none"}, {"bot": "none"}):
        with pytest.raises(NotFound):
            listed(admin, **wanted)
    with pytest.raises(UsageError):
        listed(admin, state=99)
