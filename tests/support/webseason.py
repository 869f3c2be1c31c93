"""A small arena as visitors find it: three games, tournaments over, running and paused, a deal half played."""

import math
import random
from dataclasses import dataclass, field

from playing import World, finished

from arena.match.result import MatchEnd, SeatEnd
from arena.services import accounts, dispatch, tournaments
from arena.services.results import SeatOutput, SeatTimes
from arena.store import Store
from arena.store.records import Claim, Leg
from arena.store.states import Role

STRENGTH = {"aurora": 3.0, "borealis": 2.2, "crevasse": 1.6, "drift": 0.8, "ember": 0.3, "floe": 0.0}
"""The bots, by how strong they are."""

AUTHORS = {"ann": ("aurora", "crevasse", "ember"), "bob": ("borealis", "drift", "floe")}


@dataclass
class Season:
    """What is in it; secrets: tokens by account. half_played: matches of the deal that is open to nobody yet."""

    world: World
    secrets: dict[str, str] = field(default_factory=dict)
    half_played: list[int] = field(default_factory=list)


def season(store: Store) -> Season:
    """Fill an empty, migrated store. The cup is over, the league's second deal half played, the race paused."""
    made = Season(World(store))
    world, luck = made.world, random.Random(7)
    for name, role in {"ann": Role.AUTHOR, "bob": Role.AUTHOR, "olga": Role.ORGANISER}.items():
        account = world.account(name, role)
        made.secrets[name] = accounts.issue_token(store, account, "", "web", world.now).secret
        for bot in AUTHORS.get(name, ()):
            world.submit(bot, account, games='"first-snow", "frost-shelter", "snowblind"')
        if name == "olga":
            world.admin, admin = account, world.admin
            made.secrets["admin"] = accounts.issue_token(store, admin, "", "web", world.now).secret
    world.started("winter-cup", *STRENGTH, deals=3)
    _play(world, luck)
    world.wait(hours=20)
    world.started("shelter-open", *STRENGTH, game="frost-shelter", seats=3, deals=1)
    _play(world, luck)
    world.wait(hours=3)
    world.started("pole-race", "aurora", "borealis", "drift", game="snowblind", deals=4)
    _play(world, luck, blocks=5)
    tournaments.pause(store, world.admin, "pole-race")
    world.wait(hours=1)
    world.started("night-league", *list(STRENGTH)[:4], deals=4)
    _play(world, luck, blocks=6)
    made.half_played = _play(world, luck, blocks=3)
    claim = world.claim("worker-2")
    at = dispatch.LegProgress(claim.legs[0].match_id, 17, None)
    dispatch.heartbeat(store, claim.block_id, claim.attempt, world.now, at)
    return made


def _play(world: World, luck: random.Random, *, blocks: int = 10_000) -> list[int]:
    """Play so many queued blocks; returns the numbers of their matches."""
    played = []
    for _ in range(blocks):
        claim = world.claim()
        if claim is None:
            break
        for leg in claim.legs:
            world.wait(seconds=luck.randint(20, 200))
            _record(world, claim, leg, luck)
            played.append(leg.match_id)
    return played


def _record(world: World, claim: Claim, leg: Leg, luck: random.Random) -> None:
    shown = [STRENGTH[seat.bot] - math.log(-math.log(luck.random())) for seat in leg.seats]
    ranks = [1 + sum(other > mine for other in shown) for mine in shown]
    ends, end = [SeatEnd.PLAYED] * len(ranks), MatchEnd.COMPLETED
    if luck.random() < 0.04:
        ends[ranks.index(max(ranks))], end = SeatEnd.TIMEOUT, MatchEnd.FORFEIT
    result = finished(*ranks, end=end, seat_ends=tuple(ends))
    thought = [tuple(luck.randint(2, 60 * (2 + seat)) for _ in range(12)) for seat in range(len(ranks))]
    world.record(
        claim,
        leg,
        result,
        outputs=tuple(
            SeatOutput(f"{seat.bot} thinks of {leg.match_id}\n".encode(), truncated=False) for seat in leg.seats
        ),
        times=tuple(SeatTimes(times, tuple(max(0, one - 50) for one in times)) for times in thought),
        answers=(12,) * len(ranks),
    )
