"""Frost Shelter with three to five seats on a referee: a bot fails in each seat, the others play on to a proper end."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from random import Random

import pytest
from refereeing import PATIENCE_S, Finished, program, raw_bot, referee_process, write_bot

from arena.core.errors import Refused
from arena.games.frost_shelter.reading import own_text
from bots.sdk import Bot, GameOver
from bots.sdk.client import play

SMALL_BOX = own_text().replace("events = 3", "events = 2").replace("3 = 9\n4 = 8\n5 = 7", "3 = 4\n4 = 4\n5 = 4")
"""Two Events with short hands: every kind of choice comes up, and a match is short. Three seats play the whole game."""
LAST_TURN = 3
"""The turn of its own at which a bot fails."""
CLOCKS = {
    "never connects": "60s+1s,start=8s,margin=50ms",
    "crashes": "60s+1s,start=60s,margin=50ms",
    "stays silent": "2s+1s,start=60s,margin=50ms",
    "leaves": "2s+1s,start=60s,margin=50ms",
    "resigns": "60s+1s,start=60s,margin=50ms",
    "is withdrawn": "60s+1s,start=60s,margin=50ms",
}
ENDS = {
    "never connects": "NO_SHOW",
    "crashes": "CRASHED",
    "stays silent": "TIMEOUT",
    "leaves": "DISCONNECTED",
    "resigns": "RESIGNED",
    "is withdrawn": "REPLACED",
}
MATCHES_AT_ONCE = 32
ONE_FAILS = [(how, 3, out) for how in ENDS for out in range(3)] + [
    (how, seats, turn % seats) for seats in (4, 5) for turn, how in enumerate(ENDS)
]
"""Every way in every seat of three; with more seats each seat fails, and each way comes up."""
SEVERAL_FAIL = [
    (5, {1: "never connects", 4: "resigns"}),
    (4, {0: "never connects", 2: "never connects"}),
    (5, {0: "never connects", 2: "never connects"}),
    (5, {0: "never connects", 3: "never connects", 2: "is withdrawn"}),
    *((seats, dict.fromkeys(range(1, seats), "never connects")) for seats in (3, 4, 5)),
]

CRASHING = f"""
turns = 0
def choose(self, turn):
    self.turns += 1
    if self.turns == {LAST_TURN}:
        os._exit(7)
    return turn.legal_actions[0]
"""


class Honest(Bot):
    """Plays at random, which brings up every kind of choice, and keeps how the match ended."""

    over: GameOver | None = None

    def __init__(self, match):
        super().__init__(match)
        self.random = Random(match.bot_seed)
        self.turns = 0

    def choose(self, turn):
        self.turns += 1
        if self.turns == LAST_TURN:
            self.last_turn()
        return self.random.choice(turn.legal_actions)

    def last_turn(self):
        """Do nothing: an honest bot's third turn is as good as any."""

    @classmethod
    def game_over(cls, over):
        cls.over = over


class Leaver(Honest):
    """Leaves and does not come back, while its process goes on."""

    def last_turn(self):
        raise EOFError


class Thinker(Honest):
    """Thinks until the test lets it go."""

    thinking: threading.Event
    enough: threading.Event

    def last_turn(self):
        self.thinking.set()
        self.enough.wait(3 * PATIENCE_S)


def seated(kind):
    """Return a class of this kind for one seat alone."""
    return type(kind.__name__, (kind,), {"thinking": threading.Event(), "enough": threading.Event()})


@dataclass
class Played:
    """A match: its end, what each honest bot was told of it, what became of the others' streams."""

    finished: Finished
    overs: dict[int, GameOver | None]
    refused: dict[int, str]

    def forfeits(self):
        return [line for line in self.finished.log if line["kind"] == "forfeit"]


class Hall:
    """A referee, and threads for the bots that the SDK runs in this process."""

    def __init__(self, referee, threads, crasher):
        self._referee, self._threads, self._crasher = referee, threads, crasher
        self._places = asyncio.Semaphore(MATCHES_AT_ONCE)

    async def play(self, seats, failing):
        """Play a match in which some seats fail; failing: how, by seat."""
        async with self._places:
            clock = CLOCKS[min(failing.values(), key=list(CLOCKS).index)]
            box = "" if seats == 3 else SMALL_BOX
            match = await self._referee.host(game="frost-shelter", seats=seats, clock=clock, components=box)
            honest = {seat: seated(Honest) for seat in range(seats) if seat not in failing}
            async with asyncio.TaskGroup() as group:
                end = group.create_task(match.finished())
                for seat, kind in honest.items():
                    group.create_task(self._run(match, seat, kind))
                failed = {seat: group.create_task(self._fail(match, seat, how, end)) for seat, how in failing.items()}
        overs = {seat: kind.over for seat, kind in honest.items()}
        return Played(end.result(), overs, {seat: task.result() for seat, task in failed.items()})

    async def _run(self, match, seat, kind):
        return await self._in_thread(play, kind, match.address, match.tickets[seat])

    def _in_thread(self, function, *arguments):
        return asyncio.get_running_loop().run_in_executor(self._threads, function, *arguments)

    async def _fail(self, match, seat, how, end):
        """Fail in this way; return the reason with which the referee ended the bot's stream, "" where there is none."""
        if how == "crashes":
            async with program(self._referee, match, seat, self._crasher) as crashed:
                assert await crashed.exit_code() == 7
        elif how == "leaves":
            with pytest.raises(EOFError):
                await self._run(match, seat, seated(Leaver))
        elif how == "resigns":
            return await self._resign(match, seat)
        elif how != "never connects":
            return await self._think(match, seat, end, withdrawn=how == "is withdrawn")
        return ""

    async def _resign(self, match, seat):
        async with raw_bot(match.address, match.tickets[seat]) as bot:
            for _ in range(LAST_TURN - 1):
                await bot.answer((await bot.turn()).ply)
            await bot.turn()
            await bot.resign()
            return (await bot.refused())[0]

    async def _think(self, match, seat, end, *, withdrawn):
        kind = seated(Thinker)
        run = asyncio.ensure_future(self._run(match, seat, kind))
        assert await self._in_thread(kind.thinking.wait, 3 * PATIENCE_S)
        if withdrawn:
            await self._referee.replace(match, seat)
        await end
        kind.enough.set()
        with pytest.raises(Refused) as caught:
            await run
        return caught.value.code


