"""What is settled before a match begins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from arena.match.clock import Clock


@dataclass(frozen=True, slots=True)
class SeatLabel:
    """The bot at a seat, for people; never used to tell seats apart."""

    bot: str
    version: str


@dataclass(frozen=True, slots=True)
class Setup:
    """The facts of a match.

    components: a component file's text, "" for the game's own. seed: 16 bytes. clock: None is no clock.
    unsafe: the bots run without a sandbox. match_id and meta (such as the starting date) may differ between
    otherwise equal matches; they are given as text, the match reads no clock and makes no ids.
    """

    game: str
    variant: str
    seats: tuple[SeatLabel, ...]
    seed: bytes
    components: str = ""
    clock: Clock | None = None
    unsafe: bool = False
    match_id: str = ""
    meta: Mapping[str, str] = field(default_factory=dict)
