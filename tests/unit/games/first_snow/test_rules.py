"""The state as the arena uses it: legal lists, refusals, copies, defaults."""

import pickle
from copy import deepcopy

import pytest
from attributes import attributes_of

from arena.core.errors import IllegalAction, MalformedAction
from arena.games.first_snow import GAME, FirstSnowState
from arena.games.first_snow.actions import Craft, Place, SetBear, Side, TakeCard
from arena.games.first_snow.components import Half, Tool
from arena.games.first_snow.events import since
from arena.games.first_snow.phases import Phase


def everything(state):
    return [getattr(state, name) for name in attributes_of(FirstSnowState) if name != "known_legal"]


def test_an_illegal_action_is_refused_and_changes_nothing(table, do):
    state = do(table(bears=(2, 5)), "take 3")
    before = everything(state)
    for action in (TakeCard(4), Place(Side.LEFT, Half.LEFT), Craft(Tool.NET), SetBear(0), "take 4", None):
        with pytest.raises(IllegalAction, match=r"is not legal now \(place\); choose one of legal_actions"):
            state.apply(action)
        assert everything(state) == before


def test_nothing_is_legal_after_the_end(playout):
    *_, last = playout(5)
    assert last.legal_actions() == ()
    with pytest.raises(IllegalAction, match="not legal now"):
        last.apply(TakeCard(1))


def test_an_equal_action_made_elsewhere_is_as_good_as_the_known_one(table):
    state = table()
    state.apply(TakeCard(3))
    assert state.taken == 3


def test_an_equal_action_from_elsewhere_gives_way_to_the_known_one(playout):
    for state in playout(3):
        for action in state.legal_actions():
            twin = state.copy()
            twin.apply(deepcopy(action))
            assert since(twin.record, state.record)[0].action is action


def test_a_copy_and_its_original_do_not_touch_each_other(table, do):
    state = table()
    twin = state.copy()
    before = everything(state)
    do(twin, "take 3", "place start, camp left")
    assert everything(state) == before
    do(state, "take 4")
    assert twin.row == (3,)


def test_legal_actions_stand_in_table_order_without_repetition(playout):
    for seed in range(15):
        for state in playout(seed):
            ids = [GAME.actions.id_of(action) for action in state.legal_actions()]
            assert ids == sorted(set(ids))


def test_a_legal_list_found_anew_is_the_same(playout):
    for state in playout(2):
        found = state.legal_actions()
        state.known_legal = None
        assert state.legal_actions() == found


def test_legal_lists_are_short(playout):
    longest = max(len(state.legal_actions()) for seed in range(60) for state in playout(seed))
    assert longest <= 12


def test_a_choice_is_forced_only_when_leaving_one_kind_of_item_or_for_chance(playout):
    forced = {state.phase for seed in range(80) for state in playout(seed) if len(state.legal_actions()) == 1}
    assert forced <= {Phase.LEAVE, Phase.COOL}


def test_one_kind_of_item_is_a_forced_choice_left_to_the_match(stay, legal_texts):
    state = stay(3, 6, night=False, winter=(3, 6), carries="5 stone")
    assert legal_texts(state) == ["leave grass", "leave stone"]
    state = stay(6, 2, night=False, winter=(2, 6), carries="4 stone")
    assert legal_texts(state) == ["leave stone"]


@pytest.mark.parametrize(
    ("phase", "expected"),
    [
        (Phase.BEAR, "bear 1"),
        (Phase.FOOD, "eat balanced"),
        (Phase.REPAIR, "done"),
        (Phase.CRAFT, "done"),
    ],
)
def test_the_default_action_of_a_phase_is_fixed(playout, phase, expected):
    met = {
        GAME.actions.text_of(GAME.default_action(state))
        for seed in range(5)
        for state in playout(seed)
        if state.phase is phase
    }
    assert met == {expected}


def test_the_default_is_the_first_legal_action_where_no_other_is_named(playout):
    for state in playout(1):
        if state.phase in (Phase.TAKE, Phase.PLACE, Phase.LEAVE):
            assert GAME.default_action(state) == state.legal_actions()[0]


def test_every_action_has_a_notation_that_reads_back_and_words(table):
    components = GAME.components(None, "")
    for action in GAME.actions.all:
        text = GAME.actions.text_of(action)
        assert text.isascii()
        assert GAME.actions.parse(text) is action
        assert GAME.describe(action, components)
    with pytest.raises(MalformedAction):
        GAME.actions.parse("take 7")


def test_actions_can_be_pickled_for_workers_of_a_search():
    for action in GAME.actions.all:
        assert pickle.loads(pickle.dumps(action)) == action  # noqa: S301 - the test's own bytes
