"""What every game promises about its course: it ends, refuses what is illegal, and copies are worlds of their own."""

from itertools import islice

import pytest

from arena.core import CHANCE, FastStream
from arena.core.errors import IllegalAction

LONGEST_LIST = 200


def check_outcome(case, outcome, where):
    seats = case.seats
    assert outcome is not None, f"{where}: over without an outcome"
    assert len(outcome.ranks) == len(outcome.scores) == seats, f"{where}: {outcome}"
    assert outcome.reason, f"{where}: {outcome}"
    assert outcome.reason == outcome.reason.lower(), f"{where}: {outcome}"
    if seats == 1:
        assert outcome.ranks in ((1,), (2,)), f"{where}: {outcome}"
        return
    for rank in outcome.ranks:
        better = sum(other < rank for other in outcome.ranks)
        assert rank == better + 1, f"{where}: after a tie ranks are skipped, {outcome}"
    if not case.variant.draws:
        assert outcome.ranks.count(1) == 1, f"{where}: the variant knows no draws, {outcome}"


def test_a_playout_ends_with_a_well_formed_outcome(case):
    for seed in range(1, 9):
        *_, last = case.positions(seed, at_most=2)
        check_outcome(case, last.state.outcome, last.where)
        assert last.state.to_act is None, last.where
        assert not last.state.legal_actions(), f"{last.where}: legal actions after the end"


def test_there_is_no_outcome_before_the_end(case):
    for at in case.all_positions():
        assert (at.state.outcome is None) == (at.state.to_act is not None), at.where


def test_legal_actions_are_few_distinct_and_enumerated(case):
    for at in case.all_positions():
        legal = at.state.legal_actions()
        assert len(legal) < LONGEST_LIST, at.where
        assert len(set(legal)) == len(legal), f"{at.where}: repetition in {legal}"
        assert all(case.game.actions.by_id(case.game.actions.id_of(action)) == action for action in legal), at.where


def refuses(state, action):
    try:
        state.apply(action)
    except IllegalAction:
        return True
    return False


def test_an_illegal_action_is_refused_without_effect(case):
    choice = FastStream(1)
    table = case.game.actions.all
    for at in case.all_positions(walks=2, at_most=25):
        before = case.fingerprint(at.state)
        legal = set(at.state.legal_actions())
        for _ in range(12):
            action = table[choice.below(len(table), "")]
            if action in legal:
                continue
            text = case.game.actions.text_of(action)
            assert refuses(at.state, action), f"{at.where}: {text!r} was accepted and is not legal"
            assert case.fingerprint(at.state) == before, f"{at.where}: a refused {action} left a trace"


def test_every_legal_action_is_accepted(case):
    for at in case.all_positions(walks=2, at_most=40):
        for action in at.state.legal_actions():
            at.state.copy().apply(action)


def test_copies_are_independent(case):
    for at in case.all_positions(walks=2, at_most=12):
        before = case.fingerprint(at.state)
        for action in islice(at.state.legal_actions(), 5):
            twin, other = at.state.copy(), at.state.copy()
            twin.apply(action)
            assert case.fingerprint(at.state) == before, f"{at.where}: {action} on a copy changed the original"
            after = case.fingerprint(twin)
            other.apply(action)
            assert case.fingerprint(other) == after, f"{at.where}: {action} led two copies to different states"
            _finish(case, other)
            assert case.fingerprint(twin) == after, f"{at.where}: playing one copy on changed another"


def _finish(case, state):
    stream = FastStream(5)
    for _ in range(30):
        if state.to_act is None:
            return
        legal = state.legal_actions()
        state.apply(case.game.draw(state, stream) if state.to_act is CHANCE else legal[stream.below(len(legal), "")])


def test_the_same_actions_lead_to_the_same_state(case):
    first = list(case.positions(1, at_most=20))
    again = list(case.positions(1, at_most=20))
    for one, two in zip(first, again, strict=True):
        assert case.fingerprint(one.state) == case.fingerprint(two.state), one.where


def test_the_default_action_is_legal_whenever_a_seat_acts(case):
    for at in case.all_positions():
        if at.state.to_act not in (None, CHANCE):
            action = case.game.default_action(at.state)
            assert action in at.state.legal_actions(), f"{at.where}: {action}"


def test_default_actions_alone_bring_the_game_to_an_end(case):
    stream, state = FastStream(3), case.new()
    for _ in range(20_000):
        if state.to_act is None:
            break
        chance = state.to_act is CHANCE
        state.apply(case.game.draw(state, stream) if chance else case.game.default_action(state))
    check_outcome(case, state.outcome, f"{case}, default actions only")


def test_what_is_chosen_changes_the_course(case):
    courses = {tuple(case.game.actions.text_of(action) for action in case.walk(seed)) for seed in (1, 2, 3)}
    assert len(courses) == 3, f"{case}: different seeds, equal playouts"


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_ten_thousand_playouts_stay_within_the_bounds(game, cases_of):
    cases = cases_of(game)
    for case in cases:
        for seed in range(10_000 // len(cases)):
            _measured_playout(case, seed)


def _measured_playout(case, seed):
    stream, state, ply = FastStream(seed), case.new(), 0
    while (actor := state.to_act) is not None:
        where = f"{case}, fast seed {seed}, ply {ply}"
        assert ply < 20_000, where
        if actor is CHANCE:
            action = case.game.draw(state, stream)
        else:
            legal = state.legal_actions()
            assert 0 < len(legal) < LONGEST_LIST, where
            if ply % 7 == seed % 7:
                assert case.game.view(state, actor).ByteSize() <= 4096, f"{where}: view of seat {actor} above 4 KB"
                assert case.game.view(state, None).ByteSize() <= 4096, f"{where}: public view above 4 KB"
            action = legal[stream.below(len(legal), "")]
        state.apply(action)
        ply += 1
    check_outcome(case, state.outcome, f"{case}, fast seed {seed}")
