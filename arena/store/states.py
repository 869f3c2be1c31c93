"""The states of everything that is stored, and who may do what."""

from __future__ import annotations

from enum import StrEnum


class Role(StrEnum):
    """What an account may do; each role may do all that the ones before it may."""

    AUTHOR = "AUTHOR"
    ORGANISER = "ORGANISER"
    ADMIN = "ADMIN"

    def covers(self, needed: Role) -> bool:
        """Whether this role may do what needs the other one."""
        order = list(Role)
        return order.index(self) >= order.index(needed)


class VersionState(StrEnum):
    """Where a bot version stands: CHECKING, then ACCEPTED or REJECTED; later perhaps RETIRED or SET_ASIDE."""

    CHECKING = "CHECKING"
    ACCEPTED = "ACCEPTED"
    REJECTED = "REJECTED"
    RETIRED = "RETIRED"
    SET_ASIDE = "SET_ASIDE"


class TournamentState(StrEnum):
    """Where a tournament stands: entry is open while CREATED; RUNNING and PAUSED may alternate; the rest is over."""

    CREATED = "CREATED"
    RUNNING = "RUNNING"
    PAUSED = "PAUSED"
    FINISHED = "FINISHED"
    CANCELLED = "CANCELLED"


class Format(StrEnum):
    """Who meets whom: everybody, some against the rest, an open end, or just the matches somebody asked for."""

    ROUND_ROBIN = "ROUND_ROBIN"
    GAUNTLET = "GAUNTLET"
    LADDER = "LADDER"
    REQUEST = "REQUEST"


class Lane(StrEnum):
    """What a block is played for; each lane with queued blocks gets its share of the workers."""

    TOURNAMENT = "TOURNAMENT"
    LADDER = "LADDER"
    CHALLENGE = "CHALLENGE"
    QUALIFICATION = "QUALIFICATION"


class Queue(StrEnum):
    """Which workers can serve a block: REMOTE ones have a seat played from its author's machine."""

    HOSTED = "HOSTED"
    REMOTE = "REMOTE"


class BlockState(StrEnum):
    """Where a block stands: QUEUED and CLAIMED alternate until it is DONE; HELD while paused; VOID when taken out."""

    QUEUED = "QUEUED"
    CLAIMED = "CLAIMED"
    HELD = "HELD"
    DONE = "DONE"
    VOID = "VOID"


class AttemptState(StrEnum):
    """How a claim of a block goes: ACTIVE, then DONE, LOST (lease expired or given up) or RELEASED (handed back)."""

    ACTIVE = "ACTIVE"
    DONE = "DONE"
    LOST = "LOST"
    RELEASED = "RELEASED"


class MatchState(StrEnum):
    """Where a match stands: SCHEDULED until it is FINAL, or CANCELLED before it was played."""

    SCHEDULED = "SCHEDULED"
    FINAL = "FINAL"
    CANCELLED = "CANCELLED"
