"""Every statement behind a listing finds its rows through an index, on both databases.

All reading RPCs of the server and all that workers and dispatcher do are walked over a filled database, while a hook
notes each statement with the repository function it comes from. What is not walked fails: no query is forgotten.
"""

from __future__ import annotations

import asyncio
import inspect
import re
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import pytest
from apithread import Api
from filled import MATCHES, TOURNAMENTS, fill
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from playing import finished
from sqlalchemy import Connection, event, text

import arena.store
from arena.api.server import SERVICES
from arena.api.site import Site
from arena.cli.client import Session
from arena.cli.places import Door
from arena.services import accounts, dispatch, presence, results, retention, tournaments
from arena.services.results import Recording
from arena.store import (
    Store,
    bots,
    climbing,
    guests,
    lobby,
    obstacles,
    open_store,
    people,
    qualifying,
    requests,
)
from arena.store import queue as queued
from arena.store import tournaments as repository
from arena.store.states import Queue, Role
from arena.v1 import account_pb2, bot_pb2, match_pb2, rating_pb2, tournament_pb2

NOW = datetime(2030, 1, 2, 12, tzinfo=UTC)
READING = re.compile("List|Get|Watch|Compare|WhoAmI")
LOOKING = re.compile("page_|list_|count_|waiting_since|last_|claim_|find_dead")

SMALL = {"pools", "workers", "component_files", "lobby", "lobby_desks", "invitations"}
"""Tables that stay small however much is played: one row a game's rules, a running worker, a file, a remote version, a
server with streams, a remote seat being played.
"""

WHOLE = {"people.count_accounts"}
"""Functions that read a table whole on purpose: the number of accounts is asked once, when an arena is prepared."""

UNFOLDED = "ix_match_seats_unfolded"
"""The partial index that is not small: it has all that is still to be played, so it may not be read whole either."""

CUP, LADDER, LAST = "cup-36", f"cup-{TOURNAMENTS}", str(MATCHES)

REQUESTS: dict[str, list[Message]] = {
    "ListAccounts": [account_pb2.ListAccountsRequest(page_size=10)],
    "ListTokens": [
        account_pb2.ListTokensRequest(page_size=3),
        account_pb2.ListTokensRequest(account="author-7", page_size=3),
    ],
    "WhoAmI": [account_pb2.WhoAmIRequest()],
    "GetBot": [bot_pb2.GetBotRequest(name="bot-70")],
    "ListBots": [bot_pb2.ListBotsRequest(page_size=10), bot_pb2.ListBotsRequest(author="author-7", page_size=3)],
    "ListBotVersions": [bot_pb2.ListBotVersionsRequest(bot="bot-70", page_size=1)],
    "GetSubmission": [bot_pb2.GetSubmissionRequest(bot="bot-70", version=1)],
    "WatchSubmission": [bot_pb2.WatchSubmissionRequest(bot="bot-70", version=2)],
    "GetSeatOutput": [bot_pb2.GetSeatOutputRequest(match_id="1", seat=1)],
    "GetMatch": [match_pb2.GetMatchRequest(match_id="1")],
    "ListMatches": [
        match_pb2.ListMatchesRequest(page_size=10, tournament=tournament, game=game, bot=bot, state=state)
        for tournament in ("", CUP)
        for game in ("", "first-snow")
        for bot in ("", "bot-70")
        for state in match_pb2.MatchState.values()
    ],
    "GetMatchLog": [match_pb2.GetMatchLogRequest(match_id="1")],
    "ListRatingPools": [rating_pb2.ListRatingPoolsRequest(game=game, page_size=1) for game in ("", "first-snow")],
    "ListRatings": [rating_pb2.ListRatingsRequest(pool_id="1", page_size=10)],
    "ListRatingChanges": [
        rating_pb2.ListRatingChangesRequest(bot="bot-70", version=version, pool_id=pool, page_size=10)
        for version in (0, 1)
        for pool in ("", "1")
    ],
    "CompareBots": [
        rating_pb2.CompareBotsRequest(bot="bot-70", version=1, other_bot="bot-59", other_version=1, tournament=cup)
        for cup in ("", CUP)
    ],
    "GetReliability": [rating_pb2.GetReliabilityRequest(pool_id="1")],
    "GetTournament": [tournament_pb2.GetTournamentRequest(name=name) for name in (CUP, LADDER)],
    "ListTournaments": [
        tournament_pb2.ListTournamentsRequest(page_size=10, state=state, requests=requests)
        for state in (0, tournament_pb2.TOURNAMENT_STATE_FINISHED)
        for requests in (False, True)
    ],
    "WatchTournament": [tournament_pb2.WatchTournamentRequest(name=LADDER)],
    "GetStandings": [tournament_pb2.GetStandingsRequest(name=CUP, detail=detail) for detail in (False, True)],
    "GetProof": [tournament_pb2.GetProofRequest(name=CUP)],
}


