import json
from pathlib import Path

import pytest
import zstandard

from arena.cli.botref import builtin_folders

FIRST = """
from bots.sdk import Bot, run

class First(Bot):
    def choose(self, turn):
        return turn.legal_actions[0]

run(First)
"""
RAISING = FIRST.replace("return", "1 / 0 #")

LOCAL = ("icefall", "random", "random", "--in-process")


@pytest.fixture
def log(arena, tmp_path: Path) -> Path:
    path = tmp_path / "m.jsonl"
    assert arena("play", *LOCAL, "--seed", 7, "--log", path).code == 0
    return path


def facts(path: Path) -> list[dict]:
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    return [{name: value for name, value in line.items() if name != "meta"} for line in lines]


# games


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


# new


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


# play


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
def test_play_refuses_bad_input_in_one_line(arena, arguments, said: str) -> None:
    outcome = arena("play", *arguments, *(() if "--seed" in arguments else ("--seed", 1)))
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


# verify


def test_verify_says_that_a_log_is_true(arena, log: Path) -> None:
    said = arena("verify", log)
    assert said.code == 0
    assert f"{log}: OK, icefall, " in said.out


@pytest.mark.parametrize("what", ['"action":"', '"ranks":[', '"seed":"0', '"think_ms":'])
def test_verify_names_the_line_that_was_changed(arena, log: Path, what: str) -> None:
    text = log.read_text()
    at = text.index(what) + len(what)
    log.write_text(text[:at] + ("x" if text[at] == "d" else "9") + text[at + 1 :])
    said = arena("verify", log)
    assert said.code == 1
    assert f"{log}: line {text[:at].count(chr(10)) + 1}: " in said.out
    assert f"{log}: BROKEN" in said.out


def test_verify_calls_a_cut_log_incomplete(arena, log: Path) -> None:
    log.write_bytes(log.read_bytes()[:3000])
    said = arena("verify", log)
    assert said.code == 1
    assert f"{log}: INCOMPLETE" in said.out


def test_verify_goes_on_after_a_bad_log(arena, log: Path, tmp_path: Path) -> None:
    said = arena("verify", tmp_path / "none.jsonl", log)
    assert said.code == 2
    assert f"{log}: OK" in said.out
    assert said.err == f"error: {tmp_path / 'none.jsonl'} cannot be read: No such file or directory\n"


def test_verify_names_an_unknown_log_version(arena, log: Path) -> None:
    log.write_text(log.read_text().replace('"log":1', '"log":9', 1))
    said = arena("verify", log)
    assert said.code == 1
    assert (
        said.err == f"error: {log}: log version 9 is unknown here, this arena reads 1; use the release that wrote it\n"
    )


def test_verify_gives_json(arena, log: Path) -> None:
    (only,) = arena("verify", log, "--json").json
    assert only["status"] == "OK"
    assert only["chance_checked"]


def test_verify_of_broken_compression_is_an_error(arena, tmp_path: Path) -> None:
    file = tmp_path / "m.zst"
    file.write_bytes(b"\x28\xb5\x2f\xfdnonsense")
    said = arena("verify", file)
    assert said.code == 1
    assert "zstd" in said.err


# replay


def test_replay_lists_the_events_everybody_saw(arena, log: Path) -> None:
    said = arena("replay", log)
    assert said.code == 0
    assert "as the public saw it" in said.out
    assert "COMPLETED" in said.out


def test_replay_shows_a_seat_its_view_and_its_choices(arena, log: Path) -> None:
    line = next(line for line in facts(log) if line.get("actor") == 0)
    said = arena("replay", log, "--ply", line["ply"], "--seat", 0)
    assert "as seat 0 (random) saw it" in said.out
    assert "seat 0 is to choose" in said.out
    assert "seat 0 is to choose" not in arena("replay", log, "--ply", line["ply"], "--seat", 1).out
    assert "is to choose" not in arena("replay", log, "--ply", line["ply"], "--public").out


def test_replay_of_a_position_never_shows_the_seed(arena, log: Path) -> None:
    seed = json.loads(log.read_text().splitlines()[0])["seed"]
    for options in ((), ("--ply", 5), ("--ply", 5, "--seat", 0), ("--json",), ("--ply", 5, "--json")):
        assert seed not in arena("replay", log, *options).out


