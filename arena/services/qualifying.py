"""Qualification: a visible match per game against the arena's own bot decides whether a version may be entered."""

from __future__ import annotations

import secrets
from datetime import datetime
from typing import Final

from arena.core.errors import LimitReached
from arena.core.manifest import ANY_GAME
from arena.core.registry import find_variant, game_ids, load_game
from arena.ladder.rating import draw_probability
from arena.ladder.seeds import SECRET_BYTES, commitment_of, deal_seed, tournament_seed
from arena.match.clock import Clock, clock_text
from arena.match.result import MatchEnd, SeatEnd
from arena.services.accounts import Entropy
from arena.services.packing import unpack
from arena.store import Transaction, bots, matches, schedule, tournaments
from arena.store import qualifying as repository
from arena.store.records import Account, BotVersion, QualificationMatch
from arena.store.states import Format, Lane, MatchState, TournamentState, VersionState

MAX_CHECKING: Final = 5
"""Versions of one account that may be checked at once: nobody's flood of them keeps others waiting."""

RETRY_S: Final = 30
"""When to submit again: a qualification match lasts about that long."""

NOTE_HEAD: Final = "[arena: "
"""How the line begins with which a worker ends a seat's output."""


def check_room(tx: Transaction, caller: Account) -> None:
    """Raise LimitReached (TOO_MANY_CHECKS) when too many of an account's versions are being checked already."""
    if repository.count_checking(tx, caller.id) >= MAX_CHECKING:
        raise LimitReached(
            f"{MAX_CHECKING} versions of {caller.name} are being checked; submit again when one of them is through",
            reason="TOO_MANY_CHECKS",
            retry_after_s=RETRY_S,
        )


def begin(
    tx: Transaction,
    version: BotVersion,
    house: int,
    caller: Account,
    *,
    now: datetime,
    entropy: Entropy = secrets.token_bytes,
) -> None:
    """Queue a match at every game that a version's manifest names ("*": at every installed one)."""
    before = repository.count_qualifications(tx, version.id)
    games = game_ids() if ANY_GAME in version.games else tuple(dict.fromkeys(version.games))
    for number, game in enumerate(games, before + 1):
        name = f"qualification {number} of {version.label}: {game}"
        _queue(tx, version, house, _planned(game, name, caller.id, entropy(SECRET_BYTES)), now)


def stop(tx: Transaction, version_id: int, now: datetime) -> None:
    """Take out what is still queued to decide about a version."""
    repository.cancel_waiting(tx, version_id, now)


def decide(tx: Transaction, version_id: int, now: datetime) -> None:
    """Accept or reject a version, one of whose qualifications is over, if it is decided now.

    The version's row is locked first: of two matches that end at once, the second sees the first.
    """
    if repository.lock_version(tx, version_id) is not VersionState.CHECKING:
        return
    played = repository.list_qualifications(tx, version_id)
    failed = next((one for one in played if one.state is not MatchState.SCHEDULED and not _passed(one)), None)
    if failed is not None:
        bots.set_version_state(tx, version_id, VersionState.REJECTED, _reason(tx, failed))
        repository.cancel_waiting(tx, version_id, now)
    elif all(map(_passed, played)):
        bots.set_version_state(tx, version_id, VersionState.ACCEPTED)


def is_undecided(tx: Transaction, version: BotVersion) -> bool:
    """Whether a rejected version was rejected because the arena could not play its matches."""
    played = repository.list_qualifications(tx, version.id)
    return version.state is VersionState.REJECTED and any(map(_is_platforms, played))


def was_accepted(tx: Transaction, version: BotVersion) -> bool:
    """Whether a version once passed all its matches, or needed none."""
    return all(map(_passed, repository.list_qualifications(tx, version.id)))


def list_matches(tx: Transaction, version_id: int) -> tuple[QualificationMatch, ...]:
    """Return the match that decides at each game, by game; none for a version that needed none."""
    return repository.list_qualifications(tx, version_id)


def _planned(game: str, name: str, organiser_id: int, secret: bytes) -> tournaments.NewTournament:
    """Return the unrated tournament that one match is: a game's first variant with the fewest seats."""
    played = load_game(game)
    variant = find_variant(played, None)
    rules = tournaments.Rules(
        game=game,
        variant=variant.id,
        seats=variant.min_seats,
        rules_version=played.spec.rules_version,
        components_digest=played.components(None, "components").digest,
        remote=False,
    )
    return tournaments.NewTournament(
        name=name,
        organiser_id=organiser_id,
        rules=rules,
        draw_probability=draw_probability(seats=variant.min_seats, draws=variant.draws, ties=variant.ties),
        deals=1,
        clock=clock_text(Clock.parse(played.spec.clock)),
        components="",
        secret=secret,
        commitment=commitment_of(secret),
        format=Format.REQUEST,
        rated=False,
    )


def _queue(tx: Transaction, version: BotVersion, house: int, planned: tournaments.NewTournament, now: datetime) -> None:
    """Queue a match of a version in seat 0 against the house in all the others."""
    tournament_id = tournaments.insert_tournament(tx, planned, now)
    repository.insert_qualification(tx, tournament_id, version.id)
    seed = deal_seed(tournament_seed(planned.secret, [version.sha256]), 1)
    (deal_id,) = tournaments.insert_deals(tx, tournament_id, [seed])
    leg = (version.id, *(house,) * (planned.rules.seats - 1))
    made = tournaments.get_tournament(tx, tournament_id)
    schedule.insert_blocks(tx, made, [schedule.PlannedBlock(deal_id, (leg,))], now, lane=Lane.QUALIFICATION)
    tournaments.set_state(tx, tournament_id, TournamentState.RUNNING, started_at=now)


def _passed(match: QualificationMatch) -> bool:
    return match.end is MatchEnd.COMPLETED and match.seat_end is SeatEnd.PLAYED


def _is_platforms(match: QualificationMatch) -> bool:
    """Whether a match that was not passed says nothing about the bot."""
    return match.end is MatchEnd.ABORTED or (match.end is MatchEnd.FORFEIT and match.seat_end is SeatEnd.PLAYED)


def _reason(tx: Transaction, match: QualificationMatch) -> str:
    """Return one line for everybody: how the match ended, but not what the bot printed, which is its author's."""
    where = f"its qualification match {match.match_id} at {match.game}"
    if _is_platforms(match):
        return f"the arena could not play {where} ({match.reason}); submit the same files again"
    printed = matches.read_output(tx, match.match_id, match.seat)
    note = _note(unpack(printed[0]) if printed is not None else b"")
    hint = ", before the match was over; a Python bot ends with run(MyBot)" if note.endswith(" status 0") else ""
    return f"{where} ended {match.seat_end}{': ' * bool(note)}{note}{hint}; see `arena output {match.match_id}`"


def _note(output: bytes) -> str:
    """Return how the seat's end came about: the worker's note after all that the program printed."""
    last = output.decode(errors="replace").rstrip("\n").rpartition("\n")[2]
    return last[len(NOTE_HEAD) : -1] if last.startswith(NOTE_HEAD) else ""
