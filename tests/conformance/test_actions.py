"""What every game promises about its actions: a fixed enumeration, one notation, words, and a wire form."""

import pytest

from arena.core import CHANCE
from arena.core.errors import MalformedAction


def test_an_action_survives_its_id_and_its_notation(game):
    table = game.actions
    for number, action in enumerate(table.all):
        assert table.id_of(action) == number
        assert table.by_id(number) == action
        assert table.parse(table.text_of(action)) == action


def test_a_notation_is_a_short_ascii_line(game):
    for text in game.actions.texts:
        assert text.isascii(), text
        assert text.isprintable(), text
        assert text == text.strip(), text
        assert 0 < len(text) <= 60, text


def test_what_is_no_action_is_malformed(game):
    for bad in (lambda: game.actions.parse("no such thing"), lambda: game.actions.by_id(len(game.actions))):
        with pytest.raises(MalformedAction):
            bad()


def test_every_action_has_one_line_of_plain_words(game):
    components = game.components(None, "")
    for action in game.actions.all:
        words = game.describe(action, components)
        assert words.strip(), game.actions.text_of(action)
        assert "\n" not in words, game.actions.text_of(action)


def test_a_turn_survives_the_wire(case):
    for at in case.all_positions(at_most=120):
        actor = at.state.to_act
        if actor in (None, CHANCE):
            continue
        view, legal = case.game.view(at.state, actor), tuple(at.state.legal_actions())
        data = case.game.turn(view, legal).SerializeToString(deterministic=True)
        again, actions = case.game.parse_turn(data)
        assert again == view, at.where
        assert tuple(actions) == legal, at.where
        assert len(data) <= 32 * 1024, f"{at.where}: a turn of {len(data)} bytes"


def test_garbage_is_no_turn(game):
    with pytest.raises(MalformedAction):
        game.parse_turn(b"\xff\xff\xff\xff")
