"""Finding games, variants and seats, and the refusals that list what there is."""

import subprocess
import sys

import pytest

from arena.core.errors import UnknownName, UsageError
from arena.core.registry import check_seats, find_variant, game_ids, load_game


@pytest.fixture
def icefall():
    return load_game("icefall")


def test_a_game_from_an_outside_package_is_found():
    assert "icefall" in game_ids()
    assert load_game("icefall").spec.id == "icefall"


def test_ids_are_sorted_and_unique():
    assert list(game_ids()) == sorted(set(game_ids()))


def test_an_unknown_game_is_refused_with_the_list_of_games():
    with pytest.raises(UnknownName, match=r"no game .chess. here; installed: .*icefall") as caught:
        load_game("chess")
    assert caught.value.code == "UNKNOWN_GAME"
    assert caught.value.exit_code == 2


def test_a_long_name_is_not_repeated_whole(icefall):
    for refused in (lambda: load_game("x" * 5000), lambda: find_variant(icefall, "x" * 5000)):
        with pytest.raises(UnknownName) as caught:
            refused()
        assert "'" + "x" * 40 + "...'" in caught.value.message
        assert len(caught.value.message) < 300


def test_no_variant_means_the_first(icefall):
    assert find_variant(icefall, None) is icefall.spec.variants[0]
    assert find_variant(icefall, "solo").id == "solo"


def test_an_unknown_variant_is_refused_with_the_list_of_variants(icefall):
    with pytest.raises(UnknownName, match="it has: race, forecast, solo") as caught:
        find_variant(icefall, "Solo")
    assert caught.value.code == "UNKNOWN_VARIANT"


@pytest.mark.parametrize(
    ("variant", "seats", "span"), [("race", 5, "2 to 4"), ("race", 1, "2 to 4"), ("solo", 2, "by 1")]
)
def test_a_wrong_number_of_seats_is_refused_with_the_right_one(icefall, variant, seats, span):
    with pytest.raises(UsageError, match=span) as caught:
        check_seats(icefall, find_variant(icefall, variant), seats)
    assert caught.value.code == "WRONG_NUMBER_OF_SEATS"


def test_right_seats_pass(icefall):
    for seats in (2, 3, 4):
        check_seats(icefall, find_variant(icefall, "race"), seats)


def test_a_bots_game_is_loaded_without_a_look_through_all_installed_packages():
    code = "import sys; from arena.core.registry import load_game; load_game('frost-shelter')"
    asked = f"{code}; load_game('first-snow'); print(sorted({{'importlib.metadata', 'xml.sax'}} & {{*sys.modules}}))"
    said = subprocess.run([sys.executable, "-S", "-c", asked], capture_output=True, text=True, check=False, env={
        "PYTHONPATH": ":".join(sys.path)
    })  # fmt: skip
    assert (said.stdout, said.stderr) == ("[]\n", "")


@pytest.mark.parametrize("name", ["first_snow", "first-snow.rules", "first-snow ", "../core", "", "-", "__init__"])
def test_a_name_that_only_looks_like_a_game_is_none(name):
    with pytest.raises(UnknownName):
        load_game(name)
