import threading

import pytest

from arena.cli.client import create_tournament, start_tournament, watch_tournament
from arena.core.errors import Conflict, NotFound, PermissionDenied, Unavailable, UsageError
from arena.v1 import account_pb2
from arena.v1 import tournament_pb2 as pb


@pytest.fixture
def three(arena, admin):
    """Three accepted bots."""
    arena.submit(admin, "ann", "bob", "cyd")
    return ["ann", "bob", "cyd"]


def get(session, name):
    return session.call(session.tournaments.GetTournament, pb.GetTournamentRequest(name=name))


def standings(session, name):
    return session.call(session.tournaments.GetStandings, pb.GetStandingsRequest(name=name))


def test_a_tournament_is_made_with_what_was_left_out_filled_in(admin, three):
    made = create_tournament(admin, "cup", "first-snow", three, 2)
    answer = get(admin, "cup")

    assert answer.tournament == made
    assert (made.name, made.game, made.seats, made.deals, made.organiser) == ("cup", "first-snow", 2, 2, "admin")
    assert made.variant
    assert made.clock != ""
    assert len(made.commitment) == 64
    assert made.state == pb.TOURNAMENT_STATE_CREATED
    assert made.secret == ""
    assert [(each.bot, each.version) for each in answer.entrants] == [("ann", 1), ("bob", 1), ("cyd", 1)]


def test_starting_queues_every_leg_and_twice_is_a_success(admin, three):
    create_tournament(admin, "cup", "first-snow", three, 2)
    for _ in range(2):
        assert start_tournament(admin, "cup").state == pb.TOURNAMENT_STATE_RUNNING

    counts = get(admin, "cup").progress
    assert (counts.total, counts.queued) == (12, 12)  # 3 pairings, 2 deals, 2 seat orders


def test_a_watch_tells_every_change_and_ends_with_the_tournament(arena, admin, three):
    arena.started(admin, "cup", *three)
    heard = watch_tournament(admin, "cup")
    first = next(heard)
    player = threading.Thread(target=arena.play)
    player.start()
    rest = list(heard)
    player.join()

    assert (first.progress.finished, first.progress.total) == (0, 6)
    finished = [each.progress.finished for each in rest]
    assert finished == sorted(finished)
    assert rest[-1].state == pb.TOURNAMENT_STATE_FINISHED
    assert (rest[-1].progress.finished, rest[-1].progress.finished_deals) == (6, 1)


def test_many_watches_do_not_keep_others_waiting(arena, admin, three):
    arena.started(admin, "cup", *three)
    watches = [watch_tournament(admin, "cup") for _ in range(25)]
    for watch in watches:
        next(watch)

    assert get(admin, "cup").progress.total == 6
    for watch in watches:
        watch.close()


def test_a_watch_is_told_when_the_server_stops(arena, admin, three, prepared):
    arena.started(admin, "cup", *three)
    heard = watch_tournament(admin, "cup")
    next(heard)
    arena.stop()

    with pytest.raises(Unavailable) as caught:
        list(heard)
    assert caught.value.code == "SERVER_STOPPING"


def test_standings_count_points_and_name_the_authors(arena, admin, three):
    arena.started(admin, "cup", *three)
    arena.play()

    answer = standings(admin, "cup")

    assert answer.state == pb.TOURNAMENT_STATE_FINISHED
    assert {each.bot for each in answer.standings} == set(three)
    assert all(
        (each.points, each.matches, each.mean_rank, each.forfeits) == (2, 4, 1.5, 0) for each in answer.standings
    )
    assert {each.place for each in answer.standings} == {1}
    assert {each.author for each in answer.standings} == {"admin"}


def test_tournaments_are_listed_newest_first_in_pages_and_by_state(admin, three):
    for name in ("one", "two", "three"):
        create_tournament(admin, name, "first-snow", three, 1)
    start_tournament(admin, "two")

    pages = list(admin.pages(admin.tournaments.ListTournaments, pb.ListTournamentsRequest(page_size=2)))
    running = admin.call(
        admin.tournaments.ListTournaments, pb.ListTournamentsRequest(state=pb.TOURNAMENT_STATE_RUNNING)
    )

    assert [[each.name for each in page.tournaments] for page in pages] == [["three", "two"], ["one"]]
    assert [each.name for each in running.tournaments] == ["two"]


def test_a_state_that_does_not_exist_is_refused(admin):
    with pytest.raises(UsageError) as caught:
        admin.call(admin.tournaments.ListTournaments, pb.ListTournamentsRequest(state=99))
    assert caught.value.code == "BAD_STATE"


def test_an_organiser_may_run_a_tournament_and_an_author_may_not(arena, admin, three):
    organiser = arena.author("org", account_pb2.ROLE_ORGANISER)
    author = arena.author("aut")

    assert create_tournament(organiser, "cup", "first-snow", three, 1).organiser == "org"
    with pytest.raises(PermissionDenied):
        create_tournament(author, "own", "first-snow", three, 1)
    with pytest.raises(PermissionDenied):
        start_tournament(author, "cup")


@pytest.mark.parametrize(
    ("wrong", "kind", "code"),
    [
        ({"game": "chess"}, UsageError, "UNKNOWN_GAME"),
        ({"variant": "upside-down"}, UsageError, "UNKNOWN_VARIANT"),
        ({"seats": 5}, UsageError, "WRONG_NUMBER_OF_SEATS"),
        ({"clock": "fast"}, UsageError, "BAD_CLOCK"),
        ({"name": "Über cup"}, UsageError, "BAD_NAME"),
        ({"bots": ["ann", "nobody"]}, NotFound, "NO_SUCH_BOT"),
        ({"bots": ["ann", "bob@7"]}, NotFound, "NO_SUCH_VERSION"),
        ({"bots": ["ann", "ann@1"]}, Conflict, "ALREADY_ENTERED"),
        ({"components": "nonsense ="}, UsageError, "BAD_COMPONENTS"),
    ],
)
def test_a_wrong_tournament_is_refused_whole(admin, three, wrong, kind, code):
    facts = {"name": "cup", "game": "first-snow", "bots": three, "deals": 1} | wrong

    with pytest.raises(kind) as caught:
        create_tournament(admin, **facts)
    assert caught.value.code == code
    assert not admin.call(admin.tournaments.ListTournaments, pb.ListTournamentsRequest()).tournaments


def test_a_name_is_taken_once(admin, three):
    create_tournament(admin, "cup", "first-snow", three, 1)

    with pytest.raises(Conflict) as caught:
        create_tournament(admin, "cup", "first-snow", three, 1)
    assert caught.value.code == "TOURNAMENT_EXISTS"


def test_a_tournament_that_does_not_exist_is_not_found(admin):
    for method, request in (
        (admin.tournaments.GetTournament, pb.GetTournamentRequest(name="none")),
        (admin.tournaments.StartTournament, pb.StartTournamentRequest(name="none")),
        (admin.tournaments.GetStandings, pb.GetStandingsRequest(name="none")),
    ):
        with pytest.raises(NotFound) as caught:
            admin.call(method, request)
        assert caught.value.code == "NO_SUCH_TOURNAMENT"
    with pytest.raises(NotFound):
        list(watch_tournament(admin, "none"))
