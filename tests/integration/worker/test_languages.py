"""What `arena submit` packs of a template's folder is accepted: its qualification match is played in the sandbox."""

from __future__ import annotations

from pathlib import Path

import pytest
from nodeproject import typescript_bot
from playing import World

from arena.cli.main import run
from arena.cli.packing import pack
from arena.services import submissions
from arena.store.states import VersionState
from worker.slot import Slot

pytestmark = pytest.mark.usefixtures("nothing_left")


@pytest.mark.parametrize("language", ["stdio", "typescript"])
def test_a_template_in_another_language_is_accepted(slot: Slot, world: World, tmp_path: Path, language: str) -> None:
    folder = tmp_path / "bot"
    if language == "typescript":
        typescript_bot(folder, "icefall")
        (folder / "node_modules").mkdir()
        (folder / "node_modules" / "link.js").symlink_to("nowhere")
    else:
        assert run(["new", str(folder), "--game", "icefall", "--language", language]) == 0
    packed = pack(folder)
    submissions.submit(world.store, world.admin, packed.archive, packed.sha256, world.now, qualify=True)
    assert slot.play_next() is True
    version = submissions.get_version(world.store, "bot")
    assert (version.state, version.reason, version.language) == (VersionState.ACCEPTED, "", language)
