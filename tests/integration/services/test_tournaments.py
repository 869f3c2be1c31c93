import pytest
from playing import finished, older_wins, unrated

from arena.core.errors import ArenaError, BadClock, BadComponents, Conflict, NotFound, PermissionDenied, UsageError
from arena.core.registry import load_game
from arena.ladder.seeds import commitment_of, deal_seed, tournament_seed
from arena.match.result import SeatEnd
from arena.services import submissions, tournaments
from arena.store.states import Role, TournamentState


def test_a_tournament_takes_the_games_own_variant_seats_and_clock(world):
    world.submit("ada")
    world.submit("bert")
    made = world.create("cup", "ada", "bert")
    spec = load_game("first-snow").spec
    assert (made.state, made.variant, made.seats) == (TournamentState.CREATED, spec.variants[0].id, 2)
    assert (made.rules_version, made.organiser, made.deals) == (spec.rules_version, "admin", 1)
    assert made.clock == spec.clock
    assert tournaments.get(world.store, "cup") == made


def test_only_organisers_make_tournaments_and_only_their_own_are_started(world):
    author, organiser = world.account("alice"), world.account("olaf", Role.ORGANISER)
    for name in ("ada", "bert"):
        world.submit(name)
    world.create("cup", "ada", "bert")
    with pytest.raises(PermissionDenied):
        tournaments.create(world.store, author, world.now, name="mine", game="first-snow")
    with pytest.raises(PermissionDenied):
        tournaments.start(world.store, organiser, "cup", world.now)


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"game": "chess"}, "UNKNOWN_GAME"),
        ({"variant": "blitz"}, "UNKNOWN_VARIANT"),
        ({"seats": 5}, "WRONG_NUMBER_OF_SEATS"),
        ({"clock": "soon"}, BadClock.reason),
        ({"components": "nonsense ="}, BadComponents.reason),
        ({"deals": 0}, "BAD_DEALS"),
        ({"deals": 10**9}, "BAD_DEALS"),
    ],
)
def test_a_request_that_makes_no_sense_is_refused_and_stores_nothing(world, options, code):
    world.submit("ada")
    with pytest.raises(ArenaError) as caught:
        world.create("cup", "ada", **options)
    assert caught.value.code == code
    with pytest.raises(NotFound):
        tournaments.get(world.store, "cup")


def test_only_accepted_versions_that_play_the_game_can_enter_once(world):
    world.submit("ada")
    world.submit("skier", games='"icefall"')
    world.submit("old")
    submissions.retire(world.store, world.admin, "old", 1, world.now)
    for names, code in ((("nobody",), "NO_SUCH_BOT"), (("skier",), "WRONG_GAME"), (("old",), "VERSION_NOT_ACCEPTED")):
        with pytest.raises(ArenaError) as caught:
            world.create("cup", *names)
        assert caught.value.code == code
    with pytest.raises(Conflict) as twice:
        world.create("cup", "ada", "ada")
    assert twice.value.code == "ALREADY_ENTERED"


def test_a_retired_newest_version_leaves_the_older_one_to_play(world):
    world.submit("ada")
    world.submit("ada", text="second")
    submissions.retire(world.store, world.admin, "ada", 2, world.now)
    world.submit("bert")
    world.create("cup", "ada", "bert")
    assert [one.version for one in tournaments.entrants(world.store, "cup")] == [1, 1]


def test_a_bot_that_plays_every_game_can_enter_any(world):
    world.submit("ada", games='"*"')
    world.submit("bert", games='"*"')
    world.create("cup", "ada", "bert")
    assert len(tournaments.entrants(world.store, "cup")) == 2


def test_authors_enter_their_own_bots_until_the_start(world):
    alice, bob = world.account("alice"), world.account("bob")
    for name in ("ada", "bert"):
        world.submit(name)
    world.submit("cleo", alice)
    world.create("cup", "ada", "bert")
    with pytest.raises(PermissionDenied):
        tournaments.enter(world.store, bob, world.now, tournament="cup", bot="cleo")
    assert tournaments.enter(world.store, alice, world.now, tournament="cup", bot="cleo").author == "alice"
    with pytest.raises(Conflict):
        tournaments.enter(world.store, alice, world.now, tournament="cup", bot="cleo")
    tournaments.start(world.store, world.admin, "cup", world.now)
    world.submit("dora", alice)
    with pytest.raises(Conflict) as closed:
        tournaments.enter(world.store, alice, world.now, tournament="cup", bot="dora")
    assert closed.value.code == "ENTRY_CLOSED"


def test_starting_twice_schedules_once(world):
    first = world.started("cup", "ada", "bert", "cleo", deals=2)
    again = tournaments.start(world.store, world.admin, "cup", world.wait(seconds=5))
    assert again == first
    assert tournaments.progress(world.store, "cup").counts.total == 3 * 2 * 2


def test_too_few_entrants_cannot_start(world):
    world.submit("ada")
    world.create("cup")
    tournaments.enter(world.store, world.admin, world.now, tournament="cup", bot="ada")
    with pytest.raises(Conflict) as caught:
        tournaments.start(world.store, world.admin, "cup", world.now)
    assert caught.value.code == "TOO_FEW_ENTRANTS"


