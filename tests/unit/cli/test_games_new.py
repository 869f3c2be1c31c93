"""`arena games` and `arena new`."""

from pathlib import Path

import pytest


def test_games_lists_what_is_installed(arena) -> None:
    said = arena("games")
    assert said.code == 0
    assert "first-snow" in said.out
    assert "icefall" in said.out


def test_games_shows_one(arena) -> None:
    assert arena("games", "icefall", "--json").json["variants"][0]["variant"] == "race"
    assert "forecast" in arena("games", "icefall").out


def test_an_unknown_game_lists_the_others(arena) -> None:
    said = arena("games", "chess")
    assert said.code == 2
    assert said.err.startswith("error: no game 'chess' here; installed: ")


def test_new_makes_a_bot_that_plays(arena, tmp_path: Path) -> None:
    folder = tmp_path / "My_Bot"
    said = arena("new", folder, "--game", "icefall")
    assert said.code == 0
    assert sorted(file.name for file in folder.iterdir()) == ["README.md", "bot.py", "bot.toml"]
    played = arena("play", "icefall", folder, "random", "--in-process", "--seed", 1, "--json").json
    assert played["seats"][0]["bot"] == "my-bot"
    assert played["end"] == "COMPLETED"


def test_the_template_has_less_than_twelve_lines(arena, tmp_path: Path) -> None:
    arena("new", tmp_path / "b", "--game", "icefall")
    assert len((tmp_path / "b" / "bot.py").read_text().splitlines()) < 12


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("b", ("--game", "chess"), "no game 'chess'"),
        ("b", ("--game", "icefall", "--language", "cobol"), "there are: python"),
        ("b!", ("--game", "icefall"), "no name for a bot"),
        ("full", ("--game", "icefall"), "not an empty folder"),
        ("full/file", ("--game", "icefall"), "not an empty folder"),
        ("full/file/b", ("--game", "icefall"), "cannot be made"),
    ],
)
def test_new_refuses_what_cannot_be_made(arena, tmp_path: Path, name: str, options, said: str) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    outcome = arena("new", tmp_path / name, *options)
    assert outcome.code == 2
    assert said in outcome.err


def test_games_prints_the_short_rules_of_one(arena) -> None:
    assert arena("games", "first-snow", "--rules").out.startswith("FIRST SNOW, for two, six rounds.")
    assert "arena games first-snow --rules" in arena("games", "first-snow").out
    assert arena("games", "first-snow", "--rules", "--json").json["game"] == "first-snow"


def test_rules_of_no_game_are_refused(arena) -> None:
    refused = arena("games", "--rules")
    assert refused.code == 2
    assert refused.err == "error: --rules needs a game: arena games GAME --rules\n"
