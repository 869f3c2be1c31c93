"""What a page leaves out of a match whose deal is still being played: how it went, in every figure."""

from __future__ import annotations

from dataclasses import replace

from arena.store.records import Match


def veiled(match: Match) -> Match:
    """Return a match without its result while its deal is closed; who sits where and its state stay."""
    if match.deal_open:
        return match
    seats = tuple(replace(seat, rank=0, score=None, end=None) for seat in match.seats)
    return replace(match, end=None, reason="", plies=0, log_sha256="", finished_at=None, seats=seats)
