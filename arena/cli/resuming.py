"""How to go on with an `arena match` that was interrupted or is not decided: the words and the command."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

from arena.cli.sequential import Sequential
from arena.cli.series import Series
from arena.cli.setting import Setting


@dataclass(frozen=True, slots=True)
class Again:
    """What was asked for on the command line, as far as a second command has to ask for it again."""

    setting: Setting
    bots: tuple[str, ...]
    clock: str | None
    components: Path | None
    sequential: Sequential | None
    record: Path | None
    json: bool

    def command(self, first: int, last: int) -> str:
        """Return the command that plays these blocks, whatever is in the record left out."""
        setting = self.setting
        words = ["arena", "match", *self.bots, "--game", setting.game.spec.id, "--variant", setting.variant.id]
        words += ["--seed", setting.seed_text, "--first-block", str(first), "--blocks", str(last)]
        words += self.sequential.options() if self.sequential is not None else []
        words += ["--clock", self.clock] if self.clock is not None else []
        words += ["--components", str(self.components)] if self.components is not None else []
        words += ["--record", str(self.record)] if self.record is not None else []
        words += ["--in-process"] if setting.in_process else []
        words += ["--unsafe-no-sandbox"] if setting.unsafe else []
        return shlex.join([*words, "--json"] if self.json else words)

    def after_interrupt(self, series: Series, first: int, last: int) -> str:
        """Return the words that tell an interrupted user how to go on."""
        done = series.whole_blocks()
        said = f"interrupted with {len(done)} of {last - first + 1} blocks done"
        if self.record is not None:
            return f"{said}; to go on: {self.command(first, last)}"
        # Without a record a sequential test has to see its first blocks again.
        gap = first if self.sequential else next(block for block in range(first, last + 2) if block not in done)
        return f"{said}; the others: {self.command(gap, last)} (with --record FILE a match goes on where it stopped)"
