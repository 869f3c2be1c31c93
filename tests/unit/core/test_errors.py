"""The tree of errors: every one has a stable word and an exit code."""

import pytest

from arena.core import errors
from arena.core.errors import ArenaError, Refused, UsageError


def descendants(kind):
    for child in kind.__subclasses__():
        yield child
        yield from descendants(child)


def test_every_error_has_a_word_of_its_own():
    words = [kind.reason for kind in {ArenaError, *descendants(ArenaError)} if kind.__module__ == errors.__name__]
    assert len(set(words)) == len(words)
    assert all(word == word.upper() and word.replace("_", "").isalpha() for word in words)


def test_a_raise_can_give_a_finer_word():
    assert Refused("no", reason="TOO_MANY").code == "TOO_MANY"
    assert Refused("no").code == "REFUSED"


@pytest.mark.parametrize("kind", [UsageError, *descendants(UsageError)])
def test_wrong_input_exits_with_2(kind):
    assert kind("x").exit_code == 2


def test_other_errors_exit_with_1():
    assert ArenaError("x").exit_code == 1
    assert str(ArenaError("one line")) == "one line"
