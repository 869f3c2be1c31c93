"""The greedy bot's eye for Frost Shelter."""

import importlib.util
import sys
from itertools import combinations, product
from pathlib import Path

import pytest

import bots.builtin
from arena.core import CHANCE, FastStream, KeyedStream, Seat
from arena.core.chance import bot_seed, seed_from_text
from arena.games.frost_shelter import GAME
from arena.games.frost_shelter.actions import Piece
from bots.sdk import MatchInfo, Turn

FOLDER = Path(bots.builtin.__path__[0]) / "greedy"
NUMBERS = GAME.components(None, "")


def load(name):
    spec = importlib.util.spec_from_file_location(f"tested_{name}", FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


BOT = load("bot").Greedy
EYE = load("frost_shelter")


def seated(seats, seat, seed):
    return BOT(MatchInfo(GAME, "standard", seats, Seat(seat), NUMBERS, bot_seed(seed, seat)))


def choice(state):
    bot = seated(state.seats, state.to_act, bytes(16))
    return GAME.actions.text_of(bot.choose(Turn(0, 0, GAME.view(state, state.to_act), state.legal_actions())))


def rank_of_greedy(seats, seat, number):
    """Play one match of greedy in this seat against random choices; return its rank."""
    seed = seed_from_text(str(number))
    chance, others = KeyedStream(seed), FastStream(number)
    greedy, state, ply = seated(seats, seat, seed), GAME.new("standard", seats, NUMBERS), 0
    while state.to_act is not None:
        legal = state.legal_actions()
        if state.to_act is CHANCE:
            action = GAME.draw(state, chance)
        elif state.to_act == seat:
            action = greedy.choose(Turn(ply, 0, GAME.view(state, seat), legal))
        else:
            action = legal[others.below(len(legal), "")]
        state.apply(action)
        ply += 1
    return state.outcome.ranks[seat]


def ranks(seats, blocks):
    return [rank_of_greedy(seats, seat, number) for number in range(blocks) for seat in range(seats)]


def test_it_defends_with_what_it_can_pay(table):
    state = table.resolution(2, event="Blizzard", colonies=["fuel 1 2", ""])
    assert choice(state) == "defend 0"


def test_it_takes_the_card_that_its_event_asks_for(table):
    state = table.state(2, event="Famine", hands=["fuel 9 2", "food 3, fuel 5"])
    table.do(state, "play fuel 9", "play food 3")
    assert choice(state) == "take food 3"


def test_it_keeps_away_from_cards_it_cannot_use(table):
    full = "food 1 2, tools 1, water 1 2"
    state = table.state(
        2, event="Famine", relic="fuel", hands=["fuel 9 2", "fuel 10, food 5"], colonies=[full, full], expeditions=[1]
    )
    table.do(state, "play fuel 9")
    assert choice(state) == "play food 5"


def test_it_uses_a_chest_against_frost_bite(table):
    state = table.resolution(2, event="Famine", colonies=["fuel 1 2 3 4 5 6 7", ""], kit={0: [Piece.CHEST]})
    assert choice(state) == "use chest"


def test_its_best_defence_is_the_best_of_all_subsets():
    for event, relic in product(NUMBERS.events, range(4)):
        options = EYE.options_of(event, relic)
        for counts in product(range(4), repeat=4):
            best = 0
            for number in range(1, len(options) + 1):
                for chosen in combinations(options, number):
                    need = [sum(cost[kind] for _, cost, _ in chosen) for kind in range(4)]
                    if all(cost <= have for cost, have in zip(need, counts, strict=True)):
                        best = max(best, sum(prevents for prevents, _, _ in chosen))
            assert EYE.best_defence(options, 0, counts)[0] == best


def test_it_beats_random_with_two_players():
    found = ranks(2, 8)
    assert found.count(1) / len(found) >= 0.9


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_it_takes_at_least_95_percent_of_the_points_from_random():
    found = ranks(2, 200)
    assert sum(2 - rank for rank in found) / len(found) >= 0.95


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_its_mean_rank_against_two_randoms_is_1_2_or_better():
    found = ranks(3, 100)
    assert sum(found) / len(found) <= 1.2
