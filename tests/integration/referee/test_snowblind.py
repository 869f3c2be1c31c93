"""Snowblind with three and four seats on a referee: in each seat a program crashes or a bot falls silent."""

import asyncio
from contextlib import AsyncExitStack
from random import Random

import pytest
from refereeing import program, raw_bot, referee_process, write_bot

from arena.games.snowblind import GAME

LAST_TURN = 4
"""The turn of its own at which a bot fails: in the middle of an action."""
CLOCKS = {"crashes": "60s+1s,start=60s,margin=50ms", "stays silent": "2s+1s,start=60s,margin=50ms"}
ENDS = {"crashes": "CRASHED", "stays silent": "TIMEOUT"}
CASES = [(how, seats, out) for how in ENDS for seats in (3, 4) for out in range(seats)]
PASSIVE = {"pass", "load 0", "bring nobody", "keep crate", "go on", "leave flag"}
CRASHING = f"""
turns = 0
def choose(self, turn):
    self.turns += 1
    if self.turns == {LAST_TURN}:
        os._exit(7)
    return turn.legal_actions[0]
"""


async def at_random(bot, seat, *, turns=None):
    """Answer turns at random until the match is over, or until so many have come; return GameOver or None."""
    random = Random(seat)
    while message := await bot.read():
        kind = message.WhichOneof("kind")
        if kind == "game_over":
            return message.game_over
        if kind == "turn":
            if turns == 1:
                return None
            turns = turns and turns - 1
            await bot.answer(message.turn.ply, random.randrange(len(GAME.parse_turn(message.turn.body.value)[1])))
    return None


async def play(referee, crasher, how, seats, out):
    """Play a match in which one seat fails; return its end and what the others were told."""
    match = await referee.host(game="snowblind", variant="quick", seats=seats, clock=CLOCKS[how], seed=bytes(range(16)))
    async with AsyncExitStack() as stack, asyncio.TaskGroup() as group:
        failing = None
        if how == "crashes":
            failing = await stack.enter_async_context(program(referee, match, out, crasher))
        bots = {}
        for seat in range(seats):
            if seat != out or failing is None:
                bots[seat] = await stack.enter_async_context(raw_bot(match.address, match.tickets[seat]))
        end = group.create_task(match.finished())
        honest = [group.create_task(at_random(bots[seat], seat)) for seat in bots if seat != out]
        if failing is None:
            await at_random(bots[out], out, turns=LAST_TURN)
        else:
            assert await failing.exit_code() == 7
        return await end, [await task for task in honest]


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """All matches of this file, played at once on one referee, which verifies the log of each."""

    async def play_all(folder):
        crasher = write_bot(folder, "crasher", CRASHING)
        async with referee_process(folder) as referee:
            return await asyncio.gather(*(play(referee, crasher, *case) for case in CASES))

    return dict(zip(CASES, asyncio.run(play_all(tmp_path_factory.mktemp("snow"))), strict=True))


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]} {case[1]} seats {case[2]}")
def test_a_failing_bot_ranks_last_is_played_on_and_the_others_finish_the_game(case, played):
    how, seats, out = case
    finished, overs = played[case]
    assert finished.end == "FORFEIT"
    assert finished.ends == [ENDS[how] if seat == out else "PLAYED" for seat in range(seats)]
    assert finished.ranks[out] == seats
    assert finished.message.reason in ("prestige", "eliminated")
    for over in overs:
        assert [seat.rank for seat in over.seats] == finished.ranks


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]} {case[1]} seats {case[2]}")
def test_from_then_on_its_expedition_takes_no_die(case, played):
    finished, _ = played[case]
    (forfeit,) = [line for line in finished.log if line["kind"] == "forfeit"]
    own = [line for line in finished.log if line["kind"] == "ply" and line["actor"] == case[2]]
    after = [line["action"] for line in own if line["ply"] >= forfeit["ply"] and line["auto"] == "default"]
    assert after
    assert not [action for action in after if action.startswith(("take", "open", "revive"))]
