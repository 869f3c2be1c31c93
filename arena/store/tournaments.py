"""Repository of tournaments: what was asked for, who entered, which deals there are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, Select, delete, func, select, update

from arena.match.result import MatchEnd
from arena.store.conditions import ACTIVE, LISTED
from arena.store.paging import check_page, make_page
from arena.store.records import Deal, Entrant, MatchCounts, Page, Tournament
from arena.store.rows import insert_in_order, insert_many, insert_one
from arena.store.states import Format, MatchState, TournamentState
from arena.store.tables import (
    accounts,
    attempts,
    blocks,
    bots,
    component_files,
    deals,
    entries,
    matches,
    pools,
    tournaments,
    versions,
)


@dataclass(frozen=True, slots=True)
class Rules:
    """What a rating pool compares by."""

    game: str
    variant: str
    seats: int
    rules_version: int
    components_digest: str
    remote: bool


@dataclass(frozen=True, slots=True)
class NewTournament:
    """A checked request; components: text of a component file, "" for the game's own."""

    name: str
    organiser_id: int
    rules: Rules
    draw_probability: float
    deals: int
    clock: str
    components: str
    secret: bytes
    commitment: str
    format: Format
    rated: bool


def insert_tournament(tx: Connection, new: NewTournament, now: datetime) -> int:
    """Store a tournament, with its pool and component file where these are new; return its id."""
    digest = new.rules.components_digest
    known = select(component_files.c.digest).where(component_files.c.digest == digest)
    if new.components and tx.scalar(known) is None:
        insert_many(tx, component_files, [{"digest": digest, "content": new.components}])
    values = {
        "name": new.name,
        "organiser_id": new.organiser_id,
        "state": TournamentState.CREATED,
        "pool_id": pool_of(tx, new.rules, new.draw_probability),
        "deals": new.deals,
        "clock": new.clock,
        "custom_components": bool(new.components),
        "secret": new.secret,
        "commitment": new.commitment,
        "created_at": now,
        "format": new.format,
        "rated": new.rated,
    }
    return insert_one(tx, tournaments, values)


def find_tournament(tx: Connection, name: str, *, lock: bool = False) -> Tournament | None:
    """Return the tournament with this name; lock: and let no other writer change it until the transaction ends."""
    query = _tournaments().where(tournaments.c.name == name)
    if lock:
        query = query.with_for_update(of=tournaments, key_share=True)
    row = tx.execute(query).one_or_none()
    return None if row is None else _tournament(row)


def get_tournament(tx: Connection, tournament_id: int) -> Tournament:
    """Return the tournament with this id."""
    return _tournament(tx.execute(_tournaments().where(tournaments.c.id == tournament_id)).one())


def page_tournaments(
    tx: Connection, state: TournamentState | None, page_size: int, page_token: str, *, requests: bool = False
) -> Page[Tournament]:
    """List tournaments, newest first; requests: also the matches that somebody asked for."""
    size, after = check_page(page_size, page_token, int)
    query = _tournaments().order_by(tournaments.c.id.desc()).limit(size + 1)
    if state is not None:
        query = query.where(tournaments.c.state == state)
    if not requests:
        query = query.where(LISTED)
    if after:
        query = query.where(tournaments.c.id < after[0])
    return make_page(tx.execute(query).all(), size, _tournament, lambda row: (row.id,))


def list_running(tx: Connection) -> list[Tournament]:
    """Return every tournament that runs, oldest first."""
    query = _tournaments().where(tournaments.c.state == TournamentState.RUNNING).order_by(tournaments.c.id)
    return [_tournament(row) for row in tx.execute(query)]


def insert_entry(tx: Connection, tournament_id: int, entrant: Entrant, now: datetime) -> None:
    """Enter a version; the caller has checked that it is not entered yet."""
    values = {
        "tournament_id": tournament_id,
        "version_id": entrant.version_id,
        "entered_at": now,
        "first_deal": entrant.first_deal,
        "late": entrant.late,
        "head": entrant.head,
        "head_start": entrant.head_start,
        "blocks": 0,
        "latest_deal": 0,
    }
    insert_one(tx, entries, values)


def delete_entry(tx: Connection, tournament_id: int, version_id: int) -> None:
    """Take an entry back, as if it had never been made."""
    tx.execute(delete(entries).where(entries.c.tournament_id == tournament_id, entries.c.version_id == version_id))


def withdraw_entry(tx: Connection, tournament_id: int, version_id: int, now: datetime) -> None:
    """Mark an entry as withdrawn."""
    query = update(entries).where(entries.c.tournament_id == tournament_id, entries.c.version_id == version_id)
    tx.execute(query.values(withdrawn_at=now))


def list_entrants(tx: Connection, tournament_id: int) -> tuple[Entrant, ...]:
    """Return everybody entered, the withdrawn ones included, in order of entry."""
    columns = select(
        versions.c.id,
        bots.c.name,
        versions.c.number,
        accounts.c.name.label("author"),
        versions.c.sha256,
        entries.c.first_deal,
        entries.c.late,
        entries.c.head,
        entries.c.head_start,
        entries.c.withdrawn_at.is_not(None),
        versions.c.remote,
    )
    query = columns.select_from(entries).join(versions).join(bots).join(accounts)
    query = query.where(entries.c.tournament_id == tournament_id).order_by(entries.c.id)
    return tuple(Entrant(*row) for row in tx.execute(query))


def list_entered_in(tx: Connection, version_id: int) -> list[str]:
    """Return the names of the tournaments that are not over and have this version in them, oldest first."""
    query = select(tournaments.c.name).join(entries, entries.c.tournament_id == tournaments.c.id)
    query = query.where(
        entries.c.version_id == version_id,
        entries.c.withdrawn_at.is_(None),
        tournaments.c.state.not_in((TournamentState.FINISHED, TournamentState.CANCELLED)),
    )
    return list(tx.scalars(query.order_by(tournaments.c.id)))


