"""Turns the platform's records into the messages of arena.v1, and identifiers of the wire into numbers."""

from __future__ import annotations

from datetime import UTC, datetime

from google.protobuf.timestamp_pb2 import Timestamp

from arena.core.errors import UsageError
from arena.ladder.solo import Paired
from arena.match.result import SeatEnd
from arena.services.tournaments import EntrantStanding, Progress
from arena.store import records
from arena.store.states import MatchState
from arena.v1 import account_pb2, bot_pb2, match_pb2, match_result_pb2, rating_pb2, solo_pb2, tournament_pb2

_INT32 = (1 << 31) - 1


def parse_id(text: str, what: str) -> int:
    """Read an identifier as the server gave it out. Raises UsageError (BAD_ID) for anything else."""
    if text.isascii() and text.isdecimal() and 0 < int(text[:11]) <= _INT32 and len(text) < 11:
        return int(text)
    raise UsageError(f"{text[:40]!r} is no {what}; ids are numbers, as listings show them", reason="BAD_ID")


def account(record: records.Account) -> account_pb2.Account:
    """Write an account."""
    return account_pb2.Account(
        name=record.name,
        role=account_pb2.Role.Value(f"ROLE_{record.role.value}"),
        created_at=_time(record.created_at),
    )


def token(record: records.Token) -> account_pb2.Token:
    """Write a token; its secret is not in the record."""
    return account_pb2.Token(
        id=str(record.id),
        account=record.account,
        label=record.label,
        created_at=_time(record.created_at),
        expires_at=_time(record.expires_at),
        revoked_at=_time(record.revoked_at),
    )


def version(record: records.BotVersion) -> bot_pb2.BotVersion:
    """Write a bot version."""
    return bot_pb2.BotVersion(
        bot=record.bot,
        version=record.version,
        state=bot_pb2.BotVersionState.Value(f"BOT_VERSION_STATE_{record.state.value}"),
        reason=record.reason,
        games=record.games,
        language=record.language,
        sha256=record.sha256,
        size_bytes=record.size_bytes,
        submitted_at=_time(record.submitted_at),
        failed_in_row=record.failed_in_row,
        remote=record.remote,
    )


def qualification(record: records.QualificationMatch) -> bot_pb2.QualificationMatch:
    """Write a match that decides about a version."""
    return bot_pb2.QualificationMatch(
        game=record.game,
        match_id=str(record.match_id),
        state=_match_state(record),
        plies=record.plies,
        end=match_result_pb2.MatchEnd.Value(f"MATCH_END_{record.end.value if record.end else 'UNSPECIFIED'}"),
        seat=record.seat,
        seat_end=seat_end(record.seat_end),
    )


def seat_end(end: SeatEnd | None) -> match_result_pb2.SeatEnd.ValueType:
    """Write how a seat ended, None as UNSPECIFIED."""
    return match_result_pb2.SeatEnd.Value(f"SEAT_END_{end.value if end else 'UNSPECIFIED'}")


def bot(record: records.Bot) -> bot_pb2.Bot:
    """Write a bot with its newest version."""
    return bot_pb2.Bot(name=record.name, author=record.author, latest=version(record.latest))


def tournament(record: records.Tournament) -> tournament_pb2.Tournament:
    """Write a tournament."""
    return tournament_pb2.Tournament(
        name=record.name,
        game=record.game,
        variant=record.variant,
        seats=record.seats,
        deals=record.deals,
        clock=record.clock,
        state=tournament_pb2.TournamentState.Value(f"TOURNAMENT_STATE_{record.state.value}"),
        organiser=record.organiser,
        rules_version=record.rules_version,
        components_sha256=record.components_digest,
        pool_id=str(record.pool_id),
        created_at=_time(record.created_at),
        started_at=_time(record.started_at),
        finished_at=_time(record.finished_at),
        commitment=record.commitment,
        secret=record.secret,
        format=tournament_pb2.TournamentFormat.Value(f"TOURNAMENT_FORMAT_{record.format.value}"),
        rated=record.rated,
        remote=record.remote,
    )


def entrant(record: records.Entrant) -> tournament_pb2.Entrant:
    """Write an entrant."""
    return tournament_pb2.Entrant(
        bot=record.bot,
        version=record.version,
        archive_sha256=record.sha256,
        first_deal=record.first_deal,
        late=record.late,
        head=record.head,
        withdrawn=record.withdrawn,
        remote=record.remote,
    )


def progress(found: Progress) -> tournament_pb2.TournamentProgress:
    """Write how far a tournament is."""
    answer = counts(found.counts)
    answer.finished_deals = found.finished_deals
    answer.longest_wait_blocks = found.longest_wait
    answer.wait_bound_blocks = found.wait_bound
    answer.matches_per_minute = found.matches_per_minute
    if found.seconds_left is not None:
        answer.seconds_left = found.seconds_left
    answer.obstacles.extend(
        tournament_pb2.Obstacle(
            kind=tournament_pb2.ObstacleKind.Value(f"OBSTACLE_KIND_{one.kind.value}"), message=one.message
        )
        for one in found.obstacles
    )
    return answer


