"""`arena up` and `arena doctor`: starting, stopping, bad input, processes that die."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import time
import urllib.request
from pathlib import Path

import psutil
import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
PLAY = (
    ("submit", REPOSITORY / "bots/builtin/random"),
    ("submit", REPOSITORY / "bots/builtin/hearth"),
    ("tournament", "create", "cup", "--game", "first-snow", "--bots", "random,hearth"),
    ("tournament", "start", "cup"),
)
BROKEN_BWRAP = """#!/bin/sh
if test "$1" = --version; then echo "bubblewrap 0.9.0"; exit; fi
echo "bwrap: No permissions to create a new namespace" >&2
exit 1
"""


def child(arena, words: str) -> psutil.Process | None:
    return next((process for process in arena.alive() if words in " ".join(process.cmdline())), None)


@pytest.fixture(scope="module")
def standing(lasting, lasting_up) -> subprocess.Popen[str]:
    """An arena that runs for all who only look at it, in a data folder that everybody could read before."""
    (lasting.folder / "data").mkdir(mode=0o755)
    return lasting_up(lasting.folder / "data")


def test_an_arena_keeps_its_data_to_itself(lasting, standing) -> None:
    data = lasting.folder / "data"
    readable = [path.name for path in data.rglob("*") if path.stat().st_mode & 0o077]
    assert readable == []
    assert lasting.run("tournament", "list", "--data", data).returncode == 0


def test_a_second_arena_on_the_same_data_folder_is_refused(lasting, standing) -> None:
    second = lasting.run("up", "--data", lasting.folder / "data", "--grpc", "127.0.0.1:0")
    assert second.returncode == 1
    assert second.stderr.count("\n") == 1
    assert second.stderr.startswith("error: an arena runs on the data folder")
    assert str(standing.pid) in second.stderr
    assert "--data" in second.stderr
    assert standing.poll() is None


def once_up(url: str) -> bytes:
    """Ask until the server answers; a second apart at most."""
    until = time.monotonic() + 60
    while True:
        try:
            with urllib.request.urlopen(url, timeout=20) as answer:  # noqa: S310 - what we have started
                return bytes(answer.read())
        except OSError:
            assert time.monotonic() < until
            time.sleep(0.1)


def test_a_killed_arena_leaves_no_process_and_the_next_one_removes_its_files(arena, up, place: Path) -> None:
    running = up(place / "data")
    running.kill()
    running.wait()
    assert arena.until_gone(20) == []
    assert [name for name in arena.left() if name.startswith("whiteout-up-")] != []
    following = up(place / "data")
    following.send_signal(signal.SIGTERM)
    assert following.wait(30) == 0
    assert arena.until_gone(5) == []
    assert arena.left() == []
    assert not (place / "data" / "server.json").exists()


def test_a_port_in_use_is_named(arena, place: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        refused = arena.run("up", "--data", place / "data", "--grpc", address)
    assert refused.returncode == 1
    assert refused.stderr.count("\n") == 1
    assert address in refused.stderr
    assert "in use" in refused.stderr
    assert arena.until_gone(5) == []
    assert arena.left() == []


def test_an_address_that_is_none_is_wrong_usage_and_makes_no_folder(arena, place: Path) -> None:
    refused = arena.run("up", "--data", place / "data", "--grpc", "nowhere")
    assert refused.returncode == 2
    assert refused.stderr == "error: 'nowhere' is no address; give HOST:PORT, like 127.0.0.1:7070\n"
    assert not (place / "data").exists()


def test_a_data_folder_that_is_a_file_is_named(arena, place: Path) -> None:
    (place / "data").write_text("")
    refused = arena.run("up", "--data", place / "data")
    assert refused.returncode == 2
    assert refused.stderr.count("\n") == 1
    assert str(place / "data") in refused.stderr


def test_an_arena_whose_processes_all_died_once_still_plays_and_its_page_keeps_its_port(arena, up, place: Path) -> None:
    running = up(place / "data", "--skip-qualification", "--web", "127.0.0.1:0")
    url = running.stdout.readline().removeprefix("web page: ").strip()
    assert b"<h1>" in once_up(url)
    for words in ("-m worker --exit", "-m arena.api", "-m worker.dispatcher", "broker.sock", "arena.web"):
        child(arena, words).kill()
    said = [running.stderr.readline() for _ in range(6)]
    assert sum("it is started again" in line for line in said) == 5
    assert any("web was killed" in line for line in said)
    assert b"ok" in once_up(f"{url}/readyz")
    until = time.monotonic() + 60
    for arguments in PLAY:
        while arena.run(*arguments, "--data", place / "data").returncode != 0:
            assert time.monotonic() < until
    watched = arena.run("tournament", "watch", "cup", "--data", place / "data")
    assert "2 of 2 matches with a result" in watched.stdout
    running.send_signal(signal.SIGINT)
    running.send_signal(signal.SIGINT)
    assert running.wait(30) == 0
    assert arena.until_gone(5) == []
    assert arena.left() == []


def test_a_game_from_elsewhere_goes_from_submission_to_rating_and_verified_logs(arena, up, place: Path) -> None:
    data = ("--data", place / "data")
    running = up(place / "data", "--skip-qualification")
    for bot in ("random", "greedy", "quiet"):
        assert arena.run("submit", bot, *data).returncode == 0
    entered = ("--bots", "random,greedy,quiet", "--seats", 3)
    assert arena.run("tournament", "create", "fall", "--game", "icefall", *entered, *data).returncode == 0
    assert arena.run("tournament", "start", "fall", *data).returncode == 0
    assert "3 of 3 matches with a result" in arena.run("tournament", "watch", "fall", *data).stdout
    ratings = arena.run("ratings", "icefall", "--json", *data)
    (pool,) = json.loads(ratings.stdout)
    assert sorted((row["bot"], row["matches"], row["pending"]) for row in pool["ratings"]) == [
        ("greedy", 3, 0),
        ("quiet", 3, 0),
        ("random", 3, 0),
    ]
    for match in json.loads(arena.run("matches", "--tournament", "fall", "--json", *data).stdout):
        log = place / "data" / f"{match['id']}.jsonl"
        assert arena.run("log", match["id"], "-o", log, *data).returncode == 0
        verified = arena.run("verify", log)
        assert (verified.returncode, "OK, icefall" in verified.stdout) == (0, True)
    running.send_signal(signal.SIGTERM)
    assert running.wait(30) == 0
    assert arena.until_gone(5) == []
    assert arena.left() == []


def test_doctor_names_every_layer_and_is_content(arena) -> None:
    done = arena.run("doctor")
    assert done.returncode == 0, done.stdout
    assert all(line.startswith(("ok ", "absent ")) for line in done.stdout.splitlines())
    assert {"python", "broker", "bubblewrap", "pid namespace", "resource limits"} <= {
        line[9:].partition(":")[0] for line in done.stdout.splitlines()
    }


def test_without_a_sandbox_doctor_fails_and_nothing_starts_unless_it_was_asked_for(arena, place: Path) -> None:
    # A bubblewrap on PATH comes first; this one refuses as one does on a machine that forbids namespaces.
    broken = place / "bin" / "bwrap"
    broken.parent.mkdir()
    broken.write_text(BROKEN_BWRAP)
    broken.chmod(0o755)
    path = f"{broken.parent}:{os.environ['PATH']}"
    examined = arena.start("doctor", PATH=path)
    out, _ = examined.communicate(timeout=60)
    assert examined.returncode == 1
    assert "MISSING  sandbox" in out
    assert "No permissions to create a new namespace" in out
    refused = arena.start("up", "--data", place / "data", "--grpc", "127.0.0.1:0", "--web", "none", PATH=path)
    _, said = refused.communicate(timeout=60)
    assert refused.returncode == 1
    assert said.count("\n") == 1
    assert "--unsafe-no-sandbox" in said
    unsafe = arena.start(
        "up", "--data", place / "data", "--grpc", "127.0.0.1:0", "--web", "none", "--unsafe-no-sandbox", PATH=path
    )
    assert unsafe.stdout.readline().startswith("the arena is up")
    assert "WITHOUT a sandbox" in unsafe.stderr.readline()
