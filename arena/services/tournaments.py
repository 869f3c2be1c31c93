"""Round-robin tournaments: making, starting, watching, standings."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from arena.core.errors import Conflict, LimitReached, NotFound, UsageError
from arena.core.game import AnyGame
from arena.core.manifest import ANY_GAME
from arena.core.registry import check_seats, find_variant, load_game
from arena.ladder.pairing import check_entrants, count_matches, round_robin
from arena.ladder.rating import Rating, draw_probability
from arena.ladder.seeds import SECRET_BYTES, commitment_of, deal_seed, tournament_seed
from arena.ladder.solo import Paired, paired
from arena.ladder.standings import Standing, places
from arena.ladder.standings import standings as standings_of
from arena.match.clock import Clock, clock_text
from arena.services.accounts import Entropy
from arena.services.rights import check_name, require
from arena.store import Store, Transaction, bots, matches, schedule
from arena.store import tournaments as repository
from arena.store.records import Account, BotVersion, Deal, Entrant, MatchCounts, Page, Tournament
from arena.store.solo import read_solo_games
from arena.store.states import Role, TournamentState, VersionState

MAX_MATCHES: Final = 100_000
"""Matches of one tournament: scheduled in one transaction of some ten seconds, in which nobody else can write to
SQLite; heartbeats wait for it and still have to come within a lease."""

MAX_DEALS: Final = 10_000
"""Deals of one tournament: more than any question needs, and a bound for the table of seeds."""


@dataclass(frozen=True, slots=True)
class EntrantStanding:
    """A line of the table: who, and how it stands."""

    place: int
    entrant: Entrant
    standing: Standing


@dataclass(frozen=True, slots=True)
class Standings:
    """The table of a tournament, best first, as of the matches that are final now.

    paired: what every two entrants that play alone differ in on the same deals, in the order of the table.
    """

    tournament: Tournament
    counts: MatchCounts
    rows: tuple[EntrantStanding, ...]
    paired: tuple[tuple[Entrant, Entrant, Paired], ...] = ()


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a tournament is; finished_deals counts the deals that are open."""

    tournament: Tournament
    counts: MatchCounts
    finished_deals: int


def create(
    store: Store,
    caller: Account,
    now: datetime,
    *,
    name: str,
    game: str,
    entrants: tuple[tuple[str, int], ...] = (),
    variant: str = "",
    seats: int = 0,
    deals: int = 1,
    clock: str = "",
    components: str = "",
    entropy: Entropy = secrets.token_bytes,
) -> Tournament:
    """Make a round-robin tournament, state CREATED; organisers only. Everything is checked before anything is stored.

    entrants: (bot, version), 0 for the newest accepted one; more can enter until the start. variant "": the game's
    first; seats 0: the fewest the variant allows; clock "": the game's own, "none": no clock; components: text of a
    component file, "" for the game's own. A secret is drawn and its hash published as the commitment.
    Raises UsageError (BAD_NAME, UNKNOWN_GAME, UNKNOWN_VARIANT, WRONG_NUMBER_OF_SEATS, BAD_CLOCK, BAD_COMPONENTS,
    BAD_DEALS), NotFound (NO_SUCH_BOT, NO_SUCH_VERSION), Conflict (TOURNAMENT_EXISTS, VERSION_NOT_ACCEPTED, WRONG_GAME,
    ALREADY_ENTERED), LimitReached (TOO_MANY_MATCHES), PermissionDenied.
    """
    require(caller, Role.ORGANISER, "making a tournament")
    check_name("tournament", name)
    if not 1 <= deals <= MAX_DEALS:
        raise UsageError(f"{deals} deals cannot be played; give 1 to {MAX_DEALS}", reason="BAD_DEALS")
    rules, draws = _rules(game, variant, seats, components)
    secret = entropy(SECRET_BYTES)
    new = repository.NewTournament(
        name=name,
        organiser_id=caller.id,
        rules=rules,
        draw_probability=draws,
        deals=deals,
        clock=clock_text(Clock.parse(clock or load_game(game).spec.clock)),
        components=components,
        secret=secret,
        commitment=commitment_of(secret),
    )
    with store.write() as tx:
        if repository.find_tournament(tx, name) is not None:
            raise Conflict(f"tournament {name} exists; take another name", reason="TOURNAMENT_EXISTS")
        versions = [_accepted(tx, bot, number, game) for bot, number in entrants]
        if len(versions) >= rules.seats:
            _check_size(len(versions), rules.seats, deals)
        tournament_id = repository.insert_tournament(tx, new, now)
        entered: set[int] = set()
        for version in versions:
            _enter(tx, tournament_id, version, entered, now)
        return _find(tx, name)


