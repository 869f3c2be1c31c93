"""docs/api.md: its program runs, and it names every RPC, role, status, reason and limit there is."""

import ast
import os
import re
import shlex
import subprocess
import sys
import threading
from pathlib import Path

import grpc
import pytest
from certificates import write_authority, write_pair
from google.protobuf.json_format import Parse
from google.protobuf.message_factory import GetMessageClass

from arena.api.errors import STATUS
from arena.api.gate import MAX_REQUEST_BYTES, REQUEST_S
from arena.api.limits import Limits
from arena.api.server import SERVICES
from arena.api.uploads import IDLE_S
from arena.core.errors import ArenaError
from arena.net.tls import read_identity
from arena.services import accounts, archives, qualifying, requests
from arena.services.access import CHANGES, RIGHTS
from arena.v1 import account_pb2, account_pb2_grpc

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
METHODS = {f"{service.full_name}/{method.name}": method for service in SERVICES for method in service.methods}


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL)


def section(title: str) -> str:
    return re.split(r"^##+ ", PAGE.partition(f"# {title}\n")[2], flags=re.MULTILINE)[0]


@pytest.fixture
def program(arena, monkeypatch, capsys):
    """The page's program after it has run, while somebody played the matches; and what it printed."""
    monkeypatch.setenv("ARENA_SERVER", arena.address)
    monkeypatch.setenv("ARENA_TOKEN", arena.admin)
    over = threading.Event()

    def play():
        while not over.wait(0.05):
            arena.play()

    worker = threading.Thread(target=play)
    worker.start()
    names: dict[str, object] = {}
    try:
        exec(compile("\n".join(blocks("python")), "docs/api.md", "exec"), names)  # noqa: S102 - our own page
    finally:
        over.set()
        worker.join(20)
    yield names, capsys.readouterr().out
    names["channel"].close()


def test_the_program_of_the_page_runs_and_prints_what_it_says(program):
    names, printed = program

    assert printed.startswith("admin ROLE_ADMIN ")
    assert "NO_SUCH_TOKEN there is no token 4711 of yours; list them to see their ids\n" in printed
    assert "mine@1 BOT_VERSION_STATE_ACCEPTED" in printed
    assert "4 of 4\n" in printed
    assert [row.place for row in names["table"].standings] == [1, 1]
    assert printed.endswith("admin\n")


def test_the_channel_of_the_page_speaks_tls(program, arena_with, tmp_path):
    pair = write_pair(tmp_path / "tls", "127.0.0.1")
    secured = arena_with(read_identity(pair.certificate, pair.key))
    with program[0]["secure_channel"](secured.address, write_authority(tmp_path / "ca.pem")) as channel:
        stub = account_pb2_grpc.AccountServiceStub(channel)
        metadata = [("authorization", f"Bearer {secured.admin}")]
        assert stub.WhoAmI(account_pb2.WhoAmIRequest(), metadata=metadata, timeout=20).account.name == "admin"


def test_stubs_are_made_as_the_page_says(tmp_path):
    (tmp_path / "proto").symlink_to(ROOT / "proto")
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    command = ["sh", "-e", "-c", blocks("sh")[0]]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, env=os.environ | {"PATH": path})

    made = {path.name for path in (tmp_path / "client" / "arena" / "v1").iterdir()}
    assert {file.name for file in (ROOT / "arena" / "v1").glob("*_pb2.py")} - made <= {"referee_pb2.py"}


def test_every_rpc_stands_in_a_table_with_its_role_and_whether_it_changes_something():
    told, service = {}, ""
    for line in section("Every RPC").splitlines():
        name, role, *_, last = [cell.strip(" `") for cell in line.split("|")[1:-1]] or ["", "", ""]
        if role == "role":
            service = name
        elif name.isidentifier():
            told[f"/arena.v1.{service}/{name}"] = (role, last == "changes")

    assert told == {path: (role.lower(), path in CHANGES) for path, role in RIGHTS.items()}


def test_every_status_of_a_refusal_is_told():
    told = set(re.findall(r"^\| `([A-Z_]+)` \|", section("Errors"), flags=re.MULTILINE))

    sent = {status.name for kind, status in STATUS.items() if kind is not ArenaError} - {"DATA_LOSS"}
    assert told == sent | {"DEADLINE_EXCEEDED", "INTERNAL", "UNIMPLEMENTED"}
    assert told <= set(grpc.StatusCode.__members__)