class Noted:
    """Notes the statements that the repository sends: (function of arena.store, statement, parameters)."""

    def __init__(self, store: Store) -> None:
        self._engine = store._writer
        self.statements: dict[tuple[str, str], Any] = {}
        event.listen(self._engine, "before_cursor_execute", self._note)

    def close(self) -> None:
        event.remove(self._engine, "before_cursor_execute", self._note)

    @property
    def functions(self) -> set[str]:
        return {function for function, _ in self.statements}

    def _note(self, _connection, _cursor, statement: str, parameters, _context, many: bool) -> None:
        frame, functions = sys._getframe(), []
        while frame is not None:
            module = frame.f_globals.get("__name__", "")
            if module.startswith("arena.store.") and module != "arena.store.engine":
                functions.append(f"{module.removeprefix('arena.store.')}.{frame.f_code.co_name}")
            frame = frame.f_back
        for function in functions:
            self.statements.setdefault((function, statement), parameters[0] if many else parameters)


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def store(request, tmp_path_factory, sqlite_template) -> Iterator[Store]:
    if request.param == "sqlite":
        opened = open_store(sqlite_template.new_url(tmp_path_factory.mktemp("filled")))
    else:
        opened = open_store(request.getfixturevalue("postgres").new_url())
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def noted(store: Store) -> Noted:
    """What was sent while everything was walked."""
    first = accounts.bootstrap(store, NOW)
    assert first is not None
    fill(store, NOW)
    found = Noted(store)
    walk_the_rpcs(store, first.secret)
    walk_the_platform(store)
    walk_the_rest(store)
    found.close()
    return found


def walk_the_rpcs(store: Store, secret: str) -> None:
    """Make every reading call; of listings also the second page."""
    with (
        Api(lambda: Site(store, lambda: NOW, asyncio.Event())) as api,
        Session(Door(api.address, secret)) as session,
    ):
        for service in SERVICES:
            for method in service.methods:
                for request in REQUESTS.get(method.name, []):
                    _call(session, f"/{service.full_name}/{method.name}", method, request)


def _call(session: Session, path: str, method: Any, request: Message) -> None:
    answer = GetMessageClass(method.output_type)
    make = session._channel.unary_stream if method.server_streaming else session._channel.unary_unary
    call = make(path, type(request).SerializeToString, answer.FromString)
    given = call(request, metadata=session._metadata, timeout=60)
    if method.server_streaming:
        next(given)
        given.cancel()
    elif token := getattr(given, "next_page_token", ""):
        following = type(request)()
        following.CopyFrom(request)
        following.page_token = token
        call(following, metadata=session._metadata, timeout=60)


def walk_the_platform(store: Store) -> None:
    """Do what workers, the dispatcher and organisers do."""
    admin = accounts.Account(1, "admin", Role.ADMIN, NOW)
    for queue in Queue:
        dispatch.count_queued(store, NOW, queue)
    assert dispatch.claim(store, "w", NOW, Queue.REMOTE) is None
    for worker in range(6):  # every lane has its turn
        claim = dispatch.claim(store, f"w{worker}", NOW)
        assert claim is not None
        progress = dispatch.LegProgress(claim.legs[0].match_id, 1, None)
        dispatch.heartbeat(store, claim.block_id, claim.attempt, NOW, progress)
        for leg in claim.legs:
            log = f"{leg.match_id}\n"
            results.record(store, Recording(claim.block_id, claim.attempt, leg.match_id, finished(1, 2), log), NOW)
    claim = dispatch.claim(store, "w", NOW)
    assert claim is not None
    dispatch.give_up(store, claim.block_id, claim.attempt, NOW, match_id=claim.legs[0].match_id, reason="lost")
    claim = dispatch.claim(store, "w", NOW)
    assert claim is not None
    dispatch.release(store, claim.block_id, claim.attempt, NOW)
    dispatch.expire(store, NOW + timedelta(hours=1))
    presence.appear(store, "w", [Queue.HOSTED], NOW)
    presence.standing(store, NOW)
    presence.forget_silent(store, NOW)
    retention.prune(store, NOW + timedelta(days=1), timedelta(), logs=True, outputs=True)
    for name in (f"cup-{TOURNAMENTS - 1}", LADDER):
        tournaments.pause(store, admin, name)
        tournaments.progress(store, name, NOW)
        tournaments.resume(store, admin, name, NOW + timedelta(hours=2))
        tournaments.progress(store, name, NOW + timedelta(hours=3))
        entrant = tournaments.entrants(store, name)[0]
        tournaments.withdraw(store, admin, NOW, tournament=name, bot=entrant.bot)
        tournaments.cancel(store, admin, name, NOW)


