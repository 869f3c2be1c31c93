"""A seat that forfeits a match of three to five, at a choice of each kind."""

import io

import pytest

from arena.core import FastStream
from arena.games.frost_shelter.phases import Phase
from arena.match import Match, MatchEnd, SeatEnd, SeatLabel, Setup
from arena.match.entries import Ply
from arena.match.log import read_log
from arena.match.verify import Status, verify_log

CHOICES = {
    "naming the Leader": (Phase.LEADER, None, "leader "),
    "Harpoon": (Phase.HARPOON, None, "decline"),
    "leading": (Phase.PLAY, True, "play "),
    "following": (Phase.PLAY, False, "play "),
    "winnings": (Phase.TAKE, None, "take "),
    "Expedition": (Phase.EXPEDITION, None, "decline"),
    "Chest": (Phase.CHEST, None, "decline"),
    "defence": (Phase.DEFENCE, None, "decline"),
    "Tarp": (Phase.TARP, None, "decline"),
    "Infirmary": (Phase.INFIRMARY, None, "decline"),
    "purchase": (Phase.PURCHASE, None, "decline"),
    "payment": (Phase.PAYMENT, None, "pay "),
}


def started(seats, seed):
    match = Match(
        Setup(
            game="frost-shelter",
            variant="standard",
            seats=tuple(SeatLabel(f"bot {number}", "1") for number in range(seats)),
            seed=bytes([seed]) * 16,
        )
    )
    match.start()
    return match


def answer(match, stream):
    decision = match.decision
    assert match.answer(decision.ply, stream.below(len(decision.legal), ""))


def is_at(match, phase, leads):
    view = match.view(None)
    # In the last resolution the others might have nothing left to choose.
    late = len(view.events_revealed) == 3 and phase not in (Phase.HARPOON, Phase.LEADER)
    return view.phase == phase and not late and (leads is None or leads == (not view.trick))


def reach(seats, phase, leads):
    for seed in range(60):
        match, stream = started(seats, seed), FastStream(seed)
        while match.decision is not None:
            if is_at(match, phase, leads):
                return match
            answer(match, stream)
    raise AssertionError(f"no choice of the phase {phase.name} in 60 matches")


@pytest.mark.parametrize("seats", [3, 4, 5])
@pytest.mark.parametrize("choice", CHOICES)
def test_a_seat_that_forfeits_at_any_choice_ranks_last_and_the_others_play_on(choice, seats):
    phase, leads, default = CHOICES[choice]
    match, stream = reach(seats, phase, leads), FastStream(seats)
    out, ply = match.decision.seat, match.decision.ply
    match.forfeit({out: SeatEnd.CRASHED})
    asked = set()
    while match.decision is not None:
        asked.add(match.decision.seat)
        answer(match, stream)
    assert asked == set(range(seats)) - {out}
    assert match.result.end is MatchEnd.FORFEIT
    assert match.result.reason != "forfeit", "the rules ended it"
    assert [end == SeatEnd.CRASHED for end in match.result.seat_ends] == [seat == out for seat in range(seats)]
    ranks = list(match.result.ranks)
    assert ranks.pop(out) == seats
    assert min(ranks) == 1
    assert max(ranks) < seats
    log = match.log_text().encode()
    entries = [line.entry for line in read_log(io.BytesIO(log))]
    played = {entry.ply: entry for entry in entries if isinstance(entry, Ply)}
    assert played[ply].actor == out
    assert played[ply].action.startswith(default)
    # Verification plays each default again by the game's own rule.
    assert verify_log(io.BytesIO(log)).status is Status.OK
