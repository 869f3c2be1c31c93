"""A tournament whose every result follows from what is entered: made, played without disturbance, and compared."""

import json
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import Table, select

from arena.cli.botref import find_bot
from arena.cli.inprocess import load_bot_class, play_in_process
from arena.cli.packing import pack
from arena.match.answers import count_answers
from arena.match.clock import Clock
from arena.match.setup import SeatLabel, Setup
from arena.services import accounts, dispatch, results, submissions, tournaments
from arena.services.packing import unpack
from arena.services.results import Recording
from arena.store import Store, tables
from arena.store.records import Claim, Leg
from arena.store.states import Format

NAME = "cup"
STEADY = '''
import sys
import time
from bots.sdk import Bot, run

PAUSE_S = 0 if "pytest" in sys.modules else 0.03  # where nobody disturbs it, nobody has to wait

class Steady(Bot):
    """Takes its time, so that there is something to disturb; what it chooses follows from the ply."""

    def choose(self, turn):
        time.sleep(PAUSE_S)
        return turn.legal_actions[turn.ply * 7 % len(turn.legal_actions)]

run(Steady)
'''


class Cup:
    """A round-robin of three bots at First Snow; every drill plays the same one.

    folder: for the bots' files. deals: of 6 matches each.
    """

    def __init__(self, folder: Path, deals: int = 3) -> None:
        (folder / "steady").mkdir(parents=True)
        (folder / "steady" / "bot.toml").write_text('name = "steady"\ngames = ["*"]\n')
        (folder / "steady" / "bot.py").write_text(STEADY)
        self.deals = deals
        self.matches = 6 * deals
        self._bots = [find_bot(name) for name in ("random", "greedy", str(folder / "steady"))]

    def make(self, store: Store) -> str:
        """Submit the bots and start the tournament; return an admin's token."""
        return self._make(store, Format.ROUND_ROBIN, self.deals)

    def make_endless(self, store: Store) -> str:
        """Start a ladder between them, which goes on for ever, instead."""
        return self._make(store, Format.LADDER, 0)

    def _make(self, store: Store, form: Format, deals: int) -> str:
        now = datetime.now(UTC)
        first = accounts.bootstrap(store, now)
        admin = accounts.authenticate(store, first.secret, now)
        for bot in self._bots:
            packed = pack(bot.folder)
            submissions.submit(store, admin, packed.archive, packed.sha256, now)
        names = tuple((bot.manifest.name, 0) for bot in self._bots)
        tournaments.create(
            store, admin, now, name=NAME, game="first-snow", entrants=names, deals=deals, format=form,
            clock="300s+5s,start=120s", entropy=lambda size: bytes(range(size)),
        )  # fmt: skip
        tournaments.start(store, admin, NAME, now)
        return first.secret

    def play(self, store: Store) -> None:
        """Play all of it one after the other in this process: no sandbox, no referee, nobody to disturb it."""
        classes = {bot.manifest.name: load_bot_class(bot) for bot in self._bots}
        while (claim := dispatch.claim(store, "undisturbed", datetime.now(UTC))) is not None:
            for leg in claim.legs:
                match = play_in_process(_setup(claim, leg), [classes[seat.bot] for seat in leg.seats])
                log = match.log_text()
                told = Recording(
                    claim.block_id, claim.attempt, leg.match_id, match.result, log,
                    answers=count_answers(log, len(leg.seats)),
                )  # fmt: skip
                results.record(store, told, datetime.now(UTC))


def _setup(claim: Claim, leg: Leg) -> Setup:
    return Setup(
        game=claim.game,
        variant=claim.variant,
        seats=tuple(SeatLabel(seat.bot, str(seat.version)) for seat in leg.seats),
        components=claim.components,
        seed=leg.seed,
        clock=Clock.parse(claim.clock),
        match_id=str(leg.match_id),
    )


def outcome(store: Store) -> dict[str, bytes]:
    """Return, as bytes, everything that a tournament has to come to, whatever happened on the way.

    Matches with their seats, logs without what may differ between equal matches, ratings and every change of them.
    """
    with store.read() as tx:
        logs = tx.execute(select(tables.match_logs.c.match_id, tables.match_logs.c.content)).all()
        found = {
            "matches": _rows(
                tx, tables.matches, "id", "deal_id", "leg", "state", "end", "reason", "plies", "rating_seq", "folded"
            ),
            "seats": _rows(tx, tables.match_seats, "match_id", "seat", "version_id", "rank", "score", "end"),
            "ratings": _rows(tx, tables.ratings, *(column.name for column in tables.ratings.c)),
            "changes": _rows(
                tx, tables.rating_changes, "match_id", "version_id", "rank", "mu_before", "sigma_before", "mu_after",
                "sigma_after",
            ),
        }  # fmt: skip
    for match_id, content in sorted(logs):
        found[f"log {match_id}"] = _without_meta(unpack(bytes(content)))
    return found


def _rows(tx, table: Table, *names: str) -> bytes:
    rows = tx.execute(select(*(table.c[name] for name in names))).all()
    return "\n".join(sorted(repr(tuple(row)) for row in rows)).encode()


def _without_meta(log: bytes) -> bytes:
    lines = [json.loads(line) for line in log.splitlines()]
    return b"\n".join(
        json.dumps({name: value for name, value in line.items() if name != "meta"}).encode() for line in lines
    )


def finals(store: Store) -> int:
    """Return how many matches have a result."""
    with store.read() as tx:
        return len(tx.execute(select(tables.matches.c.id).where(tables.matches.c.state == "FINAL")).all())


def most_lost(store: Store) -> int:
    """Return how many attempts were lost at that match without a result at which most were."""
    with store.read() as tx:
        lost = tx.scalars(select(tables.matches.c.lost).where(tables.matches.c.state == "SCHEDULED")).all()
    return max(lost, default=0)
