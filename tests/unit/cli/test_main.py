import subprocess
import sys
from collections.abc import Sequence

import pytest

from arena.cli import main
from arena.cli.main import Command, run
from arena.cli.output import Interrupted, counted
from arena.core.errors import LogError, Unavailable, UsageError


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch):
    """Put one command into the table that raises what it is given."""

    def install(error: BaseException) -> None:
        def fail() -> None:
            raise error

        monkeypatch.setattr(sys.modules[__name__], "fail", fail, raising=False)
        monkeypatch.setattr(main, "COMMANDS", (Command("fail", f"{__name__}:fail", "Fails."),))

    return install


def only_error(capsys: pytest.CaptureFixture[str]) -> str:
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    return said.err


@pytest.mark.parametrize(
    ("error", "code"), [(UsageError("wrong"), 2), (LogError("wrong"), 1), (Unavailable("wrong"), 1)]
)
def test_a_foreseen_error_is_one_line_and_its_exit_code(failing, capsys, error, code) -> None:
    failing(error)
    assert run(["fail"]) == code
    assert only_error(capsys) == "error: wrong\n"


def test_a_fault_of_the_arena_is_one_line_and_code_70(failing, capsys, monkeypatch) -> None:
    monkeypatch.delenv("ARENA_DEBUG", raising=False)
    failing(RuntimeError("two\nlines"))
    assert run(["fail"]) == 70
    assert only_error(capsys) == (
        "error: internal error: RuntimeError: two lines; run with ARENA_DEBUG=1 for the traceback\n"
    )


def test_arena_debug_lets_the_traceback_through(failing, monkeypatch) -> None:
    monkeypatch.setenv("ARENA_DEBUG", "1")
    failing(RuntimeError("look here"))
    with pytest.raises(RuntimeError, match="look here"):
        run(["fail"])


def test_an_interrupt_is_code_130(failing, capsys) -> None:
    failing(KeyboardInterrupt())
    assert run(["fail"]) == 130
    assert only_error(capsys) == "interrupted\n"


def test_an_interrupted_command_says_how_to_resume(failing, capsys) -> None:
    failing(Interrupted("interrupted; go on with: arena fail --from 3"))
    assert run(["fail"]) == 130
    assert only_error(capsys) == "interrupted; go on with: arena fail --from 3\n"


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["paly"], "Did you mean 'play'"),
        (["--nonsense"], "--nonsense"),
        (["play"], "GAME"),
        (["verify"], "LOG"),
        (["match", "random", "random", "--game", "icefall", "--blocks", "0"], "--blocks"),
        (["replay", "x", "--ply", "minus"], "--ply"),
    ],
)
def test_a_wrong_command_line_is_one_line_and_code_2(capsys, arguments: Sequence[str], hint: str) -> None:
    assert run(arguments) == 2
    said = only_error(capsys)
    assert said.startswith("error: ")
    assert hint in said


@pytest.mark.parametrize("arguments", [[], ["--help"], ["-h"]])
def test_help_lists_every_command(capsys, arguments: Sequence[str]) -> None:
    assert run(arguments) == 0
    said = capsys.readouterr().out
    assert all(f" {command.name} " in said for command in main.COMMANDS)


@pytest.mark.parametrize("group", ["tournament", "account", "bench"])
def test_a_group_without_a_command_shows_its_help_and_no_empty_error(capsys, group: str) -> None:
    assert run([group]) == 2
    said = capsys.readouterr()
    assert f"arena {group} [OPTIONS] COMMAND" in said.out
    assert said.err == ""


@pytest.mark.parametrize("command", [command.name for command in main.COMMANDS])
def test_every_command_of_the_table_can_be_loaded(capsys, command: str) -> None:
    assert run([command, "--help"]) == 0
    assert command in capsys.readouterr().out


def test_the_version_is_printed(capsys) -> None:
    assert run(["--version"]) == 0
    assert capsys.readouterr().out.startswith("arena 0.")


def test_help_loads_no_command_and_no_server_library() -> None:
    program = (
        "import sys; from arena.cli.main import run; run(['--help']);"
        "print([name for name in ('grpc', 'sqlmodel', 'celery', 'arena.cli.play', 'numpy') if name in sys.modules])"
    )
    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert printed.splitlines()[-1] == "[]"


def test_a_reader_that_leaves_early_is_no_fault() -> None:
    program = "import sys; from arena.cli.main import run; sys.exit(run(['games', '--json']))"
    shell = f'"{sys.executable}" -c "{program}" | true'
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, check=True)
    assert done.stderr == ""


def test_one_of_a_thing_is_told_in_the_singular() -> None:
    said = [counted(number, thing) for number in (0, 1, 2) for thing in ("match", "bot")]
    assert said == ["0 matches", "0 bots", "1 match", "1 bot", "2 matches", "2 bots"]
