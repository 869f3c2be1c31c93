"""A platform without processes: accounts, bots and tournaments in a store, and legs whose results a test decides."""

import io
import itertools
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from hashlib import sha256

from arena.match.result import MatchEnd, MatchResult, SeatEnd
from arena.services import accounts, dispatch, results, submissions, tournaments
from arena.services.results import Recorded, Recording, SeatOutput, SeatTimes
from arena.store import Store
from arena.store.records import Account, BotVersion, Claim, Leg, Tournament
from arena.store.states import Role

START = datetime(2030, 1, 2, 12, tzinfo=UTC)


def zipped(files: dict[str, bytes | str]) -> bytes:
    """A zip of these files."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            archive.writestr(path, content)
    return packed.getvalue()


def bot_zip(name: str, text: str = "", games: str = '"first-snow", "icefall"') -> bytes:
    """The archive of a bot; text makes it differ from another."""
    return zipped({"bot.toml": f'name = "{name}"\ngames = [{games}]\n', "bot.py": f"# {name} {text}\n"})


def finished(*ranks: int, end: MatchEnd = MatchEnd.COMPLETED, seat_ends: tuple[SeatEnd, ...] = ()) -> MatchResult:
    """A result with these ranks."""
    return MatchResult(
        end=end,
        seat_ends=seat_ends or (SeatEnd.PLAYED,) * len(ranks),
        ranks=ranks,
        scores=tuple(10 * (len(ranks) - rank) for rank in ranks),
        reason="points",
        plies=30,
    )


def unrated(seats: int, end: MatchEnd = MatchEnd.VOID) -> MatchResult:
    """A result that counts for nothing."""
    return MatchResult(end, (SeatEnd.NO_SHOW,) * seats, (0,) * seats, (None,) * seats, "nobody came", 0)


class World:
    """What a test has at hand; the clock stands until it is moved."""

    def __init__(self, store: Store, now: datetime = START) -> None:
        self.store = store
        self.now = now
        numbers = itertools.count(1)
        self.entropy: Callable[[int], bytes] = lambda size: next(numbers).to_bytes(size, "big")
        first = accounts.bootstrap(store, now, entropy=self.entropy)
        self.admin = accounts.authenticate(store, first.secret, now)

    def wait(self, **span: float) -> datetime:
        self.now += timedelta(**span)
        return self.now

    def account(self, name: str, role: Role = Role.AUTHOR) -> Account:
        return accounts.create_account(self.store, self.admin, name, role, self.now)

    def submit(self, name: str, caller: Account | None = None, **content: str) -> BotVersion:
        archive = bot_zip(name, **content)
        digest = sha256(archive).hexdigest()
        return submissions.submit(self.store, caller or self.admin, archive, digest, self.now).version

    def create(self, name: str, *bots: str, game: str = "first-snow", **options) -> Tournament:
        entered = tuple((bot, 0) for bot in bots)
        return tournaments.create(
            self.store, self.admin, self.now, name=name, game=game, entrants=entered, entropy=self.entropy, **options
        )

    def started(self, name: str, *bots: str, **options) -> Tournament:
        """A running tournament of bots that are submitted here if they are new."""
        known = {bot.name for bot in submissions.list_bots(self.store).items}
        for bot in bots:
            if bot not in known:
                self.submit(bot)
        self.create(name, *bots, **options)
        return tournaments.start(self.store, self.admin, name, self.now)

    def claim(self, worker: str = "worker-1") -> Claim | None:
        return dispatch.claim(self.store, worker, self.now)

    def claim_all(self) -> list[Claim]:
        return list(iter(self.claim, None))

    def record(self, claim: Claim, leg: Leg, result: MatchResult, log: str = "", **rest) -> Recorded:
        recording = Recording(
            claim.block_id, claim.attempt, leg.match_id, result, log or f"log of {leg.match_id}\n", **rest
        )
        return results.record(self.store, recording, self.now)

    def record_whole(self, claim: Claim, leg: Leg, result: MatchResult) -> Recorded:
        """Record with outputs and times."""
        seats = len(leg.seats)
        outputs = tuple(SeatOutput(f"seat {seat} of {leg.match_id}".encode(), truncated=False) for seat in range(seats))
        times = tuple(SeatTimes((3, 5 + seat), (0, 1)) for seat in range(seats))
        return self.record(claim, leg, result, outputs=outputs, times=times)

    def play_all(self, decide: Callable[[Leg], MatchResult] | None = None) -> int:
        """Claim and record until nothing is queued; by default the bot with the smaller version id wins."""
        legs = 0
        while (claim := self.claim()) is not None:
            for leg in claim.legs:
                self.record_whole(claim, leg, (decide or older_wins)(leg))
                legs += 1
        return legs


def older_wins(leg: Leg) -> MatchResult:
    """The smaller the version id, the better."""
    ids = [seat.version_id for seat in leg.seats]
    return finished(*(1 + sum(other < mine for other in ids) for mine in ids))
