"""Tests of `arena bench tournament`: whose CPU a match takes, and how it stands beside other arenas."""

import json
import os
import subprocess
import sys

import pytest

from arena.bench.peer_matches import KAGGLE, PELITA, PeerMatch, find_peer_matches, mean, play_pelita
from arena.bench.tournament import TournamentFigures
from arena.cli.bench_tournament import ratio

RUN = [sys.executable, "-c", "from arena.cli.main import main; main()", "bench", "tournament"]
FIGURES = TournamentFigures({"bots": 300.0, "referees": 50.0}, {}, machine=400.0, wall=4.0, matches=20, workers=2)


def test_a_tournament_is_told_by_whose_cpu_its_matches_take() -> None:
    words = ["--blocks", "1", "--workers", "1", "--peers", "0", "--json"]
    done = subprocess.run([*RUN, *words], capture_output=True, text=True, timeout=170, check=False)
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    parts = facts["ms"]["parts"]
    assert facts["matches"] >= 2
    assert set(parts) == {"bots", "referees", "workers", "dispatcher", "broker"}
    assert parts["bots"] > parts["workers"] > 0
    assert set(facts["memory_mb"]) == {"referees", "workers", "dispatcher", "broker"}
    assert facts["ms"]["cpu"] == pytest.approx(sum(parts.values()))


def test_matches_a_second_and_the_whole_follow_from_what_was_counted() -> None:
    assert (FIGURES.cpu, FIGURES.per_second) == (350.0, 5.0)


def test_what_stands_beside_pelita_is_told_only_where_pelita_was_measured() -> None:
    assert ratio(FIGURES, [PeerMatch(KAGGLE, 10.0, 10.0), PeerMatch(PELITA, 1400.0, 2000.0)]) == 0.25
    assert ratio(FIGURES, []) is None


def test_what_was_measured_of_another_arena_before_and_after_counts_alike() -> None:
    assert mean([PeerMatch(PELITA, 10.0, 20.0), PeerMatch(PELITA, 20.0, 60.0)]) == PeerMatch(PELITA, 15.0, 40.0)


def test_another_arenas_match_is_timed_with_all_it_waited_for(tmp_path, monkeypatch) -> None:
    program = tmp_path / "pelita"
    program.write_text(f"#!/bin/sh\n{sys.executable} -c 'sum(range(10**6))'\n")
    program.chmod(0o755)
    assert play_pelita(program, 2).cpu > 5
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert PELITA not in {one.name for one in find_peer_matches()[1]}