def enter(store: Store, caller: Account, now: datetime, *, tournament: str, bot: str, version: int = 0) -> Entrant:
    """Enter a bot version while entry is open: its author, or any bot for an organiser.

    Raises NotFound, PermissionDenied, Conflict (ENTRY_CLOSED, ALREADY_ENTERED, VERSION_NOT_ACCEPTED, WRONG_GAME).
    """
    with store.write() as tx:
        found = _find(tx, tournament, lock=True)
        if found.state is not TournamentState.CREATED:
            raise Conflict(f"entry to {tournament} is closed; enter the next tournament", reason="ENTRY_CLOSED")
        entrant = _accepted(tx, bot, version, found.game)
        if caller.name != entrant.author:
            require(caller, Role.ORGANISER, f"entering {entrant.author}'s bot")
        _enter(tx, found.id, entrant, {one.version_id for one in repository.list_entrants(tx, found.id)}, now)
        return Entrant(entrant.id, entrant.bot, entrant.version, entrant.author)


def start(store: Store, caller: Account, tournament: str, now: datetime) -> Tournament:
    """Close entry, derive the seeds and queue every block, deal after deal; the same request twice is a success.

    Raises NotFound (NO_SUCH_TOURNAMENT), PermissionDenied, Conflict (TOO_FEW_ENTRANTS, TOURNAMENT_OVER, RULES_CHANGED),
    LimitReached (TOO_MANY_MATCHES).
    """
    with store.write() as tx:
        found = _find(tx, tournament, lock=True)
        if caller.name != found.organiser:
            require(caller, Role.ADMIN, f"starting {found.organiser}'s tournament")
        if found.state in {TournamentState.RUNNING, TournamentState.PAUSED}:
            return found
        if found.state is not TournamentState.CREATED:
            raise Conflict(f"{tournament} is over; create another", reason="TOURNAMENT_OVER")
        _check_rules(tx, found)
        entered = repository.list_entrants(tx, found.id)
        if len(entered) < found.seats:
            raise Conflict(
                f"{tournament} has {len(entered)} entrants for {found.seats} seats; enter more bots",
                reason="TOO_FEW_ENTRANTS",
            )
        _check_size(len(entered), found.seats, found.deals)
        seed = tournament_seed(repository.read_secret(tx, found.id), repository.list_archives(tx, found.id))
        seeds = [deal_seed(seed, number) for number in range(1, found.deals + 1)]
        deal_ids = repository.insert_deals(tx, found.id, seeds)
        schedule.insert_blocks(tx, found, _plan(found, entered, deal_ids), now)
        first = Rating()
        ids = [entrant.version_id for entrant in entered]
        schedule.insert_first_ratings(tx, found.pool_id, ids, schedule.FirstRating(first.mu, first.sigma, first.score))
        repository.set_state(tx, found.id, TournamentState.RUNNING, started_at=now)
        return _find(tx, tournament)


def get(store: Store, tournament: str) -> Tournament:
    """Return a tournament by name. Raises NotFound (NO_SUCH_TOURNAMENT)."""
    with store.read() as tx:
        return _find(tx, tournament)


def list_tournaments(
    store: Store, *, state: TournamentState | None = None, page_size: int = 0, page_token: str = ""
) -> Page[Tournament]:
    """List tournaments, newest first."""
    with store.read() as tx:
        return repository.page_tournaments(tx, state, page_size, page_token)


def entrants(store: Store, tournament: str) -> tuple[Entrant, ...]:
    """Return everybody entered, in order of entry. Raises NotFound."""
    with store.read() as tx:
        return repository.list_entrants(tx, _find(tx, tournament).id)


def progress(store: Store, tournament: str) -> Progress:
    """Return how far a tournament is, counted from the stored rows. Raises NotFound."""
    with store.read() as tx:
        found = _find(tx, tournament)
        return Progress(found, repository.count_matches(tx, found.id), repository.count_open_deals(tx, found.id))


