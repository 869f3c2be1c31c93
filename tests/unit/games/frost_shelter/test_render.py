"""Drawings of Frost Shelter: what a reader has to find in them."""

from xml.etree import ElementTree

import pytest

from arena.games.frost_shelter import GAME
from arena.games.frost_shelter.actions import Piece, Resource
from arena.games.frost_shelter.phases import Phase

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


def both(state, seat=None):
    """Return a view as text and the words of its picture, line breaks as spaces."""
    view = GAME.view(state, seat)
    picture = " ".join(ElementTree.fromstring(GAME.render_svg(view, NUMBERS)).itertext())  # noqa: S314 - our own
    return " ".join(GAME.render_text(view, NUMBERS, 80).split()), picture


DECLINED = {
    "uses no Harpoon": lambda table: table.harpoons(2, hands=["fuel 1", "fuel 2"], kit={0: [Piece.HARPOON]}),
    "stops picking": lambda table: table.do(
        table.state(2, hands=["fuel 1 3", "fuel 2 4"], pool="food 1"), "play fuel 1", "expedition fuel 2", "take fuel 1"
    ),
    "uses no further Chest": lambda table: table.resolution(
        2, colonies=["water 1 2 3 4 5 6", ""], kit={0: [Piece.CHEST]}
    ),
    "defends no further": lambda table: table.resolution(2, colonies=["food 1", ""]),
    "uses no further Tarp": lambda table: table.resolution(2, kit={0: [Piece.TARP]}),
    "heals no further": lambda table: table.resolution(
        2, event="Famine", relic="tools", colonies=["fuel 1, food 1, tools 1", ""], damage=[3, 0], expeditions=[1]
    ),
    "buys nothing": lambda table: table.resolution(2, colonies=["water 1", ""]),
}


@pytest.mark.parametrize("words", DECLINED)
def test_a_drawing_tells_what_a_seat_declined(words, table):
    state = DECLINED[words](table)
    if words == "heals no further":
        table.do(state, "decline")
    seat = state.to_act
    for drawing in both(table.do(state, "decline")):
        assert f"seat {seat} {words}" in drawing


def test_a_drawing_tells_hibernation_frost_bite_and_damage(table):
    state = table.resolution(2, event="Blizzard", colonies=["", "water 1 2 3 4 5 6, food 1"], relic="tools")
    for drawing in both(state, 1):
        assert "seat 0 hibernates, which prevents 4 damage" in drawing
        assert "seat 0 suffers 6 damage by the Event" in drawing
        assert "seat 1 suffers 4 damage by Frost Bite" in drawing
        assert "seat 1 may defend: 10 damage left" in drawing


def test_a_drawing_tells_what_equipment_costs_and_does(table):
    for drawing in both(in_play(table)):
        for words in ("2 of one resource", "prevents 3", "2 of any resources", "holds 2", "1 of any resource"):
            assert words in drawing


def test_a_drawing_tells_how_many_cards_a_winner_takes_and_that_nobody_published_it(table):
    for drawing in both(in_play(table)):
        assert "the winner takes 2 cards (reconstructed)" in drawing


def test_a_drawing_tells_the_order_and_the_round_of_buying(table):
    state = table.resolution(2, event="Fever", relic="tools", colonies=["tools 1", "tools 2"], damage=[0, 9])
    for drawing in both(state):
        assert "seat 1 may buy equipment, round 1 of 2" in drawing
        assert "buys 1st" in drawing
        assert "buys 2nd" in drawing
    for drawing in both(table.do(state, "decline", "decline")):
        assert "seat 1 may buy equipment, round 2 of 2" in drawing


def test_a_drawing_tells_what_is_being_paid_for(table):
    state = table.resolution(2, event="Fever", relic="tools", colonies=["tools 1, fuel 1 2", ""])
    while state.phase is not Phase.PURCHASE:
        table.do(state, "decline")
    for drawing in both(table.do(state, "buy harpoon")):
        assert "seat 0 chooses what to pay for the piece, 1 more" in drawing


@pytest.mark.parametrize(
    ("colonies", "damage", "words"),
    [
        (["", "fuel 9"], [0, 0], "seat 0 wins by the least damage"),
        (["fuel 3", "fuel 9"], [0, 0], "seat 1 wins by values left"),
        (["fuel 9", "tools 9"], [0, 0], "seat 1 wins by Relic values left"),
        (["fuel 9", "water 9"], [0, 0], "seats 0 and 1 share the victory"),
        (["fuel 9", "food 9", "water 9"], [0, 0, 0], "seats 0, 1 and 2 share the victory"),
    ],
)
def test_a_finished_game_tells_who_won_and_by_what(colonies, damage, words, table):
    state = table.resolution(len(colonies), event="Fever", relic="tools", number=3, colonies=colonies, damage=damage)
    while state.phase is not Phase.OVER:
        table.do(state, "decline")
    for drawing in both(state):
        assert f"game over: {words}" in drawing
        assert "values 9, Relic" in drawing


def test_each_kind_of_piece_a_seat_holds_is_drawn_once_with_its_number(table):
    state = table.state(2, hands=["fuel 1", "fuel 2"], kit={0: [Piece.TARP] * 5 + [Piece.CHEST] * 2 + [Piece.HARPOON]})
    _, picture = both(state)
    for words in ("5 × Tarp", "2 × Chest", "Harpoon"):
        assert words in picture


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
