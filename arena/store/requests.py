"""Repository of matches that somebody asked for: what they are played by, and how many wait."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, func, select

from arena.store.records import Tournament
from arena.store.rows import insert_one
from arena.store.states import Format, Lane, TournamentState
from arena.store.tables import blocks, deals, matches, tournaments
from arena.store.tournaments import get_tournament


@dataclass(frozen=True, slots=True)
class PlayedTerms:
    """What a match was played by; seed: of its deal; secret, commitment: of its tournament."""

    tournament: Tournament
    seed: bytes
    secret: bytes
    commitment: str


def read_terms(tx: Connection, match_id: int) -> PlayedTerms:
    """Return what a match was played by."""
    columns = select(matches.c.tournament_id, deals.c.seed, tournaments.c.secret, tournaments.c.commitment)
    query = columns.join(deals, deals.c.id == matches.c.deal_id)
    query = query.join(tournaments, tournaments.c.id == matches.c.tournament_id)
    row = tx.execute(query.where(matches.c.id == match_id)).one()
    return PlayedTerms(get_tournament(tx, row.tournament_id), bytes(row.seed), bytes(row.secret), row.commitment)


def insert_repeat(tx: Connection, played: PlayedTerms, *, name: str, organiser_id: int, now: datetime) -> int:
    """Store an unrated tournament of one deal on the terms of another one; return its id.

    Its seed was drawn by the other one, so it has that one's commitment; the secret is blank here, for the other may
    still be running.
    """
    values = {
        "name": name,
        "organiser_id": organiser_id,
        "state": TournamentState.CREATED,
        "pool_id": played.tournament.pool_id,
        "deals": 1,
        "clock": played.tournament.clock,
        "custom_components": played.tournament.custom_components,
        "secret": b"",
        "commitment": played.commitment,
        "created_at": now,
        "format": Format.REQUEST,
        "rated": False,
    }
    return insert_one(tx, tournaments, values)


def list_match_ids(tx: Connection, tournament_id: int) -> tuple[int, ...]:
    """Return the ids of a tournament's matches in the order of their blocks and legs."""
    query = select(matches.c.id).where(matches.c.tournament_id == tournament_id)
    return tuple(tx.scalars(query.order_by(matches.c.block_id, matches.c.leg)))


def count_open(tx: Connection, account_id: int) -> int:
    """Return how many challenges and repeats of an account are not over."""
    asked = select(blocks.c.id).where(blocks.c.tournament_id == tournaments.c.id, blocks.c.lane == Lane.CHALLENGE)
    query = select(func.count()).where(
        tournaments.c.state == TournamentState.RUNNING,
        tournaments.c.organiser_id == account_id,
        tournaments.c.format == Format.REQUEST,
        asked.exists(),
    )
    return int(tx.scalar(query) or 0)