def standings(store: Store, tournament: str) -> Standings:
    """Return the table as of now. Raises NotFound."""
    with store.read() as tx:
        found = _find(tx, tournament)
        entered = {entrant.version_id: entrant for entrant in repository.list_entrants(tx, found.id)}
        table = standings_of(list(entered), matches.read_played(tx, found.id))
        rows = tuple(EntrantStanding(place, entered[one], table[one]) for place, one in places(table))
        alone = read_solo_games(tx, found.id) if found.seats == 1 else ()
        pairs = paired([one for _, one in places(table)], alone)
        compared = tuple((entered[one], entered[other], pair) for (one, other), pair in pairs.items())
        return Standings(found, repository.count_matches(tx, found.id), rows, compared)


def list_deals(store: Store, tournament: str, *, page_size: int = 0, page_token: str = "") -> Page[Deal]:
    """List the deals of a started tournament in order; the seed of a closed one is withheld. Raises NotFound."""
    with store.read() as tx:
        return repository.page_deals(tx, _find(tx, tournament).id, page_size, page_token)


def _find(tx: Transaction, name: str, *, lock: bool = False) -> Tournament:
    found = repository.find_tournament(tx, name, lock=lock)
    if found is None:
        raise NotFound(
            f"there is no tournament {name!r}; `arena tournament list` shows them", reason="NO_SUCH_TOURNAMENT"
        )
    return found


def _rules(game: str, variant: str, seats: int, components: str) -> tuple[repository.Rules, float]:
    """Return what the pool of a request compares by, and its draw probability."""
    played = load_game(game)
    found = find_variant(played, variant or None)
    seats = seats or found.min_seats
    check_seats(played, found, seats)
    rules = repository.Rules(
        game=game,
        variant=found.id,
        seats=seats,
        rules_version=played.spec.rules_version,
        components_digest=_components_digest(played, components),
        remote=False,
    )
    return rules, draw_probability(seats=seats, draws=found.draws)


def _accepted(tx: Transaction, bot: str, number: int, game: str) -> BotVersion:
    """Return the version that may play; number 0: the newest accepted one."""
    accepted = VersionState.ACCEPTED
    found = bots.find_version(tx, bot, number, state=accepted if not number else None)
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
        raise Conflict(
            f"{found.label} is {found.state.lower()}, not accepted; submit it anew", reason="VERSION_NOT_ACCEPTED"
        )
    if game not in found.games and ANY_GAME not in found.games:
        raise Conflict(f"{found.label} plays {', '.join(found.games)}, not {game}; leave it out", reason="WRONG_GAME")
    return found


def _enter(tx: Transaction, tournament_id: int, version: BotVersion, entered: set[int], now: datetime) -> None:
    if version.id in entered:
        raise Conflict(f"{version.label} is entered already; leave it out", reason="ALREADY_ENTERED")
    entered.add(version.id)
    repository.insert_entry(tx, tournament_id, version.id, now)


def _check_size(entrants: int, seats: int, deals: int) -> None:
    check_entrants(entrants, seats)
    planned = count_matches(entrants, seats, deals)
    if planned > MAX_MATCHES:
        raise LimitReached(
            f"{entrants} entrants on {deals} deals are {planned} matches, {MAX_MATCHES} are allowed; take fewer deals",
            reason="TOO_MANY_MATCHES",
        )


def _components_digest(game: AnyGame, components: str) -> str:
    digest: str = game.components(components or None, "components").digest
    return digest


def _check_rules(tx: Transaction, tournament: Tournament) -> None:
    """Raise Conflict (RULES_CHANGED) unless the rules installed now are those the tournament was made for."""
    game = load_game(tournament.game)
    text = repository.read_components(tx, tournament.components_digest) if tournament.custom_components else ""
    now = (game.spec.rules_version, _components_digest(game, text))
    if now != (tournament.rules_version, tournament.components_digest):
        raise Conflict(
            f"{tournament.game} has other rules or components now than when {tournament.name} was made; create it anew",
            reason="RULES_CHANGED",
        )


def _plan(tournament: Tournament, entered: tuple[Entrant, ...], deal_ids: list[int]) -> Iterator[schedule.PlannedBlock]:
    for block in round_robin(len(entered), tournament.seats, tournament.deals):
        legs = tuple(tuple(entered[number].version_id for number in leg) for leg in block.legs)
        yield schedule.PlannedBlock(deal_ids[block.deal - 1], legs)
