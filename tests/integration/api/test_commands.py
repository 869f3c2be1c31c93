"""The commands against a real server: what they print, and the one line they fail with."""

import fcntl
import hashlib
import json
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
import threading

import pytest

STYLES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


@pytest.fixture
def cup(arena, admin):
    """A tournament of four bots that has been played but for its last blocks."""
    arena.submit(arena.author("ann"), "greedy", "first-steps")
    arena.submit(arena.author("bob"), "random", "toolmaker")
    arena.started(admin, "winter-cup", "greedy", "first-steps", "random", "toolmaker", deals=2)
    arena.play(blocks=7)
    return "winter-cup"


def on_terminal(arena, columns, *arguments):
    """Run a command in a process on a terminal of this width and return what it shows, line by line."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    outside = {name: value for name, value in os.environ.items() if name not in {"COLUMNS", "LINES", "NO_COLOR"}}
    process = subprocess.Popen(
        [sys.executable, "-c", "from arena.cli.main import main; main()", *arguments],
        stdout=follower,
        stderr=subprocess.PIPE,
        env=outside | {"ARENA_SERVER": arena.address, "ARENA_TOKEN": arena.admin, "TERM": "xterm"},
    )
    os.close(follower)
    shown = b""
    try:
        while part := os.read(leader, 65536):
            shown += part
    except OSError:  # how a terminal says that nobody writes to it any more
        pass
    os.close(leader)
    _, err = process.communicate(timeout=20)
    assert process.returncode == 0, err
    return STYLES.sub("", shown.decode()).replace("\r\n", "\n").splitlines()


def test_submit_prints_name_and_version(arena, run):
    assert run("submit", str(arena.bot_folder("ann"))) == (0, "ann@1\n", "")


def test_a_built_in_bot_is_submitted_by_its_name(arena, run):
    assert run("submit", "toolmaker") == (0, "toolmaker@1\n", "")


def test_submitting_the_same_files_says_so(arena, run):
    run("submit", str(arena.bot_folder("ann")))

    assert run("submit", str(arena.bot_folder("ann"))) == (0, "ann@1\n", "the same files are ann@1 already\n")


def test_bots_and_versions_are_listed(arena, run):
    run("submit", str(arena.bot_folder("ann")))
    run("submit", str(arena.bot_folder("ann", "print(2)\n")))

    _, bots, _ = run("bots")
    _, versions, _ = run("versions", "ann")

    assert "ann@2" in bots
    assert "ann@1" not in bots
    assert versions.index("ann@2") < versions.index("ann@1")


def test_a_version_is_retired(arena, run):
    run("submit", str(arena.bot_folder("ann")))

    assert run("retire", "ann@1") == (0, "ann@1 is retired\n", "")


def test_a_tournament_is_made_started_and_watched_to_its_end(arena, admin, run):
    arena.submit(admin, "ann", "bob", "cyd")

    code, out, _ = run(
        "tournament", "create", "cup", "--game", "first-snow", "--bots", "ann, bob@1,cyd", "--deals", "2"
    )
    assert code == 0
    assert out.startswith("cup: first-snow (")
    assert out.endswith("3 bots, 2 deals\n")
    assert run("tournament", "start", "cup")[:2] == (0, "cup: running, 12 matches\n")
    player = threading.Thread(target=arena.play)
    player.start()
    watched = run("tournament", "watch", "cup")
    player.join()
    assert watched[:2] == (0, "cup: finished, 12 of 12 matches with a result\n")
    _, out, _ = run("tournament", "standings", "cup")
    assert out.startswith("cup: finished, 12 of 12 matches")
    assert "cup" in run("tournament", "list")[1]


def test_an_interrupted_watch_says_how_to_go_on(arena, admin, run):
    arena.submit(admin, "ann", "bob")
    run("tournament", "create", "cup", "--game", "first-snow", "--bots", "ann,bob")
    watch = subprocess.Popen(
        [sys.executable, "-c", "from arena.cli.main import main; main()", "tournament", "watch", "cup"],
        stderr=subprocess.PIPE,
        text=True,
    )
    with watch:
        assert watch.stderr.readline().startswith("cup has not been started")
        watch.send_signal(signal.SIGINT)
        _, err = watch.communicate(timeout=20)

    assert (watch.returncode, err) == (
        130,
        "the tournament has not been started; watch it again with `arena tournament watch cup`\n",
    )


def test_a_log_is_written_as_the_server_keeps_it(run, cup, tmp_path):
    match = json.loads(run("matches", "--state", "finished", "--json")[1])[-1]
    file = tmp_path / "m.jsonl"

    code, out, _ = run("log", match["id"], "-o", str(file))

    assert (code, out) == (0, "")
    assert hashlib.sha256(file.read_bytes()).hexdigest() == match["log_sha256"]


def test_output_shows_every_seat_to_an_admin_and_cannot_steer_the_terminal(run, cup):
    match = json.loads(run("matches", "--state", "finished", "--json")[1])[-1]

    code, out, err = run("output", match["id"])

    assert code == 0
    assert out.count("---\n") == 2
    assert "\x1b" not in out
    assert "\\x1b[2J" in out
    assert "2 turns, think time p50 9 ms, p95 9 ms, max 9 ms; charged 4 of 14 ms" in err


def test_accounts_and_tokens_are_made_listed_and_revoked(run, tmp_path, monkeypatch):
    assert run("account", "create", "org", "--role", "organiser")[:2] == (0, "org: organiser\n")
    file = tmp_path / "org.token"
    code, out, err = run("account", "token", "org", "--label", "laptop", "--expires", "30d", "-o", str(file))
    secret = file.read_text(encoding="ascii").strip()
    assert (code, out) == (0, "")
    assert secret not in err
    assert file.stat().st_mode & 0o777 == 0o600

    listed = json.loads(run("account", "list", "--token-file", str(file), "--json")[1])
    assert [account["name"] for account in listed] == ["org"]
    token = listed[0]["tokens"][0]
    assert (token["label"], "expires_at" in token) == ("laptop", True)
    assert run("account", "revoke", token["id"])[0] == 0
    code, _, err = run("bots", "--token-file", str(file))
    assert (code, err) == (1, f"error: token {token['id']} was revoked; ask an admin for another\n")
    assert "revoked" in run("account", "list")[1]


def test_every_listing_is_json_on_request(run, cup):
    lines = (
        ("bots",),
        ("versions", "greedy"),
        ("tournament", "list"),
        ("tournament", "standings", cup),
        ("ratings",),
        ("history", "greedy"),
        ("matches",),
        ("account", "list"),
    )
    for line in lines:
        code, out, err = run(*line, "--json")
        assert (code, err) == (0, ""), line
        assert json.loads(out), line


@pytest.mark.parametrize("columns", [80, 140])
def test_tables_fit_the_terminal_with_a_line_for_every_bot(arena, cup, columns):
    met = ("versus", "greedy", "random@1")
    for arguments in (("bots",), ("tournament", "standings", cup), ("matches",), met, ("ratings",)):
        lines = on_terminal(arena, columns, *arguments)
        assert max(map(len, lines)) <= columns, arguments
    for bot in ("greedy@1", "first-steps@1", "random@1", "toolmaker@1"):
        assert sum(bot in line for line in lines) == 1


def test_a_leaderboard_marks_provisional_ratings_and_says_what_columns_mean(run, cup):
    _, out, _ = run("ratings", "first-snow")

    assert re.search(r"1 +\S+@1 .* \d+\.\d\d\? ", out)
    assert "? provisional: sigma above 2.08" in out
    for header in ("bot", "author", "score", "mu", "sigma", "played", "pending", "rank", "forf."):
        assert re.search(rf"\b{re.escape(header)}", out)


def test_a_history_shows_newest_first_and_no_more_than_asked(run, cup):
    changes = json.loads(run("history", "greedy@1", "--limit", "3", "--json")[1])

    assert len(changes) == 3
    assert changes[0]["rating_seq"] > changes[1]["rating_seq"] > changes[2]["rating_seq"]
    assert run("history", "greedy", "--limit", "3")[1].count("greedy@1") == 3


@pytest.mark.parametrize("listing", [("matches",), ("history", "greedy")])
def test_more_than_the_limit_is_told(run, cup, listing):
    code, _, err = run(*listing, "--limit", "2")

    assert (code, err) == (0, "there are more than 2; see them with --limit\n")


def test_nothing_yet_is_told_and_no_failure(run):
    for line in (("bots",), ("tournament", "list"), ("ratings",), ("ratings", "first-snow"), ("matches",)):
        code, out, err = run(*line)
        assert (code, out) == (0, "")
        assert "yet" in err
        assert err.count("\n") == 1


def test_who_has_not_played_has_no_mean_rank(arena, run, admin):
    arena.submit(admin, "ann", "bob")
    arena.started(admin, "cup", "ann", "bob")
    assert re.search(r"ann@1 .* 2 +- +0$", run("ratings")[1], re.MULTILINE)
    out = run("tournament", "standings", "cup", "--matrix")[1]
    assert re.search(r"ann@1 .* 0\.00 +- +- +0 +- +1-2 ", out)
    assert "head to head: nobody has met anybody" in out


def test_a_ladder_without_an_end_has_no_number_of_deals(arena, run, admin):
    arena.submit(admin, "ann", "bob")
    assert run("tournament", "create", "climb", "--game", "first-snow", "--format", "ladder")[0] == 0
    assert re.search(r"climb .* 2 +- +created", run("tournament", "list")[1])


FAILURES = [
    (("matches", "--bot", "greedy@1"), 2, "--bot greedy@1 is a version; give the bot's name alone: greedy"),
    (("versions", "nobody"), 1, "there is no bot 'nobody'"),
    (("versions", "no@body"), 2, "'no@body' is no bot"),
    (("history", "nobody"), 1, "there is no bot 'nobody'"),
    (("retire", "nobody@1"), 1, "there is no bot 'nobody'"),
    (("tournament", "watch", "none"), 1, "there is no tournament 'none'"),
    (("tournament", "start", "none"), 1, "there is no tournament 'none'"),
    (("tournament", "standings", "none"), 1, "there is no tournament 'none'"),
    (("tournament", "create", "cup", "--game", "chess", "--bots", "a,b"), 2, "no game 'chess'"),
    (("tournament", "create", "cup", "--game", "first-snow", "--bots", "a,b"), 1, "there is no bot 'a'"),
    (("tournament", "create", "cup", "--game", "first-snow", "--bots", "a@,b"), 2, "'a@' is no bot"),
    (
        ("tournament", "create", "cup", "--game", "first-snow", "--bots", "a,b", "--components", "nowhere.toml"),
        2,
        "component file nowhere.toml",
    ),
    (
        ("tournament", "create", "cup", "--game", "first-snow", "--bots", "a,b", "--components", "/dev/null"),
        2,
        "component file /dev/null is empty",
    ),
    (("matches", "--state", "lost"), 2, "no state 'lost'"),
    (("matches", "--tournament", "none"), 1, "there is no tournament 'none'"),
    (("log", "99"), 1, "there is no match 99"),
    (("log", "seven"), 2, "'seven' is no match"),
    (("output", "99"), 1, "there is no match 99"),
    (("output", "seven", "--seat", "0"), 2, "'seven' is no match"),
    (("submit", "nowhere"), 2, "nowhere is no folder"),
    (("account", "create", "x"), 2, "'x'"),
    (("account", "create", "admin"), 1, "admin"),
    (("account", "create", "ann", "--role", "king"), 2, "no role 'king'"),
    (("account", "token", "nobody"), 1, "nobody"),
    (("account", "token", "--expires", "soon"), 2, "'soon' is no span of time"),
    (("account", "revoke", "99"), 1, "99"),
    (("account", "revoke", "mine"), 2, "'mine' is no token"),
    (("bots", "--server", "nonsense"), 2, "'nonsense' is no address"),
    (("bots", "--server", "127.0.0.1:1"), 1, "no server answers at 127.0.0.1:1; start one with `arena up`"),
    (("bots", "--token-file", "nowhere.token"), 2, "token file nowhere.token"),
]


@pytest.mark.parametrize(("arguments", "code", "message"), FAILURES)
def test_a_failure_is_one_line_that_names_the_thing(run, arguments, code, message):
    found, out, err = run(*arguments)

    assert (found, out) == (code, "")
    assert err.startswith("error: ")
    assert message in err
    assert err.count("\n") == 1


def test_a_missing_a_wrong_and_an_expired_token_are_told_apart(arena, run, monkeypatch, tmp_path):
    file = tmp_path / "short.token"
    run("account", "token", "--expires", "1m", "-o", str(file))
    arena.clock.advance(minutes=2)

    assert "has expired" in run("bots", "--token-file", str(file))[2]
    monkeypatch.setenv("ARENA_TOKEN", "wo_guess")
    assert run("bots") == (1, "", "error: the token is not known here; ask an admin for one\n")
    monkeypatch.delenv("ARENA_TOKEN")
    monkeypatch.setenv("ARENA_DATA", str(tmp_path))
    code, _, err = run("bots")
    assert code == 1
    assert err.startswith(f"error: no token for the server at {arena.address}")


def test_no_server_at_all_is_told_with_the_way_out(run, monkeypatch, tmp_path):
    monkeypatch.delenv("ARENA_SERVER")
    monkeypatch.setenv("ARENA_DATA", str(tmp_path / "empty"))

    code, _, err = run("bots")

    assert (code, err.count("\n")) == (1, 1)
    assert "arena up" in err


def test_a_folder_larger_than_the_limit_is_refused_with_the_limit(arena, run):
    folder = arena.bot_folder("big")
    (folder / "weights.bin").write_bytes(os.urandom(300_000))

    code, _, err = run("submit", str(folder))

    assert code == 1
    assert "the limit is 195.3 KB" in err


def test_a_token_is_never_written_over_another_file(run, tmp_path):
    file = tmp_path / "taken"
    file.write_text("precious", encoding="utf-8")

    code, _, err = run("account", "token", "-o", str(file))

    assert (code, file.read_text(encoding="utf-8")) == (2, "precious")
    assert "exists" in err


def test_an_author_is_told_whose_output_may_be_read(arena, run, cup, tmp_path):
    match = json.loads(run("matches", "--state", "finished", "--json")[1])[-1]
    run("account", "create", "eve")
    run("account", "token", "eve", "-o", str(tmp_path / "eve"))

    code, out, err = run("output", match["id"], "--token-file", str(tmp_path / "eve"))

    assert (code, out) == (1, "")
    assert "no bot of eve's played" in err


def test_the_server_side_commands_are_all_registered(run):
    _, out, err = run("--help")

    for name in (
        "submit",
        "bots",
        "versions",
        "retire",
        "output",
        "tournament",
        "ratings",
        "history",
        "matches",
        "log",
    ):
        assert re.search(rf"\b{name}\b", out + err)


def test_ratings_of_an_unknown_game_name_the_games_there_are(arena, run):
    code, out, err = run("ratings", "nogame")
    assert (code, out) == (2, "")
    assert err.startswith("error: no game 'nogame' here; installed: first-snow, frost-shelter")


def test_a_tournament_of_nobody_is_refused_before_it_is_made(arena, run):
    code, _, err = run("tournament", "create", "empty", "--game", "first-snow", "--bots", ",")
    assert (code, err) == (2, "error: --bots ',' names no bot; give names with commas, such as greedy,random\n")
