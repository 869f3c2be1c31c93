"""The probe of health checks ends with 0 for a process that is ready, and with nothing else."""

import socket

from prometheus_client import CollectorRegistry

from arena.core.errors import Unavailable
from arena.telemetry.endpoint import Endpoint, Readiness
from arena.telemetry.probe import main


def probe(**checks) -> int:
    endpoint = Endpoint("127.0.0.1:0", CollectorRegistry(), Readiness(checks))
    try:
        return main([endpoint.address.rpartition(":")[2]])
    finally:
        endpoint.close()


def away() -> None:
    raise Unavailable("the broker cannot be reached: refused")


def test_ready_is_0_and_not_ready_is_1(capsys) -> None:
    assert probe(database=lambda: None) == 0
    assert probe(database=lambda: None, broker=away) == 1
    assert "the broker cannot be reached" in capsys.readouterr().out


def test_no_answer_is_1_and_a_wrong_call_2() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    assert main([str(port)]) == 1
    assert main(["here"]) == main([]) == 2
