"""The local commands as a user runs them: sandboxed bots, a referee of their own, Ctrl-C."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

CRASHING = "from bots.sdk import Bot, run\nprint('no thanks')\nraise SystemExit(3)\n"
LINGERING = """
import time
from bots.sdk import Bot, run

class Lingering(Bot):
    def choose(self, turn):
        time.sleep(60)

run(Lingering)
"""
WAIT_S = 60


def arena_command(*arguments: object) -> list[str]:
    return [sys.executable, "-c", "from arena.cli.main import main; main()", *map(str, arguments)]


@pytest.fixture
def arena(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    def call(*arguments: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run(arena_command(*arguments), cwd=tmp_path, capture_output=True, text=True, check=False)

    return call


@pytest.fixture
def make_bot(tmp_path: Path) -> Callable[[str, str], Path]:
    def make(name: str, program: str) -> Path:
        folder = tmp_path / name
        folder.mkdir()
        (folder / "bot.toml").write_text(f'name = "{name}"\ngames = ["*"]\n')
        (folder / "bot.py").write_text(program)
        return folder

    return make


def facts(path: Path) -> list[dict]:
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    return [{name: value for name, value in line.items() if name != "meta"} for line in lines]


def test_the_same_seed_twice_gives_logs_equal_but_for_meta(arena, tmp_path: Path) -> None:
    for name in ("a.jsonl", "b.jsonl"):
        played = arena("play", "first-snow", "random", "greedy", "--seed", 7, "--log", name)
        assert played.returncode == 0
        assert played.stderr == ""
    assert facts(tmp_path / "a.jsonl") == facts(tmp_path / "b.jsonl")
    assert facts(tmp_path / "a.jsonl")[0]["unsafe"] is False
    assert arena("verify", "a.jsonl", "b.jsonl").returncode == 0


def test_a_match_in_this_process_takes_the_same_course_as_a_hosted_one(arena, tmp_path: Path) -> None:
    arena("play", "icefall", "random", "random", "random", "--seed", 3, "--log", "hosted.jsonl")
    arena("play", "icefall", "random", "random", "random", "--seed", 3, "--log", "here.jsonl", "--in-process")
    hosted, here = facts(tmp_path / "hosted.jsonl"), facts(tmp_path / "here.jsonl")
    for line in hosted + here:
        line.pop("h")  # the headers differ in clock and sandbox
    assert hosted[1:] == here[1:]


def test_replay_shows_what_a_seat_saw_of_a_hosted_match(arena) -> None:
    arena("play", "first-snow", "random", "greedy", "--seed", 7, "--log", "m.jsonl")
    shown = arena("replay", "m.jsonl", "--ply", 12, "--seat", 0)
    assert shown.returncode == 0
    assert "ply 12 of " in shown.stdout
    assert "as seat 0 (random) saw it" in shown.stdout


def test_a_bot_that_ends_at_its_start_loses_and_its_words_are_shown(arena, make_bot) -> None:
    make_bot("quitter", CRASHING)
    played = arena("play", "icefall", "random", "./quitter", "--seed", 1, "--log", "m.jsonl")
    assert played.returncode == 0
    assert "CRASHED" in played.stdout
    assert "no thanks" in played.stderr
    assert arena("verify", "m.jsonl").returncode == 0


def test_a_bot_that_thinks_too_long_loses_on_time_and_the_log_proves_it(arena, make_bot) -> None:
    make_bot("slow", LINGERING)
    clock = "1s+0s,start=2s,margin=50ms"
    played = arena("play", "icefall", "./slow", "random", "--seed", 1, "--clock", clock, "--log", "m.jsonl", "--json")
    assert json.loads(played.stdout)["seats"][0]["end"] == "TIMEOUT"
    assert arena("verify", "m.jsonl").returncode == 0


def test_two_bots_that_never_start_make_the_match_void(arena, make_bot) -> None:
    make_bot("quitter", CRASHING)
    played = arena("play", "icefall", "./quitter", "./quitter", "--seed", 1, "--log", "m.jsonl")
    assert played.returncode == 1
    assert "VOID" in played.stdout
    assert arena("verify", "m.jsonl").returncode == 0


def test_without_sandbox_the_log_says_so(arena, tmp_path: Path) -> None:
    played = arena("play", "icefall", "random", "random", "--seed", 1, "--unsafe-no-sandbox", "--log", "m.jsonl")
    assert played.returncode == 0
    assert facts(tmp_path / "m.jsonl")[0]["unsafe"] is True


def test_hosted_blocks_give_statistics(arena) -> None:
    played = arena("match", "greedy", "random", "--game", "first-snow", "--blocks", 3, "--seed", 5)
    assert played.returncode == 0
    assert "3 blocks of 2 matches" in played.stdout


def interrupted(
    process: subprocess.Popen[str], ready: Callable[[], bool], number: int = signal.SIGINT
) -> tuple[str, str]:
    """Press Ctrl-C when it is ready; return what it printed, after checking that nothing is left of it."""
    deadline = time.monotonic() + WAIT_S
    while not ready():
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.05)  # other programs' progress: there is nothing to wait on
    family = psutil.Process(process.pid).children(recursive=True)
    assert family
    process.send_signal(number)
    out, err = process.communicate(timeout=WAIT_S)
    assert process.returncode == 128 + number
    _, alive = psutil.wait_procs(family, timeout=10)
    assert alive == []
    return out, err


@pytest.fixture
def scratch() -> Iterator[Path]:
    """A folder for temporary files, with a path short enough for sockets whoever runs the tests."""
    with tempfile.TemporaryDirectory(prefix="arena-") as folder:
        yield Path(folder)


def start(tmp_path: Path, scratch: Path, *arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        arena_command(*arguments),
        cwd=tmp_path,
        env=os.environ | {"TMPDIR": str(scratch)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_an_interrupted_match_tells_what_it_has_and_goes_on_from_its_record(
    arena, tmp_path: Path, scratch: Path
) -> None:
    record = tmp_path / "r.jsonl"
    call = ("match", "random", "random", "--game", "icefall", "--blocks", 100, "--seed", 2, "--record", "r.jsonl")
    process = start(tmp_path, scratch, *call)
    out, err = interrupted(process, lambda: record.exists() and record.read_text().count("\n") > 4)
    assert "blocks of 2 matches" in out
    assert "to go on: arena match random random --game icefall --variant race --seed 2" in err
    assert err.rstrip().endswith("--record r.jsonl")
    assert list(scratch.iterdir()) == []
    done = record.read_text().count("\n") - 1
    arena(*call, "--blocks", 3)
    assert record.read_text().count("\n") - 1 == max(done, 6)


def test_an_interrupted_match_without_record_prints_the_command_for_the_rest(
    tmp_path: Path, scratch: Path, make_bot
) -> None:
    make_bot("slow", LINGERING)
    process = start(tmp_path, scratch, "match", "./slow", "random", "--game", "icefall", "--blocks", 9, "--seed", 2)
    _, err = interrupted(process, lambda: len(psutil.Process(process.pid).children(recursive=True)) > 4)
    assert "arena match ./slow random --game icefall --variant race --seed 2 --first-block 1 --blocks 9" in err
    assert list(scratch.iterdir()) == []


@pytest.mark.parametrize(("number", "said"), [(signal.SIGINT, "--seed 2"), (signal.SIGTERM, "")])
def test_a_play_broken_off_leaves_nothing_behind(tmp_path: Path, scratch: Path, make_bot, number, said) -> None:
    make_bot("slow", LINGERING)
    process = start(tmp_path, scratch, "play", "icefall", "./slow", "random", "--seed", 2, "--log", "m.jsonl")
    _, err = interrupted(process, lambda: len(psutil.Process(process.pid).children(recursive=True)) > 3, number)
    assert said in err
    assert "Traceback" not in err
    assert not (tmp_path / "m.jsonl").exists()
    assert list(scratch.iterdir()) == []


@pytest.mark.long
def test_greedy_takes_at_least_95_percent_of_the_points_against_random(arena) -> None:
    played = arena("match", "greedy", "random", "--game", "first-snow", "--blocks", 100, "--seed", 1, "--json")
    greedy, _ = json.loads(played.stdout)["bots"]
    assert greedy["points_share"]["mean"] >= 0.95
    assert greedy["ends"] == {"PLAYED": 200}


def test_a_terminated_match_in_process_records_no_crash(tmp_path: Path, scratch: Path) -> None:
    record = tmp_path / "m.jsonl"
    process = start(
        tmp_path, scratch, "match", "random", "random", "--game", "icefall", "--in-process", "--blocks", 9999,
        "--record", record,
    )  # fmt: skip
    deadline = time.monotonic() + WAIT_S
    while not (record.exists() and record.read_text().count("\n") > 2):
        assert time.monotonic() < deadline
        time.sleep(0.05)  # another program's progress: there is nothing to wait on
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=WAIT_S)
    assert process.returncode == 128 + signal.SIGTERM
    assert "CRASHED" not in record.read_text()
