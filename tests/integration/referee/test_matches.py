"""Whole matches through a referee process."""

import pytest
from refereeing import honest_bot, program, raw_bot, write_bot

FIRST = "def choose(self, turn):\n    return turn.legal_actions[0]"
SAYS_ALL = (
    FIRST + "\ndef game_over(self, over):\n    print(over.end, over.seats[self.match.seat].rank, self.match.bot_seed)"
)
CALM = "10s+0s,start=20s,margin=50ms"


async def test_two_programs_play_a_match_of_first_snow(referee, tmp_path):
    bot = write_bot(tmp_path, "says_all", SAYS_ALL)
    match = await referee.host(game="first-snow", clock=CALM)
    async with program(referee, match, 0, bot) as first, program(referee, match, 1, bot) as second:
        finished = await match.finished()
        assert [await first.exit_code(), await second.exit_code()] == [0, 0]
    assert finished.end == "COMPLETED"
    assert finished.ends == ["PLAYED", "PLAYED"]
    assert first.out.split()[:2] == ["COMPLETED", str(finished.ranks[0])]
    assert first.err == second.err == ""


async def test_equal_seed_and_bots_give_equal_logs_but_for_meta(referee):
    logs = []
    for _ in range(2):
        match = await referee.host(game="first-snow", seed=bytes(range(16)))
        async with honest_bot(match, 0), honest_bot(match, 1):
            finished = await match.finished()
        logs.append([{key: value for key, value in line.items() if key != "meta"} for line in finished.log])
    assert logs[0] == logs[1]


@pytest.mark.parametrize(("variant", "seats"), [("solo", 1), ("race", 2), ("forecast", 3), ("race", 4)])
async def test_an_outside_game_is_played_by_any_number_of_seats(referee, variant, seats):
    match = await referee.host(variant=variant, seats=seats)
    bots = [honest_bot(match, seat) for seat in range(seats)]
    tasks = [await bot.__aenter__() for bot in bots]
    finished = await match.finished()
    overs = [await task for task in tasks]
    for bot in bots:
        await bot.__aexit__(None, None, None)
    assert finished.end == "COMPLETED"
    assert [[seat.rank for seat in over.seats] for over in overs] == [finished.ranks] * seats


async def test_many_matches_run_at_once(referee):
    matches = [await referee.host(seats=2) for _ in range(8)]
    bots = [honest_bot(match, seat) for match in matches for seat in (0, 1)]
    for bot in bots:
        await bot.__aenter__()
    ends = [(await match.finished()).end for match in matches]
    for bot in bots:
        await bot.__aexit__(None, None, None)
    assert ends == ["COMPLETED"] * 8


async def test_progress_tells_ply_seat_deadline_and_public_view(referee):
    match = await referee.host()
    async with raw_bot(match.address, match.tickets[0]) as first, raw_bot(match.address, match.tickets[1]):
        progress = await match.moved(lambda progress: progress.seat == 0)
        turn = await first.turn()
        assert progress.ply == turn.ply
        assert 0 < progress.deadline_ms <= 2051
        assert match.progress[0].public_view


async def test_progress_between_two_pauses_is_skipped(referee):
    match = await referee.host(game="first-snow", progress_ms=60_000)
    async with honest_bot(match, 0), honest_bot(match, 1):
        await match.finished()
    assert len(match.progress) == 1


async def test_nothing_is_told_while_it_shall_be_quiet(referee):
    match = await referee.host(game="first-snow", quiet_ms=60_000)
    async with honest_bot(match, 0), honest_bot(match, 1):
        await match.finished()
    assert match.progress == []


async def test_think_times_come_back_for_every_asked_turn(referee):
    match = await referee.host()
    async with honest_bot(match, 0), honest_bot(match, 1):
        finished = await match.finished()
    asked = [sum(line["kind"] == "ply" and line["actor"] == seat for line in finished.log) for seat in (0, 1)]
    forced = [sum(line.get("actor") == seat and "auto" in line for line in finished.log) for seat in (0, 1)]
    times = finished.message.times
    assert [len(seat.think_ms) for seat in times] == [a - f for a, f in zip(asked, forced, strict=True)]
    assert [len(seat.charged_ms) for seat in times] == [len(seat.think_ms) for seat in times]


async def test_a_cancelled_call_stops_its_match(referee):
    match = await referee.host()
    async with raw_bot(match.address, match.tickets[0]) as bot:
        await bot.read()
        await match.cancel()
        assert await bot.refused() == ("MATCH_STOPPED", "CANCELLED")
    async with raw_bot(match.address, match.tickets[1]) as late:
        assert await late.refused() == ("UNKNOWN_TICKET", "UNAUTHENTICATED")


async def test_the_cap_aborts_a_match_of_bots_that_wait(referee):
    match = await referee.host(clock="none", cap_ms=200)
    async with raw_bot(match.address, match.tickets[0]) as bot, raw_bot(match.address, match.tickets[1]):
        finished = await match.finished()
        over = await bot.game_over()
    assert finished.end == "ABORTED"
    assert finished.ranks == [0, 0]
    assert over.end == finished.message.end


async def test_a_withdrawn_bot_ends_as_replaced(referee):
    match = await referee.host()
    async with honest_bot(match, 0) as honest, raw_bot(match.address, match.tickets[1]) as silent:
        await silent.read()
        await referee.replace(match, 1)
        finished = await match.finished()
        await honest
    assert finished.ends == ["PLAYED", "REPLACED"]
    assert finished.notes == ["", "withdrawn by the organiser"]


async def test_a_bot_may_resign_on_its_turn(referee):
    match = await referee.host()
    async with honest_bot(match, 0), raw_bot(match.address, match.tickets[1]) as bot:
        await bot.turn()
        await bot.resign()
        finished = await match.finished()
        await bot.game_over()
    assert finished.ends == ["PLAYED", "RESIGNED"]
