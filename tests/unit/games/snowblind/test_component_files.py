"""Wrong component files: refused in one line with file, field and reason; what may be changed is played."""

from importlib.resources import files

import pytest

from arena.core.errors import BadComponents
from arena.games.snowblind import GAME

OWN = files("arena.games.snowblind").joinpath("components.toml").read_text(encoding="utf-8")


def changed(old, new):
    assert old in OWN
    return OWN.replace(old, new, 1)


def without(group, following):
    return OWN[: OWN.index(f"[{group}]")] + OWN[OWN.index(f"[{following}]") :]


WRONG = {
    "a missing group": (without("dice", "weather"), "dice: is missing"),
    "a missing set-up": (without("setups.epic", "setups.solo"), "setups.epic: is missing"),
    "a missing field": (changed("grey_d8 = 3\n", ""), "dice.grey_d8: is missing"),
    "a missing mode": (changed("solo_whiteout = 6\n", ""), "research.solo_whiteout: is missing"),
    "a missing status": (changed('status = "reconstructed" # how many', "# how many"), "dice.status: is missing"),
    "an unknown field": (changed("grey_d8 = 3", "grey_d8 = 3\nwhite_d8 = 1"), "dice.white_d8: is unknown"),
    "an unknown group": (OWN + "\n[penguins]\nmany = 3\n", "penguins: is unknown"),
    "an unknown status": (
        changed('status = "published"', 'status = "guessed"'),
        'supplies.status: must be "published" or "reconstructed"',
    ),
    "a text for a number": (changed("food = 12", 'food = "twelve"'), "supplies.food: must be a whole number"),
    "a truth value for a number": (changed("food = 12", "food = true"), "supplies.food: must be a whole number"),
    "a fraction": (changed("green = 1", "green = 0.5"), "dice.green: must be a whole number from 0 to 9"),
    "more dice than are kept": (
        changed("red_d6 = 2", "red_d6 = 10"),
        "dice.red_d6: must be a whole number from 0 to 9",
    ),
    "a negative number": (changed("barrels = 3", "barrels = -1"), "setups.quick.barrels: must be a whole number"),
    "a ship at the Pole": (changed("ship = 2", "ship = 6"), "setups.quick.ship: must be a whole number from 1 to 5"),
    "a captain south of his ship": (
        changed("captain = 3", "captain = 1"),
        "setups.quick.captain: is south of the ship, zone 2",
    ),
    "a number for a list": (
        changed("cards = [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6]", "cards = 6"),
        "weather.cards: must be",
    ),
    "no card": (changed("solo_cards = [6, 6, 5, 4, 3, 2]", "solo_cards = []"), "weather.solo_cards: must be a list"),
    "a card of 9": (changed("[6, 6, 5, 4, 3, 2]", "[9]"), "weather.solo_cards: must be a whole number from 1 to 8"),
    "more cards drawn than there are": (
        changed("weather = 7", "weather = 13"),
        "setups.epic.weather: must be 2 to 12, the number of weather.cards",
    ),
    "cards drawn in a solo game": (changed("weather = 0", "weather = 3"), "setups.solo.weather: must be 0"),
    "a field written twice": (changed("food = 12", "food = 12\nfood = 12"), "file: is no TOML: "),
    "no TOML": ("six dice\n", "file: is no TOML: "),
    "an empty file": ("", "supplies: is missing"),
}


@pytest.mark.parametrize("fault", WRONG)
def test_a_wrong_file_is_refused_with_file_field_and_reason(fault):
    text, reason = WRONG[fault]
    with pytest.raises(BadComponents) as refused:
        GAME.components(text, "mine.toml")
    assert str(refused.value).startswith(f"mine.toml: {reason}")
    assert "\n" not in str(refused.value)


def test_each_group_says_whether_it_is_published_or_reconstructed():
    status = {group: each.value for group, each in GAME.components(None, "").status.items()}
    assert status == {
        "supplies": "published",
        "dice": "reconstructed",
        "weather": "reconstructed",
        "setups.quick": "published",
        "setups.epic": "published",
        "setups.solo": "published",
        "research": "published",
    }


def test_the_status_is_no_number_and_changes_no_digest():
    own = GAME.components(None, "").digest
    assert GAME.components(OWN.replace("reconstructed", "published"), "mine.toml").digest == own


@pytest.mark.parametrize(
    ("old", "new"), [("grey_d8 = 3", "grey_d8 = 2"), ("4, 4, 5", "4, 4, 4"), ("solo_hard = 2", "solo_hard = 3")]
)
def test_another_number_is_another_digest(old, new):
    assert GAME.components(changed(old, new), "mine.toml").digest != GAME.components(None, "").digest


def test_the_dice_of_another_box_are_played_with():
    numbers = GAME.components(changed("green = 1", "green = 2"), "mine.toml")
    state = GAME.new("quick", 2, numbers)
    assert sum(state.dice) == 15
