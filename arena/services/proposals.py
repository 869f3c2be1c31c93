"""Making tournaments and entering bots: a request is checked whole, and every fault is named with its field."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final, TypeVar

from arena.core.errors import ArenaError, Conflict, LimitReached, NotFound, UsageError
from arena.core.manifest import ANY_GAME
from arena.core.registry import check_seats, find_variant, load_game
from arena.ladder.pairing import entrants_needed
from arena.ladder.rating import draw_probability
from arena.ladder.seeds import SECRET_BYTES, commitment_of
from arena.match.clock import Clock, clock_text
from arena.services.accounts import Entropy
from arena.services.lifecycle import OVER, enter_late
from arena.services.lookup import check_rules, find_tournament
from arena.services.planning import check_size
from arena.services.rights import check_name, require
from arena.services.submissions import not_accepted
from arena.store import Store, Transaction, bots, lifecycle
from arena.store import tournaments as repository
from arena.store.records import Account, BotVersion, Entrant, Tournament
from arena.store.states import Format, Role, TournamentState, VersionState

T = TypeVar("T")
Label = tuple[str, int]
"""A bot's name and version, 0 for the newest accepted one."""

MAX_ENTRANTS: Final = 1000
"""Bots that one request may name: they are looked up while nobody else can write to SQLite."""

MAX_DEALS: Final = 10_000
"""Deals of one tournament: more than any question needs, and a bound for the table of seeds."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A tournament as it was asked for.

    entrants: more can enter until the start. heads: those who meet all the others of a gauntlet. variant "": the
    game's first; seats 0: the fewest the variant allows; deals 0: a ladder without an end; clock "": the game's own,
    "none": no clock; components: text of a component file, "" for the game's own; remote: bots may play from their
    authors' machines.
    """

    name: str
    game: str
    entrants: tuple[Label, ...] = ()
    heads: tuple[Label, ...] = ()
    format: Format = Format.ROUND_ROBIN
    variant: str = ""
    seats: int = 0
    deals: int = 1
    clock: str = ""
    components: str = ""
    remote: bool = False


@dataclass(frozen=True, slots=True)
class Terms:
    """What a proposal comes to: what its pool compares by, the pool's draw probability, and the clock's notation."""

    rules: repository.Rules
    draws: float
    clock: str


@dataclass(slots=True)
class Faults:
    """What is wrong with a request, each with the field it stands in."""

    found: list[tuple[str, ArenaError]] = field(default_factory=list)

    @contextmanager
    def of(self, name: str) -> Iterator[None]:
        """Keep a foreseen error of the block as a fault of this field, and go on."""
        try:
            yield
        except ArenaError as error:
            self.found.append((name, error))

    def result(self, name: str, look: Callable[[], T]) -> T | None:
        """Return what look does, or None when it raises what becomes a fault of this field."""
        found: list[T] = []
        with self.of(name):
            found.append(look())
        return next(iter(found), None)

    def check(self) -> None:
        """Raise what is wrong, all of it named; nothing if nothing is.

        Faults of one kind are raised as what they are, others as UsageError (BAD_TOURNAMENT).
        """
        if not self.found:
            return
        told = "; ".join(f"{name}: {error.message}" for name, error in self.found)
        if len(self.found) > 1:
            told = f"{len(self.found)} faults: {told}"
        first = self.found[0][1]
        if all((type(error), error.code) == (type(first), first.code) for _, error in self.found):
            raise type(first)(told, reason=first.code)
        raise UsageError(told, reason="BAD_TOURNAMENT")


