"""The commands of an organiser against a real server: what they print, exit codes, and the one line they fail with."""

import json
import threading

import pytest

from arena.match import Match
from arena.match.setup import SeatLabel, Setup
from arena.services import dispatch, results, tournaments
from arena.store import tables

CUP = """
name = "cup"
game = "first-snow"
format = "gauntlet"
bots = ["bob", "cyd@1"]
heads = ["ann"]
deals = 2
clock = "none"
"""


@pytest.fixture
def bots(arena, admin):
    arena.submit(admin, "ann", "bob", "cyd", "dan")


@pytest.fixture
def cup(arena, admin, bots):
    return arena.started(admin, "cup", "ann", "bob", "cyd", deals=2)


def test_a_toml_file_describes_a_tournament(arena, run, bots, tmp_path):
    file = tmp_path / "cup.toml"
    file.write_text(CUP)
    code, out, err = run("tournament", "create", "--file", str(file))
    assert (code, err) == (0, "start it with `arena tournament start cup`\n")
    assert out == "cup: first-snow (standard), gauntlet, 2 seats, clock none, 3 bots, 2 deals\n"
    assert run("tournament", "start", "cup")[:2] == (0, "cup: running, 8 matches\n")


def test_a_name_on_the_command_line_is_taken_before_the_files(arena, run, bots, tmp_path):
    file = tmp_path / "cup.toml"
    file.write_text(CUP)
    code, out, _ = run("tournament", "create", "spring", "--file", str(file), "--json")
    assert (code, json.loads(out)["name"], json.loads(out)["format"]) == (0, "spring", "TOURNAMENT_FORMAT_GAUNTLET")


def test_every_fault_of_a_file_is_named_with_its_field(run, tmp_path):
    file = tmp_path / "cup.toml"
    file.write_text('name = 3\ndeals = "two"\nbots = "ann"\ncolour = "red"\ncomponents = "none.toml"\n')
    code, out, err = run("tournament", "create", "--file", str(file))
    assert (code, out, err.count("\n")) == (2, "", 1)
    for field in ("colour: unknown key", "name: ", "deals: ", "bots: ", "components: "):
        assert field in err


def test_every_fault_that_the_server_finds_is_named_with_its_field(arena, run, bots, tmp_path):
    file = tmp_path / "cup.toml"
    file.write_text('name = "The Cup"\ngame = "first-snow"\nbots = ["ann", "nobody"]\nseats = 7\nclock = "soon"\n')
    code, _, err = run("tournament", "create", "--file", str(file))
    assert code == 2
    for field in ("4 faults: name: ", "clock: ", "seats: ", "bots[2]: "):
        assert field in err


def test_a_file_and_options_together_are_refused(run, tmp_path):
    code, _, err = run("tournament", "create", "cup", "--file", "cup.toml", "--deals", "2")
    assert (code, err) == (2, "error: --file describes a tournament whole; put the other options into it\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("cup",), "a tournament needs a NAME and --game"),
        (("cup", "--game", "first-snow", "--format", "knockout", "--bots", "ann,bob"), "format: 'knockout' is none"),
        (("cup", "--game", "first-snow", "--bots", "ann"), "bots: 1 cannot fill 2 seats"),
        (("cup", "--game", "first-snow", "--bots", ","), "names no bot"),
        (("cup", "--game", "first-snow", "--bots", "ann,ann@1"), "bots[2]: ann@1 is entered already"),
    ],
)
def test_a_wrong_tournament_fails_in_one_line(arena, run, bots, arguments, said):
    code, out, err = run("tournament", "create", *arguments)
    assert code in {1, 2}
    assert (out, err.count("\n")) == ("", 1)
    assert said in err


def test_an_open_entry_is_filled_by_enter(arena, run, bots):
    code, _, err = run("tournament", "create", "cup", "--game", "first-snow")
    assert (code, "arena tournament enter cup BOT" in err) == (0, True)
    for bot in ("ann", "bob@1"):
        assert run("tournament", "enter", "cup", bot)[:2] == (0, f"cup: {bot.partition('@')[0]}@1 plays\n")
    assert run("tournament", "start", "cup")[0] == 0


def test_pause_resume_and_cancel_tell_the_state_and_what_comes_next(arena, run, cup):
    said = "cup: paused, 0 of 12 matches with a result, 12 to be played\n"
    assert run("tournament", "pause", cup) == (0, said, "go on with `arena tournament resume cup`\n")
    assert arena.play() == 0
    said = "cup: running, 0 of 12 matches with a result, 12 to be played\n"
    assert run("tournament", "resume", cup) == (0, said, "watch it with `arena tournament watch cup`\n")
    assert arena.play(blocks=1) == 2
    code, out, _ = run("tournament", "cancel", cup, "--json")
    assert (code, json.loads(out)["state"]) == (0, "TOURNAMENT_STATE_CANCELLED")
    code, _, err = run("tournament", "resume", cup)
    assert (code, err) == (1, "error: cup is over (cancelled); create another\n")


