"""A database as it is after a long time: many tournaments, of which each is a small part of every table."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Connection, text

from arena.core.registry import load_game
from arena.services.packing import pack, pack_times
from arena.store import Store
from arena.store.tables import METADATA

ACCOUNTS: Final = 40
BOTS: Final = 300
TOURNAMENTS: Final = 50
"""Of them the last is a ladder, and the last five run."""

REQUESTS: Final = 2_000
"""Tournaments that are matches somebody asked for, all newer than the others."""

DEALS: Final = 20
BLOCKS: Final = 5
"""Of each deal; each has two legs."""

MATCHES: Final = TOURNAMENTS * DEALS * BLOCKS * 2

_POOL = "1 + (({tournament}) % 3)"
_TOURNAMENT = f"(1 + (i - 1) / {DEALS * BLOCKS * 2})"
_BOT = "(10 + ((i - 1) * 7 + {seat} * 13) % 24 + 8 * (" + _TOURNAMENT + " % 30))"  # 24 of them in a tournament

_OVER = f"(i <= {(TOURNAMENTS - 5) * DEALS * BLOCKS * 2} OR ((i - 1) / {2 * BLOCKS}) % 2 = 1)"


def fill(store: Store, now: datetime) -> None:
    """Fill every table; the store is new but for its first account, whose id is 1."""
    with store.write() as tx:
        _people(tx, now)
        _tournaments(tx, now)
        _play(tx, now)
        _ratings(tx, now)
        if store.dialect == "postgresql":
            for table in (one.name for one in METADATA.sorted_tables if "id" in one.c):
                last = f"(SELECT coalesce(max(id), 1) FROM {table})"  # noqa: S608 - our own names
                tx.execute(text(f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), {last})"))
    with store.write() as tx:
        tx.execute(text("ANALYZE"))


def _insert(
    tx: Connection,
    table: str,
    last: int,
    values: dict[str, object],
    *,
    first: int = 1,
    where: str = "TRUE",
    **bound: object,
) -> None:
    """Insert a row for each number i of a range that meets a condition; values: SQL expressions of i."""
    names = ", ".join(f'"{name}"' for name in values)
    expressions = ", ".join(map(str, values.values()))
    numbers = f"WITH RECURSIVE n(i) AS (SELECT {first} UNION ALL SELECT i + 1 FROM n WHERE i < {last})"  # noqa: S608
    statement = f"INSERT INTO {table} ({names}) {numbers} SELECT {expressions} FROM n WHERE {where}"  # noqa: S608 - own
    if tx.dialect.name == "sqlite":
        bound = {
            name: value.strftime("%Y-%m-%d %H:%M:%S.%f") if isinstance(value, datetime) else value
            for name, value in bound.items()
        }
    tx.execute(text(statement), bound)


def _people(tx: Connection, now: datetime) -> None:
    author = {"id": "i", "name": "'author-' || i", "role": "'AUTHOR'", "created_at": ":now"}
    _insert(tx, "accounts", ACCOUNTS, author, first=2, now=now)
    token = {"id": "i", "account_id": f"2 + i % {ACCOUNTS - 1}", "label": "''", "digest": "'digest-' || i"}
    _insert(tx, "tokens", 10 * ACCOUNTS, {**token, "created_at": ":now"}, first=100, now=now)
    bot = {"id": "i", "name": "'bot-' || i", "owner_id": f"2 + i % {ACCOUNTS - 1}", "created_at": ":now"}
    _insert(tx, "bots", BOTS, bot, now=now)
    version = {
        "id": "i", "bot_id": f"1 + (i - 1) % {BOTS}", "number": f"1 + (i - 1) / {BOTS}", "state": "'ACCEPTED'",
        "reason": "''", "games": "'first-snow'", "language": "'python'", "sha256": "'sha-' || i",
        "content_digest": "'content-' || i", "size_bytes": "100", "manifest": "''", "submitted_at": ":now",
        "failed_in_row": "0",
    }  # fmt: skip
    _insert(tx, "bot_versions", 2 * BOTS, version, now=now)
    _insert(tx, "archives", 2 * BOTS, {"sha256": "'sha-' || i", "content": ":content"}, content=b"zip")


def _tournaments(tx: Connection, now: datetime) -> None:
    game = load_game("first-snow")
    pool = {
        "id": "i", "game": "'first-snow'", "variant": "'variant-' || i", "seats": "2",
        "rules_version": str(game.spec.rules_version),
        "components_digest": f"'{game.components(None, 'components').digest}'", "remote": "FALSE",
        "draw_probability": "0.1", "next_seq": "100000",
    }  # fmt: skip
    _insert(tx, "pools", 3, pool)
    tournament = {
        "id": "i", "name": "'cup-' || i", "organiser_id": "1",
        "state": f"CASE WHEN i > {TOURNAMENTS - 5} AND i <= {TOURNAMENTS} THEN 'RUNNING' ELSE 'FINISHED' END",
        "pool_id": _POOL.format(tournament="i"), "deals": str(DEALS), "clock": "'none'", "custom_components": "FALSE",
        "secret": ":secret", "commitment": "''", "created_at": ":now", "started_at": ":now",
        "format": f"CASE WHEN i > {TOURNAMENTS} THEN 'REQUEST' WHEN i = {TOURNAMENTS} THEN 'LADDER' "
        "ELSE 'ROUND_ROBIN' END",
        "rated": f"i <= {TOURNAMENTS}",
    }  # fmt: skip
    _insert(tx, "tournaments", TOURNAMENTS + REQUESTS, tournament, now=now, secret=bytes(16))
    decided = {"tournament_id": "i", "version_id": f"1 + i % {2 * BOTS}"}
    _insert(tx, "qualifications", TOURNAMENTS + REQUESTS, decided, first=TOURNAMENTS + 1)
    entry = {
        "id": "i", "tournament_id": "1 + (i - 1) / 24", "entered_at": ":now",
        "version_id": "10 + (i - 1) % 24 + 8 * ((1 + (i - 1) / 24) % 30)",
        "first_deal": "1", "late": "FALSE", "head": "FALSE", "head_start": "0", "blocks": "3", "latest_deal": "7",
    }  # fmt: skip
    _insert(tx, "entries", 24 * TOURNAMENTS, entry, now=now)
    deal = {
        "id": "i", "tournament_id": f"1 + (i - 1) / {DEALS}", "number": f"1 + (i - 1) % {DEALS}", "seed": ":seed",
        "opened_at": f"CASE WHEN i <= {(TOURNAMENTS - 5) * DEALS} OR i % 2 = 0 THEN :now END",
    }  # fmt: skip
    _insert(tx, "deals", TOURNAMENTS * DEALS, deal, now=now, seed=bytes(16))


def _play(tx: Connection, now: datetime) -> None:
    done = f"i <= {(TOURNAMENTS - 5) * DEALS * BLOCKS} OR ((i - 1) / {BLOCKS}) % 2 = 1"
    block = {
        "id": "i", "tournament_id": f"1 + (i - 1) / {DEALS * BLOCKS}", "ordinal": f"(i - 1) % {DEALS * BLOCKS}",
        "queue": "'HOSTED'", "state": f"CASE WHEN {done} THEN 'DONE' WHEN i % 20 = 1 THEN 'CLAIMED' ELSE 'QUEUED' END",
        "attempt": f"CASE WHEN {done} OR i % 20 = 1 THEN 1 ELSE 0 END", "lost": "0", "not_before": ":now",
        "lane": f"CASE WHEN i > {(TOURNAMENTS - 1) * DEALS * BLOCKS} THEN 'LADDER' ELSE 'TOURNAMENT' END",
    }  # fmt: skip
    _insert(tx, "blocks", TOURNAMENTS * DEALS * BLOCKS, block, now=now)
    match = {
        "id": "i", "block_id": "1 + (i - 1) / 2", "tournament_id": _TOURNAMENT,
        "deal_id": f"1 + (i - 1) / {BLOCKS * 2}", "pool_id": _POOL.format(tournament=_TOURNAMENT),
        "game": "'first-snow'", "leg": "1 + (i - 1) % 2",
        "state": f"CASE WHEN {_OVER} THEN 'FINAL' ELSE 'SCHEDULED' END",
        "rating_seq": "i", "folded": f"{_OVER}", "lost": "0", "attempt": "1",
        "end": f"CASE WHEN {_OVER} THEN CASE WHEN i % 997 = 0 THEN 'ABORTED' ELSE 'COMPLETED' END END",
        "reason": "''", "plies": "40", "result_digest": "''", "finished_at": f"CASE WHEN {_OVER} THEN :now END",
    }  # fmt: skip
    _insert(tx, "matches", MATCHES, match, now=now)
    for seat in (0, 1):
        bot = _BOT.format(seat=seat)
        values = {
            "match_id": "i", "seat": str(seat), "version_id": bot, "bot_id": bot,
            "pool_id": _POOL.format(tournament=_TOURNAMENT), "rating_seq": "i", "folded": f"{_OVER}",
            "rank": str(1 + seat), "score": "10", "end": f"CASE WHEN {_OVER} THEN 'PLAYED' END", "turns": "2",
            "answers": "2", "think_max_ms": "5", "think_total_ms": "8", "charged_total_ms": "1",
        }  # fmt: skip
        _insert(tx, "match_seats", MATCHES, values)
        times = {"match_id": "i", "seat": str(seat), "content": ":content"}
        _insert(tx, "seat_times", MATCHES, times, where=_OVER, content=pack_times((3, 5), (0, 1)))
        output = {"match_id": "i", "seat": str(seat), "truncated": "FALSE", "content": ":content"}
        _insert(tx, "seat_outputs", MATCHES, output, where=_OVER, content=pack(b"said"))
    log = {"match_id": "i", "sha256": "'sha'", "size_bytes": "4", "content": ":content"}
    _insert(tx, "match_logs", MATCHES, log, where=_OVER, content=pack(b"log\n"))
    attempt = {
        "id": "i", "block_id": "i", "number": "1", "worker": "'w'",
        "state": f"CASE WHEN {done} THEN 'DONE' ELSE 'ACTIVE' END",
        "claimed_at": ":now", "beat_at": ":now", "lease_until": ":until", "match_id": "2 * i", "ply": "3",
        "progressed_at": ":now", "reason": "''",
    }  # fmt: skip
    until = now + timedelta(seconds=30)
    claimed = f"{done} OR i % 20 = 1"
    _insert(tx, "attempts", TOURNAMENTS * DEALS * BLOCKS, attempt, where=claimed, now=now, until=until)


def _ratings(tx: Connection, now: datetime) -> None:
    for pool in (1, 2, 3):
        rating = {
            "pool_id": str(pool), "version_id": "i", "mu": "25.0 + i % 17", "sigma": "2.0", "score": "19.0 + i % 17",
            "matches": "20", "rank_sum": "30", "forfeits": "0",
        }  # fmt: skip
        _insert(tx, "ratings", 2 * BOTS, rating)
    for seat in (0, 1):
        bot = _BOT.format(seat=seat)
        change = {
            "id": f"2 * i + {seat}", "match_id": "i", "version_id": bot, "bot_id": bot,
            "pool_id": _POOL.format(tournament=_TOURNAMENT), "rating_seq": "i", "rank": str(1 + seat),
            "mu_before": "25.0", "sigma_before": "2.0", "mu_after": "25.1", "sigma_after": "1.9", "finished_at": ":now",
        }  # fmt: skip
        _insert(tx, "rating_changes", MATCHES, change, where=_OVER, now=now)
