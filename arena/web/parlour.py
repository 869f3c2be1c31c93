"""All tables of one server: asks for matches, waits in the lobby for their seats, has them played, and clears up."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from asyncio import to_thread
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import Final

from arena.core.errors import ArenaError, Conflict, LimitReached, NotFound, Unavailable
from arena.core.registry import load_game
from arena.services import guests, lifecycle, lobby, requests
from arena.services.desk import Desk
from arena.store.guests import Unfinished
from arena.store.records import Account
from arena.web.seat import play_seat
from arena.web.site import Site
from arena.web.tables import Stand, Table

LOG: Final = logging.getLogger("arena.web")
CLOCK: Final = "20m+20s,start=2m,margin=1s"
"""People take their time; whoever walks away loses in the end."""

MOST_TABLES: Final = 50
KEPT: Final = 100
"""Tables that are kept, those where it is over among them."""

ABSENT_S: Final = 180.0
"""Without a page for so long a person has left: the seat is given up, for somebody waits at the others."""

LOOK_S: Final = 0.5

TAKEN_UP_S: Final = (lobby.DEAD_AFTER + lobby.BEAT).total_seconds()
"""When the desk of a server that was killed is known to be dead, and its places are free."""

RECORDED_S: Final = 30.0
"""How long the record of a match is waited for before what is left of the request is cancelled."""


class Parlour:
    """The tables; belongs to the event loop of its server."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._tables: dict[str, Table] = {}
        self._called: dict[str, asyncio.Future[lobby.Call]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._desk = Desk(site.store, site.now, self, LOOK_S)
        self._asking: set[int] = set()
        self._seated: set[str] = set()
        self._unseated: set[str] = set()
        self._taking_up: asyncio.Task[None] | None = None

    def find(self, table_id: str, account: Account) -> Table:
        """Return an account's own table, and note that somebody looks. Raises NotFound (NO_SUCH_TABLE)."""
        table = self._tables.get(table_id)
        if table is None or table.account.id != account.id:
            raise NotFound("there is no such table of yours any more; begin a match again", reason="NO_SUCH_TABLE")
        table.seen_at = time.monotonic()
        return table

    def of(self, account: Account) -> Table | None:
        """Return the table at which an account waits or plays."""
        return next((one for one in self._tables.values() if one.account.id == account.id and one.is_open), None)

    async def open(self, account: Account, *, game: str, variant: str, opponents: tuple[str, ...]) -> Table:
        """Ask for an unrated match and take a table.

        opponents: names of accepted bots. Raises what requests.challenge does, Conflict (AT_A_TABLE), LimitReached
        (TOO_MANY_TABLES).
        """
        if account.id in self._asking or self.of(account) is not None:
            raise Conflict("you are at a table already; finish there first", reason="AT_A_TABLE")
        if len(self._asking) + sum(one.is_open for one in self._tables.values()) >= MOST_TABLES:
            raise LimitReached("every table is taken at the moment; come back soon", reason="TOO_MANY_TABLES")
        chosen = (None, *((name, 0) for name in opponents))
        self._asking.add(account.id)
        try:
            made = await to_thread(
                requests.challenge, self._site.store, account, self._site.now(),
                challenged=chosen, game=game, variant=variant, clock=CLOCK,
            )  # fmt: skip
        finally:
            self._asking.discard(account.id)
        return self._lay(account, made.tournament.name, game, made.tournament.variant)

    async def take_up(self, account: Account) -> Table | None:
        """Return the table of an account, also if it was at a server that has ended; None if nothing is unfinished."""
        if self.of(account) is None and account.id not in self._asking:
            self._asking.add(account.id)
            try:
                found = await to_thread(guests.list_unfinished, self._site.store, self._site.now(), account)
            finally:
                self._asking.discard(account.id)
            if found:
                self._lay_again(found[0])
        return self.of(account)

    def begin(self) -> None:
        """Take up the tables of a server that has ended, so that no match waits for people who do not come back."""
        self._taking_up = asyncio.create_task(self._take_up_all())

    async def _take_up_all(self) -> None:
        """Take up what nobody holds: now, and once the desk of a server that was killed is known to be dead."""
        for rest_s in (TAKEN_UP_S, 0.0):
            try:
                found = await to_thread(guests.list_unfinished, self._site.store, self._site.now())
            except ArenaError as error:
                LOG.warning("tables of an earlier server cannot be taken up: %s", error.message)
                found = ()
            except Exception:
                LOG.exception("tables of an earlier server cannot be taken up")
                return
            for one in found:
                if not one.held and self.of(one.account) is None and one.account.id not in self._asking:
                    self._lay_again(one)
            await asyncio.sleep(rest_s)

    def _lay_again(self, left: Unfinished) -> None:
        table = self._lay(left.account, left.tournament, left.game, left.variant, patience_s=TAKEN_UP_S)
        table.note = "this server has been started anew; your seat is being found again"

    def _lay(self, account: Account, tournament: str, game: str, variant: str, *, patience_s: float = 0.0) -> Table:
        table = Table(secrets.token_urlsafe(16), account, tournament, load_game(game), variant, patience_s=patience_s)
        self._tables[table.id] = table
        self._forget_oldest()
        self._start(self._run(table))
        self._desk.attend()
        return table

    async def close(self) -> None:
        """End everything here; seats are not given up, their clocks run."""
        running = [*self._tasks, *([self._taking_up] if self._taking_up else [])]
        for task in running:
            task.cancel()
        if running:
            await asyncio.wait(running)
        await self._desk.close()

    def _start(self, work: object) -> None:
        task: asyncio.Task[None] = asyncio.create_task(work)  # type: ignore[arg-type] # a coroutine of ours
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _forget_oldest(self) -> None:
        done = [one.id for one in self._tables.values() if not one.is_open]
        for table_id in done[: max(0, len(self._tables) - KEPT)]:
            del self._tables[table_id]

    async def _run(self, table: Table) -> None:
        """Take a table from its request to its end; what fails is told there."""
        try:
            call = await self._wait_for_call(table)
            if call is not None:
                table.match_id, table.bots = call.match_id, call.bots
                await play_seat(table, call.address, call.ticket, call.certificate)
        except ArenaError as fault:
            given_up = table.left.is_set()
            await table.end(Stand.GONE, "you gave the seat up" if given_up else fault.message)
            if table.patience_s and fault.code == "ALREADY_THERE" and not given_up:
                return  # another server looks after it
        except Exception:
            LOG.exception("table of match %d", table.match_id)
            await table.end(Stand.GONE, "the server failed at this table; its log knows more")
        finally:
            self._called.pop(table.stream, None)
            self._seated.discard(table.stream)
            self._unseated.discard(table.stream)
        await self._clear(table)

    async def _wait_for_call(self, table: Table) -> lobby.Call | None:
        """Wait in the lobby until the seat is there; None if the person leaves before."""
        called: asyncio.Future[lobby.Call] = asyncio.get_running_loop().create_future()
        self._called[table.stream] = called
        await self._enter_patiently(table)
        leaving = asyncio.ensure_future(table.left.wait())
        try:
            await asyncio.wait((called, leaving), return_when=asyncio.FIRST_COMPLETED)
        finally:
            leaving.cancel()
            await asyncio.gather(leaving, return_exceptions=True)
        if not called.done():
            await table.end(Stand.GONE, "you left before the match began")
            return None
        return called.result()

    async def _enter_patiently(self, table: Table) -> None:
        until = time.monotonic() + table.patience_s
        while True:
            try:
                await self._enter(table)
            except Conflict:
                if time.monotonic() >= until or table.left.is_set():
                    raise
            else:
                return
            await asyncio.sleep(LOOK_S)

    async def _enter(self, table: Table) -> None:
        """Sit down in the lobby."""

        def enter(desk: int) -> Awaitable[lobby.Entered]:
            return to_thread(
                lobby.enter, self._site.store, table.account, self._site.now(),
                desk=desk, stream=table.stream, session=table.session, guest=True, places=1,
            )  # fmt: skip

        await self._desk.seat(enter)
        self._seated.add(table.stream)
        self._unseated.discard(table.stream)

    async def _clear(self, table: Table) -> None:
        """Leave the lobby, and cancel what the request has left: the legs in which the seats are changed."""
        store = self._site.store
        until = time.monotonic() + RECORDED_S
        with suppress(ArenaError):
            while table.match_id and time.monotonic() < until:
                if await to_thread(lobby.is_finished, store, table.match_id):
                    break
                await asyncio.sleep(LOOK_S)
        await self._done(partial(lobby.leave, store, table.stream, self._site.now()), until)
        await self._done(partial(lifecycle.cancel, store, table.account, table.tournament, self._site.now()), until)
        await table.change()

    async def _done(self, act: Callable[[], object], until: float) -> None:
        """Do what has to be done once somebody has left; a database that is away is waited for, up to a moment."""
        while True:
            try:
                await to_thread(act)
            except Unavailable as error:
                LOG.warning("a table cannot be cleared: %s", error.message)
            except ArenaError:
                return  # there is nothing left to do
            except Exception:
                LOG.exception("a table cannot be cleared")
                return
            else:
                return
            if time.monotonic() >= until:
                return
            await asyncio.sleep(LOOK_S)

    def is_empty(self) -> bool:
        """Whether there is no table that anybody waits or plays at."""
        return not self._tasks

    async def hear(self, board: lobby.Board) -> None:
        """Tell tables that their seat is there."""
        self._notice_who_left()
        for call in board.calls:
            called = self._called.get(call.stream)
            if called is not None and not called.done() and await to_thread(lobby.mark_told, self._site.store, call):
                called.set_result(call)

    def _notice_who_left(self) -> None:
        for table in self._tables.values():
            if table.is_open and time.monotonic() - table.seen_at > ABSENT_S:
                table.left.set()

    async def beaten(self, *, lost: bool) -> None:
        """Let whoever still waits sit down again if the desk was taken for dead."""
        self._notice_who_left()  # also where nobody waits any more, and there is no desk to look at
        if lost:
            self._unseated, self._seated = self._unseated | self._seated, set()
        for table in [one for one in self._tables.values() if one.stand is Stand.WAITING]:
            if table.stream not in self._unseated:
                continue
            try:
                await self._enter(table)
            except ArenaError as error:  # which holds up none of the others
                LOG.warning("a table: %s", error.message)
