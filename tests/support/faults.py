"""What goes wrong in a chaos drill, and when: a plan that follows from a seed alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from random import Random


class Kind(StrEnum):
    """One kind of fault each."""

    WORKER_KILLED = "a worker is killed"
    REFEREE_KILLED = "a referee is killed"
    BOT_KILLED = "a bot's sandbox is killed"
    API_KILLED = "the api is killed"
    DISPATCHER_KILLED = "the dispatcher is killed"
    BROKER_KILLED = "the broker is killed"
    BROKER_FORGETS = "the broker forgets everything"
    DATABASE_AWAY = "the database refuses everybody for a while"
    DISK_FULL = "the disk fills up"
    WORKER_STOPPED = "a worker is stopped past its lease and wakes"
    WORKER_ENDED = "a worker is told to end"
    POWER_CUT = "everything is killed at once"


EVERYWHERE = tuple(kind for kind in Kind if kind is not Kind.POWER_CUT)
"""What can happen to any site; a power cut needs a machine that is one of its own."""

LOSING = frozenset(
    {
        Kind.WORKER_KILLED,
        Kind.REFEREE_KILLED,
        Kind.BOT_KILLED,
        Kind.DATABASE_AWAY,
        Kind.DISK_FULL,
        Kind.WORKER_STOPPED,
        Kind.POWER_CUT,
    }
)
"""What may cost attempts at a match."""


@dataclass(frozen=True)
class Fault:
    """A fault that comes when so many matches have a result; victim: which one of several it meets, 0 to 1."""

    after: int
    kind: Kind
    victim: float

    def __str__(self) -> str:
        return f"after {self.after} matches, {self.kind}"


def plan(seed: int, kinds: Sequence[Kind], matches: int, faults: int) -> tuple[Fault, ...]:
    """Return so many faults, in order: no kind comes again before each has come, none after the last but one match."""
    stream = Random(f"chaos drill {seed}")
    order: list[Kind] = []
    while len(order) < faults:
        order += stream.sample(list(kinds), len(kinds))
    moments = sorted(stream.randrange(matches - 1) for _ in range(faults))
    return tuple(Fault(after, kind, stream.random()) for after, kind in zip(moments, order[:faults], strict=True))
