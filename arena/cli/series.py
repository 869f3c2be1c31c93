"""The results of an `arena match`: collected leg by leg, kept in a record file if one is given, summed up in blocks."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from arena.cli.logfile import check_writable
from arena.cli.setting import Setting
from arena.core.errors import UsageError
from arena.ladder.stats import BlockStats, Leg, block_stats
from arena.ladder.versus import Versus, versus
from arena.match.clock import clock_text
from arena.match.result import MatchEnd, MatchResult, SeatEnd

RECORD_VERSION: Final = 1


@dataclass(frozen=True, slots=True)
class LegKey:
    """Which match of the series: block from 1, leg from 0; seats: the entrant at every seat."""

    block: int
    leg: int
    seats: tuple[int, ...]


class Series:
    """Finished legs of one match between the same entrants.

    A record file holds one line of facts and one line a leg; a match given the same file plays only what is missing.
    """

    def __init__(self, setting: Setting, record: Path | None) -> None:
        self.names = _names(setting)
        self.ends: list[Counter[SeatEnd]] = [Counter() for _ in self.names]
        self._legs: dict[int, dict[int, Leg]] = {}
        self._record = record
        if record is not None:
            self._open(record, _facts(setting))

    def has(self, key: LegKey) -> bool:
        """Say whether this leg is finished."""
        return key.leg in self._legs.get(key.block, ())

    def add(self, key: LegKey, result: MatchResult) -> None:
        """Take a finished leg, and keep it in the record."""
        ranks, ends = [0] * len(self.names), [SeatEnd.PLAYED] * len(self.names)
        for seat, entrant in enumerate(key.seats):
            ranks[entrant], ends[entrant] = result.ranks[seat], result.seat_ends[seat]
        leg = {"block": key.block, "leg": key.leg, "end": result.end, "ranks": ranks, "ends": ends}
        if self._record is not None:
            with self._record.open("a", encoding="utf-8") as file:
                file.write(json.dumps(leg) + "\n")
        self._count(leg)

    def whole_blocks(self) -> list[int]:
        """Return the numbers of the blocks of which every leg is finished, ascending."""
        return sorted(block for block, legs in self._legs.items() if len(legs) == len(self.names))

    def whole_block(self, block: int) -> list[Leg] | None:
        """Return the legs of a block, None while one is missing."""
        legs = self._legs.get(block, {})
        return list(legs.values()) if len(legs) == len(self.names) else None

    def comparison(self) -> Versus | None:
        """Return how two entrants compare; None for another number of them, or while no block counts."""
        if len(self.names) != 2:
            return None
        return versus([list(self._legs[block].values()) for block in self.whole_blocks()])

    def stats(self) -> BlockStats:
        """Return the statistics over the whole blocks."""
        return block_stats([list(self._legs[block].values()) for block in self.whole_blocks()])

    def _count(self, leg: Mapping[str, Any]) -> None:
        ranks = tuple(int(rank) for rank in leg["ranks"])
        completed = MatchEnd(leg["end"]) is MatchEnd.COMPLETED
        self._legs.setdefault(int(leg["block"]), {})[int(leg["leg"])] = Leg(ranks, completed)
        for entrant, end in enumerate(leg["ends"]):
            self.ends[entrant][SeatEnd(end)] += 1

    def _open(self, record: Path, facts: Mapping[str, Any]) -> None:
        check_writable(record)
        lines = _whole_lines(record)
        if not lines:
            record.write_text(json.dumps(facts) + "\n", encoding="utf-8")
            return
        for name, value in facts.items():
            if lines[0].get(name) != value:
                raise UsageError(
                    f"{record} is the record of another match: its {name} is {lines[0].get(name)!r}, not {value!r};"
                    " name another file",
                    reason="OTHER_RECORD",
                )
        # A line that an interrupt cut short must not swallow the next one.
        record.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        for leg in lines[1:]:
            self._count(leg)


def recorded_seed(record: Path) -> str | None:
    """Return the seed in a record file, None if there is no such file yet. Raises UsageError for another file."""
    lines = _whole_lines(record)
    return str(lines[0]["seed"]) if lines and "seed" in lines[0] else None


def _whole_lines(record: Path) -> list[dict[str, Any]]:
    if not record.exists():
        return []
    try:
        lines = record.read_bytes().splitlines(keepends=True)
        found = [json.loads(line) for line in lines if line.endswith(b"\n")]
    except (OSError, ValueError) as wrong:
        raise UsageError(
            f"{record} is no record of a match ({wrong}); name another file", reason="BAD_RECORD"
        ) from None
    if any(not isinstance(line, dict) for line in found) or (found and found[0].get("record") != RECORD_VERSION):
        raise UsageError(f"{record} is no record of a match; name another file", reason="BAD_RECORD")
    return found


def _facts(setting: Setting) -> dict[str, Any]:
    return {
        "record": RECORD_VERSION,
        "game": setting.game.spec.id,
        "variant": setting.variant.id,
        "rules": setting.game.spec.rules_version,
        "components": setting.game.components(setting.components or None, "components").digest,
        "seed": setting.seed_text,
        "clock": clock_text(setting.clock),
        "bots": [bot.manifest.name for bot in setting.bots],
        "in_process": setting.in_process,
    }


def _names(setting: Setting) -> Sequence[str]:
    """Return the entrants' names, told apart where a bot meets itself."""
    names = [bot.manifest.name for bot in setting.bots]
    return [
        name if names.count(name) == 1 else f"{name} #{names[: place + 1].count(name)}"
        for place, name in enumerate(names)
    ]
