"""Turns statistics into the messages of arena.v1."""

from __future__ import annotations

import math

from arena.api import wire
from arena.ladder.balance import Balance, Share, Spread
from arena.ladder.reliability import Bin, Reliability
from arena.ladder.stats import Estimate
from arena.ladder.strength import Strength
from arena.services.comparing import Comparison
from arena.services.proof import Proof
from arena.services.standings import EntrantStanding, Standings
from arena.store import records
from arena.v1 import rating_pb2, statistics_pb2, tournament_pb2


def standings(found: Standings) -> tournament_pb2.GetStandingsResponse:
    """Write a tournament's table."""
    return tournament_pb2.GetStandingsResponse(
        remote=found.tournament.remote,
        standings=[_standing(row, found) for row in found.rows],
        state=wire.tournament(found.tournament).state,
        progress=wire.counts(found.counts),
        closed=found.closed,
        balance=_balance(found.balance),
        paired=[wire.paired_difference(*pair) for pair in found.paired],
    )


def comparison(found: Comparison) -> rating_pb2.Comparison:
    """Write what two bots' common blocks say."""
    answer = rating_pb2.Comparison(pool=wire.pool(found.pool), left_out=found.left_out)
    if found.found is not None:
        pair = found.found
        answer.blocks, answer.wins, answer.ties, answer.losses = pair.blocks, pair.wins, pair.ties, pair.losses
        answer.share.CopyFrom(estimate(pair.share))
        answer.elo.CopyFrom(estimate(pair.elo))
        answer.superiority = pair.superiority
        if pair.saved is not None:
            answer.saved_by_blocks = pair.saved
    return answer


def reliability(pool: records.Pool, found: Reliability) -> rating_pb2.GetReliabilityResponse:
    """Write how well a pool's ratings predicted."""
    return rating_pb2.GetReliabilityResponse(
        pool=wire.pool(pool),
        matches=found.matches,
        pairs=found.pairs,
        bins=[_bin(each) for each in found.bins],
        brier=found.brier,
        predicted_ties=found.predicted_ties,
        observed_ties=found.observed_ties,
    )


def proof(found: Proof) -> tournament_pb2.GetProofResponse:
    """Write what a tournament's seeds follow from."""
    return tournament_pb2.GetProofResponse(
        commitment=found.tournament.commitment,
        secret=found.tournament.secret,
        archives=found.archives,
        deals=[tournament_pb2.OpenDeal(number=number, seed=seed.hex()) for number, seed in sorted(found.deals.items())],
    )


def estimate(value: Estimate) -> statistics_pb2.Estimate:
    """Write a figure with its interval; an infinite end is left out, an infinite mean stays."""
    answer = statistics_pb2.Estimate(mean=value.mean)
    if math.isfinite(value.low):
        answer.low = value.low
    if math.isfinite(value.high):
        answer.high = value.high
    return answer


def _standing(row: EntrantStanding, found: Standings) -> tournament_pb2.Standing:
    answer = wire.standing(row)
    thinking = row.standing.thinking
    answer.think.CopyFrom(
        statistics_pb2.ThinkTimes(turns=thinking.turns, mean_ms=thinking.mean_ms, max_ms=thinking.max_ms)
    )
    answer.planned.CopyFrom(_planned(row.planned))
    answer.withdrawn = row.entrant.withdrawn
    if row.detail is None:
        return answer
    if row.detail.share is not None:
        answer.share.CopyFrom(estimate(row.detail.share))
    if row.detail.think is not None:
        answer.think.p50_ms, answer.think.p95_ms = row.detail.think.p50_ms, row.detail.think.p95_ms
    answer.strength.CopyFrom(_strength(row.detail.strength))
    entered = {each.entrant.version_id: each.entrant for each in found.rows}
    for other, met in row.detail.against.items():
        who = entered[other]
        answer.against.add(bot=who.bot, version=who.version, wins=met.wins, ties=met.ties, losses=met.losses)
    return answer


def _strength(found: Strength) -> statistics_pb2.Strength:
    return statistics_pb2.Strength(
        elo=estimate(found.elo), first_place=found.first, last_place=found.last, blocks=found.blocks
    )


def _planned(share: Share) -> statistics_pb2.Planned:
    return statistics_pb2.Planned(
        seats=share.seats, deals=share.deals, fewest_meetings=share.fewest, most_meetings=share.most
    )


def _balance(found: Balance[int]) -> statistics_pb2.Balance:
    return statistics_pb2.Balance(
        matches=_spread(found.matches),
        seats=_spread(found.seats),
        pairs=_spread(found.pairs),
        deals=_spread(found.deals),
    )


def _spread(found: Spread) -> statistics_pb2.Spread:
    return statistics_pb2.Spread(fewest=found.fewest, most=found.most)


def _bin(found: Bin) -> rating_pb2.ReliabilityBin:
    return rating_pb2.ReliabilityBin(
        low=found.low,
        high=found.high,
        pairs=found.pairs,
        predicted=found.predicted,
        observed=estimate(found.observed),
    )
