import sys

import pytest

import bots.sdk
from arena.cli.botref import find_bot
from arena.cli.inprocess import load_bot_class
from arena.core.errors import UsageError

NAMED = """
from bots.sdk import Bot, run
from helper import WORD

class Mine(Bot):
    word = WORD

    def choose(self, turn):
        return turn.legal_actions[0]

if __name__ == "__main__":
    run(Mine)
"""


def test_two_bots_may_each_have_a_module_of_the_same_name(make_bot) -> None:
    one = load_bot_class(find_bot(str(make_bot("one", NAMED, helper="WORD = 1"))))
    two = load_bot_class(find_bot(str(make_bot("two", NAMED, helper="WORD = 2"))))
    assert (one.word, two.word) == (1, 2)
    assert "helper" not in sys.modules


def test_loading_leaves_path_and_sdk_as_they_were(make_bot) -> None:
    path, run = list(sys.path), bots.sdk.run
    load_bot_class(find_bot(str(make_bot())))
    assert sys.path == path
    assert bots.sdk.run is run


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("def broken(", "SyntaxError"),
        ("import no_such_module", "ModuleNotFoundError"),
        ("raise SystemExit(3)", "SystemExit"),
        ("x = 1", "it runs 0"),
        ("from bots.sdk import Bot, run\nrun(Bot)\nrun(Bot)", "it runs 2"),
    ],
)
def test_a_program_that_is_no_bot_is_refused_in_one_line(make_bot, program: str, said: str) -> None:
    with pytest.raises(UsageError) as refusal:
        load_bot_class(find_bot(str(make_bot(program=program))))
    assert refusal.value.code == "BOT_DOES_NOT_LOAD"
    assert said in refusal.value.message
    assert "\n" not in refusal.value.message


def test_a_bot_of_another_language_is_not_played_in_process(make_bot) -> None:
    folder = make_bot(manifest='name = "n"\ngames = ["icefall"]\nlanguage = "node"\ncommand = ["node", "bot.js"]')
    with pytest.raises(UsageError, match="Python bots") as refusal:
        load_bot_class(find_bot(str(folder)))
    assert refusal.value.code == "NOT_IN_PROCESS"


def test_a_program_that_is_not_there_is_named(make_bot) -> None:
    folder = make_bot()
    (folder / "bot.py").unlink()
    with pytest.raises(UsageError, match=r"bot\.py"):
        load_bot_class(find_bot(str(folder)))
