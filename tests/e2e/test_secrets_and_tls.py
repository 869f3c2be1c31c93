"""A whole arena with TLS, looked at from outside while it works: who trusts whom, and where no token ever stands."""

import json
import re
import ssl
import threading
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import psutil
import pytest
from certificates import write_authority, write_pair

from arena.cli.places import ADMIN_TOKEN_FILE, SERVER_FILE
from bots.sdk.running import TICKET_VARIABLE

TICKET = re.compile(r"[\w-]{32}")
"""What a referee gives out; a test that runs beside this one may play with others."""

WRONG = "wo_" + "w" * 43


class Watched:
    """Every command line of this machine while this looks, and every ticket that a bot is given."""

    def __init__(self) -> None:
        self.seen: set[str] = set()
        self.tickets: set[str] = set()
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._look)
        self._thread.start()

    def stop(self) -> set[str]:
        self._end.set()
        self._thread.join(20)
        return self.seen

    def _look(self) -> None:
        while not self._end.wait(0.02):
            for process in psutil.process_iter():
                try:
                    self.seen.add(" ".join(process.cmdline()))
                    ticket = process.environ().get(TICKET_VARIABLE, "")
                    self.tickets |= {ticket} if TICKET.fullmatch(ticket) else set()
                except psutil.Error:
                    continue


@pytest.fixture
def secured(up, place) -> tuple[Path, str]:
    """The data folder of a running arena that speaks TLS, and its web page's port; its certificate names no address."""
    write_authority(place / "ca.pem")
    pair = write_pair(place / "tls", "arena.example", "localhost")
    data = place / "data"
    process = up(data, "--tls-cert", pair.certificate, "--tls-key", pair.key, "--web", "127.0.0.1:0")
    line = process.stdout.readline()
    assert line.startswith("web page: https://127.0.0.1:")
    return data, line.strip(" /\n").rpartition(":")[2]


def one_line(done, code: int = 1) -> str:
    assert done.returncode == code, done.stderr
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1
    return str(done.stderr)


def test_an_arena_with_tls_serves_its_own_folder_and_everybody_who_trusts_it_and_shows_no_token(secured, arena, place):
    secured, web_port = secured
    watched = Watched()
    announced = json.loads((secured / SERVER_FILE).read_text())
    port = announced["grpc"].rpartition(":")[2]
    server, ca = f"localhost:{port}", place / "ca.pem"
    token_file = place / "data" / "ann.token"
    made = [
        arena.run("account", "create", "ann", "--data", secured),
        arena.run(
            "account", "token", "ann", "--expires", "1h", "--label", "laptop", "-o", token_file, "--data", secured
        ),
        arena.run("submit", "random", "--server", server, "--ca", ca, "--token-file", token_file),
    ]
    assert [done.returncode for done in made] == [0, 0, 0], [done.stderr for done in made]
    assert made[2].stdout == "random@1\n" or made[2].stdout.startswith("random")

    assert "name its authority with --ca" in one_line(
        arena.run("bots", "--server", f"https://{server}", "--token-file", token_file)
    )
    assert f"write https://{server}" in one_line(arena.run("bots", "--server", server, "--token-file", token_file))
    assert "made out to another name" in one_line(
        arena.run("bots", "--server", f"127.0.0.1:{port}", "--ca", ca, "--token-file", token_file)
    )
    wrong = arena.start("bots", "--server", server, "--ca", ca, ARENA_TOKEN=WRONG)
    _, said = wrong.communicate(timeout=60)
    assert (wrong.returncode, said.count("\n")) == (1, 1)
    assert "not known here" in said

    trusting = ssl.create_default_context(cafile=ca)
    with urlopen(f"https://localhost:{web_port}/", context=trusting, timeout=60) as page:
        assert page.status == 200
    with pytest.raises(URLError, match="CERTIFICATE_VERIFY_FAILED"):
        urlopen(f"https://localhost:{web_port}/", timeout=60)

    secrets = [(secured / ADMIN_TOKEN_FILE).read_text().strip(), token_file.read_text().strip(), WRONG]
    told = "\n".join(done.stderr for done in made) + said
    logs = {file.name: file.read_bytes() for file in (secured / "logs").iterdir()}
    stored = b"".join(file.read_bytes() for file in secured.glob("arena.db*"))
    commands = watched.stop()
    assert any("arena.api" in line for line in commands)
    assert logs["api.log"]
    assert watched.tickets
    assert all(re.fullmatch(r"wo_[\w-]{43}", secret) for secret in secrets)
    for secret in (*secrets, *watched.tickets):
        assert secret not in told
        assert not [line for line in commands if secret in line]
        assert not [name for name, content in logs.items() if secret.encode() in content]
        assert secret.encode() not in stored


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--grpc", "0.0.0.0:0"), "give --tls-cert and --tls-key"),
        (("--tls-cert", "cert.pem"), "--tls-cert needs --tls-key"),
        (("--tls-cert", "nocert.pem", "--tls-key", "nokey.pem"), "nocert.pem: No such file"),
    ],
)
def test_an_arena_that_would_speak_plain_text_to_others_or_has_half_a_certificate_does_not_start(
    arena, place, options, words
):
    assert words in one_line(arena.run("up", "--data", place / "data", *options), 2)
    assert not (place / "data").exists()
