"""Conditions of partial indexes as statements have to spell them: a bound value does not match an index."""

from __future__ import annotations

from typing import Final

from sqlalchemy import literal_column
from sqlalchemy import text as sql

from arena.match.result import MatchEnd
from arena.store.states import AttemptState, BlockState, Format
from arena.store.tables import attempts, blocks, deals, matches, tournaments

ACTIVE: Final = attempts.c.state == literal_column(f"'{AttemptState.ACTIVE}'")
QUEUED: Final = blocks.c.state == literal_column(f"'{BlockState.QUEUED}'")
UNFINISHED: Final = sql("blocks.state IN ('QUEUED', 'CLAIMED', 'HELD')")
LOST: Final = blocks.c.lost > literal_column("0")
"""With QUEUED: blocks that were lost and wait."""

CLOSED: Final = deals.c.opened_at.is_(None)
ABORTED: Final = matches.c.end == literal_column(f"'{MatchEnd.ABORTED}'")
LISTED: Final = tournaments.c.format != literal_column(f"'{Format.REQUEST}'")