def test_a_cancellation_tells_what_was_played_and_what_stays_without_a_result(arena, run, cup):
    arena.play(blocks=1)
    said = "cup: cancelled, 2 of 12 matches with a result, 10 without a result\n"
    assert run("tournament", "cancel", cup) == (0, said, "see `arena tournament standings cup`\n")


def test_a_pause_in_the_middle_of_a_block_tells_what_is_still_played(arena, run, cup):
    claim = dispatch.claim(arena.store, "test:1", arena.clock())
    progress = dispatch.LegProgress(claim.legs[0].match_id, 3, None)
    dispatch.heartbeat(arena.store, claim.block_id, claim.attempt, arena.clock(), progress)
    out = run("tournament", "pause", cup)[1]
    assert out == "cup: paused, 0 of 12 matches with a result, 1 running, 11 to be played\n"


def test_a_late_entrant_is_told_from_which_deal_on_it_plays(arena, run, cup):
    arena.play(blocks=1)
    assert run("tournament", "enter", cup, "dan") == (0, "cup: dan@1 plays from deal 2 on\n", "")


def test_a_withdrawal_tells_what_is_left(arena, run, cup):
    arena.play(blocks=1)
    code, out, _ = run("tournament", "withdraw", cup, "cyd")
    assert (code, out) == (
        0,
        "cup: cyd is withdrawn; 2 matches have a result, 4 are to be played, 6 stay without a result\n",
    )
    code, _, err = run("tournament", "withdraw", cup, "nobody")
    assert (code, err) == (1, "error: nobody is not entered in cup; nothing to withdraw\n")


def test_watch_says_what_is_stuck_and_why(arena, run, cup):
    claim = dispatch.claim(arena.store, "test:1", arena.clock())
    dispatch.give_up(
        arena.store, claim.block_id, claim.attempt, arena.clock(), match_id=claim.legs[0].match_id, reason="no sandbox"
    )
    watcher = threading.Thread(target=arena.play)
    arena.clock.advance(seconds=10)
    watcher.start()
    code, out, err = run("tournament", "watch", cup)
    watcher.join()
    assert (code, out) == (0, "cup: finished, 12 of 12 matches with a result\n")
    assert err.endswith("see `arena tournament standings cup`\n")


def test_obstacles_are_told_while_they_stand(arena, run, admin, cup):
    run("tournament", "pause", cup)
    heard = follow_once(arena, cup)
    assert "cup is paused; `arena tournament resume cup` goes on with it" in heard
    run("tournament", "resume", cup)
    arena.clock.advance(seconds=40)
    assert "blocks wait for a worker, and none was ever heard of" in follow_once(arena, cup)


def follow_once(arena, name) -> str:
    found = tournaments.progress(arena.store, name, arena.clock())
    return "\n".join(one.message for one in found.obstacles)


def test_watch_prints_a_line_of_json_for_each_change(arena, run, cup):
    arena.play()
    code, out, _ = run("tournament", "watch", cup, "--json")
    lines = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert lines[-1]["state"] == "TOURNAMENT_STATE_FINISHED"
    assert lines[-1]["progress"]["obstacles"] == []


def test_a_challenge_that_is_not_waited_for_says_its_name(arena, run, bots):
    code, out, err = run("challenge", "ann", "bob", "--blocks", "2", "--no-wait")
    name = out.partition(":")[0]
    assert (code, out) == (0, f"{name}: 4 matches are queued\n")
    assert err == f"watch them with `arena tournament watch {name}`\n"
    assert arena.play() == 4
    assert run("tournament", "watch", name)[0] == 0


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("ann", "nobody"), 1, "there is no bot 'nobody'"),
        (("ann",), 2, "seats: first-snow (standard) is played by 2 bots, not 1"),
        (("ann", "bob", "--game", "chess"), 1, "not chess"),
        (("ann", "bob", "--blocks", "500"), 2, "blocks: 500 are not in 1 .. 100"),
        (("ann", "bob@x"), 2, "is no bot"),
    ],
)
def test_a_wrong_challenge_fails_in_one_line(run, bots, arguments, code, said):
    found = run("challenge", *arguments)
    assert (found[0], found[1], found[2].count("\n")) == (code, "", 1)
    assert said in found[2]


def test_a_match_of_a_closed_deal_is_neither_reproduced_nor_verified(arena, run, cup):
    arena.play(blocks=1)
    code, _, err = run("reproduce", "1")
    assert (code, "is still being played" in err, err.count("\n")) == (1, True, 1)
    code, _, err = run("verify", "--server", "1")
    assert (code, "is still being played" in err, err.count("\n")) == (1, True, 1)


def test_a_match_that_does_not_exist_is_named(arena, run):
    assert run("reproduce", "99") == (1, "", "error: there is no match 99; `arena matches` lists them\n")
    assert run("verify", "--server", "99") == (1, "", "error: there is no match 99; `arena matches` lists them\n")