def test_replay_shows_seats_different_things(arena, log: Path) -> None:
    views = [arena("replay", log, "--ply", 9, "--seat", seat, "--json").json["view"] for seat in (0, 1)]
    assert views[0] != views[1]


def test_replay_draws_a_position(arena, log: Path, tmp_path: Path) -> None:
    said = arena("replay", log, "--ply", 9, "--seat", 0, "--svg", tmp_path / "p.svg")
    assert said.code == 0
    assert (tmp_path / "p.svg").read_text().lstrip().startswith(("<svg", "<?xml"))


def test_replay_gives_json(arena, log: Path) -> None:
    steps = arena("replay", log, "--json").json
    assert [step["ply"] for step in steps if "ply" in step] == list(range(len(steps) - 1))


def test_replay_says_that_a_log_is_incomplete(arena, log: Path) -> None:
    log.write_bytes(log.read_bytes()[:3000])
    said = arena("replay", log)
    assert said.code == 0
    assert "incomplete" in said.err


def test_replay_shows_forfeits(arena, make_bot, tmp_path: Path) -> None:
    folder = make_bot("bad", RAISING)
    log = tmp_path / "f.jsonl"
    arena("play", "icefall", "random", "random", folder, "--in-process", "--seed", 1, "--log", log)
    assert "seat 2 forfeits: CRASHED" in arena("replay", log).out


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (("--ply", 9999), 2, "there is no ply 9999; the log has 0 to "),
        (("--seat", 5), 2, "there is no seat 5; the match has 0 to 1"),
        (("--seat", 0, "--public"), 2, "not both"),
        (("--svg", "no/such.svg"), 2, "there is no folder no"),
    ],
)
def test_replay_refuses_bad_input(arena, log: Path, options, code: int, said: str) -> None:
    outcome = arena("replay", log, *options)
    assert outcome.code == code
    assert said in outcome.err


def test_replay_of_a_changed_log_names_the_line(arena, log: Path) -> None:
    log.write_text(log.read_text().replace('"action":"deal', '"action":"peel', 1))
    said = arena("replay", log)
    assert said.code == 1
    assert "line 2" in said.err


# match


def test_match_prints_points_with_an_interval(arena) -> None:
    said = arena("match", "random", "random", "--game", "icefall", "--blocks", 3, "--seed", 1, "--in-process")
    assert said.code == 0
    assert "3 blocks of 2 matches" in said.out
    assert "random #1" in said.out
    assert "95 % interval" in said.out


def test_match_plays_every_seat_order_of_one_deal(arena) -> None:
    said = arena(
        "match", "random", "random", "random", "--game", "icefall", "--blocks", 2, "--seed", 1, "--in-process", "--json"
    ).json
    assert said["blocks"] == 2
    assert [sum(bot["ends"].values()) for bot in said["bots"]] == [6, 6, 6]


def test_match_alone_meets_the_house(arena) -> None:
    said = arena(
        "match",
        "random",
        "--game",
        "icefall",
        "--variant",
        "solo",
        "--blocks",
        4,
        "--seed",
        1,
        "--in-process",
        "--json",
    )
    assert 0 <= said.json["bots"][0]["points_share"]["mean"] <= 1


def test_the_same_seed_gives_the_same_statistics(arena) -> None:
    call = ("match", "random", "random", "--game", "icefall", "--blocks", 4, "--seed", 3, "--in-process", "--json")
    assert arena(*call).out == arena(*call).out


def test_a_block_with_a_forfeit_is_left_out_and_told(arena, make_bot) -> None:
    folder = make_bot("bad", RAISING)
    said = arena("match", folder, "random", "--game", "icefall", "--blocks", 2, "--seed", 1, "--in-process")
    assert said.code == 0
    assert "2 more with a forfeit" in said.out
    assert "block 1, leg 1: bad (seat 0) CRASHED" in said.err


