"""Every game keeps logs of whole matches; the same seed and choices must give the same bytes for ever.

A log that changes means that a rules version has to change with it; `pytest --rewrite-golden` writes them anew.
"""

import sys
from pathlib import Path

from arena.core import KeyedStream
from arena.match.local import play_local
from arena.match.setup import SeatLabel, Setup

SEED = bytes.fromhex("00112233445566778899aabbccddeeff")


def golden_file(case):
    folder = Path(sys.modules[type(case.game).__module__].__file__).parent / "golden"
    return folder / f"{case.variant.id}-{case.seats}.jsonl"


def played_log(case):
    """Play the match of a golden file: keyed chance, and keyed choices that depend on the ply alone."""
    choices = KeyedStream(b"golden choices..")

    def choose(match, decision):
        return choices.below(len(decision.legal), f"ply {decision.ply}")

    seats = tuple(SeatLabel(f"chooser-{seat}", "1") for seat in range(case.seats))
    setup = Setup(case.game.spec.id, case.variant.id, seats, SEED)
    return play_local(setup, [choose] * case.seats).log_text()


def test_a_golden_match_is_played_again_to_the_same_bytes(case, rewrite_golden):
    path = golden_file(case)
    log = played_log(case)
    if rewrite_golden:
        path.parent.mkdir(exist_ok=True)
        path.write_text(log, encoding="utf-8")
    assert path.exists(), f"{case}: no golden log; pytest --rewrite-golden tests/conformance writes it"
    for number, (kept, new) in enumerate(zip(path.read_text("utf-8").splitlines(), log.splitlines(), strict=False), 1):
        assert new == kept, f"{case}: {path.name} differs at line {number}"
    assert log == path.read_text(encoding="utf-8"), f"{case}: {path.name} has another length"


def test_no_golden_log_is_left_over(game, cases_of):
    cases = cases_of(game)
    folder = golden_file(cases[0]).parent
    expected = {golden_file(case).name for case in cases}
    assert not {path.name for path in folder.glob("*.jsonl")} - expected