def create(
    store: Store,
    caller: Account,
    now: datetime,
    *,
    name: str,
    game: str,
    entrants: tuple[Label, ...] = (),
    heads: tuple[Label, ...] = (),
    format: Format = Format.ROUND_ROBIN,  # noqa: A002 - the field's name on the wire and in files
    variant: str = "",
    seats: int = 0,
    deals: int = 1,
    clock: str = "",
    components: str = "",
    remote: bool = False,
    entropy: Entropy = secrets.token_bytes,
) -> Tournament:
    """Make a tournament, state CREATED; organisers only. Everything is checked before anything is stored.

    See Proposal for what is asked. A secret is drawn and its hash published as the commitment. One fault is raised as
    what it is: UsageError (BAD_NAME, UNKNOWN_GAME, UNKNOWN_VARIANT, WRONG_NUMBER_OF_SEATS, BAD_CLOCK, BAD_COMPONENTS,
    BAD_DEALS, BAD_FORMAT, BAD_HEADS, TOO_FEW_ENTRANTS, TOO_FEW_SEATS), NotFound (NO_SUCH_BOT, NO_SUCH_VERSION),
    Conflict (TOURNAMENT_EXISTS, VERSION_NOT_ACCEPTED, WRONG_GAME, ALREADY_ENTERED), LimitReached (TOO_MANY_MATCHES,
    TOO_MANY_ENTRANTS); several as UsageError (BAD_TOURNAMENT). The message names each with its field. Also raises
    PermissionDenied.
    """
    require(caller, Role.ORGANISER, "making a tournament")
    asked = Proposal(name, game, entrants, heads, format, variant, seats, deals, clock, components, remote)
    faults = Faults()
    with faults.of("name"):
        check_name("tournament", name)
    with faults.of("format"):
        if format is Format.REQUEST:
            raise UsageError("no tournament has it; ask for matches with `arena challenge`", reason="BAD_FORMAT")
    terms = check_terms(asked, faults)
    with store.write() as tx:
        with faults.of("name"):
            if repository.find_tournament(tx, name) is not None:
                raise Conflict(f"tournament {name} exists; take another name", reason="TOURNAMENT_EXISTS")
        entered = check_entries(tx, asked, terms, faults)
        faults.check()
        if terms is not None:  # it is, without faults
            insert(tx, caller, now, asked=asked, terms=terms, entered=entered, entropy=entropy)
        return find_tournament(tx, name)


def insert(
    tx: Transaction,
    caller: Account,
    now: datetime,
    *,
    asked: Proposal,
    terms: Terms,
    entered: Sequence[Entrant],
    entropy: Entropy,
) -> int:
    """Store a checked proposal with its entries; return the tournament's id."""
    secret = entropy(SECRET_BYTES)
    new = repository.NewTournament(
        name=asked.name,
        organiser_id=caller.id,
        rules=terms.rules,
        draw_probability=terms.draws,
        deals=asked.deals,
        clock=terms.clock,
        components=asked.components,
        secret=secret,
        commitment=commitment_of(secret),
        format=asked.format,
        rated=asked.format is not Format.REQUEST,
    )
    tournament_id = repository.insert_tournament(tx, new, now)
    for entrant in entered:
        repository.insert_entry(tx, tournament_id, entrant, now)
    return tournament_id


