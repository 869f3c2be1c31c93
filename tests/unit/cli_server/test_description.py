"""A tournament file that is wrong in any way is refused in one line that names the field."""

import pytest

from arena.cli.description import read_description
from arena.core.errors import UsageError

GOOD = 'name = "cup"\ngame = "first-snow"\n'


def refusal(folder, text) -> UsageError:
    file = folder / "cup.toml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(UsageError) as caught:
        read_description(file).request()
    return caught.value


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("", ("name: ", "game: ")),
        ('name = ""\ngame = ""\n', ("name: ", "game: ")),
        (b'name = "\xff"', ("no text in UTF-8",)),
        ('name = "a"\nname = "b"\n', ("no TOML",)),
        (f"{GOOD}deals = {'9' * 5000}\n", ("no TOML",)),
        (f"{GOOD}deals = {'[' * 5000}\n", ("no TOML",)),
        (f"{GOOD}deals = 2.5\nseats = true\n", ("deals: ", "seats: ")),
        (f"{GOOD}deals = -3\nseats = nan\n", ("deals: ", "seats: ")),
        (f"{GOOD}deals = {1 << 31}\nseats = inf\n", ("deals: ", "seats: ")),
        ("name = 2020-01-01\ngame = 1\n", ("name: ", "game: ")),
        ("[name]\na = 1\n[game]\n", ("name: ", "game: ")),
        (f'{GOOD}bots = "ada"\nheads = [1]\n', ("bots: ", "heads: ")),
        (f'{GOOD}bots = ["ada@0", "@", "", "ada@-1", "ada@{"9" * 20}", "ada@\u0663"]\n',
         tuple(f"bots[{number}]: " for number in range(1, 6))),
        (f'{GOOD}format = "swiss"\n', ("format: ",)),
        (f'{GOOD}format = "request"\n', ("format: ",)),
        (f'{GOOD}colour = 1\nclock = 3\nvariant = []\n', ("colour: ", "clock: ", "variant: ")),
        (f'{GOOD}components = 3\n', ("components: ",)),
        (f'{GOOD}components = "nowhere.toml"\n', ("components: ", "nowhere.toml")),
        (f'{GOOD}components = ""\n', ("components: ",)),
        (f'{GOOD}components = "cup\\u0000.toml"\n', ("components: ",)),
        (f'{GOOD}components = "empty.toml"\n', ("components: ", "is empty")),
        (f'{GOOD}components = "noise.toml"\n', ("components: ", "no text in UTF-8")),
    ],
)  # fmt: skip
def test_each_fault_of_a_tournament_file_is_named_with_its_field(tmp_path, text, named):
    (tmp_path / "empty.toml").write_bytes(b"")
    (tmp_path / "noise.toml").write_bytes(b"\xff\xfe\0")
    error = refusal(tmp_path, text)
    for words in named:
        assert words in error.message
    assert "\n" not in error.message
    assert error.exit_code == 2
