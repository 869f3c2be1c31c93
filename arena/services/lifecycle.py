"""What can be done with a tournament once it is made: start, pause, resume, cancel, late entries, withdrawals."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from arena.core.errors import Conflict, NotFound
from arena.services import ladder
from arena.services.lookup import check_rules, find_tournament, require_organiser
from arena.services.planning import check_plan, insert_plan, insert_ratings
from arena.services.rights import require
from arena.services.settling import fold_released, settle_schedule
from arena.store import Store, Transaction, climbing, lifecycle, queue, schedule
from arena.store import tournaments as repository
from arena.store.records import Account, Entrant, Tournament
from arena.store.states import BlockState, Format, Role, TournamentState

OVER = frozenset({TournamentState.FINISHED, TournamentState.CANCELLED})


def start(store: Store, caller: Account, tournament: str, now: datetime) -> Tournament:
    """Close entry, derive the seeds and queue every block, deal after deal; the same request twice is a success.

    Raises NotFound (NO_SUCH_TOURNAMENT), PermissionDenied, Conflict (TOO_FEW_ENTRANTS, TOURNAMENT_OVER, RULES_CHANGED),
    LimitReached (TOO_MANY_MATCHES).
    """
    with store.write() as tx:
        found = find_tournament(tx, tournament, lock=True)
        require_organiser(caller, found, "starting")
        if found.state in {TournamentState.RUNNING, TournamentState.PAUSED}:
            return found
        _check_not_over(found)
        check_rules(tx, found)
        begin(tx, found, now)
        return find_tournament(tx, tournament)


def begin(tx: Transaction, tournament: Tournament, now: datetime) -> None:
    """Queue what a CREATED tournament has to play and make it RUNNING."""
    entered = repository.list_entrants(tx, tournament.id)
    check_plan(tournament, entered)
    if tournament.format is not Format.LADDER:
        insert_plan(tx, tournament, entered, now)
    insert_ratings(tx, tournament, entered)
    repository.set_state(tx, tournament.id, TournamentState.RUNNING, started_at=now)
    if tournament.format is Format.LADDER:
        ladder.top_up(tx, find_tournament(tx, tournament.name), now)


def pause(store: Store, caller: Account, tournament: str) -> Tournament:
    """Queue nothing more; what is being played is played to the end of its block. Twice is a success.

    The rating numbers of what waits are given back, so that nobody else's results wait for a paused tournament.
    Raises NotFound, PermissionDenied, Conflict (NOT_STARTED, TOURNAMENT_OVER).
    """
    with store.write() as tx:
        found = _find_locked(tx, caller, tournament, "pausing")
        _check_started(found)
        if found.state is TournamentState.RUNNING:
            queued = lifecycle.of_tournament(found.id, BlockState.QUEUED)
            versions = lifecycle.give_back_numbers(tx, queued)
            lifecycle.set_block_state(tx, queued, BlockState.HELD)
            repository.set_state(tx, found.id, TournamentState.PAUSED)
            fold_released(tx, found.pool_id, versions)
        return find_tournament(tx, tournament)


def resume(store: Store, caller: Account, tournament: str, now: datetime) -> Tournament:
    """Queue again what a pause held, with new rating numbers behind all others. Twice is a success.

    Raises NotFound, PermissionDenied, Conflict (NOT_STARTED, TOURNAMENT_OVER, RULES_CHANGED).
    """
    with store.write() as tx:
        found = _find_locked(tx, caller, tournament, "resuming")
        _check_started(found)
        if found.state is TournamentState.PAUSED:
            check_rules(tx, found)
            lifecycle.queue_held(tx, found.id, now)
            schedule.number_matches(tx, found)
            repository.set_state(tx, found.id, TournamentState.RUNNING)
            if found.format is Format.LADDER:
                ladder.top_up(tx, find_tournament(tx, tournament), now)
        return find_tournament(tx, tournament)


def cancel(store: Store, caller: Account, tournament: str, now: datetime) -> Tournament:
    """End a tournament: what is not recorded is void, what is stays and counts. Twice is a success.

    Rating numbers of what was not played are given back, every deal and the secret are opened. Raises NotFound,
    PermissionDenied, Conflict (TOURNAMENT_OVER) for one that has finished.
    """
    with store.write() as tx:
        found = _find_locked(tx, caller, tournament, "cancelling")
        if found.state is TournamentState.CANCELLED:
            return found
        _check_not_over(found)
        unfinished = lifecycle.of_tournament(found.id, *lifecycle.WAITING, BlockState.CLAIMED)
        lifecycle.end_attempts(tx, found.id, "the tournament was cancelled")
        versions = lifecycle.give_back_numbers(tx, unfinished)
        _void(tx, unfinished, "the tournament was cancelled")
        lifecycle.open_deals(tx, found.id, now)
        repository.set_state(tx, found.id, TournamentState.CANCELLED, finished_at=now)
        fold_released(tx, found.pool_id, versions)
        return find_tournament(tx, tournament)


def enter_late(tx: Transaction, tournament: Tournament, entrant: Entrant, now: datetime) -> Entrant:
    """Enter a version in a tournament that has begun: it plays every deal of which nothing has begun.

    These deals are planned anew with everybody who is in; their seeds stay. A ladder deals as it goes, so there a late
    entrant just joins, level with whoever has played least. Raises Conflict (NO_DEAL_LEFT, TOO_FEW_ENTRANTS),
    LimitReached (TOO_MANY_MATCHES).
    """
    fresh = lifecycle.fresh_deals(tx, tournament.id)
    is_ladder = tournament.format is Format.LADDER
    if not fresh and not is_ladder:
        raise Conflict(f"every deal of {tournament.name} has begun; enter the next tournament", reason="NO_DEAL_LEFT")
    late = ladder.newcomer(tx, tournament, entrant) if is_ladder else _from_deal(entrant, fresh[0][0])
    repository.insert_entry(tx, tournament.id, late, now)
    entered = repository.list_entrants(tx, tournament.id)
    if not is_ladder:
        check_plan(tournament, entered, deals=len(fresh))
        replaced = lifecycle.waiting_of_deals(tournament.id, [deal_id for _, deal_id in fresh])
        versions = lifecycle.give_back_numbers(tx, replaced)
        lifecycle.delete_blocks(tx, replaced)
        insert_plan(tx, tournament, entered, now, fresh)
        fold_released(tx, tournament.pool_id, versions)
    insert_ratings(tx, tournament, [late])
    if is_ladder:
        ladder.top_up(tx, tournament, now)
    return late


def withdraw(
    store: Store, caller: Account, now: datetime, *, tournament: str, bot: str, version: int = 0
) -> Tournament:
    """Take a bot (version 0: whichever is entered) out of a tournament: its author, the organiser or an admin.

    Blocks of which nothing has been played are void, for all who are in them; those begun are played to their end, and
    what has been played stays. Raises NotFound, PermissionDenied, Conflict (TOURNAMENT_OVER); twice is a success.
    """
    with store.write() as tx:
        lifecycle.lock_schedule(tx, find_tournament(tx, tournament).id)
        found = find_tournament(tx, tournament, lock=True)
        theirs = [
            one for one in repository.list_entrants(tx, found.id) if one.bot == bot and version in {0, one.version}
        ]
        if not theirs:
            named = f"{bot}@{version}" if version else bot
            raise NotFound(f"{named} is not entered in {tournament}; nothing to withdraw", reason="NOT_ENTERED")
        if caller.name not in {found.organiser, theirs[0].author}:
            require(caller, Role.ADMIN, f"withdrawing {theirs[0].author}'s bot")
        _check_not_over(found)
        for entrant in theirs:
            _withdraw(tx, found, entrant, now)
        return find_tournament(tx, tournament)


def set_aside(tx: Transaction, version_id: int, now: datetime) -> tuple[str, ...]:
    """Withdraw a version from every tournament that is not over, as withdraw does; return these tournaments' names.

    To be called in the transaction that makes the version SET_ASIDE or RETIRED. Twice finds nothing left to do.
    """
    names = repository.list_entered_in(tx, version_id)
    # All are locked before any is changed: pools may be locked only after that.
    lifecycle.lock_schedule(tx, *(find_tournament(tx, name).id for name in names))
    for found in [find_tournament(tx, name, lock=True) for name in names]:
        for entrant in repository.list_entrants(tx, found.id):
            if entrant.version_id == version_id and found.state not in OVER:
                _withdraw(tx, found, entrant, now)
    return tuple(names)


def put_back(tx: Transaction, block_id: int, not_before: datetime, now: datetime) -> bool:
    """Put a claimed block that is not done back: queued, held in a paused tournament, or void with a withdrawn bot.

    Return whether it is queued.
    """
    tournament_id, pool_id = queue.read_owner(tx, block_id)
    this = lifecycle.one_block(block_id)
    if lifecycle.is_void(tx, block_id):
        versions = lifecycle.give_back_numbers(tx, this)
        _void(tx, this, "a bot of its block was withdrawn")
        if repository.get_tournament(tx, tournament_id).format is Format.LADDER:
            climbing.recount_blocks(tx, tournament_id)
        settle_schedule(tx, tournament_id, now)
        fold_released(tx, pool_id, versions)
        return False
    if queue.read_state(tx, block_id) is TournamentState.PAUSED:
        versions = lifecycle.give_back_numbers(tx, this)
        lifecycle.set_block_state(tx, this, BlockState.HELD)
        fold_released(tx, pool_id, versions)
        return False
    queue.requeue(tx, block_id, not_before)
    return True


def _withdraw(tx: Transaction, tournament: Tournament, entrant: Entrant, now: datetime) -> None:
    if entrant.withdrawn:
        return
    if tournament.state is TournamentState.CREATED:
        repository.delete_entry(tx, tournament.id, entrant.version_id)
        return
    repository.withdraw_entry(tx, tournament.id, entrant.version_id, now)
    untouched = lifecycle.untouched_of(tournament.id, entrant.version_id)
    versions = lifecycle.give_back_numbers(tx, untouched)
    _void(tx, untouched, f"{entrant.bot}@{entrant.version} was withdrawn")
    if tournament.format is Format.LADDER:
        climbing.recount_blocks(tx, tournament.id)
    settle_schedule(tx, tournament.id, now)
    fold_released(tx, tournament.pool_id, versions)


def _void(tx: Transaction, which: lifecycle.Which, reason: str) -> None:
    lifecycle.cancel_matches(tx, which, reason)
    lifecycle.set_block_state(tx, which, BlockState.VOID)


def _find_locked(tx: Transaction, caller: Account, name: str, what: str) -> Tournament:
    """Return a tournament whose whole schedule nobody else can change until the transaction ends."""
    require_organiser(caller, find_tournament(tx, name), what)
    lifecycle.lock_schedule(tx, find_tournament(tx, name).id)
    return find_tournament(tx, name, lock=True)


def _check_started(tournament: Tournament) -> None:
    _check_not_over(tournament)
    if tournament.state is TournamentState.CREATED:
        raise Conflict(
            f"{tournament.name} has not been started; start it with `arena tournament start {tournament.name}`",
            reason="NOT_STARTED",
        )


def _check_not_over(tournament: Tournament) -> None:
    if tournament.state in OVER:
        raise Conflict(
            f"{tournament.name} is over ({tournament.state.lower()}); create another", reason="TOURNAMENT_OVER"
        )


def _from_deal(entrant: Entrant, first_deal: int) -> Entrant:
    return replace(entrant, late=True, first_deal=first_deal)