def counts(record: records.MatchCounts) -> tournament_pb2.TournamentProgress:
    """Write the counts of a tournament's matches; the deals are not known here."""
    return tournament_pb2.TournamentProgress(
        total=record.total,
        queued=record.queued,
        running=record.running,
        finished=record.finished,
        without_result=record.without_result,
    )


def standing(row: EntrantStanding) -> tournament_pb2.Standing:
    """Write a line of a tournament's table."""
    sums = row.standing
    ends = [
        tournament_pb2.SeatEndCount(end=match_result_pb2.SeatEnd.Value(f"SEAT_END_{end.value}"), count=count)
        for end, count in sorted(sums.ends.items())
    ]
    return tournament_pb2.Standing(
        place=row.place,
        bot=row.entrant.bot,
        version=row.entrant.version,
        author=row.entrant.author,
        points=sums.points,
        points_share=sums.share,
        matches=sums.matches,
        mean_rank=sums.mean_rank,
        forfeits=sums.forfeits,
        unrated=sums.unrated,
        ends=ends,
    )


def paired_difference(one: records.Entrant, other: records.Entrant, pair: Paired) -> solo_pb2.PairedDifference:
    """Write what two entrants that play alone differ in."""
    return solo_pb2.PairedDifference(
        bot=one.bot,
        version=one.version,
        other_bot=other.bot,
        other_version=other.version,
        deals=pair.deals,
        left_out=pair.left_out,
        won=solo_pb2.Difference(mean=pair.won.mean, low=pair.won.low, high=pair.won.high),
        score=solo_pb2.Difference(mean=pair.score.mean, low=pair.score.low, high=pair.score.high),
    )


def match(record: records.Match) -> match_pb2.Match:
    """Write a match with its seats."""
    return match_pb2.Match(
        id=str(record.id),
        tournament=record.tournament,
        game=record.game,
        variant=record.variant,
        state=_match_state(record),
        end=match_result_pb2.MatchEnd.Value(f"MATCH_END_{record.end.value if record.end else 'UNSPECIFIED'}"),
        seats=[_match_seat(seat) for seat in record.seats],
        reason=record.reason,
        plies=record.plies,
        deal=record.deal,
        leg=record.leg,
        attempts=record.attempts,
        finished_at=_time(record.finished_at),
        log_sha256=record.log_sha256,
        deal_open=record.deal_open,
        remote=record.remote,
    )


def pool(record: records.Pool) -> rating_pb2.RatingPool:
    """Write a rating pool."""
    return rating_pb2.RatingPool(
        id=str(record.id),
        game=record.game,
        variant=record.variant,
        seats=record.seats,
        rules_version=record.rules_version,
        components_sha256=record.components_digest,
        remote=record.remote,
        draw_probability=record.draw_probability,
    )


def rating(record: records.RatingRow, provisional_sigma: float) -> rating_pb2.Rating:
    """Write a line of a leaderboard."""
    return rating_pb2.Rating(
        place=record.place,
        bot=record.bot,
        version=record.version,
        author=record.author,
        score=record.score,
        mu=record.mu,
        sigma=record.sigma,
        matches=record.matches,
        pending=record.pending,
        mean_rank=record.mean_rank,
        forfeits=record.forfeits,
        provisional=record.sigma > provisional_sigma,
    )


def rating_change(record: records.RatingChange) -> rating_pb2.RatingChange:
    """Write what one match changed."""
    return rating_pb2.RatingChange(
        bot=record.bot,
        version=record.version,
        pool_id=str(record.pool_id),
        rating_seq=record.rating_seq,
        match_id=str(record.match_id),
        rank=record.rank,
        mu_before=record.mu_before,
        sigma_before=record.sigma_before,
        mu_after=record.mu_after,
        sigma_after=record.sigma_after,
        finished_at=_time(record.finished_at),
    )


def _match_seat(record: records.MatchSeat) -> match_pb2.MatchSeat:
    return match_pb2.MatchSeat(
        seat=record.seat,
        bot=record.bot,
        version=record.version,
        author=record.author,
        rank=record.rank,
        score=record.score,
        end=seat_end(record.end),
        turns=record.turns,
        think_max_ms=record.think_max_ms,
        think_total_ms=record.think_total_ms,
        charged_total_ms=record.charged_total_ms,
    )


def _match_state(record: records.Match | records.QualificationMatch) -> match_pb2.MatchState.ValueType:
    if record.state is MatchState.SCHEDULED:
        return match_pb2.MATCH_STATE_RUNNING if record.running else match_pb2.MATCH_STATE_QUEUED
    return match_pb2.MATCH_STATE_FINISHED if record.state is MatchState.FINAL else match_pb2.MATCH_STATE_CANCELLED


def _time(at: datetime | None) -> Timestamp | None:
    if at is None:
        return None
    stamp = Timestamp()
    stamp.FromDatetime(at.astimezone(UTC).replace(tzinfo=None))
    return stamp