def play_really(arena, pick=0):
    """Play the next block by the rules, each seat taking its action of this number, and record true logs."""
    claim = dispatch.claim(arena.store, "test:1", arena.clock())
    for leg in claim.legs:
        labels = tuple(SeatLabel(seat.bot, str(seat.version)) for seat in leg.seats)
        match = Match(Setup(claim.game, claim.variant, labels, leg.seed, match_id=str(leg.match_id)))
        match.start()
        while match.decision is not None:
            match.answer(match.decision.ply, pick % len(match.decision.legal))
        recorded = results.Recording(claim.block_id, claim.attempt, leg.match_id, match.result, match.log_text())
        results.record(arena.store, recorded, arena.clock())


def reproduced(arena, run, pick, *options):
    """What `arena reproduce 1` says when the bots choose so in the repeat; a worker plays as soon as it is queued."""
    told = []
    command = threading.Thread(target=lambda: told.append(run("reproduce", "1", *options)))
    command.start()
    while not dispatch.count_queued(arena.store, arena.clock()):
        command.join(0.01)
    play_really(arena, pick)
    command.join()
    return told[0]


@pytest.fixture
def duel(arena, admin, bots):
    """A tournament of one block that has been played by the rules."""
    name = arena.started(admin, "duel", "ann", "bob")
    play_really(arena)
    return name


def test_a_repeat_that_is_the_same_says_so(arena, run, duel):
    code, out, err = reproduced(arena, run, 0)
    assert (code, err) == (0, "match 1 is played again as match 3\n")
    assert out.startswith("match 1: the same again, all ")


def test_a_repeat_that_differs_names_the_first_ply_and_ends_with_1(arena, run, duel):
    code, out, _ = reproduced(arena, run, 1)
    first, ours, theirs = out.splitlines()
    assert code == 1
    assert first.startswith("match 1: ply ")
    assert first.endswith(" differs in match 3")
    assert ours.startswith("  match 1: seat ")
    assert theirs.startswith("  match 3: seat ")
    assert ours.partition(": ")[2] != theirs.partition(": ")[2]


def test_a_repeat_as_json_says_which_ply(arena, run, duel):
    code, out, _ = reproduced(arena, run, 1, "--json")
    found = json.loads(out)
    assert (code, found["same"], found["again"]) == (1, False, "3")
    assert found["ply"] > 0


def test_verify_compares_with_the_server_by_id_or_file(run, duel, tmp_path):
    file = tmp_path / "one.jsonl"
    assert run("log", "1", "-o", str(file))[0] == 0
    code, out, err = run("verify", "--server", str(file), "2")
    assert (code, err) == (0, "")
    assert out.count("as the server keeps it, on the seed it revealed") == 2


def test_verify_finds_a_log_that_fits_the_rules_but_is_not_the_servers(arena, run, duel, tmp_path):
    labels = (SeatLabel("ann", "1"), SeatLabel("bob", "1"))
    forged = Match(Setup("first-snow", "standard", labels, bytes(16), match_id="1"))
    forged.start()
    while forged.decision is not None:
        forged.answer(forged.decision.ply, 0)
    file = tmp_path / "forged.jsonl"
    file.write_text(forged.log_text())
    assert run("verify", str(file))[0] == 0
    code, out, _ = run("verify", "--server", str(file))
    assert code == 1
    assert "it is not the log of match 1 that the server keeps" in out
    assert "its seed is not the one revealed for deal 1 of duel" in out


def test_verify_finds_a_seed_that_does_not_follow_from_the_secret(arena, run, duel):
    with arena.store.write() as tx:
        tx.execute(tables.tournaments.update().values(secret=bytes(16)))
    code, out, _ = run("verify", "--server", "1")
    assert code == 1
    assert "the secret of duel is not the one its commitment was made for" in out
    assert "does not follow from the secret and archives of duel" in out


def test_a_local_log_has_no_match_to_compare_with(run, tmp_path):
    match = Match(Setup("first-snow", "standard", (SeatLabel("a", "1"), SeatLabel("b", "1")), bytes(16)))
    match.start()
    while match.decision is not None:
        match.answer(match.decision.ply, 0)
    file = tmp_path / "local.jsonl"
    file.write_text(match.log_text())
    code, _, err = run("verify", "--server", str(file))
    assert (code, "its header names no match" in err) == (2, True)


def test_a_ladder_is_watched_block_by_block_with_its_longest_wait(arena, run, bots):
    made = run("tournament", "create", "open", "--game", "first-snow", "--format", "ladder", "--bots", "ann,bob,cyd")
    assert made[1].endswith("no end\n")
    assert run("tournament", "cancel", "open")[0] == 0
    run(
        "tournament",
        "create",
        "short",
        "--game",
        "first-snow",
        "--format",
        "ladder",
        "--bots",
        "ann,bob,cyd",
        "--deals",
        "5",
    )
    assert run("tournament", "start", "short")[0] == 0
    arena.play()
    code, out, err = run("tournament", "watch", "short")
    assert (code, out) == (0, "short: finished, 10 of 10 matches with a result\n")
    assert "blocks over: 5, matches running: 0, longest wait: " in err
    assert " of at most 8" in err