FOLDERS = ("api", "services", "store", "core", "ladder")
ELSEWHERE = {
    # How a program starts or stops, before or after it serves.
    "ADDRESS_IN_USE", "BAD_DATABASE_URL", "DATABASE_NEWER", "DATABASE_OLDER",
    # What workers are told, and those who read logs.
    "BAD_RESULT", "RESULT_DIFFERS", "FOLDER_NOT_EMPTY",
    # What commands and statistics are asked.
    "BAD_SPRT", "BAD_RETENTION",
    # Names of classes that are raised with a reason of their own.
    "ARENA_ERROR", "BAD_INPUT", "BAD_LOG", "CONFLICT", "GAME_ERROR", "ILLEGAL_ACTION", "LEASE_LOST", "LIMIT_REACHED",
    "MALFORMED_ACTION", "NOT_FOUND", "REFUSED", "UNAUTHENTICATED", "UNAVAILABLE",
}  # fmt: skip
"""Reasons in the modules that serve the API which no call is refused with."""


def reasons() -> set[str]:
    """Every reason that stands in what serves the API: as `reason=`, as a class's own, or handed to `_limit`.

    A constant for one is called as it is itself.
    """
    files = [file for folder in FOLDERS for file in (ROOT / "arena" / folder).glob("*.py")]
    nodes = [node for file in files for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))]
    given = [each for node in nodes for each in values(node)]
    words = {each.value for each in given if isinstance(each, ast.Constant) and isinstance(each.value, str)}
    words |= {
        each.attr if isinstance(each, ast.Attribute) else each.id
        for each in given
        if isinstance(each, ast.Attribute | ast.Name)
    }
    return {word for word in words if re.fullmatch(r"[A-Z]+(_[A-Z]+)*", word)}


def values(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.keyword) and node.arg == "reason":
        return [node.value]
    if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "reason":
        return [node.value]
    if isinstance(node, ast.AnnAssign) and getattr(node.target, "id", "") == "reason" and node.value is not None:
        return [node.value]
    return node.args[1:] if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "_limit" else []


def test_every_reason_is_told_and_no_other():
    told = set(re.findall(r"`([A-Z][A-Z_]+)`", section("Reasons")))

    assert told - {"INTERNAL"} == reasons() - ELSEWHERE - {"INTERNAL"}


def test_the_limits_are_those_of_the_program():
    limits, table = Limits(), section("Limits")
    for row in (
        f"| calls a second | {limits.per_s:g} in the long run, {limits.burst} at once |",
        f"| calls at the same time, watches among them | {limits.calls} |",
        f"| archives on their way | {limits.uploads} |",
        f"| versions being checked | {qualifying.MAX_CHECKING} |",
        f"| challenges and repetitions not finished | {requests.MAX_OPEN}, of at most {requests.MAX_BLOCKS} blocks |",
        f"| valid tokens | {accounts.MAX_TOKENS} |",
        f"| bytes of a request | {MAX_REQUEST_BYTES >> 20} MB |",
        f"| bytes of an archive | {archives.MAX_ARCHIVE_BYTES >> 20} MB |",
        f"| silence within a call's request, and within an upload | {REQUEST_S:g} s, {IDLE_S:g} s |",
    ):
        assert row in table, row


def test_every_grpcurl_command_asks_for_a_method_with_a_request_that_fits():
    asked = 0
    for line in blocks("sh")[1].splitlines():
        words = shlex.split(line)
        assert words[0] == "grpcurl"
        method = METHODS.get(words[-1])
        if method is None:
            assert words[-1] == "list" or words[-2] == "describe", line
            continue
        body = words[words.index("-d") + 1] if "-d" in words else "{}"
        Parse(body, GetMessageClass(method.input_type)())
        assert "authorization: Bearer ${ARENA_TOKEN}" in words
        asked += 1
    assert asked == 4


def test_the_described_symbol_is_there():
    described = [shlex.split(line)[-1] for line in blocks("sh")[1].splitlines() if " describe " in line]

    assert [name.replace(".SubmitBot", "/SubmitBot") in METHODS for name in described] == [True]
