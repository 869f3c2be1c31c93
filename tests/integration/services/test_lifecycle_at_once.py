"""Workers that claim and record while an organiser pauses, resumes, enters and withdraws: nobody waits for ever."""

import threading
from contextlib import suppress
from random import Random

import pytest
from playing import START, World, older_wins

from arena.core.errors import ArenaError, Conflict, LeaseLost
from arena.services import dispatch, ratings, results, submissions, tournaments
from arena.services.matches import list_matches
from arena.services.results import Recording
from arena.store import open_store
from arena.store.states import MatchState, TournamentState

BOTS = ("ada", "bert", "cleo", "dora", "emil")
CUPS = ("one", "two")


def work(url: str, stop: threading.Event, failures: list[ArenaError]) -> None:
    """Claim and record until told to stop; what another one took away is left."""
    store = open_store(url)
    try:
        while not stop.is_set():
            claim = dispatch.claim(store, threading.current_thread().name, START)
            for leg in claim.legs if claim else ():
                recording = Recording(claim.block_id, claim.attempt, leg.match_id, older_wins(leg), "log\n")
                try:
                    results.record(store, recording, START)
                except LeaseLost:
                    break
    except ArenaError as failure:  # such as a deadlock, which the database ends as Unavailable
        failures.append(failure)
    finally:
        store.close()


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_an_organiser_and_workers_at_once_neither_deadlock_nor_lose_a_match(tmp_path, sqlite_template, request, kind):
    url = sqlite_template.new_url(tmp_path) if kind == "sqlite" else request.getfixturevalue("postgres").new_url()
    store = open_store(url)
    world = World(store)
    for name in CUPS:
        world.started(name, *BOTS[:4], deals=4)
    world.submit(BOTS[4])
    stop, failures, chance = threading.Event(), [], Random(5)
    workers = [threading.Thread(target=work, args=(url, stop, failures)) for _ in range(3)]
    for worker in workers:
        worker.start()
    for _ in range(8):
        name = chance.choice(CUPS)
        with suppress(Conflict):  # when quick workers have finished it by now
            tournaments.pause(store, world.admin, name)
            tournaments.resume(store, world.admin, name, START)
    with suppress(Conflict):  # when every deal has begun by now
        tournaments.enter(store, world.admin, START, tournament="two", bot=BOTS[4])
    version = submissions.get_version(store, BOTS[0])
    with store.write() as tx:
        tournaments.set_aside(tx, version.id, START)
    while any(tournaments.get(store, name).state is not TournamentState.FINISHED for name in CUPS) and not failures:
        workers[0].join(0.02)
    stop.set()
    for worker in workers:
        worker.join()
    assert failures == []
    assert list_matches(store, state=MatchState.SCHEDULED, page_size=1000).items == ()
    assert all(row.pending == 0 for row in ratings.leaderboard(store, 1).items)
    store.close()
