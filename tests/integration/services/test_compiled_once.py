"""What is asked around every match is compiled with the first block, on both databases."""

from playing import finished
from sqlalchemy import event
from sqlalchemy.engine.interfaces import CacheStats

from arena.services import dispatch, results
from arena.services.results import Recording, SeatOutput, SeatTimes


def play_block(world) -> None:
    claim = dispatch.claim(world.store, "w", world.now)
    for leg in claim.legs:
        progress = dispatch.LegProgress(leg.match_id, 1, None)
        dispatch.heartbeat(world.store, claim.block_id, claim.attempt, world.now, progress)
        later = [each.match_id for each in claim.legs if each.leg > leg.leg]
        recording = Recording(
            claim.block_id,
            claim.attempt,
            leg.match_id,
            finished(1, 2),
            f"{leg.match_id}\n",
            outputs=(SeatOutput(b"", truncated=False),) * 2,
            times=(SeatTimes((1,), (1,)),) * 2,
            answers=(1, 1),
            following=next(iter(later), None),
        )
        results.record(world.store, recording, world.now)


def test_after_the_first_block_no_statement_is_compiled(world) -> None:
    world.started("cup", "ada", "bert", deals=5)
    play_block(world)
    found = []

    def note(_connection, _cursor, statement, _parameters, context, _many) -> None:
        found.append((context.cache_hit, statement))

    event.listen(world.store._writer, "before_cursor_execute", note)
    for _ in range(3):
        play_block(world)
    event.remove(world.store._writer, "before_cursor_execute", note)
    begins = {"BEGIN IMMEDIATE"}  # text for the driver, which is never compiled
    compiled = [statement for hit, statement in found if hit is not CacheStats.CACHE_HIT and statement not in begins]
    assert compiled == []
    assert len(found) > 50
