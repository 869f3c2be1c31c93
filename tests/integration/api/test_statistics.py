"""Standings, comparisons, reliability and exports of a real server: what they say, and nothing of a closed deal."""

import csv
import io
import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import pytest

from arena.v1 import rating_pb2, tournament_pb2

TOOL = Path(__file__).parents[3] / "tools" / "verify_log.py"
BOTS = ("greedy", "first-steps", "random")


@pytest.fixture
def cup(arena, admin):
    """A tournament of three bots on three deals, the second of which is half played."""
    arena.submit(admin, *BOTS)
    arena.started(admin, "cup", *BOTS, deals=3)
    arena.play(blocks=4)
    return "cup"


@pytest.fixture
def elsewhere(cup, tmp_path, monkeypatch):
    """An empty folder to run commands in."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def standings(session, name, **more):
    return session.call(session.tournaments.GetStandings, tournament_pb2.GetStandingsRequest(name=name, **more))


def test_matches_of_a_closed_deal_are_counted_only_as_closed(arena, admin, cup):
    found = standings(admin, cup)
    assert [each.matches for each in found.standings] == [4, 4, 4]
    assert found.closed == 2
    arena.play(blocks=2)
    found = standings(admin, cup)
    assert ([each.matches for each in found.standings], found.closed) == ([8, 8, 8], 0)


def test_standings_tell_think_times_and_the_balance_of_the_schedule(admin, cup):
    found = standings(admin, cup)
    for each in found.standings:
        assert (each.think.turns, each.think.mean_ms, each.think.max_ms, each.think.p50_ms) == (8, 7, 9, 0)
        assert (list(each.planned.seats), each.planned.deals) == ([6, 6], 3)
        assert (each.planned.fewest_meetings, each.planned.most_meetings) == (6, 6)
        assert not each.HasField("strength")
    assert (found.balance.pairs.fewest, found.balance.pairs.most) == (6, 6)


def test_details_are_strengths_places_head_to_head_and_quantiles(admin, cup):
    for each in standings(admin, cup, detail=True).standings:
        # Seat 0 always wins, so everybody is equal.
        assert each.strength.elo.mean == pytest.approx(0, abs=1e-3)
        assert (each.strength.first_place, each.strength.last_place, each.strength.blocks) == (1, 3, 2)
        assert each.share.low < each.share.mean == 0.5 < each.share.high
        assert [(met.wins, met.ties, met.losses) for met in each.against] == [(1, 0, 1)] * 2
        assert {met.bot for met in each.against} == set(BOTS) - {each.bot}
        assert (each.think.p50_ms, each.think.p95_ms) == (9, 9)


def test_a_proof_tells_open_seeds_only_and_the_secret_at_the_end(arena, admin, cup):
    def proof():
        return admin.call(admin.tournaments.GetProof, tournament_pb2.GetProofRequest(name=cup))

    before = proof()
    assert (before.secret, [deal.number for deal in before.deals], len(before.archives)) == ("", [1], 3)
    arena.play()
    after = proof()
    assert (after.commitment, len(after.secret)) == (before.commitment, 32)
    assert [deal.number for deal in after.deals] == [1, 2, 3]


def test_two_bots_are_compared_by_their_common_blocks(admin, cup):
    request = rating_pb2.CompareBotsRequest(bot="greedy", other_bot="random", tournament="cup")
    (found,) = admin.call(admin.ratings.CompareBots, request).comparisons
    assert (found.blocks, found.left_out, found.wins, found.ties, found.losses) == (1, 0, 1, 0, 1)
    assert (found.share.mean, found.elo.mean, found.superiority) == (0.5, 0, 0.5)
    assert found.pool.game == "first-snow"


def test_reliability_counts_pairs_of_open_deals(admin, cup):
    found = admin.call(admin.ratings.GetReliability, rating_pb2.GetReliabilityRequest(pool_id="1"))
    assert (found.matches, found.pairs) == (6, 6)
    assert sum(each.pairs for each in found.bins) == 6
    assert found.bins[0].predicted >= 0.5


def test_standings_print_places_and_what_is_asked_for(run, cup):
    code, out, err = run("tournament", "standings", cup, "--matrix", "--ends", "--times", "--balance")
    assert code == 0
    assert err == "2 more are over and count when their deal is: others still play it\n"
    assert re.search(r"1 +greedy@1 .* 50.0%.* 1-3 ", out)
    assert "1-0-1" in out
    assert "played" in out
    assert re.search(r"greedy@1 +8 +7.00 +9 +9 +9", out)
    assert "matches: 12; seats: 6; pairs: 6; deals: 3" in out


def test_versus_prints_the_difference_and_how_likely_the_first_is_better(run, cup):
    code, out, err = run("versus", "greedy", "random@1")
    assert (code, err) == (0, "")
    assert re.search(r"1-0-1 +50.0% .* \+0 .* 50.0%", out)
    assert json.loads(run("versus", "greedy", "random", "--json")[1])[0]["blocks"] == 1


def test_bots_that_have_not_met_are_told(arena, run, admin):
    arena.submit(admin, "ann", "bob")
    assert run("versus", "ann", "bob") == (0, "", "ann and bob have no common blocks on open deals yet\n")


def test_reliability_is_a_table_json_and_a_drawing(run, cup, tmp_path):
    file = tmp_path / "plot.svg"
    code, out, err = run("reliability", "first-snow", "--svg", str(file))
    assert (code, err) == (0, "")
    assert "6 matches, 6 pairs, Brier 0." in out
    drawn = ElementTree.parse(file).getroot()  # noqa: S314 - our own drawing
    assert len(list(drawn.iter("{http://www.w3.org/2000/svg}circle"))) >= 1
    assert json.loads(run("reliability", "--json")[1])[0]["pairs"] == 6


def test_nothing_rated_yet_is_told(run):
    assert run("reliability") == (0, "", "no rated matches on open deals yet\n")


def test_an_export_as_json_has_everything(run, cup, tmp_path):
    file = tmp_path / "cup.json"
    code, out, err = run("tournament", "export", cup, "-o", str(file))
    assert (code, out, err) == (0, "", f"{file}: 18 matches, 6 of them with an open log\n")
    whole = json.loads(file.read_text(encoding="utf-8"))
    assert (whole["tournament"]["name"], len(whole["entrants"]), len(whole["matches"])) == ("cup", 3, 18)
    assert whole["standings"][0]["strength"]["last_place"] == 3
    assert whole["proof"]["matches"]["1"] == 1
    assert whole["proof"]["secret"] == ""


def test_an_export_as_csv_has_a_line_for_every_seat(run, cup, tmp_path):
    file = tmp_path / "cup.csv"
    run("tournament", "export", cup, "-o", str(file))
    rows = list(csv.DictReader(io.StringIO(file.read_text(encoding="utf-8"))))
    assert len(rows) == 2 * 18
    first = rows[0]
    assert (first["deal"], first["leg"], first["end"], first["seat"], first["rank"]) == (
        "1",
        "1",
        "COMPLETED",
        "0",
        "1",
    )
    assert (first["turns"], first["think_max_ms"], first["charged_total_ms"]) == ("2", "9", "4")


def test_an_export_as_pgn_has_tags_for_every_match(run, cup, tmp_path):
    file = tmp_path / "cup.pgn"
    run("tournament", "export", cup, "-o", str(file))
    first, *rest = file.read_text(encoding="utf-8").rstrip("\n").split("\n\n")
    assert len(rest) == 17
    for tag in ('[Event "cup"]', '[Date "2030.01.02"]', '[Round "1.1"]', '[Result "1-0"]', '[Scores "20 10"]'):
        assert tag in first
    assert '[Result "*"]' in rest[-1]


def test_an_export_as_zip_holds_the_open_logs_and_a_proof_that_holds(arena, run, cup, tmp_path):
    file = tmp_path / "cup.zip"
    run("tournament", "export", cup, "-o", str(file))
    with zipfile.ZipFile(file) as archive:
        names = archive.namelist()
        assert [name for name in names if name.startswith("logs/")] == [
            f"logs/{number}.jsonl" for number in range(1, 7)
        ]
        assert {"tournament.json", "matches.csv", "matches.pgn", "proof.json"} < set(names)
    arena.play()
    run("tournament", "export", cup, "-o", str(file))
    with zipfile.ZipFile(file) as archive:
        archive.extract("proof.json", tmp_path)
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(TOOL), "--tournament", str(tmp_path / "proof.json"), str(TOOL)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "the commitment holds, and 3 deals follow from it" in done.stdout


def test_the_same_state_is_exported_alike_byte_for_byte(run, cup, tmp_path):
    for name in ("one.zip", "two.zip"):
        run("tournament", "export", cup, "-o", str(tmp_path / name))
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("tournament", "export", "cup", "-o", "cup.xls"), 2, "cup.xls tells no format"),
        (("tournament", "export", "cup", "-o", "nowhere/cup.csv"), 2, "there is no folder nowhere"),
        (("tournament", "export", "none", "-o", "cup.csv"), 1, "there is no tournament 'none'"),
        (("versus", "nobody", "random"), 1, "there is no bot 'nobody'"),
        (("versus", "random", "random"), 2, "random cannot be compared with itself"),
        (("versus", "random@9", "greedy"), 1, "random"),
        (("versus", "random", "greedy", "--tournament", "none"), 1, "there is no tournament 'none'"),
        (("reliability", "nogame"), 2, "no game 'nogame'"),
    ],
)
def test_a_failure_is_one_line(run, elsewhere, arguments, code, said):
    found, out, err = run(*arguments)
    assert (found, out, err.count("\n")) == (code, "", 1)
    assert said in err
    assert list(elsewhere.iterdir()) == []