def test_a_record_is_gone_on_with(arena, tmp_path: Path) -> None:
    record = tmp_path / "r.jsonl"
    call = ("match", "random", "random", "--game", "icefall", "--in-process", "--json", "--record", record)
    arena(*call, "--blocks", 2, "--seed", 3)
    kept = record.read_text()
    record.write_text(kept[:-5])  # an interrupt in the middle of a line
    longer = arena(*call, "--blocks", 4).json
    assert longer == arena(*call[:-2], "--blocks", 4, "--seed", 3).json
    assert len(record.read_text().splitlines()) == 1 + 4 * 2


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text: text.replace('"icefall"', '"other"', 1), "its game is 'other'"),
        (lambda text: "nonsense\n", "no record of a match"),
        (lambda text: "[]\n", "no record of a match"),
        (lambda text: "{}\n", "no record of a match"),
    ],
)
def test_the_record_of_another_match_is_refused(arena, tmp_path: Path, change, said: str) -> None:
    record = tmp_path / "r.jsonl"
    call = ("match", "random", "random", "--game", "icefall", "--in-process", "--record", record, "--blocks", 1)
    arena(*call, "--seed", 3)
    before = change(record.read_text())
    record.write_text(before)
    outcome = arena(*call)
    assert outcome.code == 2
    assert said in outcome.err
    assert record.read_text() == before


def test_a_match_given_a_component_file_with_faults_is_refused(arena, tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_text("x = 1")
    said = arena("match", "random", "random", "--game", "icefall", "--in-process", "--components", tmp_path / "c.toml")
    assert said.code == 2


@pytest.mark.parametrize("bot", sorted(builtin_folders()))
def test_every_built_in_bot_plays_first_snow_to_the_end(arena, bot: str) -> None:
    played = arena("play", "first-snow", bot, "random", "--in-process", "--seed", 5, "--json").json
    assert played["end"] == "COMPLETED"


# match --sprt


def test_a_sequential_test_stops_when_it_is_decided(arena) -> None:
    call = ("match", "greedy", "random", "--game", "first-snow", "--seed", 1, "--in-process")
    said = arena(*call, "--sprt", "0,300")
    assert said.code == 0
    assert "decided for 300 Elo; log-likelihood ratio" in said.out
    assert "(bounds -2.94, 2.94)" in said.out
    assert "likelihood of superiority" in said.out


def test_an_undecided_sequential_test_prints_how_to_go_on(arena) -> None:
    call = ("match", "random", "random", "--game", "icefall", "--seed", 1, "--in-process")
    said = arena(*call, "--sprt", "0,5", "--blocks", 2)
    assert said.code == 0
    assert "undecided" in said.out
    assert "--first-block 1 --blocks 4 --sprt 0,5 --in-process" in said.err


@pytest.mark.parametrize("notation", ["30,0", "0", "a,b", "0,5000"])
def test_a_sequential_test_of_nonsense_is_refused_in_one_line(arena, notation: str) -> None:
    said = arena("match", "random", "random", "--game", "icefall", "--in-process", "--sprt", notation)
    assert said.code == 2
    assert said.err.startswith("error: --sprt")
    assert said.err.count("\n") == 1


def test_a_sequential_test_of_three_bots_is_refused(arena) -> None:
    said = arena("match", "random", "random", "random", "--game", "icefall", "--in-process", "--sprt", "0,30")
    assert (said.code, said.err) == (2, "error: --sprt compares two bots, not 3\n")


def test_two_bots_are_compared_in_json(arena) -> None:
    call = ("match", "greedy", "random", "--game", "first-snow", "--seed", 1, "--in-process", "--json")
    found = arena(*call, "--sprt", "0,300").json
    assert found["first_against_second"]["wins"] == 2 * found["blocks"]
    assert found["first_against_second"]["elo"]["high"] is None
    assert found["sprt"]["verdict"] == "HIGH"


def test_a_sequential_test_goes_on_from_its_record(arena, tmp_path: Path) -> None:
    call = ("match", "greedy", "random", "--game", "first-snow", "--in-process", "--record", tmp_path / "r.jsonl")
    assert "undecided" in arena(*call, "--seed", 1, "--sprt", "0,300", "--blocks", 2).out
    whole = arena(*call, "--sprt", "0,300")
    assert "blocks: 7 of 2 points" in whole.out
    assert arena(*call, "--sprt", "0,300").out == whole.out
