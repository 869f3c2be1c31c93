"""`arena demo`: a whole arena for a minute. Bots are submitted, a tournament is played, rated, shown and verified."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import as_file, files
from itertools import count
from pathlib import Path
from typing import Annotated, Final

import typer

from arena.cli.client import Session, connect, create_tournament, start_tournament, submit_folder, wait_until_checked
from arena.cli.local.running import running_arena
from arena.cli.logfile import open_log, write_log
from arena.cli.matches import fetch_log, list_matches
from arena.cli.output import note, progress, say
from arena.cli.ratings import show_ratings
from arena.cli.replay import show_position
from arena.cli.standings import show_standings
from arena.cli.watching import follow
from arena.core.errors import LogError, Refused
from arena.match.replay import Replay
from arena.match.verify import Status, verify_log
from arena.v1 import bot_pb2, tournament_pb2


@dataclass(frozen=True, slots=True)
class Show:
    """One tournament of the demo. deals: None for as many as were asked for. title: its table is shown under it."""

    game: str
    bots: tuple[str, ...]
    deals: int | None = 1
    variant: str = ""
    seats: int = 0
    title: str = ""


ANY_GAME: Final = ("random", "greedy", "quiet")
SHOWS: Final = (
    Show("first-snow", ("random", "greedy", "hearth", "toolmaker"), deals=None),
    Show("frost-shelter", ANY_GAME, seats=3),
    Show("snowblind", ANY_GAME),
    Show("snowblind", ANY_GAME, variant="solo", title="a solo challenge: Snowblind alone, to the Pole and back"),
)
NAME: Final = "demo"
LOGS: Final = "demo-logs"


def demo(
    *,
    data: Annotated[Path | None, typer.Option("--data", metavar="DIR", help="Data folder; else a new one.")] = None,
    deals: Annotated[int, typer.Option("--deals", min=1, help="Deals that every pairing plays.")] = 2,
    unsafe: Annotated[bool, typer.Option("--unsafe-no-sandbox", help="Run bots unprotected; logs say so.")] = False,
) -> None:
    """Run an arena, submit the bundled bots, play a tournament of every game, show them, verify them, stop."""
    # Finding the folder for temporary files writes one there; a Ctrl-C in that moment would leave it behind.
    tempfile.gettempdir()
    folder = Path(tempfile.mkdtemp(prefix="whiteout-demo-")) if data is None else data
    try:
        note(f"starting an arena on {folder}")
        _demonstrate(folder, deals, unsafe=unsafe)
    except (KeyboardInterrupt, SystemExit):
        if data is None:  # nobody will look around in half a demo, whose folder nobody named
            shutil.rmtree(folder, ignore_errors=True)
        raise
    say(f"data: {folder.resolve()} (logs in {LOGS}); look around with `arena up --data {folder.resolve()}`")


def _demonstrate(folder: Path, deals: int, *, unsafe: bool) -> None:
    """Play, show and verify everything with an arena on this data folder."""
    with running_arena(folder, ["--unsafe-no-sandbox"] if unsafe else []), connect(data=folder) as session:
        entrants = _submit(session, list(dict.fromkeys(bot for show in SHOWS for bot in show.bots)))
        logs: list[Path] = []
        for show in SHOWS:
            name = _play(session, show, [entrants[bot] for bot in show.bots], deals)
            if show.title:
                say(show.title)
                show_standings(session, name)
            logs += _fetch_logs(session, name, folder.resolve() / LOGS)
        for game in dict.fromkeys(show.game for show in SHOWS):
            show_ratings(session, game)
        _show_position(logs[0])
        _verify(logs)


def _play(session: Session, show: Show, entrants: list[str], deals: int) -> str:
    """Play one tournament to its end and return its name."""
    name = _free_name(session)
    played = deals if show.deals is None else show.deals
    create_tournament(session, name, show.game, entrants, played, variant=show.variant, seats=show.seats)
    start_tournament(session, name)
    follow(session, name)
    return name


def _free_name(session: Session) -> str:
    """Return a name no tournament bears: the data folder may have seen a demo before."""
    request = tournament_pb2.ListTournamentsRequest()
    pages = session.pages(session.tournaments.ListTournaments, request)
    taken = {each.name for page in pages for each in page.tournaments}
    return next(name for name in (f"{NAME}-{number}" for number in count(1)) if name not in taken)


def _submit(session: Session, bots: Sequence[str]) -> dict[str, str]:
    """Submit bundled bots, wait for their qualification matches, and return each as NAME@VERSION."""
    sent: dict[str, bot_pb2.BotVersion] = {}
    for bot in bots:
        with as_file(files("bots.builtin") / bot) as folder:
            sent[bot] = submit_folder(session, folder).version
        note(f"submitted {sent[bot].bot}@{sent[bot].version}; it plays a qualification match at each of its games")
    for bot, version in sent.items():
        checked = wait_until_checked(session, version.bot, version.version)
        if checked.state != bot_pb2.BOT_VERSION_STATE_ACCEPTED:
            raise Refused(f"{bot}@{version.version} was not accepted: {checked.reason}")
        note(f"{bot}@{version.version} is accepted")
    return {bot: f"{version.bot}@{version.version}" for bot, version in sent.items()}


def _fetch_logs(session: Session, tournament: str, folder: Path) -> list[Path]:
    """Write every log of the tournament into the folder, newest match first."""
    folder.mkdir(exist_ok=True)
    paths: list[Path] = []
    for match in list_matches(session, tournament):
        path = folder / f"{tournament}-{match.id}.jsonl"
        write_log(path, fetch_log(session, match.id).decode())
        paths.append(path)
    return paths


def _show_position(path: Path) -> None:
    """Print a position from the middle of a match as the seat to choose saw it."""
    with open_log(path) as lines:
        match = Replay(lines)
    for ply in range(match.plies // 2, match.plies):
        match.seek(ply)
        seat = match.to_act
        if seat is not None and match.choices(seat):
            say(f"a position of {path.name} (`arena replay {path} --ply {ply} --seat {seat}`):")
            say()
            show_position(match, seat, json=False)
            say()
            return


def _verify(logs: list[Path]) -> None:
    """Re-execute every log. Raises LogError for one that is not true and whole."""
    with progress("verifying", len(logs)) as bar:
        for path in logs:
            with open_log(path) as lines:
                report = verify_log(lines)
            if report.status is not Status.OK:
                raise LogError(f"{path} is {report.status}; see `arena verify {path}`")
            bar.advance(path.name)
    say(f"{len(logs)} of {len(logs)} logs verified")
