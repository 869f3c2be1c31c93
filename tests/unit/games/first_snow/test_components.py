"""The component file: the printed numbers, the checks of the whole set, and refusals of bad files."""

from collections import Counter
from importlib.resources import files
from itertools import product

import pytest

from arena.core.errors import BadComponents
from arena.games.first_snow.components import CARDS, Half, Resource, Status, Tool, read_components

R, T = Resource, Tool


@pytest.fixture
def own():
    return read_components(None, "")


@pytest.fixture
def text():
    return files("arena.games.first_snow").joinpath("components.toml").read_text(encoding="utf-8")


def halves(components, *, winter):
    return [components.half(card, half, winter=winter) for card in CARDS for half in Half]


def totals(components, *, winter):
    return Counter(kind for half in halves(components, winter=winter) for kind, _ in half.resources)


def locations(components):
    """Every location: two different cards, each on either side; (right half, left half)."""
    for left, right in product(CARDS, repeat=2):
        if left != right:
            for left_winter, right_winter in product((False, True), repeat=2):
                yield (
                    (left, left_winter, components.half(left, Half.RIGHT, winter=left_winter)),
                    (right, right_winter, components.half(right, Half.LEFT, winter=right_winter)),
                )


def test_there_are_six_land_cards_with_two_sides_of_two_halves(own):
    assert len(halves(own, winter=False)) == len(halves(own, winter=True)) == 12


def test_there_are_120_different_locations(own):
    shown = {
        (*sorted([*left.resources, *right.resources], key=repr), left.snow + right.snow, left.coat + right.coat)
        for (_, _, left), (_, _, right) in locations(own)
    }
    assert len(shown) == 6 * 5 * 4 == 120


def test_summer_resources_add_up_as_published(own):
    assert totals(own, winter=False) == {
        R.WOOD: 9, R.FISH: 9, R.BERRY: 7, R.BIRD: 6, R.CARIBOU: 5, R.GRASS: 5, R.STONE: 3,
    }  # fmt: skip


def test_winter_resources_add_up_as_published(own):
    assert totals(own, winter=True) == {R.WOOD: 5, R.FISH: 6, R.BIRD: 6, R.CARIBOU: 4, R.GRASS: 1, R.STONE: 3}


def test_summer_has_three_snowflakes_and_none_has_the_coat_mark(own):
    summer = halves(own, winter=False)
    assert (sum(half.snow for half in summer), sum(half.coat for half in summer)) == (3, 0)


def test_winter_has_17_snowflakes_and_8_have_the_coat_mark(own):
    winter = halves(own, winter=True)
    assert (sum(half.snow for half in winter), sum(half.coat for half in winter)) == (17, 8)


def test_the_four_resource_example_fits_exactly_one_location(own):
    example = Counter([(R.WOOD, None), (R.BIRD, T.BOW), (R.FISH, T.AXE), (R.FISH, T.NET)])
    fitting = [
        (left[:2], right[:2])
        for left, right in locations(own)
        if Counter([*left[2].resources, *right[2].resources]) == example
    ]
    assert fitting == [((2, False), (3, True))]


def test_every_tool_costs_its_two_resources(own):
    assert own.costs == (
        (R.GRASS, R.GRASS),
        (R.WOOD, R.GRASS),
        (R.WOOD, R.STONE),
        (R.WOOD, R.STONE),
        (R.CARIBOU, R.GRASS),
    )


def test_every_bird_takes_a_bow_and_every_caribou_a_spear(own):
    needed = {R.BIRD: T.BOW, R.CARIBOU: T.SPEAR}
    for half in halves(own, winter=False) + halves(own, winter=True):
        for kind, tool in half.resources:
            assert tool == needed.get(kind, tool)
            assert (tool in needed.values()) == (kind in needed)


def test_a_net_or_an_axe_opens_fish_and_an_axe_opens_wood(own):
    marks = {
        (kind, tool) for half in halves(own, winter=False) + halves(own, winter=True) for kind, tool in half.resources
    }
    assert {kind for kind, tool in marks if tool is T.NET} == {R.FISH}
    assert {kind for kind, tool in marks if tool is T.AXE} == {R.FISH, R.WOOD}
    assert {kind for kind, tool in marks if tool is T.COAT} == set()


def test_both_groups_are_marked_published(own):
    assert own.status == {"tools": Status.PUBLISHED, "lands": Status.PUBLISHED}


def test_the_digest_follows_the_numbers_and_not_the_wording(own, text):
    reworded = text.replace('status = "published"', 'status = "reconstructed"')
    changed = text.replace("snow = 2, coat = 1", "snow = 2, coat = 0", 1)
    assert len(own.digest) == 64
    assert read_components(text, "x").digest == own.digest == read_components(reworded, "x").digest
    assert read_components(changed, "x").digest != own.digest


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[tools]", "[tools", "mine.toml: file: is no TOML"),
        ('[lands]\nstatus = "published"', "[lands]", "mine.toml: lands.status: is missing"),
        ("[tools]", "[extra]\n[tools]", "mine.toml: extra: is unknown"),
        ('status = "published"', 'status = "guessed"', 'mine.toml: tools.status: must be "published" or'),
        ('["grass", "grass"]', '["grass"]', "mine.toml: tools.net.cost: must name two resources, not 1"),
        ('["grass", "grass"]', '["grass", "gold"]', "mine.toml: tools.net.cost: 'gold' is no resource"),
        ('["grass", "grass"]', "7", "mine.toml: tools.net.cost: must be a list of texts"),
        ('net = { cost = ["grass", "grass"] }', "", "mine.toml: tools.net: is missing"),
        ('net = { cost = ["grass", "grass"] }', "net = 3", "mine.toml: tools.net: must be a table with cost"),
        ("[lands.1.summer]", "[lands.7.summer]", "mine.toml: lands.7: is unknown; there are status, 1, 2"),
        ("[lands.1.summer]", "[lands.1.spring]", "mine.toml: lands.1.summer: is missing"),
        ('"wood[axe]"', '"wood[saw]"', "mine.toml: lands.1.summer.left.resources: 'wood[saw]' names no tool"),
        ('"wood[axe]"', '"wood[axe"', "mine.toml: lands.1.summer.left.resources: 'wood[axe' names no tool"),
        ("snow = 1, coat = 1", "snow = -1, coat = 1", "mine.toml: lands.1.winter.left.snow: must be a whole number"),
        ("snow = 1, coat = 1", "snow = 1, coat = 2", "mine.toml: lands.1.winter.left.coat: must be a whole number"),
        ("snow = 1, coat = 1", "snow = true, coat = 1", "mine.toml: lands.1.winter.left.snow: must be a whole number"),
        ('["stone"]', str(["stone"] * 13).replace("'", '"'), "mine.toml: lands.6.winter.right.resources: has 13"),
    ],
)
def test_a_bad_file_is_refused_with_file_field_and_fault(text, old, new, message):
    assert old in text
    with pytest.raises(BadComponents) as caught:
        read_components(text.replace(old, new, 1), "mine.toml")
    assert caught.value.message.startswith(message)
    assert "\n" not in caught.value.message
