"""What every game promises about its component numbers and what describes it."""

import string
import sys
from pathlib import Path

import pytest

from arena.core.errors import ArenaError, BadComponents, UnknownName, UsageError


def own_text(game):
    folder = Path(sys.modules[type(game).__module__].__file__).parent
    return (folder / "components.toml").read_text(encoding="utf-8")


def test_a_digest_is_64_hex_digits(game):
    digest = game.components(None, "").digest
    assert len(digest) == 64
    assert set(digest) <= set(string.hexdigits.lower())


def test_the_game_s_own_text_and_none_give_the_same_digest(game):
    assert game.components(own_text(game), "own.toml").digest == game.components(None, "").digest


def test_a_comment_or_an_empty_line_does_not_change_the_digest(game):
    assert game.components("# a remark\n\n" + own_text(game), "").digest == game.components(None, "").digest


@pytest.mark.parametrize("text", ["", "= [", "colour = 3\n", "\x00", "a = " + "[" * 5000])
def test_a_text_that_does_not_fit_names_its_source(game, text):
    with pytest.raises(BadComponents, match=r"^my_numbers\.toml: "):
        game.components(text, "my_numbers.toml")


def test_an_unknown_field_is_refused(game):
    with pytest.raises(BadComponents, match=r"^mine\.toml: .*penguins"):
        game.components("penguins = 3\n" + own_text(game), "mine.toml")


def test_variants_have_unique_ids_and_sensible_seats(game):
    ids = [variant.id for variant in game.spec.variants]
    assert len(set(ids)) == len(ids)
    for variant in game.spec.variants:
        assert 1 <= variant.min_seats <= variant.max_seats <= 8, variant
        assert variant.title, variant


def test_an_unknown_variant_and_wrong_seats_are_refused(game):
    components = game.components(None, "")
    with pytest.raises(UnknownName):
        game.new("no-such-variant", game.spec.variants[0].min_seats, components)
    for variant in game.spec.variants:
        for seats in (variant.min_seats - 1, variant.max_seats + 1):
            with pytest.raises(UsageError):
                game.new(variant.id, seats, components)


def test_refusals_are_one_line(game):
    with pytest.raises(ArenaError) as caught:
        game.new("no-such-variant", 2, game.components(None, ""))
    assert "\n" not in caught.value.message
