"""What a bot author meets before any match."""

import subprocess
import sys
from importlib.metadata import version

import pytest

from arena.core.errors import IllegalAction
from bots.sdk import Bot, Turn, run
from bots.sdk.bot import index_of_choice
from bots.sdk.client import SDK_VERSION
from bots.sdk.running import ADDRESS_VARIABLE, TICKET_VARIABLE


def turn(*actions):
    return Turn(ply=12, bank_ms=1000, view=None, legal_actions=actions)


def test_a_choice_is_found_by_value():
    assert index_of_choice(turn("stay", ("go", 1), ("go", 2)), ("go", 2)) == 2


def test_a_choice_that_is_not_legal_is_named_with_what_is():
    with pytest.raises(IllegalAction, match=r"choose returned 'fly' at ply 12, .*: 'stay', 'go'$"):
        index_of_choice(turn("stay", "go"), "fly")


def test_a_missing_return_is_guessed():
    with pytest.raises(IllegalAction, match="is a return statement missing"):
        index_of_choice(turn("stay", "go"), None)


def test_a_long_list_of_legal_actions_is_cut():
    with pytest.raises(IllegalAction, match=r"none of the 100 turn\.legal_actions: 0, 1, 2, 3, 4, 5, 6, 7, \.\.\.$"):
        index_of_choice(turn(*range(100)), "x")


def test_a_bot_without_choose_says_so():
    class Idle(Bot):
        pass

    with pytest.raises(NotImplementedError, match="Idle has no method choose"):
        Idle(match=None).choose(turn("stay"))


@pytest.mark.parametrize("missing", [ADDRESS_VARIABLE, TICKET_VARIABLE])
def test_a_bot_started_by_hand_is_told_how_bots_are_started(monkeypatch, capsys, missing):
    monkeypatch.setenv(ADDRESS_VARIABLE, "unix:nowhere")
    monkeypatch.setenv(TICKET_VARIABLE, "ticket")
    monkeypatch.delenv(missing)
    with pytest.raises(SystemExit) as caught:
        run(Bot)
    assert caught.value.code == 2
    error = capsys.readouterr().err
    assert error.startswith(f"error: {ADDRESS_VARIABLE} and {TICKET_VARIABLE} are not set")
    assert "arena play" in error
    assert error.count("\n") == 1


def test_a_referee_that_is_not_there_is_given_up_on(monkeypatch, capsys, tmp_path):
    monkeypatch.setenv(ADDRESS_VARIABLE, f"unix:{tmp_path}/nobody.sock")
    monkeypatch.setenv(TICKET_VARIABLE, "ticket")
    with pytest.raises(SystemExit) as caught:
        run(Bot)
    assert caught.value.code == 4
    error = capsys.readouterr().err
    assert error.startswith("error: REFEREE_LOST: ")
    assert error.count("\n") == 1


def test_importing_the_sdk_does_not_import_grpc():
    program = "import sys, bots.sdk; sys.exit('grpc' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_the_sdk_has_the_version_of_the_distribution():
    assert version("whiteout-arena") == SDK_VERSION
