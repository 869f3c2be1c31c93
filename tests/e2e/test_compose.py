"""The services of compose.yaml: their commands and environments play a tournament on PostgreSQL and Redis."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from compose import Compose, Postgres, until_listening

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture
def compose(place: Path) -> Iterator[Compose]:
    services = Compose(place)
    database = Postgres(services)
    yield services
    services.stop()
    database.stop()


def test_the_services_of_compose_yaml_play_a_tournament_to_its_end(compose: Compose, arena, place: Path) -> None:
    compose.start("redis")
    tokens = []
    for _ in range(2):  # once at every start; the second time nothing changes
        assert compose.start("prepare").wait(60) == 0, compose.log()
        tokens.append((place / "admin.token").read_text())
    assert tokens[0] == tokens[1]
    for name in ("api", "dispatcher", "worker", "worker"):
        compose.start(name)
    until_listening(compose.ports["0.0.0.0:7070"])
    where = ("--server", f"127.0.0.1:{compose.ports['0.0.0.0:7070']}", "--token-file", place / "admin.token")
    for arguments in (
        ("submit", REPOSITORY / "bots/builtin/greedy"),
        ("submit", REPOSITORY / "bots/builtin/hearth"),
        ("tournament", "create", "cup", "--game", "first-snow", "--bots", "greedy,hearth", "--deals", 2),
        ("tournament", "start", "cup"),
        ("tournament", "watch", "cup"),
    ):
        done = arena.run(*arguments, *where)
        assert done.returncode == 0, done.stderr + compose.log()
    assert "4 of 4 matches with a result" in done.stdout
    assert "greedy@1" in arena.run("ratings", *where).stdout
    assert set(compose.stop().values()) == {0}, compose.log()


def test_only_the_api_is_reachable_from_outside_and_only_from_this_machine() -> None:
    ports = {name: service.get("ports", []) for name, service in Compose(Path()).services.items()}
    assert {name: found for name, found in ports.items() if found} == {"api": ["127.0.0.1:7070:7070"]}
