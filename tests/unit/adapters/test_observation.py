"""Views as arrays: what stands where, and what happens when there is no room."""

import numpy as np
import pytest

from arena.adapters.listings import Counts, Slots
from arena.adapters.observation import layout_of
from arena.adapters.setting import find_setting, returns
from arena.core import CHANCE, FastStream, Outcome, Seat
from arena.core.errors import UsageError


def after(setting, plies, seed=1):
    """Return a state after so many random plies."""
    state, stream = setting.new(), FastStream(seed)
    for _ in range(plies):
        if state.to_act is None:
            break
        legal = state.legal_actions()
        chance = state.to_act is CHANCE
        state.apply(setting.game.draw(state, stream) if chance else legal[stream.below(len(legal), "")])
    return state


def seen(setting, state, seat):
    """Return a view's layout as a dict from name to number."""
    layout = layout_of(setting)
    numbers = layout.encode(setting.game.view(state, seat)).tolist()
    return dict(zip((cell.name for cell in layout.cells), numbers, strict=True))


def test_names_say_what_stands_at_a_place() -> None:
    setting = find_setting("first-snow")
    state = setting.new()
    for text in ("first seat 1", "cool 4", "bear 2", "bear 5"):
        state.apply(setting.game.actions.parse(text))
    shown = seen(setting, state, Seat(0))
    assert (shown["seat.present"], shown["seat"], shown["round"]) == (1, 0, 1)
    assert (shown["phase=take"], shown["phase=place"], shown["winter_cards[4]"]) == (1, 0, 1)
    known = [shown[f"bears[{seat}].card"] for seat in (0, 1)]
    assert sorted(known) == [0, int(setting.game.view(state, Seat(0)).bears[0].card)]
    assert shown["players[1].score"] == 10


def test_every_number_lies_within_its_bounds_in_a_whole_game(setting) -> None:
    layout = layout_of(setting)
    low, high = (np.array([cell[bound] for cell in layout.cells]) for bound in (1, 2))
    for plies in (0, 30, 90, 200, 2000):
        state = after(setting, plies)
        for seat in (None, *map(Seat, range(setting.seats))):
            numbers = layout.encode(setting.game.view(state, seat))
            assert numbers.shape == (layout.size,)
            assert ((low <= numbers) & (numbers <= high)).all()


def test_names_are_unique(setting) -> None:
    names = [cell.name for cell in layout_of(setting).cells]
    assert len(set(names)) == len(names)


def test_cards_are_counted_by_resource_and_value() -> None:
    setting = find_setting("frost-shelter")
    state = after(setting, 27)
    view = setting.game.view(state, Seat(0))
    shown = seen(setting, state, Seat(0))
    words = ("", "fuel", "water", "food", "tools")
    assert len(view.hand) > 3
    assert {f"hand[{words[card.resource]} {card.value}]" for card in view.hand} == {
        name for name, number in shown.items() if name.startswith("hand[") and number
    }


def test_a_list_without_room_is_refused_with_the_way_out() -> None:
    setting = find_setting("first-snow")
    layout = layout_of(setting, {"View.winter_cards": Slots(0)})
    with pytest.raises(
        UsageError, match=r'View.winter_cards lists 1 items.*listings=\{"View.winter_cards": Slots\(1\)\}'
    ):
        layout.encode(setting.game.view(after(setting, 4), None))


def test_a_value_outside_of_its_counts_is_refused_with_the_way_out() -> None:
    setting = find_setting("first-snow")
    layout = layout_of(setting, {"View.winter_cards": Counts(((7, 9),))})
    with pytest.raises(UsageError, match=r"View.winter_cards holds .*pass listings"):
        layout.encode(setting.game.view(after(setting, 4), None))


def test_an_unknown_place_is_refused() -> None:
    layout = layout_of(find_setting("first-snow"))
    assert layout.cells[layout.place("round")].name == "round"
    with pytest.raises(UsageError, match="no place 'rounds'"):
        layout.place("rounds")


@pytest.mark.parametrize(
    ("ranks", "worth"),
    [
        ((2, 1), (-1.0, 1.0)),
        ((1, 1), (0.0, 0.0)),
        ((1, 2, 3), (1.0, 0.0, -1.0)),
        ((1, 1, 3), (0.5, 0.5, -1.0)),
        ((4, 1, 2, 2), (-1.0, 1.0, 0.0, 0.0)),
        ((1,), (1.0,)),
        ((2,), (-1.0,)),
    ],
)
def test_places_are_worth_even_steps_from_1_to_minus_1_and_ties_share(ranks, worth) -> None:
    assert returns(Outcome(ranks, (0,) * len(ranks), "points")) == pytest.approx(worth)


def test_nothing_is_worth_anything_before_the_end() -> None:
    assert returns(None) == ()
