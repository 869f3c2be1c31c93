"""`arena play GAME human BOT...` as somebody at a terminal meets it."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from terminal_user import CONTROLS, STYLES, User

from arena.core.registry import game_ids, load_game
from arena.match.verify import Status, verify_log

LINGERING = """
import time
from bots.sdk import Bot, run

class Lingering(Bot):
    def choose(self, turn):
        time.sleep(60)

run(Lingering)
"""
CHAIRS = [
    (game, variant.id, seats)
    for game in game_ids()
    for variant in load_game(game).spec.variants
    for seats in sorted({variant.max_seats, 2 if game == "frost-shelter" else variant.max_seats})
]


@pytest.fixture
def user(tmp_path: Path) -> Iterator[Callable[..., User]]:
    open_users: list[User] = []

    def start(*arguments: object, **terminal: object) -> User:
        open_users.append(User(tmp_path, "play", *arguments, **terminal))
        return open_users[-1]

    yield start
    for one in open_users:
        one.__exit__()


def verified(folder: Path) -> list[dict]:
    """The lines of the one log that was kept, which `arena verify` takes."""
    (log,) = folder.glob("*.jsonl")
    assert verify_log(log.read_bytes().splitlines(keepends=True)).status is Status.OK
    return [json.loads(line) for line in log.read_text().splitlines()]


def make_slow(folder: Path) -> None:
    (folder / "slow").mkdir()
    (folder / "slow" / "bot.toml").write_text('name = "slow"\ngames = ["*"]\n')
    (folder / "slow" / "bot.py").write_text(LINGERING)


def test_a_person_plays_a_sandboxed_bot_to_the_end(user, tmp_path: Path) -> None:
    person = user("icefall", "human", "random")
    code, last = person.play_on(lambda screen: "1")
    assert code == 0
    assert "the match is over" in last
    assert re.search(r"You (won|lost|share the victory)", last)
    lines = verified(tmp_path)
    assert lines[0]["unsafe"] is False
    assert lines[0]["clock"] == "none"
    assert str(next(tmp_path.glob("*.jsonl")).name) in last


def test_the_seed_is_told_only_when_the_match_is_over(user) -> None:
    person = user("icefall", "human", "random")
    _, last = person.play_on(lambda screen: "1")
    seed = re.search(r"seed (\d+)", last)
    assert seed is not None
    assert person.everything.index(f"seed {seed[1]}") > person.everything.index("the match is over")


@pytest.mark.parametrize(("game", "variant", "seats"), CHAIRS)
def test_every_game_and_variant_can_be_played_from_the_last_seat(user, tmp_path: Path, game, variant, seats) -> None:
    bots = ["random"] * (seats - 1)
    person = user(game, *bots, "human", "--variant", variant, "--seed", 3, "--in-process")
    screen = person.wait_for("for help: ")
    assert (
        f"seats: {'   '.join(f'{seat} random' for seat in range(seats - 1))}{'   ' * (seats > 1)}{seats - 1} you"
        in screen
    )
    assert "1  " in screen
    person.answer("1")
    person.answer("2")
    person.answer("resign", "do so: ")
    person.type("yes")
    code, last = person.leave()
    assert code == 0
    assert "You resigned." in last
    assert verified(tmp_path)[-1]["seat_ends"][-1] == "RESIGNED"


def test_ctrl_c_resigns_and_keeps_the_log(user, tmp_path: Path) -> None:
    person = user("first-snow", "greedy", "human", "--log", "mine.jsonl")
    person.wait_for("for help: ")
    person.press("c")
    code, last = person.leave()
    assert code == 130
    assert "resigned; look at it again: arena replay mine.jsonl" in last
    assert "Traceback" not in person.everything
    assert "http2" not in person.everything  # what gRPC's core reports of a stream that ends
    assert verified(tmp_path)[-1]["seat_ends"] == ["PLAYED", "RESIGNED"]


def test_ctrl_c_resigns_while_a_bot_thinks(user, tmp_path: Path) -> None:
    make_slow(tmp_path)
    person = user("icefall", "human", "./slow", "--seed", 3)
    person.wait_for("for help: ")
    person.answer("1", "waiting for the others")
    person.press("c")
    code, last = person.leave()
    assert code == 130
    assert "You resigned." in last
    assert verified(tmp_path)[-1]["seat_ends"] == ["RESIGNED", "PLAYED"]


def test_among_three_the_others_play_on_after_ctrl_c(user, tmp_path: Path) -> None:
    person = user("icefall", "random", "human", "random", "--seed", 3)
    person.wait_for("for help: ")
    person.press("c")
    person.wait_for("You are out; the others play on.")
    code, last = person.leave()
    assert code == 130
    assert "You resigned. You have rank 3 of 3." in last
    assert verified(tmp_path)[-1]["seat_ends"] == ["PLAYED", "RESIGNED", "PLAYED"]


def test_a_second_ctrl_c_stops_waiting_for_the_others_and_leaves_nothing_running(user, tmp_path: Path) -> None:
    make_slow(tmp_path)
    person = user("icefall", "human", "./slow", "./slow", "--seed", 3)
    person.wait_for("for help: ")
    person.press("c")
    person.wait_for("Ctrl-C stops waiting, but keeps no log.")
    family = psutil.Process(person.process.pid).children(recursive=True)
    assert family
    person.press("c")
    code, last = person.leave()
    assert code == 130
    assert "Traceback" not in last
    assert psutil.wait_procs(family, timeout=10)[1] == []
    assert list(tmp_path.glob("*.jsonl")) == []


def test_a_file_that_cannot_be_written_is_refused_before_the_match(tmp_path: Path) -> None:
    refused = piped(tmp_path, "1\n", "icefall", "human", "random", "--log", "none/m.jsonl")
    assert refused.returncode == 2
    assert refused.stderr == "error: none/m.jsonl cannot be written: there is no folder none\n"


@pytest.mark.parametrize("way", ["hosted", "in-process"])
def test_the_end_of_input_resigns(user, tmp_path: Path, way: str) -> None:
    person = user("icefall", "human", "random", "--seed", 3, *(["--in-process"] if way == "in-process" else []))
    person.wait_for("for help: ")
    person.press("d")
    code, _ = person.leave()
    assert code == 130
    assert verified(tmp_path)[-1]["seat_ends"] == ["RESIGNED", "PLAYED"]


def test_a_window_that_is_closed_resigns_and_keeps_the_log(user, tmp_path: Path) -> None:
    person = user("icefall", "human", "random", "--seed", 3)
    person.wait_for("for help: ")
    person.hang_up()
    person.leave()
    assert verified(tmp_path)[-1]["seat_ends"] == ["RESIGNED", "PLAYED"]


def test_wrong_input_gets_one_clear_line_and_is_asked_again(user) -> None:
    person = user("first-snow", "human", "random", "--seed", 3, "--in-process")
    person.wait_for("for help: ")
    for typed, line in [
        ("99", "there is no 99; type a number from 1 to 6, or ? for help"),
        ("0", "there is no 0; type a number from 1 to 6, or ? for help"),
        ("-1", "no choice has '-1' in it; type a number from 1 to 6, or ? for help"),
        ("walrus", "no choice has 'walrus' in it; type a number from 1 to 6, or ? for help"),
        ("\x00\x1b[31m", "no choice has"),
    ]:
        answer = person.answer(typed).split("for help: ")[-2]
        assert line in answer
        assert len(answer.strip().splitlines()) == 3  # what was typed, the line, the next prompt


def test_words_narrow_the_choices_and_keep_their_numbers(user) -> None:
    person = user("first-snow", "human", "random", "--seed", 3, "--in-process")
    person.wait_for("for help: ")
    narrowed = person.answer("card 4").rpartition("Your choice")[2]
    assert "4  sends the bear to card 4" in narrowed
    assert "card 5" not in narrowed
    assert "1 of 6 with 'card 4'" in narrowed
    assert "card 5" in person.answer("").rpartition("Your choice")[2]


def test_a_question_mark_tells_the_game_and_what_can_be_typed(user) -> None:
    person = user("first-snow", "human", "random", "--seed", 3, "--in-process")
    person.wait_for("for help: ")
    told = person.answer("?")
    assert "FIRST SNOW, for two, six rounds." in told
    assert re.search(r"resign +give up; Ctrl-C does so at any time", told)


def test_log_tells_all_that_was_seen_and_view_draws_again(user) -> None:
    person = user("first-snow", "human", "random", "--seed", 3, "--in-process")
    person.wait_for("for help: ")
    person.answer("3")
    person.answer("1")
    told = person.answer("log").rpartition("Everything you saw")[2]
    assert "sends the bear to card 3" in told
    assert "before ply" in told
    assert "Everything you saw" not in person.answer("view")


def test_what_happened_names_the_actors(user) -> None:
    person = user("first-snow", "human", "random", "--seed", 3, "--in-process")
    person.wait_for("for help: ")
    assert re.search(r"0 you +sends the bear to card 3\n1 random +sends the bear somewhere", person.answer("3"))


def test_an_opponents_secret_never_reaches_the_screen(user, tmp_path: Path) -> None:
    (tmp_path / "six").mkdir()
    (tmp_path / "six" / "bot.toml").write_text('name = "six"\ngames = ["first-snow"]\n')
    program = "from bots.sdk import Bot, run\nclass Six(Bot):\n    def choose(self, turn):\n"
    (tmp_path / "six" / "bot.py").write_text(f"{program}        return turn.legal_actions[-1]\nrun(Six)\n")
    person = user("first-snow", "human", "./six", "--seed", 3)
    person.wait_for("for help: ")
    screen = person.answer("1")
    assert "bear hidden" in screen
    person.press("c")
    person.leave()
    assert "card 6\n" in person.everything  # one's own choices name the cards
    assert "bear on 6" not in person.everything
    assert (tmp_path / next(tmp_path.glob("*.jsonl")).name).read_text().count('"bear 6"') == 1


def test_two_people_share_a_screen_that_is_cleared_between_them(user) -> None:
    person = user("first-snow", "human", "human", "--seed", 3)
    person.wait_for("Press Enter when nobody else looks.")
    assert "your turn, ply" in person.answer("")
    handed_over = person.answer("4", "Press Enter when nobody else looks.")
    assert "Seat 1 human, it is your turn." in handed_over
    assert "bear" not in handed_over
    assert "\x1b[3J\x1b[2J" in person.seen  # what has scrolled off is forgotten too
    second = person.answer("")
    assert "as seat 1 sees it" in second
    assert "bear on 4" not in second
    assert "bear to card 4" not in person.answer("log").rpartition("Everything you saw")[2].partition("Your choice")[0]
    person.press("c")
    code, last = person.leave()
    assert code == 130
    assert "bear on 4" not in last


def test_two_people_need_a_terminal(tmp_path: Path) -> None:
    refused = piped(tmp_path, "", "first-snow", "human", "human")
    assert refused.returncode == 2
    assert refused.stderr.startswith("error: 2 people share one screen, which has to be cleared between them")


def piped(folder: Path, typed: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from arena.cli.main import main; main()", "play", *arguments],
        input=typed, cwd=folder, capture_output=True, text=True, check=False, env=os.environ | environment,
    )  # fmt: skip


def test_answers_may_come_from_a_pipe_and_then_nothing_is_coloured(tmp_path: Path) -> None:
    played = piped(tmp_path, "1\n" * 99, "icefall", "human", "random", "--seed", "3", "--in-process")
    assert played.returncode == 0
    assert "the match is over" in played.stdout
    assert "\x1b" not in played.stdout


def test_json_leaves_stdout_to_the_result(tmp_path: Path) -> None:
    played = piped(tmp_path, "", "icefall", "human", "random", "--seed", "3", "--in-process", "--json")
    assert played.returncode == 130
    assert json.loads(played.stdout)["seats"][0]["end"] == "RESIGNED"
    assert "Your choice" in played.stderr


@pytest.mark.parametrize("game", ["first-snow", "frost-shelter", "snowblind"])
@pytest.mark.parametrize("columns", [80, 140])
def test_no_line_is_wider_than_the_terminal(user, game: str, columns: int) -> None:
    person = user(game, "human", "greedy", "--seed", 3, "--in-process", columns=columns, rows=50)
    person.wait_for("for help: ")
    for _ in range(6):
        screen = person.answer("1")
        assert max(map(len, screen.splitlines())) <= columns
        assert bool(re.search(r".-- What happened", screen)) == (columns == 140)  # side by side
    person.press("c")
    person.leave()


def test_colours_show_unless_they_are_not_wanted(user) -> None:
    shown = []
    for arguments, environment in [((), {}), (("--no-color",), {}), ((), {"NO_COLOR": "1"}), ((), {"TERM": "dumb"})]:
        person = user("snowblind", "human", "random", "--seed", 3, "--in-process", *arguments, **environment)
        person.wait_for("for help: ")
        shown.append({code for found in STYLES.findall(person.seen) for code in found[2:-1].split(";")})
        person.press("c")
        person.leave()
    coloured = [any(len(code) == 2 and code[0] in "39" for code in codes) for codes in shown]
    assert coloured == [True, False, False, False]


def test_a_dumb_terminal_gets_no_control_sequences(user) -> None:
    person = user("first-snow", "human", "random", "--seed", 3, "--in-process", TERM="dumb")
    person.wait_for("for help: ")
    person.answer("1")
    assert CONTROLS.search(person.seen) is None
    person.press("c")
    person.leave()


def test_a_clock_that_was_asked_for_runs_out(user, tmp_path: Path) -> None:
    person = user("icefall", "human", "random", "--seed", 3, "--clock", "1s+0s,start=20s,margin=50ms")
    assert "1.0 s left" in person.wait_for("for help: ")
    person.answer("1")
    code, last = person.leave()
    assert code == 0
    assert "Your time ran out. You lost." in last
    assert verified(tmp_path)[-1]["seat_ends"] == ["TIMEOUT", "PLAYED"]


def test_a_human_plays_in_arena_play_only(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "from arena.cli.main import main; main()"]
    asked = subprocess.run(
        [*command, "match", "human", "random", "--game", "icefall"], capture_output=True, text=True, check=False
    )
    assert asked.returncode == 2
    assert asked.stderr == "error: a human plays in `arena play` only; here name bots\n"
