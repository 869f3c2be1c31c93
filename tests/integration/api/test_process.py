"""The server as the process that people start."""

import json
import os
import signal
import socket
import subprocess
import sys

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

ALL_THAT_IS_REFUSED = """
import contextlib, io, json, os, sys
from arena.api.__main__ import main
told = {}
for name, (words, database) in json.loads(sys.argv[1]).items():
    os.environ.pop("ARENA_DATABASE", None)
    if database:
        os.environ["ARENA_DATABASE"] = database
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
        code = main(words)
    told[name] = (code, out.getvalue(), err.getvalue())
print(json.dumps(told))
"""


@pytest.fixture(scope="module")
def refused(tmp_path_factory):
    """Exit code, output and errors of starts that come to nothing, by their names; one process makes them all."""
    folder = tmp_path_factory.mktemp("refused")
    (folder / "file").write_text("", encoding="utf-8")
    asked = {
        "plain text": (["--data", str(folder / "data"), "--grpc", "0.0.0.0:0"], ""),
        "a file": (["--data", str(folder / "file")], ""),
        "no database": ([], ""),
        "a new database": ([], f"sqlite:///{folder / 'new.db'}"),
    }
    command = [sys.executable, "-c", ALL_THAT_IS_REFUSED, json.dumps(asked)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


@pytest.fixture
def start(tmp_path):
    """Start `python -m arena.api` with these arguments; what still runs at the end is killed."""
    started = []

    def begin(*arguments, data="data", **environment):
        command = [sys.executable, "-m", "arena.api", *(("--data", str(tmp_path / data)) if data else ()), *arguments]
        outside = {name: value for name, value in os.environ.items() if not name.startswith("ARENA_")}
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        process = subprocess.Popen(command, text=True, env=outside | environment, **pipes)
        started.append(process)
        return process

    yield begin
    for process in started:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            stream.close()


def ready(process):
    return json.loads(process.stdout.readline())["grpc"]


def answers(address):
    with grpc.insecure_channel(address) as channel:
        health = health_pb2_grpc.HealthStub(channel)
        return (
            health.Check(health_pb2.HealthCheckRequest(), timeout=10).status == health_pb2.HealthCheckResponse.SERVING
        )


def failure(process):
    out, err = process.communicate(timeout=20)
    return process.returncode, out, err


def test_it_says_where_it_listens_serves_and_stops_on_sigterm(start):
    process = start("--grpc", "127.0.0.1:0")

    assert answers(ready(process))
    process.send_signal(signal.SIGTERM)
    code, out, err = failure(process)
    assert (code, out) == (0, "")
    assert "Traceback" not in err


def test_it_stops_when_its_parent_is_gone(start):
    process = start("--grpc", "127.0.0.1:0", "--exit-with-parent")
    assert answers(ready(process))
    process.stdin.close()

    assert process.wait(20) == 0


def test_a_port_in_use_is_one_clear_line(start):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, out, err = failure(start("--grpc", f"127.0.0.1:{port}"))

    assert (code, out) == (1, "")
    assert err == (
        f"error: cannot listen on 127.0.0.1:{port} (Address already in use);"
        " choose another address or stop what uses it\n"
    )


def test_plain_text_beyond_loopback_is_refused(refused):
    code, _, err = refused["plain text"]

    assert code == 2
    assert err.startswith("error: 0.0.0.0:0 can be reached by others")
    assert err.count("\n") == 1


def test_a_data_folder_that_is_a_file_is_one_clear_line(refused):
    code, _, err = refused["a file"]

    assert code == 2
    assert err.startswith("error: data folder ")
    assert err.count("\n") == 1


def test_the_database_may_be_told_by_the_environment(start, prepared):
    process = start("--grpc", "127.0.0.1:0", data=None, ARENA_DATABASE=f"sqlite:///{prepared[0]}")

    assert answers(ready(process))


def test_a_database_has_to_be_named(refused):
    said = "error: no database; give --data DIR or --database URL, or set ARENA_DATABASE\n"
    assert refused["no database"] == [2, "", said]


def test_a_database_that_is_not_prepared_is_one_clear_line(refused):
    code, _, err = refused["a new database"]

    assert code == 1
    assert "python -m arena.store" in err
    assert err.count("\n") == 1
