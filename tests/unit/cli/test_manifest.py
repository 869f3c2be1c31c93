import pytest

from arena.core.errors import UsageError
from arena.core.manifest import MAX_NAME, check_name, parse_manifest


def test_a_python_bot_needs_name_and_games_only() -> None:
    manifest = parse_manifest('name = "my-bot"\ngames = ["first-snow"]\n')
    assert (manifest.command, manifest.language) == (("python", "bot.py"), "python")


def test_every_key_is_read() -> None:
    manifest = parse_manifest('name = "b2"\ngames = ["a", "b"]\ncommand = ["node", "x.js"]\nlanguage = "node"\n')
    assert manifest.games == ("a", "b")
    assert manifest.command == ("node", "x.js")


def test_a_star_plays_any_game() -> None:
    assert parse_manifest('name = "any"\ngames = ["*"]').plays("whatever")
    assert not parse_manifest('name = "one"\ngames = ["a"]').plays("b")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name = ", "no TOML"),
        ('games = ["a"]', "name"),
        ('name = "My Bot"\ngames = ["a"]', "a-z, 0-9 and -"),
        (f'name = "{"x" * (MAX_NAME + 1)}"\ngames = ["a"]', "a-z, 0-9 and -"),
        ('name = "../x"\ngames = ["a"]', "a-z, 0-9 and -"),
        ('name = "x"', "games"),
        ('name = "x"\ngames = "a"', "games"),
        ('name = "x"\ngames = []', "games"),
        ('name = "x"\ngames = [3]', "games"),
        ('name = "x"\ngames = ["a"]\ncommand = "python bot.py"', "command"),
        ('name = "x"\ngames = ["a"]\nlanguage = "rust"', "command"),
        ('name = "x"\ngames = ["a"]\ncommand = ["python", "a\\u0000b"]', "NUL character"),
        ('name = "x"\ngames = ["a"]\ncommand = [' + '"a",' * 65 + "]", "65 texts, 64 are allowed"),
        ('name = "x"\ngames = [' + '"a",' * 65 + "]", "65 texts, 64 are allowed"),
        (f'name = "x"\ngames = ["a"]\nversion = {"9" * 5000}', "no TOML"),
        (f'name = "{"x" * 60_000}"\ngames = ["a"]', "a-z, 0-9 and -"),
        ('name = "x"\ngames = ["a"]\nauthor = "me"', "the keys are name, games, command, language"),
    ],
)
def test_a_wrong_manifest_names_file_key_and_way_out(text: str, said: str) -> None:
    with pytest.raises(UsageError) as refusal:
        parse_manifest(text, "folder/bot.toml")
    assert refusal.value.code == "BAD_MANIFEST"
    assert refusal.value.message.startswith("folder/bot.toml: ")
    assert said in refusal.value.message
    assert refusal.value.message.isprintable()
    assert len(refusal.value.message) < 400


def test_a_game_named_twice_counts_once() -> None:
    assert parse_manifest('name = "x"\ngames = ["b", "a", "b"]').games == ("b", "a")


@pytest.mark.parametrize("name", ["a", "a-b", "2nd", "x" * MAX_NAME])
def test_a_good_name_is_kept(name: str) -> None:
    assert check_name(name) == name


@pytest.mark.parametrize("name", ["", "-a", "a-", "A", "a_b", "ä", "x" * (MAX_NAME + 1)])
def test_a_bad_name_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="no name for a bot"):
        check_name(name)


def test_a_program_of_lines_is_started_behind_the_bridge_and_every_other_as_it_says() -> None:
    lines = parse_manifest('name = "x"\ngames = ["a"]\nlanguage = "stdio"\ncommand = ["./x", "-v"]\n')
    assert lines.command == ("./x", "-v")
    assert lines.program == ("python", "-P", "-m", "bots.sdk.bridge", "--", "./x", "-v")
    assert parse_manifest('name = "x"\ngames = ["a"]').program == ("python", "bot.py")
