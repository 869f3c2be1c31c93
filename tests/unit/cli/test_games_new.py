"""`arena games` and `arena new`."""

import re
from pathlib import Path

import pytest

from arena.cli.protofiles import proto_files
from arena.core.registry import load_game


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


def test_new_makes_a_typescript_project_with_the_proto_files(arena, tmp_path: Path) -> None:
    said = arena("new", tmp_path / "ts", "--game", "icefall", "--language", "typescript")
    assert said.code == 0
    assert "first: npm install && npm run build" in said.out
    protos = {str(path.relative_to(tmp_path / "ts" / "proto")) for path in (tmp_path / "ts").rglob("*.proto")}
    assert protos == {"arena/v1/play.proto", "arena/v1/match_result.proto", "icefall/v1/icefall.proto"}
    assert '"../gen/icefall/v1/Turn"' in (tmp_path / "ts" / "src" / "bot.ts").read_text()
    assert 'language = "typescript"' in (tmp_path / "ts" / "bot.toml").read_text()
    assert (tmp_path / "ts" / ".gitignore").is_file()


@pytest.mark.parametrize("game", ["first-snow", "frost-shelter", "snowblind"])
def test_the_proto_files_of_a_game_are_those_of_this_project(game: str) -> None:
    root = Path(__file__).parents[3] / "proto"
    found = proto_files(load_game(game))
    assert len(found) == 3
    assert found == {name: (root / name).read_text() for name in found}


def test_new_makes_a_bot_of_lines_without_a_library(arena, tmp_path: Path) -> None:
    assert arena("new", tmp_path / "lines", "--game", "icefall", "--language", "stdio").code == 0
    program = (tmp_path / "lines" / "bot.py").read_text()
    assert [line for line in program.splitlines() if "import" in line] == ["import json", "import sys"]
    assert 'language = "stdio"' in (tmp_path / "lines" / "bot.toml").read_text()


@pytest.mark.parametrize("language", ["python", "stdio", "typescript"])
def test_the_readme_s_commands_are_all_for_the_place_where_the_folder_was_made(
    arena, tmp_path: Path, monkeypatch, language: str
) -> None:
    monkeypatch.chdir(tmp_path)
    arena("new", "greedy", "--game", "icefall", "--language", language)  # named as a built-in bot is
    lines = (tmp_path / "greedy" / "README.md").read_text().splitlines()
    commands = [line.strip() for line in lines if line.startswith("    ") and not line.startswith("    {")]
    assert len(commands) > 3
    assert all(re.match(r"arena |\(cd \./greedy && ", command) for command in commands), commands
    assert not [command for command in commands if re.search(r" greedy\b", command)]


@pytest.mark.parametrize("language", ["python", "stdio", "typescript"])
def test_no_mark_is_left_in_what_new_makes(arena, tmp_path: Path, language: str) -> None:
    arena("new", tmp_path / "b", "--game", "icefall", "--language", language)
    for path in (tmp_path / "b").rglob("*"):
        assert not path.is_file() or not re.search(r"@[A-Z]+@", path.read_text()), path


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("b", ("--game", "chess"), "no game 'chess'"),
        ("b", ("--game", "icefall", "--language", "cobol"), "there are: python, stdio, typescript"),
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
