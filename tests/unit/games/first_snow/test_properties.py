"""What holds in every game, whatever is played."""

from hypothesis import given, settings
from hypothesis import strategies as st

from arena.core import CHANCE, FastStream
from arena.games.first_snow import GAME
from arena.games.first_snow.camp import count, items, meal
from arena.games.first_snow.components import FOOD, Resource
from arena.games.first_snow.phases import Phase

COMPONENTS = GAME.components(None, "")
CAMPING = {Phase.FOOD, Phase.REPAIR, Phase.CRAFT, Phase.LEAVE}
pools = st.lists(st.integers(0, 20), min_size=7, max_size=7).map(
    lambda counts: sum(number << 8 * kind for kind, number in enumerate(counts))
)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.integers(0, 10**6), min_size=170, max_size=170))
def test_cubes_scores_and_bears_stay_within_their_bounds(choices):
    state = GAME.new("standard", 2, COMPONENTS)
    scores = state.scores
    for choice in choices:
        if state.to_act is None:
            break
        legal = state.legal_actions()
        state.apply(legal[choice % len(legal)])
        for seat in (0, 1):
            busy = state.phase in CAMPING and state.to_act == seat
            assert busy or items(state.pools[seat], state.good[seat], state.damaged[seat]) <= 4
            assert state.scores[seat] >= scores[seat] >= 10
            taken = [camp.card for camp in state.camps if camp.seat == seat]
            assert state.bears[seat] not in taken
        scores = state.scores
        assert all(count(pool, kind) <= 16 for pool in state.pools for kind in Resource)


@given(pools)
def test_a_balanced_diet_never_beats_five_points_nor_a_special_one_its_pieces_and_one(pool):
    from arena.games.first_snow.actions import Diet

    eaten, points = meal(pool, Diet.BALANCED)
    assert points <= 5
    for diet in Diet:
        eaten, points = meal(pool, diet)
        left = pool - eaten
        assert all(0 <= count(left, kind) <= count(pool, kind) for kind in Resource)
        assert all(count(eaten, kind) == 0 for kind in Resource if kind not in FOOD)
        assert 0 <= points - sum(count(eaten, kind) for kind in FOOD) <= 1


@given(pools, st.integers(0, 31), st.integers(0, 31))
def test_items_counts_every_piece_and_every_tool(pool, good, damaged):
    pieces = sum(count(pool, kind) for kind in Resource)
    assert items(pool, good, damaged) == pieces + good.bit_count() + damaged.bit_count()


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10**9), st.integers(0, 150))
def test_equal_actions_lead_to_equal_views(seed, stop):
    stream = FastStream(seed)
    state, twin = (GAME.new("standard", 2, COMPONENTS) for _ in range(2))
    for _ in range(stop):
        if state.to_act is None:
            break
        legal = state.legal_actions()
        action = GAME.draw(state, stream) if state.to_act is CHANCE else legal[stream.below(len(legal), "")]
        state.apply(action)
        twin.apply(action)
    for viewer in (0, 1, None):
        one, two = GAME.view(state, viewer), GAME.view(twin, viewer)
        assert one.SerializeToString(deterministic=True) == two.SerializeToString(deterministic=True)