def enter(
    store: Store, caller: Account, now: datetime, *, tournament: str, bot: str, version: int = 0, head: bool = False
) -> Entrant:
    """Enter a bot version: its author while entry is open, which on a ladder is always, the organiser also later.

    head: as one of a gauntlet's that meet the rest. Raises NotFound, PermissionDenied, Conflict (ENTRY_CLOSED,
    ALREADY_ENTERED, WITHDRAWN, VERSION_NOT_ACCEPTED, WRONG_GAME, NO_DEAL_LEFT, RULES_CHANGED), LimitReached
    (TOO_MANY_MATCHES), UsageError (BAD_HEADS).
    """
    with store.write() as tx:
        lifecycle.lock_schedule(tx, find_tournament(tx, tournament).id)
        found = find_tournament(tx, tournament, lock=True)
        is_begun = found.state is not TournamentState.CREATED
        if found.state in OVER or found.format is Format.REQUEST:
            raise Conflict(f"entry to {tournament} is closed; enter the next tournament", reason="ENTRY_CLOSED")
        accepted = find_accepted(tx, bot, version, found.game)
        if caller.name not in {accepted.author, found.organiser}:
            require(caller, Role.ORGANISER, f"entering {accepted.author}'s bot")
        if is_begun and found.format is not Format.LADDER and not _runs(caller, found):
            raise Conflict(
                f"{tournament} has begun; ask {found.organiser}, who may still enter bots for the deals to come",
                reason="ENTRY_CLOSED",
            )
        if head and found.format is not Format.GAUNTLET:
            raise UsageError(f"{tournament} is no gauntlet and has no heads; enter without", reason="BAD_HEADS")
        _check_new(accepted, repository.list_entrants(tx, found.id))
        _check_place(accepted, remote=found.remote)
        entrant = replace(_entrant(accepted), head=head)
        if is_begun:
            check_rules(tx, found)
            if found.remote:
                raise Conflict(
                    f"{tournament} has begun, and remote tournaments take nobody late; enter the next one",
                    reason="ENTRY_CLOSED",
                )
            return enter_late(tx, found, entrant, now)
        repository.insert_entry(tx, found.id, entrant, now)
        return entrant


def check_terms(asked: Proposal, faults: Faults) -> Terms | None:
    """Return what a proposal comes to; None when it cannot be known, for which there is a fault then."""
    least = 0 if asked.format is Format.LADDER else 1
    with faults.of("deals"):
        if not least <= asked.deals <= MAX_DEALS:
            raise UsageError(f"{asked.deals} deals cannot be played; give {least} to {MAX_DEALS}", reason="BAD_DEALS")
    game = faults.result("game", lambda: load_game(asked.game))
    if game is None:
        return None
    clock = faults.result("clock", lambda: clock_text(Clock.parse(asked.clock or game.spec.clock)))
    digest = faults.result("components", lambda: str(game.components(asked.components or None, "file").digest))
    variant = faults.result("variant", lambda: find_variant(game, asked.variant or None))
    if variant is None:
        return None
    seats = asked.seats or variant.min_seats
    if asked.remote:
        _check_remote(asked.format, clock, faults)
    with faults.of("seats"):
        check_seats(game, variant, seats)
        if asked.format in {Format.GAUNTLET, Format.LADDER} and seats < 2:
            raise UsageError(f"a {asked.format.lower()} needs two seats or more", reason="TOO_FEW_SEATS")
    if clock is None or digest is None:
        return None
    rules = repository.Rules(
        game=asked.game,
        variant=variant.id,
        seats=seats,
        rules_version=game.spec.rules_version,
        components_digest=digest,
        remote=asked.remote,
    )
    return Terms(rules, draw_probability(seats=seats, draws=variant.draws, ties=variant.ties), clock)


def check_entries(tx: Transaction, asked: Proposal, terms: Terms | None, faults: Faults) -> list[Entrant]:
    """Return who enters by a proposal, heads first; what is wrong with one goes to the faults."""
    entered: list[Entrant] = []
    if not faults.result("bots", lambda: _check_listed(len(asked.heads) + len(asked.entrants))):
        return entered
    listed = [("heads", at, label) for at, label in enumerate(asked.heads, 1)]
    listed += [("bots", at, label) for at, label in enumerate(asked.entrants, 1)]
    for kind, at, (bot, number) in listed:
        with faults.of(f"{kind}[{at}]"):
            accepted = find_accepted(tx, bot, number, asked.game if terms else "")
            _check_new(accepted, entered)
            _check_place(accepted, remote=asked.remote)
            entered.append(replace(_entrant(accepted), head=kind == "heads"))
    with faults.of("heads"):
        if asked.heads and asked.format is not Format.GAUNTLET:
            raise UsageError("only a gauntlet has heads; name them among the entrants", reason="BAD_HEADS")
        if asked.entrants and not asked.heads and asked.format is Format.GAUNTLET:
            raise UsageError("a gauntlet needs somebody to meet the rest; name one or more", reason="BAD_HEADS")
    if terms is not None and entered and not faults.found:
        with faults.of("bots"):
            _check_number(asked, terms, len(entered))
    return entered


