"""Bot programs that misbehave: each loses its own match, and the next one on the same referee runs."""

import signal

from refereeing import honest_bot, program, raw_bot, write_bot

NEVER_ANSWERS = "def choose(self, turn):\n    time.sleep(3600)"
TOO_SLOW = "def choose(self, turn):\n    time.sleep(0.45)\n    return turn.legal_actions[0]"
CRASHES_AT_START = "def __init__(self, match):\n    raise RuntimeError('no snow today')"
CRASHES_LATER = (
    "def choose(self, turn):\n    if turn.ply > 8:\n        raise RuntimeError('avalanche')\n"
    "    return turn.legal_actions[0]"
)
VANISHES = "def choose(self, turn):\n    os._exit(0)"
KILLED = "def choose(self, turn):\n    os.kill(os.getpid(), 9)"
NOT_LEGAL = "def choose(self, turn):\n    return 'the best move'"
NOTHING = "def choose(self, turn):\n    turn.legal_actions[0]"
FORGOT = "pass"
PLAYS = "def choose(self, turn):\n    return turn.legal_actions[0]"
SHORT = "0.5s+0s,start=5s,margin=50ms"


async def play_against_honest(referee, path, seat=1, clock=SHORT, **more):
    """Play a match in which one seat is the program; return its end and the program."""
    match = await referee.host(clock=clock, **more)
    async with honest_bot(match, 1 - seat) as honest, program(referee, match, seat, path) as villain:
        finished = await match.finished()
        over = await honest
        assert over.end == finished.message.end
    return finished, villain


async def next_match_runs(referee):
    match = await referee.host()
    async with honest_bot(match, 0), honest_bot(match, 1):
        finished = await match.finished()
    return finished.end == "COMPLETED"


async def test_a_bot_that_never_answers_times_out_while_waited_for(referee, tmp_path):
    path = write_bot(tmp_path, "sleeper", NEVER_ANSWERS)
    finished, _ = await play_against_honest(referee, path, clock="0.5s+0s,start=2s,margin=50ms")
    assert finished.ends == ["PLAYED", "TIMEOUT"]
    assert await next_match_runs(referee)


async def test_a_bot_that_is_too_slow_times_out_when_its_bank_is_empty(referee, tmp_path):
    finished, _ = await play_against_honest(referee, write_bot(tmp_path, "snail", TOO_SLOW))
    assert finished.ends == ["PLAYED", "TIMEOUT"]
    charged = list(finished.message.times[1].charged_ms)
    assert charged[0] == 0
    assert sum(charged[:-1]) <= 500 < sum(charged)
    assert await next_match_runs(referee)


async def test_a_bot_that_crashes_when_it_is_made_has_crashed(referee, tmp_path):
    finished, villain = await play_against_honest(referee, write_bot(tmp_path, "egg", CRASHES_AT_START))
    assert finished.ends == ["PLAYED", "CRASHED"]
    assert villain.process.returncode == 1
    assert "RuntimeError: no snow today" in villain.err
    assert await next_match_runs(referee)


async def test_a_program_that_cannot_start_has_crashed(referee, tmp_path):
    (tmp_path / "broken.py").write_text("this is no python", encoding="utf-8")
    finished, villain = await play_against_honest(referee, tmp_path / "broken.py")
    assert finished.ends == ["PLAYED", "CRASHED"]
    assert "SyntaxError" in villain.err


async def test_a_bot_that_crashes_in_mid_match_has_crashed_with_its_traceback(referee, tmp_path):
    finished, villain = await play_against_honest(referee, write_bot(tmp_path, "skier", CRASHES_LATER))
    assert finished.ends == ["PLAYED", "CRASHED"]
    assert "RuntimeError: avalanche" in villain.err
    assert "choose" in villain.err
    assert await next_match_runs(referee)


async def test_a_bot_that_exits_in_good_order_in_mid_match_has_crashed(referee, tmp_path):
    finished, villain = await play_against_honest(referee, write_bot(tmp_path, "deserter", VANISHES))
    assert finished.ends == ["PLAYED", "CRASHED"]
    assert villain.process.returncode == 0


async def test_a_killed_bot_has_crashed_long_before_its_deadline(referee, tmp_path):
    path = write_bot(tmp_path, "victim", KILLED)
    finished, villain = await play_against_honest(referee, path, clock="600s+0s,start=600s,margin=50ms")
    assert finished.ends == ["PLAYED", "CRASHED"]
    assert villain.process.returncode == -signal.SIGKILL
    assert f"status -{int(signal.SIGKILL)}" in finished.notes[1]


async def test_a_bot_that_dies_while_the_other_thinks_has_crashed(referee, tmp_path):
    match = await referee.host(clock="600s+0s,start=600s,margin=50ms")
    path = write_bot(tmp_path, "waiter", PLAYS)
    async with raw_bot(match.address, match.tickets[0]) as thinker, program(referee, match, 1, path) as villain:
        await thinker.turn()
        villain.process.kill()
        finished = await match.finished()
        await thinker.game_over()
    assert finished.ends == ["PLAYED", "CRASHED"]


async def test_two_bots_that_crash_at_the_start_make_a_void_match(referee, tmp_path):
    match = await referee.host()
    path = write_bot(tmp_path, "egg", "pass\nos._exit(3)")
    async with program(referee, match, 0, path), program(referee, match, 1, path):
        finished = await match.finished()
    assert finished.end == "VOID"
    assert finished.ends == ["CRASHED", "CRASHED"]
    assert finished.ranks == [0, 0]
    assert await next_match_runs(referee)


async def test_a_bot_that_returns_no_legal_action_is_told_what_it_may_return(referee, tmp_path):
    finished, villain = await play_against_honest(referee, write_bot(tmp_path, "poet", NOT_LEGAL))
    assert finished.ends == ["PLAYED", "CRASHED"]
    assert "choose returned 'the best move' at ply" in villain.err
    assert "Play(card=" in villain.err


async def test_a_bot_that_forgets_to_return_is_told_so(referee, tmp_path):
    _, villain = await play_against_honest(referee, write_bot(tmp_path, "mute", NOTHING))
    assert "is a return statement missing?" in villain.err


async def test_a_bot_without_choose_is_told_so(referee, tmp_path):
    _, villain = await play_against_honest(referee, write_bot(tmp_path, "blank", FORGOT))
    assert "Blank has no method choose(self, turn)" in villain.err


async def test_a_program_with_another_matchs_ticket_is_refused_and_says_why(referee, tmp_path):
    path = write_bot(tmp_path, "thief", PLAYS)
    match = await referee.host()
    async with program(referee, match, 0, path, WHITEOUT_TICKET="guessed") as villain:
        assert await villain.exit_code() == 3
    assert villain.err.startswith("error: UNKNOWN_TICKET: ")
    assert villain.err.count("\n") == 1
    await match.cancel()


async def test_a_larger_table_plays_on_without_the_bot_that_crashed(referee, tmp_path):
    match = await referee.host(seats=3, clock=SHORT)
    path = write_bot(tmp_path, "skier", CRASHES_LATER.replace("> 8", "> 10"))
    async with honest_bot(match, 0), honest_bot(match, 1), program(referee, match, 2, path):
        finished = await match.finished()
    assert finished.end == "FORFEIT"
    assert finished.ends == ["PLAYED", "PLAYED", "CRASHED"]
    assert finished.ranks[2] == 3
    assert await next_match_runs(referee)
