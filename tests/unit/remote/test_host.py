"""A connected bot's places and games: what it offers, when it has enough, how a result is told."""

import asyncio

import pytest

from arena.cli.local.arena import Plan
from arena.cli.remote.game import Bot, Game, told_result
from arena.cli.remote.host import Host
from arena.cli.remote.stream import LobbyStream
from arena.core.errors import ArenaError, LimitReached, PermissionDenied, Unavailable
from arena.v1 import lobby_pb2 as pb
from arena.v1 import match_pb2, match_result_pb2, rating_pb2, tournament_pb2


class Server:
    """Stands for a session: answers what a result is told by."""

    matches = ratings = tournaments = lobby = property(lambda self: self)
    GetMatch, ListRatingChanges, GetTournament, AwaitMatch = "match", "changes", "tournament", "await"

    def __init__(self, *, rated=True, folded=True, state=match_pb2.MATCH_STATE_FINISHED):
        self.rated, self.folded, self.state = rated, folded, state

    def call(self, method, request):
        if method == "match":
            seats = [
                match_pb2.MatchSeat(
                    seat=0, bot="far", version=1, rank=1, score=9, end=match_result_pb2.SEAT_END_PLAYED
                ),
                match_pb2.MatchSeat(seat=1, bot="near", version=2, rank=2, end=match_result_pb2.SEAT_END_TIMEOUT),
            ]
            end = match_result_pb2.MATCH_END_FORFEIT
            return match_pb2.GetMatchResponse(
                match=match_pb2.Match(id=request.match_id, state=self.state, end=end, seats=seats)
            )
        if method == "changes":
            change = rating_pb2.RatingChange(
                match_id="7", mu_before=25, sigma_before=25 / 3, mu_after=29.4, sigma_after=7.2
            )
            return rating_pb2.ListRatingChangesResponse(changes=[change] if self.folded and self.rated else [])
        return tournament_pb2.GetTournamentResponse(tournament=tournament_pb2.Tournament(rated=self.rated))


def invitation(number=1, seat=0):
    return pb.Invitation(id=str(number), match_id="7", game="first-snow", seat=seat, seats=2, bots=["far@1", "near@2"])


@pytest.fixture
def bot(tmp_path):
    return Bot(tmp_path, ("python", "bot.py"), "far", 1)


@pytest.mark.parametrize(
    ("server", "seat", "words"),
    [
        (Server(), 0, "against near@2, seat 0: rank 1 of 2 with 9, FORFEIT, rating 0.00 -> 7.80"),
        (Server(), 1, "against far@1, seat 1: rank 2 of 2, FORFEIT (TIMEOUT), rating 0.00 -> 7.80"),
        (Server(folded=False), 0, "rank 1 of 2 with 9, FORFEIT, rating pending"),
        (Server(rated=False), 0, "rank 1 of 2 with 9, FORFEIT, unrated"),
        (Server(state=match_pb2.MATCH_STATE_QUEUED), 0, "broken off by the arena"),
    ],
)
async def test_a_match_is_told_in_a_line(bot, server, seat, words):
    game = Game(bot, invitation(seat=seat), lambda _: None, lambda _: None)
    assert words in await told_result(server, bot, game)


class Stream:
    """Stands for the lobby's stream: says what a test lets it say, and notes what it is told."""

    def __init__(self, enter):
        self.enter = enter
        self.said = asyncio.Queue()
        self.offers, self.left = [], False

    async def heard(self):
        return await self.said.get()

    def offer(self, places):
        self.offers.append(places)

    def leave(self):
        self.left = True

    def close(self):
        pass


class Quick(Game):
    """A game that is over as soon as it is closed."""

    async def play(self):
        await self.closed.wait()


@pytest.fixture
def lobby():
    """The streams that were opened."""
    return []


@pytest.fixture
def host(bot, lobby):
    """Make a host; its results go into `lines`."""

    def make(lines, *, places=1, games=0, new_game=Quick):
        def open_stream(_session, enter):
            lobby.append(Stream(enter))
            return lobby[-1]

        return Host(
            Server(), bot, places=places, games=games, write=lambda _: None, say=lines.append, note=lambda _: None,
            open_stream=open_stream, new_game=new_game,
        )  # fmt: skip

    return make


async def until(true):
    for _ in range(1000):
        if true():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it does not come about")


ENTERED = pb.AwaitMatchResponse(entered=pb.LobbyEntered(bot="far", version=1))


def called(number):
    return pb.AwaitMatchResponse(invitation=invitation(number))


def closed(number):
    return pb.AwaitMatchResponse(closed=pb.InvitationClosed(id=str(number), match_id="7", finished=True))


async def test_a_place_is_offered_again_when_its_match_is_over(host, lobby):
    lines = []
    running = asyncio.ensure_future(host(lines, places=2).run())
    await until(lambda: lobby)
    assert lobby[0].enter.places == 2
    for answer in (ENTERED, called(1), closed(1)):
        lobby[0].said.put_nowait(answer)
    await until(lambda: lobby[0].offers)
    assert (lobby[0].offers, len(lines)) == ([1], 1)
    running.cancel()


