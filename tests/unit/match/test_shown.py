import pytest

from arena.core import FastStream
from arena.core.registry import game_ids, load_game
from arena.match import SeatLabel, Setup, play_local

BIGGEST_VIEW = 4096


@pytest.mark.parametrize("game_id", game_ids())
def test_every_view_a_bot_is_sent_can_be_sampled_from_and_is_small(game_id: str) -> None:
    variant = load_game(game_id).spec.variants[0]
    stream = FastStream(1)

    def choose(match, decision) -> int:
        view = match.view(decision.seat)
        state = match.game.sample(view, match.components, stream)
        assert match.game.view(state, decision.seat) == view
        assert tuple(state.legal_actions()) == decision.legal
        assert view.ByteSize() <= BIGGEST_VIEW
        return stream.below(len(decision.legal), "")

    for seats in range(variant.min_seats, variant.max_seats + 1):
        labels = (SeatLabel("b", "1"),) * seats
        play_local(Setup(game_id, variant.id, labels, seats.to_bytes(16, "big")), [choose] * seats)
