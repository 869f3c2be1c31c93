"""Drawings of Snowblind: what a reader has to find in them."""

import re
from xml.etree import ElementTree

import pytest

from arena.core import CHANCE
from arena.games.snowblind import GAME
from arena.games.snowblind.components import Die
from arena.games.snowblind.state import MEDAL, RESEARCH, STANDING, Standing

NUMBERS = GAME.components(None, "")


def text_of(table, seat=None, width=80):
    return GAME.render_text(GAME.view(table.state, seat), NUMBERS, width)


def svg_of(table, seat=None):
    return GAME.render_svg(GAME.view(table.state, seat), NUMBERS)


def words_of(svg):
    """Return what the texts of a picture say."""
    return " ".join(ElementTree.fromstring(svg).itertext())  # noqa: S314 - our own drawing


@pytest.fixture
def camped(table):
    """Seat 0 halfway with men standing and lying, everything on its track, and two dice rolled."""
    at = table("quick", 3).lay(
        0, flag=4, z2="YB 6 crate 2 barrel 1 camp", z3="B yb 2 crate 1 food", z5="C 3 crate 4 food 1 camp"
    )
    at.pool("red-d8", "green").turn(0).fact(0, MEDAL, 1).fact(0, RESEARCH, 2)
    return at.play("take blue-d6", "move sailor 2 to 3", "load 1", "go on").roll(8, 3)


@pytest.fixture(params=["text", "wide text", "svg"])
def drawn(request, camped):
    """What each kind of drawing says."""
    if request.param == "svg":
        return words_of(svg_of(camped, 1))
    return text_of(camped, 1, 80 if request.param == "text" else 140)


def test_a_drawing_says_who_is_asked_what_and_who_looks(drawn):
    assert "Snowblind (quick), round 1: seat 0 takes a loss" in drawn
    assert "view of seat 1" in drawn


def test_a_drawing_shows_what_an_expedition_has_besides_its_track(drawn):
    for word in ("prestige", "flag in zone 4", "medal", "2 research", "3 camps in hand", "compass"):
        assert word in drawn


def test_a_drawing_shows_what_is_under_way(drawn):
    assert "under way: seat 0, blue-d6, sailor from zone 2 to zone 3, 1 to lose" in drawn


@pytest.mark.parametrize("drawing", [text_of, lambda table: words_of(svg_of(table))], ids=["text", "svg"])
def test_a_match_that_ends_in_the_middle_of_an_action_has_nothing_under_way_any_more(table, drawing):
    at = table("solo", 1).lay(z3="C").pool("grey-d8").play("take red-d6", "move captain 3 to 4").roll(6, 8)
    assert "under way: seat 0, red-d6" in drawing(at)
    drawn = drawing(at.play("exhaust captain", "perish captain"))
    assert GAME.view(at.state, None).HasField("course")
    assert "under way" not in drawn
    assert "the captain has perished" in drawn


def test_a_drawing_names_the_ship_and_the_pole(drawn):
    assert "2 ship" in drawn
    assert re.search("6 pole", drawn, re.IGNORECASE)


def test_a_drawing_shows_supply_and_action_board(drawn):
    assert re.search(r"supply: 7 food,\s+12 research", drawn)
    assert "action board" in drawn


def test_text_at_80_columns_draws_each_zone_with_short_names_and_explains_them(camped):
    lines = text_of(camped).splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("> seat 0"))
    assert lines[first + 2 : first + 8] == [
        "  pool: red-d8 8, blue-d6 3, green",
        "  .           |2 ship      |3           |4           |5           |6 POLE",
        "              |Y           |BB y b      |            |C           |",
        "              |5 cr        |3 cr 1 fd   |            |3 cr 4 fd   |",
        "              |2 ba 1 ca   |            |            |1 ca        |",
        "              |            |            |flag        |            |",
    ]
    assert "C captain  Y scientist  B sailor, small letters are exhausted" in lines
    assert "cr crates  fd food  ba barrels  ca camps" in lines


def test_text_at_140_columns_writes_goods_out(camped):
    text = text_of(camped, width=140)
    for words in ("5 crates", "3 crates, 1 food", "2 barrels, 1 camp", "3 crates, 4 food"):
        assert words in text
    assert "cr crates" not in text


@pytest.mark.parametrize("width", [80, 100, 140])
@pytest.mark.parametrize(("variant", "seats"), [("quick", 4), ("epic", 2), ("solo-whiteout", 1)])
def test_no_line_of_a_whole_game_is_wider_than_asked(playout, variant, seats, width):
    for number, state in enumerate(playout(variant, seats, 7)):
        if number % 25 == 0 or state.to_act is None:
            text = GAME.render_text(GAME.view(state, None), NUMBERS, width)
            assert max(map(len, text.splitlines())) <= width