def read_secret(tx: Connection, tournament_id: int) -> bytes:
    """Return the secret behind the seeds; never shown before the tournament is over."""
    return bytes(tx.execute(select(tournaments.c.secret).where(tournaments.c.id == tournament_id)).scalar_one())


def find_components(tx: Connection, digest: str) -> str | None:
    """Return the text of a stored component file."""
    text: str | None = tx.scalar(select(component_files.c.content).where(component_files.c.digest == digest))
    return text


def set_state(tx: Connection, tournament_id: int, state: TournamentState, **moments: datetime) -> None:
    """Change where a tournament stands; moments: started_at or finished_at."""
    tx.execute(update(tournaments).where(tournaments.c.id == tournament_id).values(state=state, **moments))


def insert_deals(tx: Connection, tournament_id: int, seeds: Sequence[bytes], first: int = 1) -> list[int]:
    """Store the seeds of deals first, first + 1, ... and return the deals' ids."""
    rows = [
        {"tournament_id": tournament_id, "number": number, "seed": seed} for number, seed in enumerate(seeds, first)
    ]
    return insert_in_order(tx, deals, rows, within="tournament_id", by="number")


def page_deals(tx: Connection, tournament_id: int, page_size: int, page_token: str) -> Page[Deal]:
    """List deals in order; a closed one without its seed."""
    size, after = check_page(page_size, page_token, int)
    query = select(deals.c.number, deals.c.seed, deals.c.opened_at).where(deals.c.tournament_id == tournament_id)
    query = query.order_by(deals.c.number).limit(size + 1)
    if after:
        query = query.where(deals.c.number > after[0])

    def deal(row: Any) -> Deal:
        return Deal(row.number, None if row.opened_at is None else bytes(row.seed), row.opened_at)

    return make_page(tx.execute(query).all(), size, deal, lambda row: (row.number,))


def count_open_deals(tx: Connection, tournament_id: int) -> int:
    """Return how many deals are open."""
    query = select(func.count()).where(deals.c.tournament_id == tournament_id, deals.c.opened_at.is_not(None))
    return int(tx.scalar(query) or 0)


def count_matches(tx: Connection, tournament_id: int) -> MatchCounts:
    """Count a tournament's matches by where they stand."""
    query = select(matches.c.state, matches.c.end, func.count()).where(matches.c.tournament_id == tournament_id)
    found: dict[tuple[MatchState, MatchEnd | None], int] = {
        (row[0], row[1]): row[2] for row in tx.execute(query.group_by(matches.c.state, matches.c.end))
    }
    running_query = select(func.count()).select_from(attempts)
    running_query = running_query.join(blocks, blocks.c.id == attempts.c.block_id)
    running_query = running_query.join(matches, matches.c.id == attempts.c.match_id).where(
        ACTIVE,
        matches.c.state == MatchState.SCHEDULED,
        blocks.c.tournament_id == tournament_id,
    )
    running = int(tx.scalar(running_query) or 0)
    scheduled = found.get((MatchState.SCHEDULED, None), 0)
    finished = found.get((MatchState.FINAL, MatchEnd.COMPLETED), 0) + found.get((MatchState.FINAL, MatchEnd.FORFEIT), 0)
    total = sum(found.values())
    return MatchCounts(total, scheduled - running, running, finished, total - scheduled - finished)


def count_finished(tx: Connection, tournament_id: int, since: datetime) -> int:
    """Return how many matches of a tournament have ended since a moment."""
    ended = matches.c.tournament_id == tournament_id, matches.c.finished_at >= since
    return int(tx.scalar(select(func.count()).select_from(matches).where(*ended)) or 0)


def pool_of(tx: Connection, rules: Rules, draw_probability: float) -> int:
    """Return the id of the pool for these rules, made if it is new."""
    facts = {
        "game": rules.game,
        "variant": rules.variant,
        "seats": rules.seats,
        "rules_version": rules.rules_version,
        "components_digest": rules.components_digest,
        "remote": rules.remote,
    }
    known = tx.scalar(select(pools.c.id).where(*(pools.c[name] == value for name, value in facts.items())))
    if known is not None:
        return int(known)
    return insert_one(tx, pools, {**facts, "draw_probability": draw_probability, "next_seq": 1})


def _tournaments() -> Select[Any]:
    columns = select(
        tournaments,
        accounts.c.name.label("organiser"),
        pools.c.game,
        pools.c.variant,
        pools.c.seats,
        pools.c.rules_version,
        pools.c.components_digest,
        pools.c.remote,
    )
    return columns.join(accounts, accounts.c.id == tournaments.c.organiser_id).join(
        pools, pools.c.id == tournaments.c.pool_id
    )


def _tournament(row: Row[Any]) -> Tournament:
    over = row.state in {TournamentState.FINISHED, TournamentState.CANCELLED}
    return Tournament(
        id=row.id,
        name=row.name,
        organiser=row.organiser,
        state=row.state,
        game=row.game,
        variant=row.variant,
        seats=row.seats,
        deals=row.deals,
        clock=row.clock,
        rules_version=row.rules_version,
        components_digest=row.components_digest,
        custom_components=row.custom_components,
        remote=row.remote,
        pool_id=row.pool_id,
        commitment=row.commitment,
        secret=row.secret.hex() if over else "",
        created_at=row.created_at,
        started_at=row.started_at,
        finished_at=row.finished_at,
        format=row.format,
        rated=row.rated,
    )