def find_accepted(tx: Transaction, bot: str, number: int, game: str) -> BotVersion:
    """Return the version that may play; game "": any. number 0: the newest accepted one that is hosted, else remote.

    Raises NotFound (NO_SUCH_BOT, NO_SUCH_VERSION), Conflict (VERSION_NOT_ACCEPTED, WRONG_GAME).
    """
    accepted = VersionState.ACCEPTED
    found = bots.find_version(tx, bot, number, state=accepted if not number else None, hosted_first=not number)
    if found is None:
        newest = bots.find_version(tx, bot)
        if newest is None:
            raise NotFound(f"there is no bot {bot!r}; `arena bots` lists them", reason="NO_SUCH_BOT")
        if number:
            raise NotFound(
                f"{bot} has no version {number}; `arena versions {bot}` lists them", reason="NO_SUCH_VERSION"
            )
        found = newest
    if found.state is not accepted:
        raise not_accepted(found)
    if game and game not in found.games and ANY_GAME not in found.games:
        raise Conflict(f"{found.label} plays {', '.join(found.games)}, not {game}; leave it out", reason="WRONG_GAME")
    return found


def _check_listed(number: int) -> bool:
    """Return True. Raises LimitReached (TOO_MANY_ENTRANTS)."""
    if number > MAX_ENTRANTS:
        raise LimitReached(
            f"{number} are named, {MAX_ENTRANTS} are allowed; leave some out", reason="TOO_MANY_ENTRANTS"
        )
    return True


def _check_number(asked: Proposal, terms: Terms, entrants: int) -> None:
    seats = terms.rules.seats
    heads = len(asked.heads)
    needed = entrants_needed(seats, heads=heads if asked.format is Format.GAUNTLET else None)
    if entrants < needed:
        raise UsageError(
            f"{entrants} cannot fill {seats} seats; name {needed} or more, or none and let authors enter their bots",
            reason="TOO_FEW_ENTRANTS",
        )
    if asked.format is not Format.LADDER:
        check_size(asked.format, entrants, heads, seats, asked.deals)


def _check_new(version: BotVersion, entered: Iterable[Entrant]) -> None:
    """Raise Conflict (ALREADY_ENTERED, WITHDRAWN) if the same archive is or was in already."""
    for other in entered:
        if other.version_id == version.id and other.withdrawn:
            raise Conflict(
                f"{version.label} was withdrawn and cannot come back; submit a new version", reason="WITHDRAWN"
            )
        if other.version_id == version.id:
            raise Conflict(f"{version.label} is entered already; leave it out", reason="ALREADY_ENTERED")


def _check_remote(form: Format, clock: str | None, faults: Faults) -> None:
    """Note what a tournament with remote seats cannot be."""
    with faults.of("clock"):
        if clock == clock_text(None):
            raise UsageError("a remote seat needs a clock, or nobody knows when it is lost", reason="NEEDS_CLOCK")
    with faults.of("format"):
        if form is Format.LADDER:
            raise UsageError("a ladder has no remote seats; make a round-robin or a gauntlet", reason="BAD_FORMAT")


def _check_place(version: BotVersion, *, remote: bool) -> None:
    """Raise Conflict (REMOTE_VERSION) for a version that plays remotely where all are hosted."""
    if version.remote and not remote:
        raise Conflict(
            f"{version.label} plays from its author's machine; create the tournament with --remote, or submit the bot",
            reason="REMOTE_VERSION",
        )


def _entrant(version: BotVersion) -> Entrant:
    return Entrant(version.id, version.bot, version.version, version.author, version.sha256, remote=version.remote)


def _runs(caller: Account, tournament: Tournament) -> bool:
    return caller.name == tournament.organiser or caller.role.covers(Role.ADMIN)
