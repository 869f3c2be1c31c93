"""`arena play` in this process."""

import json
from pathlib import Path

import pytest
import zstandard

FIRST = """
from bots.sdk import Bot, run

class First(Bot):
    def choose(self, turn):
        return turn.legal_actions[0]

run(First)
"""
RAISING = FIRST.replace("return", "1 / 0 #")

LOCAL = ("icefall", "random", "random", "--in-process")


def facts(path: Path) -> list[dict]:
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    return [{name: value for name, value in line.items() if name != "meta"} for line in lines]


def test_play_prints_the_result_on_stdout_and_nothing_else(arena) -> None:
    said = arena("play", *LOCAL, "--seed", 7)
    assert "COMPLETED" in said.out
    assert said.err == ""


def test_a_seed_chosen_at_random_is_printed_and_plays_the_same_again(arena, tmp_path: Path) -> None:
    said = arena("play", *LOCAL, "--log", tmp_path / "a.jsonl")
    seed = said.err.split()[1]
    arena("play", *LOCAL, "--seed", seed, "--log", tmp_path / "b.jsonl")
    assert facts(tmp_path / "a.jsonl") == facts(tmp_path / "b.jsonl")


def test_play_gives_json(arena, tmp_path: Path) -> None:
    said = arena("play", *LOCAL, "--seed", 7, "--json", "--log", tmp_path / "x.jsonl").json
    assert said["seats"][1] | {"rank": 0, "score": 0} == {
        "seat": 1,
        "bot": "random",
        "version": "builtin",
        "rank": 0,
        "score": 0,
        "end": "PLAYED",
        "note": "",
    }


def test_a_log_in_process_says_that_nothing_was_safe(log: Path) -> None:
    header = json.loads(log.read_text().splitlines()[0])
    assert header["unsafe"] is True
    assert header["meta"]["mode"] == "in-process"


def test_a_log_may_be_compressed(arena, tmp_path: Path, log: Path) -> None:
    arena("play", *LOCAL, "--seed", 7, "--log", tmp_path / "m.jsonl.zst")
    assert zstandard.decompress((tmp_path / "m.jsonl.zst").read_bytes(), 10**6).startswith(b'{"kind":"header"')
    assert arena("verify", tmp_path / "m.jsonl.zst").code == 0
    assert arena("replay", tmp_path / "m.jsonl.zst").out == arena("replay", log).out


def test_a_bot_that_raises_loses_and_shows_its_author_why(arena, make_bot) -> None:
    folder = make_bot("bad", RAISING)
    said = arena("play", "icefall", "random", folder, "--in-process", "--seed", 1)
    assert said.code == 0
    assert "FORFEIT" in said.out
    assert "CRASHED" in said.out
    assert "ZeroDivisionError" in said.err


def test_what_a_bot_prints_does_not_mix_with_the_result(arena, make_bot) -> None:
    program = FIRST.replace("return", "print('hm')\n        return")
    said = arena("play", "icefall", "random", make_bot("loud", program), "--in-process", "--seed", 1, "--json")
    assert said.json["end"] == "COMPLETED"
    assert "hm" in said.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("chess", "random", "random"), "no game 'chess'"),
        (("icefall", "random"), "is played by 2 to 4 bots, not 1"),
        (("first-snow", "random", "random", "random"), "is played by 2 bots, not 3"),
        (("icefall", "random", "random", "--variant", "slow"), "icefall has no variant 'slow'"),
        (("icefall", "random", "nobody"), "no bot 'nobody'"),
        (("icefall", "random", "random", "--seed", "lucky"), "seed 'lucky'"),
        (("icefall", "random", "random", "--clock", "soon"), "clock 'soon'"),
        (("icefall", "random", "random", "--in-process", "--clock", "1s+0s"), "without a clock"),
        (("icefall", "random", "random", "--log", "no/such/m.jsonl"), "there is no folder no/such"),
        (("icefall", "random", "random", "--log", "."), "cannot be written"),
        (("icefall", "random", "random", "--components", "no.toml"), "no.toml cannot be read"),
    ],
)
def test_play_refuses_bad_input_in_one_line_and_tells_no_seed(arena, arguments, said: str) -> None:
    outcome = arena("play", *arguments)
    assert outcome.code == 2
    assert outcome.out == ""
    assert outcome.err.startswith("error: ")
    assert outcome.err.count("\n") == 1
    assert said in outcome.err


def test_a_component_file_is_named_in_what_is_wrong_with_it(arena, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text("nonsense = 1\n")
    said = arena("play", *LOCAL, "--seed", 1, "--components", file)
    assert said.code == 2
    assert "mine.toml" in said.err


def test_play_with_other_components_is_verified_by_its_own_log(arena, tmp_path: Path) -> None:
    own = Path(__file__).parents[2] / "games" / "icefall" / "icefall" / "components.toml"
    file = tmp_path / "mine.toml"
    file.write_text(own.read_text())
    log = tmp_path / "m.jsonl"
    assert arena("play", *LOCAL, "--seed", 1, "--components", file, "--log", log).code == 0
    assert arena("verify", log).code == 0
