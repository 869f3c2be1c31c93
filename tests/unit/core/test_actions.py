"""The enumeration of actions: ids, notation, and what it refuses."""

import pytest

from arena.core import ActionTable
from arena.core.errors import MalformedAction

TABLE = ActionTable(["north", "south"], str.upper)


def test_an_id_is_the_place_in_the_table():
    assert [TABLE.id_of(action) for action in TABLE.all] == [0, 1]
    assert [TABLE.by_id(number) for number in range(len(TABLE))] == ["north", "south"]


def test_a_notation_leads_back_to_its_action():
    assert TABLE.parse("SOUTH") == "south"
    assert TABLE.text_of("north") == "NORTH"


@pytest.mark.parametrize("number", [-1, 2, 10**9])
def test_an_id_outside_the_table_is_malformed(number):
    with pytest.raises(MalformedAction, match=r"not in 0 \.\. 1"):
        TABLE.by_id(number)


def test_an_unknown_notation_is_malformed():
    with pytest.raises(MalformedAction, match="'north' is no action"):
        TABLE.parse("north")


def test_an_unknown_action_is_malformed():
    with pytest.raises(MalformedAction, match="'west' is no action"):
        TABLE.id_of("west")


@pytest.mark.parametrize("actions", [["a", "a"], ["a", "A"]])
def test_an_action_or_notation_stands_only_once(actions):
    with pytest.raises(ValueError, match="each notation once"):
        ActionTable(actions, str.upper)
