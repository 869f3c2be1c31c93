"""Turns the options of `arena play` and `arena match` into what is to be played."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from arena.cli.botref import LocalBot, find_bots
from arena.cli.output import note
from arena.core.chance import seed_from_text
from arena.core.component_file import LONGEST
from arena.core.errors import UsageError
from arena.core.game import AnyGame, Variant
from arena.core.registry import check_seats, find_variant, load_game
from arena.match.clock import Clock
from arena.match.setup import Setup

SEED_BITS = 32
"""Size of a seed chosen here: short enough to be typed again, for local play only."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What is to be played, checked. components: a file's text, "" for the game's own; seed_text: as it was given."""

    game: AnyGame
    variant: Variant
    bots: tuple[LocalBot, ...]
    components: str
    clock: Clock | None
    seed: bytes
    seed_text: str
    in_process: bool
    unsafe: bool

    def setup(self, seats: Sequence[LocalBot], seed: bytes, match_id: str) -> Setup:
        """Return the facts of one match between these bots, in seat order."""
        mode = {"mode": "in-process"} if self.in_process else {}
        return Setup(
            game=self.game.spec.id,
            variant=self.variant.id,
            seats=tuple(bot.label for bot in seats),
            seed=seed,
            components=self.components,
            clock=self.clock,
            unsafe=self.unsafe or self.in_process,
            match_id=match_id,
            meta={"started": datetime.now(UTC).isoformat(timespec="seconds")} | mode,
        )


def read_setting(
    game: str,
    bots: Sequence[str],
    *,
    variant: str | None,
    seed: str | None,
    clock: str | None,
    components: Path | None,
    in_process: bool,
    unsafe: bool,
    people: bool = False,
) -> Setting:
    """Check the options of a command that plays matches; a seed chosen at random is said on stderr.

    people: a bot may be "human". A person is not told the seed, which holds all that is hidden, and has no clock unless
    one is asked for. Raises UsageError for whatever does not fit: unknown game, variant or bot, a wrong number of bots,
    a bad clock ...
    """
    rules = load_game(game)
    found = find_variant(rules, variant)
    check_seats(rules, found, len(bots))
    if in_process and clock not in {None, "none"}:
        raise UsageError(
            "--in-process plays without a clock; leave --clock or --in-process out", reason="NO_CLOCK_HERE"
        )
    text = "" if components is None else read_text(components)
    # An empty file is a file without numbers, not the wish for the game's own.
    rules.components(None if components is None else text, str(components))
    found_bots = tuple(find_bots(bots, rules.spec.id, people=people))
    manned = any(bot.is_person for bot in found_bots)
    if clock is None:
        clock = "none" if manned or in_process else rules.spec.clock
    timed = Clock.parse(clock)
    if seed is None:
        seed = str(secrets.randbits(SEED_BITS))
        if not manned:
            note(f"seed {seed} (chosen at random; --seed {seed} plays the same again)")
    return Setting(
        game=rules,
        variant=found,
        bots=found_bots,
        components=text,
        clock=timed,
        seed=seed_from_text(seed),
        seed_text=seed,
        in_process=in_process,
        unsafe=unsafe,
    )


def read_text(path: Path) -> str:
    """Return a component file's text, no more of it than shows it to be too long.

    Raises UsageError for a file that cannot be read.
    """
    try:
        with path.open(encoding="utf-8") as file:
            return file.read(LONGEST + 1)
    except OSError as wrong:
        raise UsageError(f"{path} cannot be read: {wrong.strerror or wrong}", reason="UNREADABLE_FILE") from None
    except UnicodeDecodeError:
        raise UsageError(f"{path} cannot be read: it is no text in UTF-8", reason="UNREADABLE_FILE") from None