def test_more_bots_than_one_request_may_name_are_not_even_looked_up(world):
    with pytest.raises(ArenaError) as caught:
        world.create("cup", *["nobody"] * 1001, deals=-1)
    assert caught.value.code == "BAD_TOURNAMENT"
    assert "bots: 1001 are named, 1000 are allowed" in caught.value.message
    assert "deals: -1" in caught.value.message
    assert "nobody" not in caught.value.message


def test_a_schedule_that_is_too_long_is_refused_when_it_is_asked_for(world):
    for name in ("ada", "bert", "cleo", "dora", "emil", "fips", "gero"):
        world.submit(name)
    with pytest.raises(ArenaError) as caught:
        world.create("cup", "ada", "bert", "cleo", "dora", "emil", "fips", "gero", deals=5_000)
    assert caught.value.code == "TOO_MANY_MATCHES"


def test_a_name_is_given_once(world):
    world.create("cup")
    with pytest.raises(Conflict):
        world.create("cup")
    with pytest.raises(UsageError):
        world.create("The Cup")


def test_seeds_follow_from_the_committed_secret_and_the_archives(world):
    world.started("cup", "ada", "bert", deals=2)
    before = tournaments.get(world.store, "cup")
    assert before.secret == ""
    world.play_all()
    after = tournaments.get(world.store, "cup")
    secret = bytes.fromhex(after.secret)
    assert commitment_of(secret) == before.commitment == after.commitment
    archives = [submissions.get_version(world.store, bot).sha256 for bot in ("ada", "bert")]
    seed = tournament_seed(secret, archives)
    assert [deal.seed for deal in tournaments.list_deals(world.store, "cup").items] == [
        deal_seed(seed, 1),
        deal_seed(seed, 2),
    ]


def test_the_seed_of_a_deal_is_withheld_until_its_last_match_is_over(world):
    world.started("cup", "ada", "bert", "cleo", deals=2)
    for _ in range(2):
        claim = world.claim()
        for leg in claim.legs:
            world.record(claim, leg, older_wins(leg))
    assert [deal.seed for deal in tournaments.list_deals(world.store, "cup").items] == [None, None]
    claim = world.claim()
    for leg in claim.legs:
        world.record(claim, leg, older_wins(leg))
    first, second = tournaments.list_deals(world.store, "cup").items
    assert first.seed == claim.legs[0].seed
    assert (first.opened_at, second.seed) == (world.now, None)


def test_standings_count_points_forfeits_and_unrated_matches(world):
    world.started("cup", "ada", "bert")
    claim = world.claim()
    ranks = [1 if seat.bot == "ada" else 2 for seat in claim.legs[0].seats]
    ends = tuple(SeatEnd.PLAYED if rank == 1 else SeatEnd.CRASHED for rank in ranks)
    world.record(claim, claim.legs[0], finished(*ranks, seat_ends=ends))
    world.record(claim, claim.legs[1], unrated(2))
    table = tournaments.standings(world.store, "cup")
    assert [(row.place, row.entrant.bot, row.standing.points) for row in table.rows] == [(1, "ada", 1), (2, "bert", 0)]
    loser = table.rows[1].standing
    assert (loser.matches, loser.forfeits, loser.unrated) == (1, 1, 1)
    assert loser.ends == {SeatEnd.CRASHED: 1, SeatEnd.NO_SHOW: 1}
    assert (table.counts.finished, table.counts.without_result) == (1, 1)


def test_everybody_entered_stands_in_the_table_before_the_first_match(world):
    world.started("cup", "ada", "bert", "cleo")
    table = tournaments.standings(world.store, "cup")
    assert [(row.place, row.standing.matches) for row in table.rows] == [(1, 0)] * 3


def test_four_seats_and_one_seat_are_scheduled_too(world):
    bots = ("ada", "bert", "cleo", "dora", "emil")
    four = world.started("four", *bots, game="icefall", seats=4)
    assert tournaments.progress(world.store, "four").counts.total == 5 * 4
    world.started("solo", *bots, game="icefall", variant="solo", deals=3)
    assert tournaments.progress(world.store, "solo").counts.total == 5 * 3
    assert four.pool_id != tournaments.get(world.store, "solo").pool_id
    world.play_all()
    for name in ("four", "solo"):
        assert tournaments.get(world.store, name).state is TournamentState.FINISHED


def test_tournaments_are_listed_newest_first_and_by_state(world):
    world.started("one", "ada", "bert")
    for name in ("two", "three"):
        world.create(name)
    page = tournaments.list_tournaments(world.store, page_size=2)
    rest = tournaments.list_tournaments(world.store, page_size=2, page_token=page.next_page_token)
    assert [one.name for one in (*page.items, *rest.items)] == ["three", "two", "one"]
    running = tournaments.list_tournaments(world.store, state=TournamentState.RUNNING)
    assert [one.name for one in running.items] == ["one"]
