"""Secrecy, tried out in full: all 36 pairs of bears against everything that a viewer has been shown."""

from itertools import product

from arena.core import FastStream
from arena.games.first_snow import GAME
from arena.games.first_snow.components import CARDS
from arena.games.first_snow.landscape import CAMPS

VIEWERS = (0, 1, None)
PAIRS = tuple(product(CARDS, repeat=2))
ORDERS = ((0, 1, 1, 0), (1, 0, 0, 1), (0, 0, 1, 1), (1, 0, 1, 0))
ROUNDS = 12


class Answers:
    """A stream that gives two answers settled beforehand, one for each bear that can be hidden."""

    def __init__(self, first, second):
        self.answers = [second, first]

    def below(self, n, label):
        return self.answers.pop() % n


def shown(state, viewer):
    """Return every byte that the viewer gets now, the legal actions of its turn included."""
    legal = state.legal_actions() if state.to_act == viewer else ()
    return GAME.turn(GAME.view(state, viewer), legal).SerializeToString(deterministic=True)


def walk(table, seed):
    """Form a random landscape; yield each state with, for each viewer, the bears that explain all it was ever shown."""
    stream = FastStream(seed)
    truth = PAIRS[stream.below(len(PAIRS), "")]
    worlds = {pair: table(bears=pair, order=ORDERS[seed % len(ORDERS)]) for pair in PAIRS}
    fitting = {viewer: set(PAIRS) for viewer in VIEWERS}
    while True:
        state = worlds[truth]
        for viewer, pairs in fitting.items():
            now = shown(state, viewer)
            pairs.intersection_update([pair for pair, world in worlds.items() if shown(world, viewer) == now])
        yield state, fitting
        if len(state.camps) == CAMPS:
            return
        legal = state.legal_actions()
        action = legal[stream.below(len(legal), "")]
        worlds = {pair: world for pair, world in worlds.items() if action in world.legal_actions()}
        for world in worlds.values():
            world.apply(action)


def test_samples_draw_exactly_the_bears_that_explain_everything_shown(table):
    for seed in range(ROUNDS):
        for state, fitting in walk(table, seed):
            for viewer, pairs in fitting.items():
                view = GAME.view(state, viewer)
                answers = product(range(len(CARDS)), repeat=2)
                assert {GAME.sample(view, state.components, Answers(*two)).bears for two in answers} == pairs


def test_a_bear_counts_as_implied_just_when_no_other_card_explains_everything_shown(table):
    for seed in range(ROUNDS):
        for state, fitting in walk(table, seed):
            for viewer, pairs in fitting.items():
                for owner, secret in enumerate(GAME.secrets(2)):
                    assert secret.implied(state, viewer) == (len({pair[owner] for pair in pairs}) == 1)


def test_every_card_without_a_camp_stays_possible_for_a_bear_that_met_nobody(table):
    """The rulebook shows a bear when it meets a camp, so nothing else but camps may tell of it."""
    for seed in range(ROUNDS):
        for state, fitting in walk(table, seed):
            if len(state.camps) == CAMPS:
                continue
            for owner in (0, 1):
                met = any(camp.seat != owner and camp.card == state.bears[owner] for camp in state.camps)
                taken_by_owner = {state.taken} if state.to_act == owner else set()
                open_cards = {state.bears[owner]} if met else set(CARDS) - set(state.row) - taken_by_owner
                for viewer in {0, 1, None} - {owner}:
                    assert {pair[owner] for pair in fitting[viewer]} == open_cards
