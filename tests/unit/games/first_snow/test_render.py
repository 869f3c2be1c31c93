"""Pictures of a view: text for a terminal and SVG."""

from xml.etree import ElementTree as ET

import pytest

from arena.games.first_snow import GAME

VIEWERS = (0, 1, None)


@pytest.mark.parametrize("width", [80, 100, 140])
def test_no_line_of_text_is_wider_than_asked(playout, width):
    for state in playout(2):
        text = GAME.render_text(GAME.view(state, 1), state.components, width)
        assert max(map(len, text.splitlines())) <= width
        assert text.isascii()


def test_a_narrow_terminal_gets_80_columns(table):
    state = table()
    view = GAME.view(state, 0)
    assert GAME.render_text(view, state.components, 20) == GAME.render_text(view, state.components, 80)


def test_the_text_shows_what_a_person_has_to_know(table, lay):
    state = lay(table(bears=(6, 3), winter=(1, 4), carries=("2 fish", ""), good=("bow", "")), "start 3 left")
    text = GAME.render_text(GAME.view(state, 0), state.components, 140)
    assert "round 2 of 6 - seat 1 takes a card" in text
    assert "as seat 0 sees it" in text
    assert "bear on 6" in text
    assert "carries bow, 2 fish" in text
    assert "0 day!" in text
    assert "fish N" in text
    assert "seat 0 meets the bear of seat 1 on card 3" in text


def test_a_hidden_bear_is_in_no_picture(table):
    pictures = set()
    for card in range(1, 7):
        state = table(bears=(card, 2))
        view = GAME.view(state, 1)
        pictures.add((GAME.render_text(view, state.components, 80), GAME.render_svg(view, state.components)))
    assert len(pictures) == 1


def test_every_view_is_drawn_as_well_formed_svg(playout):
    for state in playout(3):
        for viewer in VIEWERS:
            picture = GAME.render_svg(GAME.view(state, viewer), state.components)
            assert ET.fromstring(picture).tag.endswith("svg")  # noqa: S314 - the test's own picture


def test_the_end_names_the_winner(playout):
    *_, last = playout(1)
    winner = last.outcome.ranks.index(1)
    assert f"over: seat {winner} wins" in GAME.render_text(GAME.view(last, None), last.components, 80)
