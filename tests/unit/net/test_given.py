"""Settings come from the environment, and secrets from files."""

import pytest

from arena.core.errors import UsageError
from arena.net.given import given, given_database


def test_a_variable_may_be_said_by_a_file(tmp_path) -> None:
    file = tmp_path / "broker"
    file.write_text("redis://here:1/0\n")
    assert given({"ARENA_BROKER_FILE": str(file)}, "ARENA_BROKER") == "redis://here:1/0"
    assert given({"ARENA_BROKER": "redis://there:1/0"}, "ARENA_BROKER") == "redis://there:1/0"
    assert given({}, "ARENA_BROKER") == ""


def test_the_password_of_a_file_is_put_into_the_url_whatever_is_in_it(tmp_path) -> None:
    file = tmp_path / "password"
    file.write_text("p@ss/w:rd %\n")
    said = {
        "ARENA_DATABASE": "postgresql://me@there:5432/arena?sslmode=require",
        "ARENA_DATABASE_PASSWORD_FILE": str(file),
    }
    assert given_database(said) == "postgresql://me:p%40ss%2Fw%3Ard%20%25@there:5432/arena?sslmode=require"


def test_a_url_without_a_password_of_its_own_is_left_alone() -> None:
    assert given_database({"ARENA_DATABASE": "sqlite:///arena.db"}) == "sqlite:///arena.db"


@pytest.mark.parametrize(
    "said",
    [
        {"ARENA_DATABASE": "sqlite:///a", "ARENA_DATABASE_FILE": "b"},
        {"ARENA_DATABASE_FILE": "/nowhere/at/all"},
        {"ARENA_DATABASE": "postgresql://there/arena", "ARENA_DATABASE_PASSWORD": "x"},
        {"ARENA_DATABASE": "postgresql://me:y@there/arena", "ARENA_DATABASE_PASSWORD": "x"},
    ],
)
def test_what_contradicts_itself_or_is_not_there_is_named(said) -> None:
    with pytest.raises(UsageError, match="ARENA_DATABASE"):
        given_database(said)
