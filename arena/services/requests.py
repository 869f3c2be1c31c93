"""Matches that somebody asks for: challenges between bots, and matches played once more. None of them is rated."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from arena.core.errors import Conflict, LimitReached, NotFound, PermissionDenied, UsageError
from arena.core.manifest import ANY_GAME, check_name
from arena.core.registry import game_ids, load_game
from arena.ladder.pairing import cyclic_orders
from arena.ladder.seeds import deal_seed
from arena.match.clock import Clock
from arena.services.accounts import Entropy
from arena.services.house import OPPONENTS, find_house
from arena.services.lobby import guest_of
from arena.services.lookup import check_rules
from arena.services.planning import deal_each_leg, seed_of
from arena.services.proposals import Faults, Label, Proposal, check_terms, find_accepted, insert
from arena.services.rights import require
from arena.store import Store, Transaction, bots, matches, requests, schedule
from arena.store import tournaments as repository
from arena.store.records import Account, BotVersion, Entrant, Match, Tournament
from arena.store.retention import GONE
from arena.store.states import Format, Lane, MatchState, Role, TournamentState, VersionState

MAX_OPEN: Final = 5
"""Requests of one account that may wait or be played at once: nobody's many keep others' few waiting."""

RETRY_S: Final = 30
"""When to ask again: a match of bots lasts about that long."""

MAX_SEATS: Final = 20
"""Bots that a challenge may name: more than any game seats, and they are looked up while nobody else can write."""

MAX_BLOCKS: Final = 100
"""Blocks of one challenge: enough to see a difference; more is a tournament."""

GUEST_CLOCK: Final = "30m+30s,start=2m,margin=1s"
"""The most that an author may give a match with people in it: they take their time."""

NAME_BYTES: Final = 4
"""Random bytes in the name of a request; a name given twice is refused and can be asked for again."""


@dataclass(frozen=True, slots=True)
class Requested:
    """Matches that are queued now; match_ids in the order in which they will be played."""

    tournament: Tournament
    match_ids: tuple[int, ...]


def challenge(
    store: Store,
    caller: Account,
    now: datetime,
    *,
    challenged: tuple[Label | None, ...],
    game: str = "",
    variant: str = "",
    blocks: int = 1,
    clock: str = "",
    entropy: Entropy = secrets.token_bytes,
) -> Requested:
    """Queue unrated blocks between bots, each on a deal of its own; an author's own bot has to be among them.

    challenged: None stands for the caller itself, who has to come to the lobby; house.OPPONENTS may stand in it. With a
    remote seat each leg has a deal of its own. game "": the first that all of them play. clock: only organisers give
    more time than the game's own, with a guest more than GUEST_CLOCK. Raises UsageError and others as
    tournaments.create does, BAD_BLOCKS, NO_COMMON_GAME; PermissionDenied (NOT_YOURS, CLOCK_TOO_LONG), LimitReached
    (TOO_MANY_REQUESTS).
    """
    if not 1 <= blocks <= MAX_BLOCKS:
        raise UsageError(f"blocks: {blocks} are not in 1 .. {MAX_BLOCKS}; make a tournament", reason="BAD_BLOCKS")
    if not challenged:
        raise UsageError("bots: none is named; name one for each seat", reason="TOO_FEW_ENTRANTS")
    if len(challenged) > MAX_SEATS:
        raise UsageError(
            f"bots: {len(challenged)} are named, no game seats so many; name one for each seat",
            reason="WRONG_NUMBER_OF_SEATS",
        )
    own = {bot: find_house(store, now, bot) for bot in OPPONENTS if (bot, 0) in challenged}
    with store.write() as tx:
        _check_room(tx, caller)
        versions = [_challenged(tx, label, own, caller, now, game=game) for label in challenged]
        if not caller.role.covers(Role.ORGANISER) and caller.name not in {one.author for one in versions}:
            raise PermissionDenied(
                "none of these bots is yours; challenge others with one of your own", reason="NOT_YOURS"
            )
        asked = Proposal(
            name=f"challenge-{entropy(NAME_BYTES).hex()}",
            game=game or _common_game(versions),
            format=Format.REQUEST,
            variant=variant,
            seats=len(versions),
            deals=blocks,
            clock=clock,
            remote=any(one.remote for one in versions),
        )
        longest = GUEST_CLOCK if None in challenged else ""
        return _queue_challenge(tx, caller, now, asked=asked, versions=versions, longest=longest, entropy=entropy)


def reproduce(
    store: Store, caller: Account, now: datetime, *, match_id: int, entropy: Entropy = secrets.token_bytes
) -> Requested:
    """Queue a match once more: the same bots in the same seats, the same seed, clock and components; unrated.

    Raises NotFound (NO_SUCH_MATCH, NO_LOG), PermissionDenied (DEAL_CLOSED), Conflict (RULES_CHANGED, VERSION_REJECTED),
    LimitReached (TOO_MANY_REQUESTS).
    """
    with store.write() as tx:
        match = matches.find_match(tx, match_id)
        if match is None:
            raise NotFound(f"there is no match {match_id}; `arena matches` lists them", reason="NO_SUCH_MATCH")
        if not match.deal_open:
            raise PermissionDenied(
                f"deal {match.deal} of {match.tournament} is still being played; match {match_id} can be played again"
                " once it is over",
                reason="DEAL_CLOSED",
            )
        log = matches.read_log(tx, match_id)
        if match.state is not MatchState.FINAL or log is None or log[0] == GONE:
            raise NotFound(f"match {match_id} has no log to compare with: {match.reason}", reason="NO_LOG")
        _check_room(tx, caller)
        played = requests.read_terms(tx, match_id)
        check_rules(tx, played.tournament)
        return _queue_again(tx, caller, now, match=match, played=played, entropy=entropy)


def _queue_challenge(
    tx: Transaction,
    caller: Account,
    now: datetime,
    *,
    asked: Proposal,
    versions: Sequence[BotVersion],
    longest: str,
    entropy: Entropy,
) -> Requested:
    faults = Faults()
    terms = check_terms(asked, faults)
    with faults.of("clock"):
        if terms is not None and not caller.role.covers(Role.ORGANISER):
            _check_clock(terms.clock, longest or load_game(asked.game).spec.clock)
    faults.check()
    if terms is None:
        raise UsageError("these terms cannot be played", reason="BAD_TOURNAMENT")
    entered = {
        one.id: Entrant(one.id, one.bot, one.version, one.author, one.sha256, remote=one.remote) for one in versions
    }
    insert(tx, caller, now, asked=asked, terms=terms, entered=list(entered.values()), entropy=entropy)
    made = _find(tx, asked.name)
    group = tuple(one.id for one in versions)
    if asked.remote:
        orders = (cyclic_orders(group, mirrored=number % 2 == 0) for number in range(1, asked.deals + 1))
        paired = [schedule.PlannedBlock(0, legs) for legs in orders]
        return _queue(tx, made, deal_each_leg(tx, made, list(entered.values()), paired), now)
    seed = seed_of(tx, made)
    numbers = range(1, asked.deals + 1)
    deals = repository.insert_deals(tx, made.id, [deal_seed(seed, number) for number in numbers])
    planned = [
        schedule.PlannedBlock(deal_id, cyclic_orders(group, mirrored=number % 2 == 0))
        for number, deal_id in zip(numbers, deals, strict=True)
    ]
    return _queue(tx, made, planned, now)


def _queue_again(
    tx: Transaction,
    caller: Account,
    now: datetime,
    *,
    match: Match,
    played: requests.PlayedTerms,
    entropy: Entropy,
) -> Requested:
    elsewhere = next((seat for seat in match.seats if _is_remote(tx, seat.bot, seat.version)), None)
    if elsewhere is not None:
        raise Conflict(
            f"{elsewhere.bot}@{elsewhere.version} played from its author's machine; such a match cannot be repeated",
            reason="REMOTE_VERSION",
        )
    rejected = [seat for seat in match.seats if _state_of(tx, seat.bot, seat.version) is VersionState.REJECTED]
    if rejected:
        raise Conflict(
            f"{rejected[0].bot}@{rejected[0].version} was rejected and plays no more", reason="VERSION_REJECTED"
        )
    name = f"repeat-{match.id}-{entropy(NAME_BYTES).hex()}"
    made_id = requests.insert_repeat(tx, played, name=name, organiser_id=caller.id, now=now)
    for version_id in dict.fromkeys(seat.version_id for seat in match.seats):
        repository.insert_entry(tx, made_id, Entrant(version_id, "", 0, ""), now)
    (deal_id,) = repository.insert_deals(tx, made_id, [played.seed])
    planned = [schedule.PlannedBlock(deal_id, (tuple(seat.version_id for seat in match.seats),))]
    return _queue(tx, _find(tx, name), planned, now)


def _queue(tx: Transaction, made: Tournament, planned: Sequence[schedule.PlannedBlock], now: datetime) -> Requested:
    schedule.insert_blocks(tx, made, planned, now, lane=Lane.CHALLENGE)
    repository.set_state(tx, made.id, TournamentState.RUNNING, started_at=now)
    running = replace(made, state=TournamentState.RUNNING, started_at=now)
    return Requested(running, requests.list_match_ids(tx, made.id))


def _challenged(
    tx: Transaction, label: Label | None, own: Mapping[str, int], caller: Account, now: datetime, *, game: str
) -> BotVersion:
    """Return who takes a seat: the caller, a bot of the arena's own or a submitted one; never another person."""
    if label is None:
        return guest_of(tx, caller, now)
    if label[0] in own:
        return bots.get_version(tx, own[label[0]])
    check_name(label[0])
    return find_accepted(tx, *label, game)


