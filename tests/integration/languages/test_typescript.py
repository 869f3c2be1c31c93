"""The TypeScript template: types from the .proto files, one bundle, real matches in the sandbox."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from nodeproject import type_complaint, typescript_bot

from arena.cli.packing import pack
from arena.core.errors import UsageError
from arena.hosting import programs
from arena.services.archives import MAX_ARCHIVE_BYTES

PICKS_LAST = """
import { play } from "./arena";
import type { Turn__Output as Question } from "../gen/icefall/v1/Turn";

play<Question>((start) => {
  console.log("seed", start.bot_seed * 2, "clock", start.clock?.bank_ms, "history", typeof start.history.length);
  return {
    async choose(question, turn) {
      console.log("ply", turn.ply + 0, "of seat", question.view?.seat, "may do", question.legal_actions.length);
      return question.legal_actions.length - 1;
    },
    gameOver(over) {
      console.log("over", over.end, over.seats.map((seat) => seat.rank + 0).join());
    },
  };
});
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bot that takes the last action and tells what it reads, typed; made once for this file."""
    return typescript_bot(tmp_path_factory.mktemp("ts") / "last_one", "icefall", PICKS_LAST)


def test_a_built_bot_plays_a_match_in_the_sandbox(arena, built: Path) -> None:
    played = arena("play", "icefall", built, "random", "--seed", 4)
    assert "COMPLETED" in played.out
    assert "clock 2000 history number" in played.err
    assert "of seat 0 may do" in played.err
    assert "over MATCH_END_COMPLETED " in played.err


def test_what_is_submitted_is_small_and_needs_no_packages(arena, built: Path, tmp_path: Path) -> None:
    (built / "node_modules").mkdir(exist_ok=True)
    (built / "node_modules" / "left.js").write_text("left out")
    packed = pack(built)
    assert len(packed.archive) < MAX_ARCHIVE_BYTES / 20
    (tmp_path / "bot.zip").write_bytes(packed.archive)
    shutil.unpack_archive(tmp_path / "bot.zip", tmp_path / "there")
    assert not (tmp_path / "there" / "node_modules").exists()
    assert arena("play", "icefall", tmp_path / "there", "random", "--json").json["end"] == "COMPLETED"


def test_the_types_come_from_the_proto_files(built: Path, tmp_path: Path) -> None:
    wrong = PICKS_LAST.replace("question.view?.seat", "question.view?.snowdrifts")
    complaint = type_complaint(built, tmp_path / "wrong", wrong)
    assert "Property 'snowdrifts' does not exist on type 'View__Output'" in complaint


def test_a_bot_that_is_not_built_says_how_to_build_it(arena, tmp_path: Path) -> None:
    arena("new", tmp_path / "raw", "--game", "first-snow", "--language", "typescript")
    refused = arena("play", "first-snow", tmp_path / "raw", "random")
    assert refused.code == 2
    assert refused.err.endswith(f"bot.cjs is not built yet; run npm install && npm run build in {tmp_path / 'raw'}\n")
    with pytest.raises(UsageError, match="is not built yet"):
        pack(tmp_path / "raw")


def test_a_machine_without_node_says_what_to_install(arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "program_path", lambda: str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    made = arena("new", tmp_path / "raw", "--game", "first-snow", "--language", "typescript")
    assert "install Node 18 or newer with npm below /usr (Debian: apt-get install nodejs npm)" in made.err
    refused = arena("play", "first-snow", tmp_path / "raw", "random")
    assert "raw is started by node, which is not installed here; install Node 18 or newer" in refused.err
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "node").write_text("#!/bin/sh\n")
    (tmp_path / "mine" / "node").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "mine"))
    refused = arena("play", "first-snow", tmp_path / "raw", "random")
    assert f"raw is started by node, which lies at {tmp_path}/mine/node, where no bot finds it; " in refused.err


def test_the_doctor_says_whether_node_is_there(arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "ok       node: " in arena("doctor").out
    monkeypatch.setattr(programs, "program_path", lambda: str(tmp_path))
    assert "absent   node: bots in TypeScript cannot play here; apt-get install nodejs" in arena("doctor").out


def test_an_index_that_is_none_is_thrown_and_told(arena, built: Path, tmp_path: Path) -> None:
    shutil.copytree(built, tmp_path / "wrong")
    bundle = tmp_path / "wrong" / "dist" / "bot.cjs"
    text = bundle.read_text()
    assert text.count("return question.legal_actions.length - 1") == 1
    bundle.write_text(text.replace("return question.legal_actions.length - 1", "return"))
    said = arena("check", tmp_path / "wrong")
    assert said.code == 1
    assert "FAILED   plays icefall race" in said.out
    played = arena("play", "icefall", tmp_path / "wrong", "random")
    assert "Error: choose returned undefined at ply " in played.err


def test_a_built_bot_passes_the_check(arena, built: Path) -> None:
    said = arena("check", built)
    assert said.code == 0, said.out
    assert "as 'typescript/0.1.0'" in said.out


def test_started_by_hand_it_says_how_it_is_started(built: Path) -> None:
    path = {"PATH": "/usr/local/bin:/usr/bin:/bin"}
    done = subprocess.run(["node", "dist/bot.cjs"], cwd=built, capture_output=True, text=True, check=False, env=path)
    assert done.returncode == 2
    assert "bots are started by the arena" in done.stderr
