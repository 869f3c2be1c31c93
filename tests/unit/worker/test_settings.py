"""What a worker is told at its start."""

from datetime import timedelta

import pytest

from arena.core.errors import UsageError
from worker.settings import Settings

GOOD = {"ARENA_DATABASE": "sqlite:///arena.db", "ARENA_BROKER": "redis+socket:///run/broker.sock"}


def test_database_and_broker_are_enough() -> None:
    settings = Settings.read(GOOD)
    assert (settings.database, settings.broker) == (GOOD["ARENA_DATABASE"], GOOD["ARENA_BROKER"])
    assert (settings.unsafe, settings.set_aside_after) == (False, 3)


def test_bots_run_unprotected_only_if_that_is_said_in_so_many_words() -> None:
    said = {word: Settings.read({**GOOD, "ARENA_UNSAFE_NO_SANDBOX": word}).unsafe for word in ("1", "0", "", "yes")}
    assert said == {"1": True, "0": False, "": False, "yes": False}


def test_bots_ponder_only_if_that_is_said() -> None:
    said = {word: Settings.read({**GOOD, "ARENA_PONDERING": word}).pondering for word in ("1", "0", "")}
    assert said == {"1": True, "0": False, "": False}


def test_an_operator_says_after_how_many_failures_a_version_is_set_aside() -> None:
    said = {word: Settings.read({**GOOD, "ARENA_SET_ASIDE_AFTER": word}).set_aside_after for word in ("5", "0", "")}
    assert said == {"5": 5, "0": 0, "": 3}


def test_leases_and_the_grace_are_said_in_seconds() -> None:
    settings = Settings.read({**GOOD, "ARENA_LEASE_S": "4", "ARENA_GRACE_S": "0.5"})
    assert (settings.lease, settings.grace_s) == (timedelta(seconds=4), 0.5)
    settings = Settings.read(GOOD)
    assert (settings.lease, settings.grace_s) == (timedelta(seconds=30), 3)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ARENA_DATABASE", ""),
        ("ARENA_BROKER", ""),
        ("ARENA_BROKER", "amqp://localhost"),
        ("ARENA_SET_ASIDE_AFTER", "-1"),
        ("ARENA_SET_ASIDE_AFTER", "never"),
        ("ARENA_LEASE_S", "0.1"),
        ("ARENA_LEASE_S", "soon"),
        ("ARENA_GRACE_S", "-1"),
        ("ARENA_GRACE_S", "inf"),
    ],
)
def test_a_wrong_setting_is_named(name: str, value: str) -> None:
    with pytest.raises(UsageError, match=name):
        Settings.read({**GOOD, name: value})