def walk_the_rest(store: Store) -> None:
    """Send what the others reach in rare cases only."""
    with store.write() as tx:
        people.count_accounts(tx)
        people.count_valid_tokens(tx, 7)
        requests.list_match_ids(tx, 36)
        requests.count_open(tx, 1)
        qualifying.count_qualifications(tx, 70)
        qualifying.count_checking(tx, 7)
        repository.list_entered_in(tx, 70)
        repository.list_running(tx)
        climbing.count_block(tx, TOURNAMENTS, 7, [70, 71])
        bots.count_failure(tx, 70, failed=True)
        bots.count_failures(tx, [(70, False), (71, True)], {70})
        obstacles.waiting_since(tx, TOURNAMENTS)
        obstacles.list_lost(tx, TOURNAMENTS, 3)
        obstacles.list_absent(tx, TOURNAMENTS, 3)
        people.list_valid(tx, ["digest"], NOW)
        bots.list_out(tx, [70])
        lobby.list_calls(tx, 1)
        lobby.list_matches(tx, 70, [7])
        lobby.list_seats(tx, 7)
        queued.list_active(tx)
        lobby.insert_known(tx, 70, NOW)
        for version_id in (70, None):
            guests.list_unfinished(tx, "", lobby.Moments(NOW, NOW, NOW), version_id)


def test_every_reading_call_is_walked_with_every_filter(noted: Noted) -> None:
    for service in SERVICES:
        for method in service.methods:
            if not READING.match(method.name):
                continue
            assert method.name in REQUESTS, f"{method.full_name} reads and is not walked; give it requests here"
            given = {field.name for request in REQUESTS[method.name] for field, _ in request.ListFields()}
            missing = {field.name for field in method.input_type.fields} - given - {"page_token"}
            assert not missing, f"{method.full_name} is never asked with {missing}"


def test_every_listing_of_the_repository_is_walked(noted: Noted) -> None:
    listings = set()
    for module in iter_modules(arena.store.__path__):
        if module.name.startswith("_") or module.ispkg:
            continue
        found = import_module(f"arena.store.{module.name}")
        listings |= {
            f"{module.name}.{name}"
            for name, each in inspect.getmembers(found, inspect.isfunction)
            if each.__module__ == found.__name__ and LOOKING.match(name)
        }
    assert listings - noted.functions == set()


def test_no_statement_reads_a_table_from_end_to_end(noted: Noted, store: Store) -> None:
    look = _sqlite_scans if store.dialect == "sqlite" else _postgresql_scans
    scans = set()
    with store.write() as tx:
        for (function, statement), parameters in noted.statements.items():
            if function not in WHOLE and statement.split(None, 1)[0] in {"SELECT", "UPDATE", "DELETE", "WITH"}:
                scans |= {(function, table, statement) for table in look(tx, statement, parameters)}
        tx.rollback()
    assert not scans, "\n\n".join(map("\n".join, sorted(scans)))


def _sqlite_scans(tx: Connection, statement: str, parameters: Sequence[Any]) -> set[str]:
    """Return what SQLite would read whole: a scan, but for one in key order that ends with its page."""
    plan = [row[3] for row in tx.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)]
    ends_early = " LIMIT " in statement.replace("\n", " ") and not any("TEMP B-TREE FOR ORDER" in line for line in plan)
    partial = {row[0] for row in tx.exec_driver_sql("SELECT name FROM sqlite_master WHERE sql LIKE '% WHERE %'")}
    partial.discard(UNFOLDED)
    found = set()
    for line in plan:
        scan = re.match(r"SCAN (\w+)(?: USING (?:COVERING )?INDEX (\w+))?", line)
        if scan is None or scan[2] in partial or ends_early:
            continue
        alias = re.search(rf"\b(\w+) AS \"?{scan[1]}\b", statement)
        table = alias[1] if alias else scan[1]
        if table not in SMALL and not table.startswith("anon"):
            found.add(table)
    return found


def _postgresql_scans(tx: Connection, statement: str, parameters: Any) -> set[str]:
    """Return what PostgreSQL has to read whole even when it is told not to."""
    for setting in ("enable_seqscan", "enable_hashjoin", "enable_mergejoin"):
        tx.execute(text(f"SET LOCAL {setting} = off"))
    partial = set(tx.scalars(text("SELECT indexname FROM pg_indexes WHERE indexdef LIKE '% WHERE %'"))) - {UNFOLDED}
    plan = tx.exec_driver_sql(f"EXPLAIN (FORMAT JSON) {statement}", parameters).scalar_one()[0]["Plan"]
    found: set[str] = set()

    def look(node: dict[str, Any], *, ends_early: bool) -> None:
        kind = node["Node Type"]
        early = (ends_early or kind == "Limit") and kind not in {"Sort", "Aggregate"}
        whole = kind == "Seq Scan" or (
            kind in {"Index Scan", "Index Only Scan", "Bitmap Index Scan"}
            and "Index Cond" not in node
            and node["Index Name"] not in partial
        )
        if whole and not early and node.get("Relation Name", node.get("Index Name")) not in SMALL:
            found.add(node.get("Relation Name", node.get("Index Name", "")))
        for child in node.get("Plans", []):
            look(child, ends_early=early)

    look(plan, ends_early=False)
    return found
