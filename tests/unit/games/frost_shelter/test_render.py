"""Drawings of Frost Shelter: what a reader has to find in them."""

from xml.etree import ElementTree

import pytest

from arena.games.frost_shelter import GAME
from arena.games.frost_shelter.actions import Piece, Resource

NUMBERS = GAME.components(None, "")


def in_play(table):
    state = table.state(
        3,
        event="Burst Pipes",
        relic="food",
        hands=["fuel 1 10", "water 2 7", "food 4 9"],
        colonies=["tools 8", "", "water 3 5"],
        damage=[4, 0, 11],
        pool="food 6",
        kit={0: [Piece.TARP], 2: [Piece.HARPOON]},
    )
    return table.do(state, "play fuel 1", "expedition water 7")


@pytest.fixture(params=["text", "svg"])
def drawn(request, table):
    view = GAME.view(in_play(table), 2)
    if request.param == "text":
        return GAME.render_text(view, NUMBERS, 100)
    return " ".join(ElementTree.fromstring(GAME.render_svg(view, NUMBERS)).itertext())  # noqa: S314 - our own drawing


def test_a_drawing_shows_event_relic_damage_and_equipment(drawn):
    for word in ("Burst Pipes", "12 damage", "6 cards necessary", "reconstructed", "Food", "11", "Harpoon", "Tarp"):
        assert word in drawn


def test_a_drawing_shows_whose_turn_it_is_and_who_looks(drawn):
    assert "seat 2 plays a card" in drawn
    assert "as seat 2 sees it" in drawn


def test_a_drawing_marks_the_leader_and_expeditions(drawn):
    for word in ("Leader", "Expedition used", "seat 1 plays Water 7 on Expedition"):
        assert word in drawn


def test_the_text_shows_trick_pool_colonies_and_the_hand(table):
    text = GAME.render_text(GAME.view(in_play(table), 2), NUMBERS, 80)
    for line in (
        "Trick     seat 0 Fuel 1, seat 1 Water 7 (Expedition)",
        "Pool      Food 6",
        "  colony  2: Water 3 5",
        "Hand      Food 4 9",
    ):
        assert line in text.splitlines()


def test_a_changed_relic_says_what_was_revealed(table):
    state = table.harpoons(2, hands=["fuel 1", "fuel 2"], relic="food", kit={0: [Piece.HARPOON]})
    table.do(state, "harpoon water")
    assert "Water, by Harpoon (revealed: Food)" in GAME.render_text(GAME.view(state, None), NUMBERS, 80)


def test_an_option_is_told_by_the_card_it_stood_on_even_after_the_next_event_is_revealed(table):
    state = table.resolution(2, event="Blizzard", colonies=["food 1", "fuel 1"])
    table.do(state, "defend 1", "decline", "decline")
    table.deal(state)
    text = GAME.render_text(GAME.view(state, 0), NUMBERS, 80)
    assert "seat 0 defends: Food prevents 2" in text
    assert "Event 1 is over" in text


def test_a_finished_game_shows_the_ranks(table):
    state = table.resolution(2, event="Fever", number=3, colonies=["tools 1", "tools 4"])
    view = GAME.view(state, None)
    assert "rank 2" in GAME.render_text(view, NUMBERS, 80)
    assert "rank 2" in GAME.render_svg(view, NUMBERS)


@pytest.mark.parametrize("width", range(80, 141, 12))
def test_no_line_is_wider_than_asked_for(width, walked):
    for number, state in enumerate(walked(5, 7)):
        if number % 9 == 0:
            text = GAME.render_text(GAME.view(state, number % 5), NUMBERS, width)
            assert max(map(len, text.splitlines())) <= width


def test_a_card_of_the_relic_has_a_golden_edge(table):
    svg = GAME.render_svg(GAME.view(table.state(2, hands=["fuel 7", "water 2"], relic="fuel"), 0), NUMBERS)
    plain = GAME.render_svg(GAME.view(table.state(2, hands=["fuel 7", "water 2"], relic="tools"), 0), NUMBERS)
    assert svg.count("#d4a017") > plain.count("#d4a017")
    assert Resource.FUEL == 0