class Faulty(Quick):
    """A game at which the program fails as nobody foresaw."""

    async def play(self):
        raise ZeroDivisionError


async def test_a_game_that_fails_as_nobody_foresaw_costs_no_place(host, lobby):
    lines = []
    running = asyncio.ensure_future(host(lines, new_game=Faulty).run())
    await until(lambda: lobby)
    for answer in (ENTERED, called(1), closed(1)):
        lobby[0].said.put_nowait(answer)
    await until(lambda: lobby[0].offers)
    assert (lobby[0].offers, len(lines)) == ([1], 1)
    running.cancel()


async def test_a_stream_whose_reader_fails_is_told_as_one_that_broke():
    class Odd:
        lobby = property(lambda self: self)
        AwaitMatch = "await"

        def converse(self, *_rest):
            raise ZeroDivisionError

    end = await asyncio.wait_for(LobbyStream(Odd(), pb.EnterLobby()).heard(), 20)
    assert isinstance(end, Unavailable)


async def test_no_more_is_taken_than_was_asked_for(host, lobby):
    lines = []
    running = asyncio.ensure_future(host(lines, places=3, games=2).run())
    await until(lambda: lobby)
    assert lobby[0].enter.places == 2
    for answer in (ENTERED, called(1), called(2), closed(1), closed(2)):
        lobby[0].said.put_nowait(answer)
    await until(lambda: lobby[0].left)
    lobby[0].said.put_nowait(None)
    await asyncio.wait_for(running, 5)
    assert (lobby[0].offers, len(lines)) == ([], 2)


@pytest.mark.parametrize(
    "broken",
    [
        Unavailable("the server is away; wait"),
        LimitReached("too many calls at once; end some", reason="TOO_MANY_CALLS"),
        ArenaError("the server failed; its log knows more", reason="INTERNAL"),
    ],
)
async def test_a_stream_that_breaks_is_opened_again_with_what_is_being_played(host, lobby, broken):
    running = asyncio.ensure_future(host([], places=2).run())
    await until(lambda: lobby)
    for answer in (ENTERED, called(1), broken):
        lobby[0].said.put_nowait(answer)
    await until(lambda: len(lobby) == 2)
    assert (list(lobby[1].enter.playing), lobby[1].enter.places) == (["1"], 1)
    assert lobby[1].enter.session == lobby[0].enter.session
    running.cancel()


async def test_a_refusal_ends_it_after_what_is_being_played(host, lobby):
    lines = []
    played = host(lines)
    running = asyncio.ensure_future(played.run())
    await until(lambda: lobby)
    for answer in (ENTERED, called(1)):
        lobby[0].said.put_nowait(answer)
    await until(lambda: played.playing)
    lobby[0].said.put_nowait(closed(1))
    lobby[0].said.put_nowait(PermissionDenied("no"))
    with pytest.raises(PermissionDenied):
        await asyncio.wait_for(running, 5)
    assert len(lines) == 1


class Broken(Game):
    """A game that this machine cannot play."""

    async def play(self):
        raise OSError("AF_UNIX path too long")


async def test_a_match_that_cannot_be_played_here_is_waited_for_and_its_place_offered_again(bot, lobby):
    lines, notes = [], []

    def open_stream(_session, enter):
        lobby.append(Stream(enter))
        return lobby[-1]

    made = Host(
        Server(), bot, places=1, games=0, write=lambda _: None, say=lines.append, note=notes.append,
        open_stream=open_stream, new_game=Broken,
    )  # fmt: skip
    running = asyncio.ensure_future(made.run())
    await until(lambda: lobby)
    for answer in (ENTERED, called(1), closed(1)):
        lobby[0].said.put_nowait(answer)
    await until(lambda: lobby[0].offers)
    assert notes[-1].endswith("cannot be played here: AF_UNIX path too long")
    assert len(lines) == 1
    running.cancel()


async def test_draining_leaves_when_nothing_is_being_played(host, lobby):
    played = host([])
    running = asyncio.ensure_future(played.run())
    await until(lambda: lobby)
    lobby[0].said.put_nowait(ENTERED)
    played.drain()
    assert lobby[0].left
    lobby[0].said.put_nowait(None)
    await asyncio.wait_for(running, 5)


@pytest.mark.parametrize(("workers", "public"), [(1, [1]), (2, [2]), (4, [2, 3, 4])], ids=["one", "two", "four"])
def test_the_first_of_several_workers_keeps_to_hosted_bots(tmp_path, workers, public):
    plan = Plan(tmp_path, workers, "127.0.0.1:0")
    assert list(plan.public_workers) == public
    assert [bool(plan.public_options(number)) for number in range(1, workers + 1)].count(True) == len(public)


def test_public_workers_count_their_ports_up(tmp_path):
    plan = Plan(tmp_path, 3, "127.0.0.1:0", public="10.0.0.1:7443", allow_plain_text=True)
    assert plan.public_options(1) == []
    assert plan.public_options(2) == ["--public-address", "10.0.0.1:7443", "--allow-plain-text"]
    assert plan.public_options(3)[1] == "10.0.0.1:7444"
