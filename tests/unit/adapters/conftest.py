"""Every game, variant and the fewest and most seats it allows."""

import pytest

from arena.adapters.setting import find_setting
from arena.core.registry import game_ids, load_game


def pytest_generate_tests(metafunc) -> None:
    if "setting" in metafunc.fixturenames:
        found = [
            find_setting(game, variant.id, seats)
            for game in game_ids()
            for variant in load_game(game).spec.variants
            for seats in sorted({variant.min_seats, variant.max_seats})
        ]
        names = [f"{one.game.spec.id}-{one.variant.id}-{one.seats}" for one in found]
        metafunc.parametrize("setting", found, ids=names)


@pytest.fixture
def names(setting) -> dict:
    return {"game": setting.game.spec.id, "variant": setting.variant.id, "seats": setting.seats}
