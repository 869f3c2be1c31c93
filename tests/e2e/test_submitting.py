"""`arena submit` against a whole arena: its checks followed live, refusals with the bot's own words, setting aside."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from botsources import FIRST, SLEEPER
from cutting import Cutter

from arena.cli.local.running import running_arena
from arena.cli.places import SERVER_FILE

ARENA = [sys.executable, "-c", "from arena.cli.main import main; main()"]
STYLES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")
TWO_FACED = """
from bots.sdk import Bot, run
class TwoFaced(Bot):
    def choose(self, turn):
        if self.match.margin_ms == 77:
            raise RuntimeError("the judges are gone")
        return turn.legal_actions[0]
run(TwoFaced)
"""
"""Behaves while it is checked: it tells a tournament by its clock."""


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("submitting") / "data"
    with running_arena(folder, ["--workers", "2"]):
        yield folder


@pytest.fixture
def command(data: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    def run(*words: object) -> subprocess.CompletedProcess[str]:
        line = [*ARENA, *map(str, words), "--data", str(data)]
        return subprocess.run(line, capture_output=True, text=True, timeout=120, check=False)

    return run


@pytest.fixture
def bot(tmp_path: Path) -> Callable[[str, str], Path]:
    def make(name: str, source: str) -> Path:
        folder = tmp_path / name
        folder.mkdir()
        (folder / "bot.toml").write_text(f'name = "{name}"\ngames = ["icefall"]\n')
        (folder / "bot.py").write_text(source)
        return folder

    return make


def test_an_accepted_version_is_followed_to_its_end_and_its_match_can_be_looked_at(command, bot, tmp_path) -> None:
    done = command("submit", bot("plain", FIRST))
    assert (done.returncode, done.stdout) == (0, "plain@1\n")
    told = done.stderr.splitlines()
    assert re.fullmatch(r"plain@1: the archive \(2 files, 1 KB\) and its bot\.toml are in order", told[0])
    assert re.fullmatch(r"icefall: match \d+ passed, \d+ plies", told[-2])
    assert told[-1] == "plain@1 is accepted"
    match = re.findall(r"match (\d+) passed", done.stderr)[0]
    assert command("log", match, "-o", tmp_path / "m.jsonl").returncode == 0
    assert command("output", match, "--seat", 0).stdout.startswith("ply ")
    assert "qualification 1 of plain@1: icefall" in command("matches", "--bot", "plain").stdout


def test_a_rejected_version_says_why_with_its_own_words_also_later(command, bot) -> None:
    done = command("submit", bot("broken", "import torch_of_winter"))
    assert (done.returncode, done.stdout) == (1, "")
    assert "Traceback" in done.stderr
    assert "No module named 'torch_of_winter'" in done.stderr
    error = done.stderr.splitlines()[-1]
    assert error.startswith("error: broken@1 was rejected: its qualification match ")
    assert "CRASHED: its process ended with status 1; see `arena output " in error
    assert error.removeprefix("error: ") in command("versions", "broken").stdout
    refused = command("tournament", "create", "cup-of-broken", "--game", "icefall", "--bots", "broken,broken")
    assert refused.returncode != 0
    assert "was rejected" in refused.stderr


def test_an_interrupt_while_following_says_how_to_follow_on(data, bot) -> None:
    folder = bot("slow", SLEEPER)
    line = [*ARENA, "submit", str(folder), "--data", str(data)]
    with subprocess.Popen(line, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as client:
        while "now plays" not in client.stderr.readline():
            assert client.poll() is None
        client.send_signal(signal.SIGINT)
        out, err = client.communicate(timeout=30)
    assert (client.returncode, out) == (130, "")
    assert err.endswith(
        f"slow@1 is stored and its checks go on; follow them again with `arena submit {folder}`,"
        " or see how they ended with `arena versions slow@1`\n"
    )
    subprocess.run([*ARENA, "retire", "slow@1", "--data", str(data)], check=True, capture_output=True)


def test_on_a_terminal_the_checks_are_a_table_that_changes(data, bot) -> None:
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 100, 0, 0))
    outside = {name: value for name, value in os.environ.items() if name not in {"COLUMNS", "LINES", "NO_COLOR"}}
    line = [*ARENA, "submit", str(bot("shown", FIRST)), "--data", str(data)]
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=follower, env=outside | {"TERM": "xterm"}) as client:
        os.close(follower)
        shown = b""
        try:
            while part := os.read(leader, 65536):
                shown += part
        except OSError:  # how a terminal says that nobody writes to it any more
            pass
        os.close(leader)
        assert client.wait(60) == 0
    text = STYLES.sub("", shown.decode())
    assert re.search(r"icefall +match \d+ +passed, \d+ plies", text)
    assert "shown@1 is accepted" in text


def test_who_behaves_only_while_checked_is_set_aside_told_so_and_comes_back(command, bot) -> None:
    assert command("submit", bot("two-faced", TWO_FACED)).returncode == 0
    assert command("submit", bot("honest", FIRST)).returncode == 0
    clock = ("--clock", "5s+0s,start=10s,margin=77ms")
    entered = ("--game", "icefall", "--bots", "two-faced,honest", "--deals", 3)
    assert command("tournament", "create", "cup", *entered, *clock).returncode == 0
    assert command("tournament", "start", "cup").returncode == 0
    assert "finished" in command("tournament", "watch", "cup").stdout
    said = command("versions", "two-faced").stdout
    assert re.search(r"two-faced@1 is set aside: it failed [34] matches in a row, the last: match \d+, CRASHED", said)
    assert "withdrawn from cup" in said
    assert "arena restore two-faced@1" in said
    assert "is set aside" in command("bots").stdout
    lost = json.loads(command("matches", "--bot", "two-faced", "--json").stdout)
    crashed = next(match["id"] for match in lost if match["end"] == "MATCH_END_FORFEIT")
    assert "the judges are gone" in command("output", crashed).stdout
    assert command("restore", "two-faced@1").stdout == "two-faced@1 is accepted\n"


def test_a_server_killed_in_the_middle_of_an_upload_has_stored_nothing(data, command, bot) -> None:
    folder = bot("cut", FIRST)
    (folder / "weights.bin").write_bytes(os.urandom(300_000))
    address = json.loads((data / SERVER_FILE).read_text())["grpc"]
    with Cutter(address, 150_000, hold=True) as line:
        token = ("--token-file", str(data / "admin.token"))
        words = [*ARENA, "submit", str(folder), "--server", line.address, *token]
        with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as client:
            assert line.reached.wait(30)
            for process in psutil.process_iter():
                words = process.cmdline() if process.status() != psutil.STATUS_ZOMBIE else []
                if "arena.api" in words and any(str(data) in word for word in words):
                    process.kill()
            line.cut()
            _, err = client.communicate(timeout=30)
    assert client.returncode == 1
    assert err.startswith("error: the connection to the server at ")
    while (listed := command("bots", "--json")).returncode != 0:
        assert "no server answers" in listed.stderr or "broke" in listed.stderr
    assert "cut" not in {bot["name"] for bot in json.loads(listed.stdout)}
    assert command("submit", folder).stdout == "cut@1\n"
