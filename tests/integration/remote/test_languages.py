"""Every template of `arena new`, as it comes, plays from its author's machine: three seats of one match."""

from __future__ import annotations

from pathlib import Path

from nodeproject import typescript_bot
from remotely import Connected, Remotely, now

from arena.cli.main import run
from arena.match.result import MatchEnd, SeatEnd
from arena.services import requests
from arena.store.states import Queue
from worker.slot import Slot

GAME = "icefall"


def folders(place: Path) -> dict[str, Path]:
    """Return a bot of each template by its language."""
    made = {"typescript": typescript_bot(place / "in-typescript", GAME)}
    for language in ("python", "stdio"):
        made[language] = place / f"in-{language}"
        assert run(["new", str(made[language]), "--game", GAME, "--language", language]) == 0
    return made


def test_a_bot_of_every_template_plays_from_its_authors_machine(arena: Remotely, slot: Slot, tmp_path: Path):
    made = folders(tmp_path)
    connected = [Connected(arena.admin, folder, arena.api.address, ("--games", "1")) for folder in made.values()]
    try:
        for each in connected:
            each.wait_for("waits in the lobby")
        asked = requests.challenge(
            arena.store, arena.admin.account, now(), challenged=tuple((f"in-{name}", 0) for name in made), game=GAME,
            clock="2m+0s,start=1m,margin=50ms",
        )  # fmt: skip
        arena.wait_until_playable()
        assert slot.play_next(Queue.REMOTE)
        assert [each.ended() for each in connected] == [0, 0, 0], [each.err for each in connected]
    finally:
        for each in connected:
            each.kill()
    arena.cancel(asked)
    played = [arena.match(number) for number in asked.match_ids]
    over = next(match for match in played if match.end is MatchEnd.COMPLETED)
    assert {seat.end for seat in over.seats} == {SeatEnd.PLAYED}
    assert "rank " in connected[0].output.read_text(encoding="utf-8")
