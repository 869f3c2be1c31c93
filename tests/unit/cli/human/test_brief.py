"""The short rules of the games."""

from types import SimpleNamespace

import pytest

from arena.cli.human.brief import short_rules
from arena.core.registry import game_ids, load_game


@pytest.mark.parametrize("game", game_ids())
def test_every_game_has_short_rules_for_a_terminal(game: str) -> None:
    lines = short_rules(load_game(game)).splitlines()
    assert lines[0].startswith(load_game(game).spec.title.upper())
    assert len(lines) <= 45
    assert max(map(len, lines)) <= 80


def test_a_game_without_short_rules_has_none() -> None:
    assert short_rules(SimpleNamespace()) == ""
