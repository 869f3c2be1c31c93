"""The services of compose.yaml: their commands and environments play a tournament on PostgreSQL and Redis."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path

import pytest
from compose import Compose, Postgres

REPOSITORY = Path(__file__).resolve().parents[2]
RUNNING = ("api", "web", "dispatcher", "worker", "worker", "worker", "worker-public")


@pytest.fixture
def compose(place: Path) -> Iterator[Compose]:
    services = Compose(place)
    services.write_secrets()
    database = Postgres(services)
    yield services
    services.stop()
    database.stop()


@pytest.mark.timeout(400)
def test_the_services_of_compose_yaml_play_a_tournament_across_three_workers(
    compose: Compose, arena, place: Path
) -> None:
    assert set(compose.services) == {"postgres", "redis", "prepare", *RUNNING}
    compose.start("redis")
    tokens = []
    for _ in range(2):  # once at every start; the second time nothing changes
        assert compose.start("prepare").wait(60) == 0, compose.log()
        tokens.append((place / "admin.token").read_text())
    assert tokens[0] == tokens[1]
    for name in RUNNING:
        compose.start(name)
    address = f"127.0.0.1:{compose.ports['0.0.0.0:7070']}"
    until_healthy(compose)
    where = ("--server", address, "--token-file", place / "admin.token")
    for arguments in (
        ("submit", REPOSITORY / "bots/builtin/greedy"),
        ("submit", REPOSITORY / "bots/builtin/hearth"),
        ("tournament", "create", "cup", "--game", "first-snow", "--bots", "greedy,hearth", "--deals", 4),
        ("tournament", "start", "cup"),
        ("tournament", "watch", "cup"),
    ):
        done = arena.run(*arguments, *where)
        assert done.returncode == 0, done.stderr + compose.log()
    assert "8 of 8 matches with a result" in done.stdout
    assert "greedy@1" in arena.run("ratings", *where).stdout
    assert front_page(compose).startswith("<!doctype html>")
    figures = {key: read(port, "/metrics")[1] for key, port in compose.metrics.items() if key.startswith("worker-")}
    counted = {
        key: sum(map(float, re.findall(r"^whiteout_matches_total\{.*\} (\S+)", text, re.MULTILINE)))
        for key, text in figures.items()
    }
    assert sum(counted.values()) >= 8
    assert sum(count > 0 for key, count in counted.items() if "public" not in key) == 3, counted
    assert set(compose.stop().values()) == {0}, compose.log()
    said = compose.log()
    assert "Traceback" not in said
    for secret in (tokens[0].strip(), compose.password, "p%40ss"):
        assert secret not in said
    lines = [json.loads(line) for line in said.splitlines() if line.startswith('{"timestamp"')]
    assert {line["process"] for line in lines} >= {"api", "worker"}
    recorded = [line for line in lines if line["event"] == "match recorded" and line["tournament"] == "cup"]
    assert len({line["match"] for line in recorded}) == 8
    assert all({"block", "attempt", "seconds"} <= set(line) for line in recorded)


def until_healthy(compose: Compose) -> None:
    """Carry out the health check of every running service until it passes."""
    waiting = [key for key in compose.metrics if key.rpartition("-")[0] in RUNNING]
    assert len(waiting) == len(RUNNING)
    end = time.monotonic() + 200
    while waiting:
        waiting = [key for key in waiting if compose.probe(key).returncode != 0]
        assert time.monotonic() < end, f"{waiting}\n{compose.log()}"


def front_page(compose: Compose) -> str:
    return read(compose.ports["0.0.0.0:8080"], "/")[1]


def read(port: int, path: str) -> tuple[int, str]:
    connection = HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", path)
    answer = connection.getresponse()
    found = answer.status, answer.read().decode()
    connection.close()
    return found


def test_what_is_reachable_from_outside_is_said_and_only_the_public_worker_is_from_elsewhere() -> None:
    ports = {name: service.get("ports", []) for name, service in Compose(Path()).services.items()}
    assert {name: found for name, found in ports.items() if found} == {
        "api": ["127.0.0.1:7070:7070"],
        "web": ["127.0.0.1:8080:8080"],
        "worker-public": ["7443:7443"],
    }


def test_every_service_is_bounded_and_without_rights_and_secrets_come_by_file() -> None:
    compose = Compose(Path())
    for name, service in compose.services.items():
        assert service["mem_limit"], name
        assert "inside" in service["networks"], name
        assert name == "prepare" or service["healthcheck"], name
        assert not any(
            re.search("PASSWORD|SECRET|KEY|TOKEN", variable) and not str(value).startswith("/run/secrets/")
            for variable, value in service.get("environment", {}).items()
        ), name
        if name != "postgres":  # its image takes the rights that it needs away by itself
            assert service["cap_drop"] == ["ALL"], name
            assert service["read_only"], name
            assert "no-new-privileges:true" in service["security_opt"], name
    assert compose.file["networks"]["inside"] == {"internal": True}
    sandboxed = {
        name for name, service in compose.services.items() if "seccomp=unconfined" in service.get("security_opt", ())
    }
    assert sandboxed == {"worker", "worker-public"}
