"""A chaos drill: a tournament is played on a site while a plan of faults is carried out."""

import signal
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress

import psutil
from arenasite import LEASE_S, Site, until
from cup import NAME, Cup, finals, most_lost
from faults import LOSING, Fault, Kind

from arena.services import tournaments
from arena.store import Store
from arena.store.states import TournamentState

PATIENCE_S = 300.0
"""How long anything in a drill may take on a machine under load."""

AWAY_S = 3.0
MOST_LOST = 1
"""Attempts that any match may have lost when another fault comes; a fault costs a match one, a full disk two."""


class Drill:
    """Carries out a plan on a running site; told: what was done, as it is done. missed: what came too late."""

    def __init__(self, site: Site, store: Store, cup: Cup) -> None:
        self._site = site
        self._store = store
        self._cup = cup
        self.told: list[str] = []
        self.missed: list[str] = []
        self._began = time.monotonic()
        self._acts: dict[Kind, Callable[[float], object]] = {
            Kind.WORKER_KILLED: lambda victim: self._kill("worker", victim),
            Kind.REFEREE_KILLED: lambda victim: self._kill("referee", victim),
            Kind.BOT_KILLED: lambda victim: self._kill("bot", victim),
            Kind.API_KILLED: lambda victim: self._kill("api", victim),
            Kind.DISPATCHER_KILLED: lambda victim: self._kill("dispatcher", victim),
            Kind.BROKER_KILLED: lambda victim: self._kill("broker", victim),
            Kind.BROKER_FORGETS: lambda _: self._site.flush_broker(),
            Kind.DATABASE_AWAY: lambda _: self._while(self._site.database_away),
            Kind.DISK_FULL: lambda _: self._while(self._site.disk_full),
            Kind.WORKER_STOPPED: self._stop_a_worker,
            Kind.WORKER_ENDED: self._end_a_worker,
            Kind.POWER_CUT: lambda _: self._cut_power(),
        }

    def run(self, plan: Sequence[Fault]) -> None:
        """Play the tournament to its end under these faults."""
        for fault in plan:
            self._until(lambda fault=fault: finals(self._store) >= fault.after, f"{fault.after} matches have a result")
            if fault.kind in LOSING:
                # A third loss is a match's end by the rules, and no fault of anybody's.
                self._until(
                    lambda fault=fault: most_lost(self._store) <= MOST_LOST - (fault.kind is Kind.DISK_FULL),
                    "no match is near its last attempt",
                )
            if self._over():
                self.missed.append(str(fault))
                continue
            self.told.append(
                f"{time.monotonic() - self._began:.1f} s, {finals(self._store)} of {self._cup.matches}: {fault.kind}"
            )
            self._acts[fault.kind](fault.victim)
        self._until(self._over, "the tournament is over")

    def _over(self) -> bool:
        return tournaments.get(self._store, NAME).state is TournamentState.FINISHED

    def _until(self, true: Callable[[], object], what: str) -> None:
        until(true, PATIENCE_S, what, self._site)

    def _pick(self, role: str, victim: float) -> psutil.Process | None:
        """Return a running process of a role, once there is one; None if the tournament is over before."""
        found: list[psutil.Process] = []

        def is_there() -> bool:
            found[:] = self._site.find(role)  # as it was then: a moment later a bot may have ended
            return bool(found) or self._over()

        self._until(is_there, f"a {role} is there")
        return found[int(victim * len(found))] if found else None

    def _kill(self, role: str, victim: float) -> None:
        if (process := self._pick(role, victim)) is None:
            self.missed.append(f"no {role} was there")
            return
        with suppress(psutil.NoSuchProcess):
            process.kill()

    def _end_a_worker(self, victim: float) -> None:
        process = self._pick("worker", victim)
        assert process is not None
        process.send_signal(signal.SIGTERM)
        self._until(
            lambda: not process.is_running() or process.status() == psutil.STATUS_ZOMBIE, "the worker has ended"
        )

    def _stop_a_worker(self, victim: float) -> None:
        """Stop a worker until every lease it may have is over, and let it go on."""
        process = self._pick("worker", victim)
        assert process is not None
        process.send_signal(signal.SIGSTOP)
        threading.Event().wait(LEASE_S + AWAY_S)
        process.send_signal(signal.SIGCONT)

    def _while(self, trouble) -> None:
        with trouble():
            threading.Event().wait(AWAY_S)

    def _cut_power(self) -> None:
        self._site.kill_all()
        told = f"{NAME} goes on: "
        before = self._site.said().count(told)
        self._site.start()
        assert self._site.said().count(told) == before + 1
