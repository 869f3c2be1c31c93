"""Seats that forfeit: in every phase, beside eliminated and finished ones, and all of them."""

import pytest

from arena.core import CHANCE, FastStream
from arena.games.snowblind import GAME
from arena.games.snowblind.state import STANDING, Phase, Standing
from arena.match.match import Match, SeatLabel, Setup
from arena.match.result import MatchEnd, SeatEnd

ASKED = [phase for phase in Phase if phase not in (Phase.COMPASS, Phase.ROLL, Phase.WEATHER, Phase.OVER)]
DEFAULTS = {Phase.TURN: "pass", Phase.BRING: "bring nobody", Phase.LOAD: "load 0", Phase.TRADE: "keep crate"}
DEFAULTS |= {Phase.REVIVE: "go on", Phase.FLAG: "leave flag"}


def play(phase, seats, seed):
    """Play at random up to a real choice of this phase; return the match and the stream, or None if there is none."""
    match = Match(Setup("snowblind", "quick", (SeatLabel("a", "1"),) * seats, bytes([seed]) * 16))
    match.start()
    stream = FastStream(seed)
    while match.decision is not None:
        found = GAME.parse_turn(match.turn(match.decision.seat))[0]
        if phase is not None and found.phase == phase:
            return match, stream
        step(match, stream)
    return None


def step(match, stream):
    asked = match.decision
    match.answer(asked.ply, stream.below(len(asked.legal), ""))


@pytest.mark.parametrize("phase", ASKED, ids=lambda phase: phase.name.lower())
@pytest.mark.parametrize("seats", [3, 4])
def test_a_seat_that_forfeits_in_any_phase_is_played_on_to_a_ranked_end(phase, seats):
    match, stream = next(filter(None, (play(phase, seats, seed) for seed in range(200))))
    out = match.decision.seat
    match.forfeit({out: SeatEnd.TIMEOUT})
    while match.decision is not None:
        assert match.decision.seat != out
        step(match, stream)
    assert match.result.end is MatchEnd.FORFEIT
    assert match.result.reason in ("prestige", "eliminated")
    assert match.result.seat_ends[out] is SeatEnd.TIMEOUT
    assert match.result.ranks[out] == seats


@pytest.mark.parametrize("seats", [3, 4])
def test_when_all_forfeit_at_once_all_tie(seats):
    match, _ = next(filter(None, (play(Phase.LOAD, seats, seed) for seed in range(200))))
    match.forfeit(dict.fromkeys(range(seats), SeatEnd.CRASHED))
    assert match.decision is None
    assert match.result.end is MatchEnd.FORFEIT
    assert match.result.ranks == (1,) * seats


def test_a_default_passes_and_takes_nothing_along(playout):
    seen = set()
    for seed in range(60):
        for state in playout("quick", 4, seed):
            if state.phase in DEFAULTS:
                seen.add(state.phase)
                assert GAME.actions.text_of(GAME.default_action(state)) == DEFAULTS[state.phase]
            elif state.to_act not in (None, CHANCE):
                assert GAME.default_action(state) == state.legal_actions()[0]
    assert seen == set(DEFAULTS)


def test_an_eliminated_a_finished_and_a_forfeited_expedition_leave_the_round_to_the_others(table):
    at = table("quick", 4).lay(0, flag=6, z2="C 9 crate").pass_all().play("weather 1")
    assert at.get(STANDING, 0) == Standing.FINISHED
    at.fact(1, STANDING, Standing.ELIMINATED)
    at.state.fallen = (1,)
    at.turn(2)
    # Seat 2 has forfeited: defaults only. Seat 3 plays on.
    at.state.apply(GAME.default_action(at.state))
    assert at.state.to_act == 3
    at.play("pass")
    while at.state.outcome is None:
        chance = at.state.to_act is CHANCE
        assert chance or at.state.to_act in (2, 3)
        at.state.apply(at.state.legal_actions()[0] if chance else GAME.default_action(at.state))
    assert at.state.outcome.ranks[1] == 4
    assert at.state.outcome.ranks[0] == 1
    assert at.state.outcome.scores[1] is None