async def play_all(folder):
    crasher = write_bot(folder, "crasher", CRASHING)
    async with referee_process(folder) as referee:
        with ThreadPoolExecutor(6 * MATCHES_AT_ONCE) as threads:
            hall = Hall(referee, threads, crasher)
            # Those that wait longest for somebody come first.
            games = SEVERAL_FAIL + [(seats, {out: how}) for how, seats, out in ONE_FAILS]
            every = await asyncio.gather(*(hall.play(seats, failing) for seats, failing in games))
    return {named(seats, failing): match for (seats, failing), match in zip(games, every, strict=True)}


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """All matches of this file, several at once on one referee; the referee's log of each is verified at its end."""
    return asyncio.run(play_all(tmp_path_factory.mktemp("frost")))


@pytest.mark.parametrize(("how", "seats", "out"), ONE_FAILS)
def test_a_bot_that_fails_in_any_seat_ranks_last_and_is_played_on(how, seats, out, played):
    match = played[named(seats, {out: how})]
    assert match.finished.end == "FORFEIT"
    assert match.finished.ends == [ENDS[how] if seat == out else "PLAYED" for seat in range(seats)]
    ranks = list(match.finished.ranks)
    assert ranks.pop(out) == seats
    assert min(ranks) == 1
    assert max(ranks) < seats
    (forfeit,) = match.forfeits()
    after = [line for line in plies(match) if line["actor"] == out and line["ply"] >= forfeit["ply"]]
    assert "default" in {line["auto"] for line in after}
    assert not [
        line for line in after if line["action"].startswith(("expedition ", "harpoon ", "use ", "buy ", "heal"))
    ]


@pytest.mark.parametrize(("how", "seats", "out"), ONE_FAILS)
def test_the_others_play_on_to_the_end_that_the_rules_give(how, seats, out, played):
    match = played[named(seats, {out: how})]
    assert match.finished.message.reason in {"damage", "resources", "relic", "shared"}
    (forfeit,) = match.forfeits()
    asked = {line["actor"] for line in plies(match) if line["ply"] >= forfeit["ply"] and "auto" not in line}
    assert asked - {"chance"} == set(range(seats)) - {out}
    for over in match.overs.values():
        assert over.end == "FORFEIT"
        assert [seat.rank for seat in over.seats] == match.finished.ranks
        assert over.seats[out].end == ENDS[how]
        assert list(over.view.ranks)


@pytest.mark.parametrize(("how", "seats", "out"), ONE_FAILS)
def test_a_bot_that_is_still_there_is_told_that_its_seat_is_out(how, seats, out, played):
    told = how in {"stays silent", "resigns", "is withdrawn"}
    assert played[named(seats, {out: how})].refused == {out: "SEAT_OUT" if told else ""}


def test_of_several_that_fail_the_earlier_ranks_lower(played):
    match = played[named(5, {1: "never connects", 4: "resigns"})]
    assert [line["seats"] for line in match.forfeits()] == [
        [{"seat": 1, "end": "NO_SHOW"}],
        [{"seat": 4, "end": "RESIGNED"}],
    ]
    assert (match.finished.ranks[1], match.finished.ranks[4]) == (5, 4)
    assert max(match.finished.ranks[seat] for seat in (0, 2, 3)) <= 3


@pytest.mark.parametrize("seats", [4, 5])
def test_bots_that_fail_at_the_same_moment_tie_below_the_others(seats, played):
    ranks = played[named(seats, {0: "never connects", 2: "never connects"})].finished.ranks
    assert (ranks[0], ranks[2]) == (seats - 1, seats - 1)
    assert max(ranks[seat] for seat in range(seats) if seat not in {0, 2}) <= seats - 2


def test_a_later_failure_ranks_above_a_tie_of_earlier_ones(played):
    match = played[named(5, {0: "never connects", 3: "never connects", 2: "is withdrawn"})]
    assert [match.finished.ranks[seat] for seat in (0, 3, 2)] == [4, 4, 3]
    assert max(match.finished.ranks[seat] for seat in (1, 4)) <= 2
    assert match.finished.message.reason != "forfeit"


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_the_last_bot_that_is_left_wins_at_once(seats, played):
    match = played[named(seats, dict.fromkeys(range(1, seats), "never connects"))]
    assert match.finished.ranks == [1] + [2] * (seats - 1)
    assert match.finished.message.reason == "forfeit"
    assert match.overs[0].seats[0].end == "PLAYED"


def named(seats, failing):
    return f"{seats} seats: {sorted(failing.items())}"


def plies(match):
    return [line for line in match.finished.log if line["kind"] == "ply"]
