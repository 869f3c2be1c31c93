"""Ten villains and three honest bots in a tournament of a whole arena.

The villains are entered by the way an operator has for bots that need no qualification; that a bot which behaves while
it is checked gets in all the same, and is set aside later, stands in test_submitting.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import update
from villainbots import HONEST, RESIGNS, VILLAINS

from arena.cli.client import Session, connect, create_tournament, submit_folder, watch_tournament
from arena.cli.places import Door
from arena.ladder.rating import draw_probability, fold
from arena.match.result import MatchEnd
from arena.match.verify import Status, verify_log
from arena.services import lifecycle, matches, ratings, submissions, tournaments
from arena.store import Store, open_store, sqlite_url
from arena.store.records import Match
from arena.store.states import MatchState, TournamentState, VersionState
from arena.store.tables import deals
from arena.store.tournaments import find_tournament
from arena.v1 import account_pb2, bot_pb2

CLOCK = "2s+0s,start=4s,margin=50ms"
PATIENT = "4s+0s,start=20s,margin=50ms"
"""For a machine with much else to do: no honest bot may lose on time in either of two runs."""
GAME = "icefall"
SEED = bytes(range(16))
FAILURES = 2
"""After which a version is set aside: the fewest in a row."""
DRAWS = draw_probability(seats=2, draws=True)


@dataclass
class Played:
    """A tournament that is over: the arena's store, and the session of the author of everything but the honest."""

    store: Store
    author: Session

    @property
    def matches(self) -> list[Match]:
        """Every match of the tournament, in the order in which it was scheduled."""
        found = matches.list_matches(self.store, tournament="cup", page_size=1000).items
        return sorted(found, key=lambda match: match.id)

    def ratings(self) -> dict[str, tuple[float, float]]:
        pool = tournaments.get(self.store, "cup").pool_id
        return {row.bot: (row.mu, row.sigma) for row in ratings.leaderboard(self.store, pool, page_size=100).items}


@contextmanager
def played(up, place: Path, programs: dict[str, str], clock: str = CLOCK) -> Iterator[Played]:
    """Play one deal of a tournament between the honest bots and these, on a seed that does not depend on them."""
    data = place / "data"
    up(data, "--workers", 2, "--skip-qualification", "--set-aside-after", FAILURES)
    store = open_store(sqlite_url(data))
    with connect(data=data) as admin, author_of(admin, "stranger") as author:
        for session, sources in ((admin, HONEST), (author, programs)):
            for name, source in sources.items():
                submit_folder(session, folder_of(place, name, source))
        create_tournament(admin, "cup", GAME, [*HONEST, *programs], 1, clock=clock)
        begin_on(store, SEED)
        for _ in watch_tournament(admin, "cup"):
            continue
        yield Played(store, author)
    store.close()


def folder_of(place: Path, name: str, source: str) -> Path:
    folder = place / "bin" / name
    folder.mkdir(parents=True)
    (folder / "bot.toml").write_text(f'name = "{name}"\ngames = ["{GAME}"]\n')
    (folder / "bot.py").write_text(source)
    return folder


@contextmanager
def author_of(admin: Session, name: str) -> Iterator[Session]:
    admin.call(admin.accounts.CreateAccount, account_pb2.CreateAccountRequest(name=name, role=account_pb2.ROLE_AUTHOR))
    made = admin.call(admin.accounts.IssueToken, account_pb2.IssueTokenRequest(account=name))
    with Session(Door(admin.address, made.secret)) as session:
        yield session


def begin_on(store: Store, seed: bytes) -> None:
    """Start the tournament as the service does, then give its deal this seed before anybody can see the first."""
    with store.write() as tx:
        lifecycle.begin(tx, find_tournament(tx, "cup", lock=True), datetime.now(UTC))
        tx.execute(update(deals).values(seed=seed))


def resigned(played: list[Match]) -> dict[str, tuple[float, float]]:
    """Return the ratings after the same schedule with a bot in each villain's place that resigns at its first turn."""
    found = fold(map(with_resigners, played), DRAWS)
    return {bot: (one.mu, one.sigma) for bot, one in found.items()}


def with_resigners(match: Match) -> tuple[list[str], list[int], set[int]]:
    bots = [seat.bot for seat in match.seats]
    loser = next((seat for seat, bot in enumerate(bots) if bot not in HONEST), None)
    if loser is None:
        return bots, [seat.rank for seat in match.seats], set()
    return bots, [2 if seat == loser else 1 for seat in range(2)], {loser}


@pytest.mark.timeout(400)
def test_ten_villains_spoil_nobodys_tournament_and_each_author_sees_why_his_lost(arena, up, place: Path) -> None:
    with played(up, place, {name: villain.source for name, villain in VILLAINS.items()}) as cup:
        assert tournaments.get(cup.store, "cup").state is TournamentState.FINISHED
        check_matches(cup)
        expected = resigned(cup.matches)
        assert {bot: cup.ratings()[bot] for bot in HONEST} == {bot: expected[bot] for bot in HONEST}
        for name in VILLAINS:
            check_told(cup, name)
    arena.close()
    assert arena.until_gone(5) == []
    assert arena.left() == []


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_honest_ratings_are_those_of_a_tournament_whose_villains_resign(arena, up, place: Path) -> None:
    found = []
    for name, programs in (
        ("villains", {name: villain.source for name, villain in VILLAINS.items()}),
        ("resigners", dict.fromkeys(VILLAINS, RESIGNS)),
    ):
        (place / name).mkdir()
        with played(up, place / name, programs, PATIENT) as cup:
            assert len(cup.matches) == 156
            found.append({bot: rating for bot, rating in cup.ratings().items() if bot in HONEST})
        arena.close()
    assert found[0] == found[1]


def check_matches(cup: Played) -> None:
    """Every match has one result or was taken out with a bot that was set aside; honest ones were all played."""
    for match in cup.matches:
        bots = {seat.bot for seat in match.seats}
        if bots <= set(HONEST):
            assert match.end is MatchEnd.COMPLETED, match
        elif match.state is not MatchState.CANCELLED:
            assert match.end in {MatchEnd.FORFEIT, MatchEnd.VOID}, match
            assert all(seat.end == "PLAYED" for seat in match.seats if seat.bot in HONEST), match
        if match.state is MatchState.FINAL:
            log = matches.get_log(cup.store, match.id).content
            assert verify_log(log.splitlines(keepends=True)).status is Status.OK


def check_told(cup: Played, name: str) -> None:
    """The version says why it was set aside; each lost match says how, and its output why."""
    villain = VILLAINS[name]
    version = submissions.get_version(cup.store, name)
    assert version.state is VersionState.SET_ASIDE, name
    assert "it failed" in version.reason
    ends: Counter[str] = Counter()
    told = []
    for match in cup.matches:
        seat = next((seat for seat in match.seats if seat.bot == name), None)
        if seat is not None and seat.end not in {None, "PLAYED"}:
            ends[seat.end] += 1
            request = bot_pb2.GetSeatOutputRequest(match_id=str(match.id), seat=seat.seat)
            answer = cup.author.call(cup.author.bots.GetSeatOutput, request)
            told.append(answer.output.decode(errors="replace"))
            assert "[arena: " in told[-1], name
    # A program may be stopped before it has said its last word, but not in every match.
    assert any(villain.said in output for output in told), (name, told)
    assert set(ends) <= set(villain.ends), (name, ends)
    assert ends.total() >= FAILURES