def test_more_men_than_fit_a_cell_at_80_columns_are_counted(table):
    at = table("quick", 2).lay(0, z2="CYYBBB cyybbb")
    assert "|C2Y3Bc2y3b  |" in text_of(at)


def test_a_die_just_taken_stands_without_a_face_beside_the_last_roll(table):
    at = table("quick", 2).lay(0, z2="YB 9 crate", z3="C 9 crate").turn(0)
    at.play("take grey-d8 haul", "move captain 3 to 2", "load 0").roll(1).play("pass")
    at.play("take grey-d8 haul")
    assert "pool: grey-d8 1, grey-d8\n" in text_of(at)
    assert dice(svg_of(at)) == ["1"]


def dice(svg):
    """Return the faces shown on dice."""
    return re.findall(r'text-anchor="middle">(\d)<', svg.partition("pool")[2])


def test_a_picture_shows_each_die_of_the_board_and_the_pool_with_its_face(camped):
    svg = svg_of(camped)
    assert dice(svg) == ["8", "3"]
    left = sum(NUMBERS.dice) - 3
    squares = len(re.findall(r'<rect [^>]*width="24" height="24" rx="4"', svg))
    diamonds = len(re.findall(r'<path d="M\d+ \d+l15 15l-15 15l-15 -15z"', svg))
    assert squares + diamonds == left + 3
    # Red, yellow and blue d6 and the green die; one of each colour's d8, purple, and the greys.
    assert squares == sum(NUMBERS.dice[die] for die in (Die.RED_D6, Die.YELLOW_D6, Die.BLUE_D6, Die.GREEN))


def test_a_picture_shows_each_man_standing_or_lying(table):
    at = table("quick", 2).lay(0, z3="CYYB cyybbb").lay(1)
    svg = svg_of(at)
    assert len(re.findall(r'cy="\d+" r="5"/>', svg)) == 4
    assert len(re.findall(r'r="4.5"/>', svg)) == 6


def test_lying_men_stay_in_their_zone_however_many(table):
    at = table("quick", 2).lay(0, z3="cyyyyybbbbbbb").lay(1)
    ends = [int(x) for x in re.findall(r'<path d="M(\d+) \d+l-\d+ 6l', svg_of(at))]
    assert len(ends) == 13
    assert max(ends) < 16 + 3 * 136 - 6


def test_a_picture_shows_weather_cards_pack_ice_and_how_many_are_left(table):
    at = table("quick", 2).pass_all()
    at.state.drawn = (6, 2, 3, 0)
    words = words_of(svg_of(at))
    assert "6 2 3 ice" in " ".join(words.split())
    assert "2 cards left" in words
    at.state.drawn = (6, 2, 3, 0, 1)
    assert "1 card left" in words_of(svg_of(at))
    at.state.drawn = (6, 2, 3, 0)
    assert "weather: 6 2 3 ICE, 2 left, this is the last round" in text_of(at)


def test_the_expedition_to_act_is_marked(table):
    at = table("quick", 2).turn(1)
    assert svg_of(at).count('fill="#fff6d6"') == 1
    assert [line[:8] for line in text_of(at).splitlines() if "seat " in line and "prestige" in line] == [
        "  seat 0",
        "> seat 1",
    ]


def test_finished_and_eliminated_expeditions_say_so_and_the_eliminated_fade(table):
    at = table("quick", 2).fact(0, STANDING, Standing.FINISHED).fact(1, STANDING, Standing.ELIMINATED)
    text, svg = text_of(at), svg_of(at)
    for words in (text, words_of(svg)):
        assert re.search(r"seat 0: .*finished", words)
        assert "seat 1: eliminated" in words
    assert svg.count('opacity="0.45"') == 1


def test_a_finished_game_shows_ranks_and_why_it_ended(table):
    at = table("quick", 2)
    while at.state.to_act is not None:
        chance = at.state.to_act is CHANCE
        at.state.apply(at.state.legal_actions()[-1] if chance else GAME.default_action(at.state))
    for words in (text_of(at), words_of(svg_of(at))):
        assert "the game is over" in words
        assert "rank 1" in words
        assert "by prestige" in words


def test_a_solo_game_shows_how_far_the_captain_has_come(table):
    at = table("solo", 1).lay(0, z6="C 3 crate")
    at.state.facts[6] = 1
    assert "been to the Pole" in text_of(at)
    at.state.facts[7] = 1
    assert "back from the Pole" in words_of(svg_of(at))


def test_the_zones_south_of_the_ship_are_closed(table):
    assert "|2 ship" in text_of(table("quick", 2))
    assert svg_of(table("quick", 2)).count('fill="#e3e6e8"') == 2
    assert 'fill="#e3e6e8"' not in svg_of(table("epic", 2))


def test_public_and_seat_see_the_same_position(camped):
    public, own = (words_of(svg_of(camped, seat)) for seat in (None, 0))
    assert public.replace("public view", "") == own.replace("view of seat 0", "")
