"""Seats that forfeit: in every phase, beside eliminated and finished ones, and all of them."""

import re
from importlib.resources import files

import pytest

from arena.core import CHANCE, FastStream
from arena.games.snowblind import GAME
from arena.games.snowblind.state import STANDING, Phase, Standing
from arena.games.snowblind.v1 import snowblind_pb2 as pb
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


def near_the_pole():
    """Return numbers with the ship beside the Pole and few men and crates: soon some are finished and some are dead."""
    own = files("arena.games.snowblind").joinpath("components.toml").read_text(encoding="utf-8")
    head, quick, rest = re.split(r"(?=\[setups\.quick\])|(?=\[setups\.epic\])", own)
    few = {"ship": 5, "captain": 5, "scientists": 0, "sailors": 1, "base_crates": 1, "captain_crates": 1, "barrels": 0}
    for name, number in few.items():
        quick = re.sub(rf"^{name} = \d+", f"{name} = {number}", quick, flags=re.MULTILINE)
    return head + quick + rest


def standings(match):
    return [each.standing for each in match.view(None).expeditions]


def mixed(seed):
    """Play until one of four is finished, one eliminated and two are playing; None if it never comes so."""
    match = Match(Setup("snowblind", "quick", (SeatLabel("a", "1"),) * 4, bytes([seed]) * 16, near_the_pole()))
    match.start()
    stream = FastStream(seed)
    while match.decision is not None:
        if sorted(standings(match)) == [pb.STANDING_PLAYING] * 2 + [pb.STANDING_FINISHED, pb.STANDING_ELIMINATED]:
            return match, stream
        texts = [GAME.actions.text_of(action) for action in match.decision.legal]
        choice = texts.index("plant flag") if "plant flag" in texts else stream.below(len(texts), "")
        match.answer(match.decision.ply, choice)
    return None


def test_a_match_goes_on_with_an_eliminated_a_finished_and_a_forfeited_seat_at_once():
    match, stream = next(filter(None, map(mixed, range(200))))
    before = standings(match)
    out = match.decision.seat
    other = next(seat for seat in range(4) if before[seat] == pb.STANDING_PLAYING and seat != out)
    match.forfeit({out: SeatEnd.TIMEOUT})
    while match.decision is not None:
        assert match.decision.seat == other
        step(match, stream)
    ranks = match.result.ranks
    assert match.result.end is MatchEnd.FORFEIT
    assert ranks[out] == 4
    assert ranks[before.index(pb.STANDING_FINISHED)] < ranks[before.index(pb.STANDING_ELIMINATED)] < 4
    assert match.result.scores[before.index(pb.STANDING_ELIMINATED)] is None


def test_all_that_are_left_may_forfeit_beside_an_eliminated_and_a_finished_seat():
    match, _ = next(filter(None, map(mixed, range(200))))
    before = standings(match)
    playing = [seat for seat in range(4) if before[seat] == pb.STANDING_PLAYING]
    match.forfeit(dict.fromkeys(playing, SeatEnd.CRASHED))
    assert match.decision is None
    assert {match.result.ranks[seat] for seat in playing} == {3}
    assert match.result.ranks[before.index(pb.STANDING_FINISHED)] == 1
    assert match.result.ranks[before.index(pb.STANDING_ELIMINATED)] == 2
