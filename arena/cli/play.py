"""`arena play`: one match on this machine."""

from __future__ import annotations

import os
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.logfile import check_writable, write_log
from arena.cli.matchoptions import ClockNotation, ComponentFile, InProcess, Json, Seed, Unsafe, Variant
from arena.cli.output import Interrupted, note, print_json, print_table, say
from arena.cli.playing import Job, Played, open_table
from arena.cli.setting import Setting, read_setting
from arena.match.result import MatchEnd, SeatEnd

EXIT_UNRATED = 1


def play(
    game: Annotated[str, typer.Argument(metavar="GAME", help="The game, as `arena games` names it.")],
    bots: Annotated[
        list[str], typer.Argument(metavar="BOT...", help="One a seat: a built-in name, a folder, or human.")
    ],
    variant: Variant = None,
    seed: Seed = None,
    clock: ClockNotation = None,
    log: Annotated[Path | None, typer.Option("--log", metavar="FILE", help="Write the log (.zst: compressed).")] = None,
    components: ComponentFile = None,
    in_process: InProcess = False,
    unsafe: Unsafe = False,
    no_color: Annotated[bool, typer.Option("--no-color", help="Draw for a human without colours.")] = False,
    json: Json = False,
) -> None:
    """Play one match on this machine; every bot a program in a sandbox of its own, unless --in-process.

    BOT may be human: you play that seat in this terminal, without a clock unless --clock is given. Ctrl-C resigns. The
    log of such a match is always kept, in this folder if --log names no file.

    Exit code 1 if the match does not count (VOID or ABORTED), 130 if a human resigned by Ctrl-C or by the end of input.
    """
    if log is not None:
        check_writable(log)
    setting = read_setting(
        game,
        bots,
        variant=variant,
        seed=seed,
        clock=clock,
        components=components,
        in_process=in_process,
        unsafe=unsafe,
        people=True,
    )
    manned = any(bot.is_person for bot in setting.bots)
    if log is None and manned:
        log = _log_beside(setting)
        check_writable(log)
    given_up = False
    try:
        if manned:
            played, given_up = _play_with_people(setting, no_color=no_color, aside=json)
        else:
            with open_table(setting) as table:
                job = Job(setting.setup(setting.bots, setting.seed, "local"), setting.bots)
                played = next(iter(table.play_each([job])))
    except KeyboardInterrupt:
        raise Interrupted(f"interrupted; the same match again: add --seed {setting.seed_text}") from None
    if log is not None:
        write_log(log, played.log)
    if json:
        print_json(_facts(setting, played, log))
    else:
        _tell(setting, played)
        if manned:
            note(f"the log is in {log}")
    if played.result.end in {MatchEnd.VOID, MatchEnd.ABORTED}:
        raise typer.Exit(EXIT_UNRATED)
    if given_up:
        raise Interrupted(f"resigned; look at it again: arena replay {log}")


def _play_with_people(setting: Setting, *, no_color: bool, aside: bool) -> tuple[Played, bool]:
    """Play with people at this terminal; also return whether one gave up otherwise than by saying so.

    aside: draw on stderr, because stdout is for JSON.
    """
    from arena.cli.human.person import Leaving  # noqa: PLC0415 - Rich costs 60 ms that bots among themselves need not pay
    from arena.cli.human.playing import play_with_people  # noqa: PLC0415 - as above
    from arena.cli.human.terminal import Terminal  # noqa: PLC0415 - as above

    terminal = Terminal(sys.stderr if aside else sys.stdout, no_color=no_color)
    played, people = play_with_people(setting, terminal)
    ends = played.result.seat_ends
    broken_off = (Leaving.BY_INTERRUPT, Leaving.BY_END_OF_INPUT)
    return played, any(person.leaving in broken_off and ends[person.seat] is SeatEnd.RESIGNED for person in people)


def _log_beside(setting: Setting) -> Path:
    """Name a log for this match in the current folder, or for temporary files where that may not be written to."""
    name = f"{setting.game.spec.id}-{datetime.now(UTC):%Y%m%d-%H%M%S}-{os.getpid()}.jsonl"
    folder = Path() if os.access(Path(), os.W_OK) else Path(tempfile.gettempdir())
    return folder / name


def _tell(setting: Setting, played: Played) -> None:
    result = played.result
    for seat, words in enumerate(played.seats):
        if words.output:
            note(f"--- seat {seat} ({setting.bots[seat].manifest.name}) printed:")
            sys.stderr.write(words.output if words.output.endswith("\n") else f"{words.output}\n")
    title = f"{setting.game.spec.title} ({setting.variant.id}), seed {setting.seed_text}"
    say(f"{title}: {result.ending} after {result.plies} plies")
    rows = [
        (seat, bot.manifest.name, result.ranks[seat] or None, result.scores[seat], result.seat_ends[seat])
        for seat, bot in enumerate(setting.bots)
    ]
    print_table(("seat", "bot", "rank", "score", "end"), rows)
    for seat, words in enumerate(played.seats):
        if words.note and result.seat_ends[seat] is not SeatEnd.PLAYED:
            note(f"seat {seat} ({setting.bots[seat].manifest.name}): {words.note}")


def _facts(setting: Setting, played: Played, log: Path | None) -> dict[str, object]:
    result = played.result
    return {
        "game": setting.game.spec.id,
        "variant": setting.variant.id,
        "seed": setting.seed_text,
        "end": result.end,
        "reason": result.reason,
        "plies": result.plies,
        "seats": [
            {
                "seat": seat,
                "bot": bot.label.bot,
                "version": bot.label.version,
                "rank": result.ranks[seat],
                "score": result.scores[seat],
                "end": result.seat_ends[seat],
                "note": played.seats[seat].note,
            }
            for seat, bot in enumerate(setting.bots)
        ],
        "log": None if log is None else str(log),
    }