def _check_room(tx: Transaction, caller: Account) -> None:
    """Raise LimitReached (TOO_MANY_REQUESTS) while too many of an account's requests are unfinished."""
    require(caller, Role.AUTHOR, "asking for matches")
    if requests.count_open(tx, caller.id) >= MAX_OPEN:
        raise LimitReached(
            f"{MAX_OPEN} requests of {caller.name} are not finished yet; ask again when one of them is",
            reason="TOO_MANY_REQUESTS",
            retry_after_s=RETRY_S,
        )


def _check_clock(asked: str, own: str) -> None:
    """Raise PermissionDenied (CLOCK_TOO_LONG) for more time than a game's own clock gives: workers are everybody's."""
    given, most = Clock.parse(asked), Clock.parse(own)
    if most is None:
        return
    parts = ("bank_ms", "increment_ms", "start_ms", "margin_ms")
    if given is None or any(getattr(given, part) > getattr(most, part) for part in parts):
        raise PermissionDenied(
            f"{asked} gives more time than the game's own clock, {own}; ask an organiser for such a match",
            reason="CLOCK_TOO_LONG",
        )


def _common_game(versions: Sequence[BotVersion]) -> str:
    for game in game_ids():
        if all(game in one.games or ANY_GAME in one.games for one in versions):
            return game
    labels = ", ".join(one.label for one in versions)
    raise UsageError(f"game: {labels} have none in common; name others", reason="NO_COMMON_GAME")


def _state_of(tx: Transaction, bot: str, version: int) -> VersionState | None:
    found = bots.find_version(tx, bot, version)
    return None if found is None else found.state


def _is_remote(tx: Transaction, bot: str, version: int) -> bool:
    found = bots.find_version(tx, bot, version)
    return found is not None and found.remote


def _find(tx: Transaction, name: str) -> Tournament:
    found = repository.find_tournament(tx, name)
    if found is None:
        raise NotFound(f"there is no tournament {name!r}", reason="NO_SUCH_TOURNAMENT")
    return found
