from pathlib import Path

import pytest

from arena.cli.botref import builtin_folders, find_bot, find_bots
from arena.core.errors import UnknownName, UsageError


def test_built_in_bots_are_found_by_name() -> None:
    assert {"random", "greedy"} <= set(builtin_folders())
    assert find_bot("random").label.version == "builtin"


def test_every_built_in_bot_bears_the_name_of_its_folder() -> None:
    assert all(find_bot(name).manifest.name == name for name in builtin_folders())


def test_a_folder_is_found_by_its_path(make_bot) -> None:
    bot = find_bot(str(make_bot("mine")))
    assert (bot.label.bot, bot.label.version) == ("mine", "local")
    assert bot.folder.is_absolute()


def test_a_built_in_name_comes_before_a_folder_of_that_name(make_bot, monkeypatch) -> None:
    monkeypatch.chdir(make_bot("random").parent)
    assert find_bot("random").builtin
    assert not find_bot("./random").builtin


def test_an_unknown_name_lists_the_built_in_ones() -> None:
    with pytest.raises(UnknownName, match=r"greedy.*random"):
        find_bot("nobody")


def test_a_folder_that_is_not_there_says_how_to_make_it() -> None:
    with pytest.raises(UnknownName, match="arena new"):
        find_bot("./nowhere")


def test_a_folder_without_manifest_says_so(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"has no bot\.toml") as refusal:
        find_bot(str(tmp_path))
    assert refusal.value.code == "NO_MANIFEST"


def test_a_manifest_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bot.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match="cannot be read"):
        find_bot(str(tmp_path))


def test_a_bot_on_a_server_is_not_found_here() -> None:
    with pytest.raises(UsageError, match="on a server"):
        find_bot("greedy@3")


def test_a_bot_that_does_not_play_the_game_is_refused(make_bot) -> None:
    folder = make_bot("picky", manifest='name = "picky"\ngames = ["chess"]')
    with pytest.raises(UsageError, match="picky does not play icefall"):
        find_bots(["random", str(folder)], "icefall")
