"""`arena connect` with real processes: remote bots meet hosted ones and each other."""

from __future__ import annotations

from remotely import Remotely, now

from arena.services import ratings, tournaments
from arena.store.states import Queue
from worker.slot import Slot


def test_a_remote_bot_meets_a_hosted_one_in_the_remote_pool(arena: Remotely, slot: Slot):
    ada = arena.author("ada")
    arena.admin.submit("near")
    with ada.connect("far", "--games", "2") as far:
        tournaments.create(
            arena.store, arena.admin.account, now(), name="cup", game="first-snow",
            entrants=(("far", 0), ("near", 0)), remote=True,
        )  # fmt: skip
        tournaments.start(arena.store, arena.admin.account, "cup", now())
        for _ in range(2):
            arena.wait_until_playable()
            assert slot.play_next(Queue.REMOTE)
        assert far.ended() == 0
    assert len(far.out) == 2
    assert all("first-snow against near@1" in line and "COMPLETED, rating 0.00 ->" in line for line in far.out[:1])
    assert "ply" in far.output.read_text(encoding="utf-8")
    (pool,) = ratings.list_pools(arena.store).items
    assert pool.remote


def test_two_remote_bots_meet(arena: Remotely, slot: Slot):
    with (
        arena.admin.connect("one", "--games", "2", "--concurrency", "2") as one,
        arena.admin.connect("two", "--games", "2", "--concurrency", "2") as two,
    ):
        arena.challenge("one", "two")
        arena.wait_until_playable(2)
        for _ in range(2):
            assert slot.play_next(Queue.REMOTE)
        assert (one.ended(), two.ended()) == (0, 0)
    assert sorted(line.split(":")[0] for line in one.out) == sorted(line.split(":")[0] for line in two.out)
    assert all(line.endswith(", unrated") for line in one.out + two.out)
