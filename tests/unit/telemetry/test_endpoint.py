"""The endpoint tells figures, life and readiness, and is not held up by whoever asks badly."""

import json
import socket
import struct
import threading
from http.client import HTTPConnection

import pytest
from prometheus_client import CollectorRegistry
from prometheus_client.parser import text_string_to_metric_families

from arena.core.errors import Unavailable, UsageError
from arena.match.result import MatchEnd, MatchResult, SeatEnd
from arena.telemetry import endpoint as module
from arena.telemetry.endpoint import Endpoint, Readiness, take_address
from arena.telemetry.figures import CallFigures, QueueFigures, WorkerFigures, new_registry


def ask(address: str, path: str) -> tuple[int, str]:
    connection = HTTPConnection(address, timeout=20)
    connection.request("GET", path)
    answer = connection.getresponse()
    body = answer.read().decode()
    connection.close()
    return answer.status, body


@pytest.fixture
def serve():
    opened = []

    def start(registry=None, **checks) -> str:
        opened.append(Endpoint("127.0.0.1:0", registry or CollectorRegistry(), Readiness(checks)))
        return opened[-1].address

    yield start
    for each in opened:
        each.close()


def well() -> None:
    """All is well."""


def away() -> None:
    raise Unavailable("the database cannot be used: postgresql://me:hunter2@there refused; try again")


def test_a_process_is_alive_whatever_it_lacks(serve) -> None:
    address = serve(database=away)
    assert ask(address, "/healthz") == (200, "ok\n")
    assert ask(address, "/else")[0] == 404


def test_ready_is_who_has_all_he_needs(serve) -> None:
    status, body = ask(serve(database=well, broker=well), "/readyz")
    assert (status, json.loads(body)) == (200, {"ready": True, "database": "ok", "broker": "ok"})


def test_what_is_missing_is_named_without_its_password(serve) -> None:
    status, body = ask(serve(database=away, broker=well), "/readyz")
    found = json.loads(body)
    assert (status, found["ready"], found["broker"]) == (503, False, "ok")
    assert found["database"].startswith("the database cannot be used")
    assert "hunter2" not in body


def test_a_check_that_hangs_is_not_well_and_is_not_started_again(serve, monkeypatch) -> None:
    monkeypatch.setattr(module, "CHECK_S", 0.05)
    go_on, started = threading.Event(), []

    def hang() -> None:
        started.append(True)
        assert go_on.wait(20)

    address = serve(broker=hang)
    assert [ask(address, "/readyz")[0] for _ in range(3)] == [503] * 3
    assert len(started) == 1
    go_on.set()
    monkeypatch.setattr(module, "CHECK_S", 20)
    assert ask(address, "/readyz")[0] == 200


def test_whoever_says_nothing_keeps_others_waiting_for_a_moment_only(serve, monkeypatch) -> None:
    monkeypatch.setattr(module._Handler, "timeout", 0.1)
    address = serve()
    host, _, port = address.partition(":")
    with socket.create_connection((host, int(port))):
        assert ask(address, "/healthz")[0] == 200


def test_figures_are_served_with_labels_of_few_values(serve) -> None:
    registry = new_registry()
    worker, queue, calls = WorkerFigures(registry), QueueFigures(registry), CallFigures(registry)
    ends = (SeatEnd.PLAYED, SeatEnd.TIMEOUT)
    worker.match_over("first-snow", MatchResult(MatchEnd.FORFEIT, ends, (1, 2), (1, 0), "", 9), 1.5, [3, 40])
    worker.attempt_over("done")
    queue.attempts_lost(2, 1)
    queue.lane_waits("HOSTED", "LADDER", 3.5)
    calls.call_over("/arena.v1.BotService/ListBots", "OK", 0.01)
    status, body = ask(serve(registry), "/metrics")
    assert status == 200
    found = {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(body)
        for sample in family.samples
    }
    game = ("game", "first-snow")
    assert found["whiteout_matches_total", (("end", "FORFEIT"), game)] == 1
    assert found["whiteout_seats_total", (("end", "TIMEOUT"), game)] == 1
    assert found["whiteout_turn_seconds_sum", (game,)] == pytest.approx(0.043)
    assert found["whiteout_turn_seconds_count", (game,)] == 2
    assert found["whiteout_match_seconds_sum", (game,)] == 1.5
    assert found["whiteout_attempts_total", (("end", "done"),)] == 1
    assert found["whiteout_attempts_lost_total", ()] == 2
    assert found["whiteout_queue_age_seconds", (("lane", "LADDER"), ("queue", "HOSTED"))] == 3.5
    assert any(name == "process_resident_memory_bytes" for name, _ in found)


def test_a_request_that_drips_holds_nobody_up(serve, monkeypatch) -> None:
    monkeypatch.setattr(module, "REQUEST_S", 0.3)
    address = serve()
    host, _, port = address.rpartition(":")
    done = threading.Event()
    with socket.create_connection((host, int(port))) as line:

        def drip() -> None:
            while not done.wait(0.05):
                try:
                    line.send(b"G")
                except OSError:
                    return

        thread = threading.Thread(target=drip)
        thread.start()
        try:
            assert ask(address, "/healthz") == (200, "ok\n")
        finally:
            done.set()
            thread.join()


def test_a_client_that_goes_away_leaves_no_traceback(serve, capsys) -> None:
    address = serve()
    host, _, port = address.rpartition(":")
    for _ in range(3):
        with socket.create_connection((host, int(port))) as line:
            line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # it is reset at its end
            line.sendall(b"GET /metrics HTTP/1.0\r\n")
    assert ask(address, "/healthz") == (200, "ok\n")
    assert capsys.readouterr().err == ""


def test_an_address_that_is_taken_or_none_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(Unavailable, match="--metrics"):
        Endpoint(f"127.0.0.1:{taken.getsockname()[1]}", CollectorRegistry(), Readiness({}))
    with pytest.raises(UsageError, match="no address"):
        Endpoint("here", CollectorRegistry(), Readiness({}))


def test_the_address_comes_from_the_option_or_the_environment_or_is_none() -> None:
    assert take_address(["--else", "x"], {}) == ("", ["--else", "x"])
    assert take_address(["--metrics", "127.0.0.1:1", "-x"], {"ARENA_METRICS": "b:2"}) == ("127.0.0.1:1", ["-x"])
    assert take_address([], {"ARENA_METRICS": "b:2"}) == ("b:2", [])
