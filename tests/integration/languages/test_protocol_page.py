"""docs/protocol.md is enough to write a bot from: a client by hand, a program in C, and the example match."""

from __future__ import annotations

import asyncio
import importlib.util
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from google.protobuf import text_format
from refereeing import raw_bot, referee_process

from arena.v1 import play_pb2
from referee.refusal import _CODES

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
CLIENT = ROOT / "tests" / "support" / "handclient.py"


def block(language: str, beginning: str) -> str:
    found = re.findall(rf"^```{language}\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL)
    return next(text for text in found if text.startswith(beginning))


def example():
    """The program that writes the example match."""
    spec = importlib.util.spec_from_file_location("example_match", ROOT / "scripts" / "example_match.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def by_hand(tmp_path: Path) -> Path:
    folder = tmp_path / "by_hand"
    folder.mkdir()
    (folder / "bot.toml").write_text('name = "by-hand"\ngames = ["*"]\n')
    shutil.copy(CLIENT, folder / "bot.py")
    return folder


def test_a_client_written_by_hand_imports_nothing_of_ours() -> None:
    imported = set(re.findall(r"^(?:import|from) (\w+)", CLIENT.read_text(), flags=re.MULTILINE))
    assert imported == {"os", "queue", "sys", "time", "grpc"}


@pytest.mark.parametrize("game", ["first-snow", "snowblind"])
def test_a_client_written_by_hand_plays_a_match(arena, by_hand: Path, game: str) -> None:
    played = arena("play", game, by_hand, "random", "--seed", 9)
    assert "COMPLETED" in played.out
    assert f"start: {game} seat 0 bank " in played.err
    assert "over: 1 [" in played.err


def test_a_client_written_by_hand_passes_the_check(arena, by_hand: Path) -> None:
    said = arena("check", by_hand, "--game", "icefall")
    assert said.code == 0, said.out
    assert "ok       reconnect" in said.out
    assert "as 'by-hand/1.0.0'" in said.out


def test_the_program_in_c_plays_a_match(arena, tmp_path: Path) -> None:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.fail("this test needs a C compiler: apt-get install gcc libc6-dev")
    (tmp_path / "in_c").mkdir()
    (tmp_path / "in_c" / "bot.c").write_text(block("c", "#include"))
    subprocess.run([compiler, "-O2", "-Wall", "-Werror", "-o", "bot", "bot.c"], cwd=tmp_path / "in_c", check=True)
    (tmp_path / "in_c" / "bot.toml").write_text(block("toml", "name"))
    played = arena("play", "first-snow", tmp_path / "in_c", "random", "--seed", 9)
    assert "COMPLETED" in played.out
    assert 'asked: {"type":"turn","ply":' in played.err


def test_the_example_match_is_what_the_command_writes() -> None:
    program = example()
    assert f"{program.BEGIN}{program.text()}{program.END}" in PAGE


async def test_the_example_match_is_what_a_referee_really_says(tmp_path: Path) -> None:
    program = example()
    setup = program.setup()
    async with referee_process(tmp_path) as referee:
        match = await referee.host(game=setup.game, variant=setup.variant, seed=setup.seed, clock=str(setup.clock))
        async with raw_bot(match.address, match.tickets[1]) as other, raw_bot(match.address, match.tickets[0]) as bot:
            playing = asyncio.create_task(other.play())
            said = []
            while (message := await bot.read()) is not None:
                said.append(message)
                if message.HasField("turn"):
                    await bot.answer(message.turn.ply)
            await playing
    shown = [message for message in program.messages() if isinstance(message, play_pb2.PlayResponse)]
    for message in (*said, *shown):
        if message.HasField("turn"):
            message.turn.bank_ms = 0  # a busy machine may have charged something
    assert [text_format.MessageToString(message) for message in said] == list(map(text_format.MessageToString, shown))


def test_every_reason_of_a_refused_stream_is_in_the_page_with_its_status() -> None:
    rows = re.findall(r"^\| (`[A-Z_`, ]+`) \| `([A-Z_]+)` \|", PAGE, flags=re.MULTILINE)
    told = {reason: status for reasons, status in rows for reason in re.findall(r"`([A-Z_]+)`", reasons)}
    of_workers = {"MATCH_EXISTS", "UNKNOWN_MATCH", "UNKNOWN_SEAT"}
    assert told == {reason: code.name for reason, code in _CODES.items() if reason not in of_workers}


@pytest.mark.parametrize("message", ["Hello", "Answer", "Start", "Clock", "Turn", "GameOver"])
def test_every_field_of_every_message_is_explained(message: str) -> None:
    for field in getattr(play_pb2, message).DESCRIPTOR.fields:
        assert f"`{field.name}`" in PAGE, field.name
