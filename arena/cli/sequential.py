"""The sequential test of `arena match --sprt`: follows a series block by block and says how it stands."""

from __future__ import annotations

from typing import Final

from arena.cli.series import Series
from arena.core.errors import UsageError
from arena.ladder.sprt import DEFAULT_ERROR, Hypotheses, SequentialTest, Verdict
from arena.ladder.versus import block_score

MOST_BLOCKS: Final = 10_000
"""Blocks after which an undecided test stops, where --blocks does not say so."""


def read_sequential(
    notation: str | None, alpha: float | None, beta: float | None, *, entrants: int, first: int
) -> Sequential | None:
    """Return the test that the options --sprt, --alpha and --beta ask for, None without --sprt.

    Raises UsageError (BAD_SPRT).
    """
    if notation is None:
        if alpha is not None or beta is not None:
            raise UsageError("--alpha and --beta are errors of a sequential test; give --sprt too", reason="BAD_SPRT")
        return None
    if entrants != 2:
        raise UsageError(f"--sprt compares two bots, not {entrants}", reason="BAD_SPRT")
    errors = (DEFAULT_ERROR if error is None else error for error in (alpha, beta))
    return Sequential(Hypotheses.parse(notation, *errors), first)


class Sequential:
    """Feeds a sequential test with whole blocks in their numbers' order, whichever is finished first.

    In the order of finishing, quick blocks would count before slow ones and could sway the answer.
    """

    def __init__(self, hypotheses: Hypotheses, first: int) -> None:
        self.test = SequentialTest(hypotheses)
        self._next = first

    def options(self) -> list[str]:
        """Return the words of a command line that ask for the same test."""
        asked = self.test.hypotheses
        words = ["--sprt", f"{asked.low:g},{asked.high:g}"]
        words += ["--alpha", f"{asked.alpha:g}"] if asked.alpha != DEFAULT_ERROR else []
        return [*words, "--beta", f"{asked.beta:g}"] if asked.beta != DEFAULT_ERROR else words

    def follow(self, series: Series) -> bool:
        """Take the blocks finished since; return whether the test is decided. One with a forfeit is passed over."""
        while self.test.verdict is Verdict.OPEN and (legs := series.whole_block(self._next)) is not None:
            self._next += 1
            if all(leg.completed for leg in legs):
                self.test.add(block_score(legs))
        return self.test.verdict is not Verdict.OPEN

    def words(self) -> str:
        """Return ratio, bounds, counts and answer in one line."""
        test, bounds = self.test, self.test.hypotheses
        counts = ", ".join(f"{count} of {2 * score:g} points" for score, count in test.counts.items()) or "none"
        counted = f"{test.blocks} block{'s' * (test.blocks != 1)}"
        answer = {
            Verdict.LOW: f"decided for {bounds.low:g} Elo",
            Verdict.HIGH: f"decided for {bounds.high:g} Elo",
            Verdict.OPEN: "undecided",
        }[test.verdict]
        return (
            f"SPRT {bounds.low:g} against {bounds.high:g} Elo: {answer}; log-likelihood ratio {test.ratio:.2f}"
            f" (bounds {bounds.lower:.2f}, {bounds.upper:.2f}); {counted}: {counts}"
        )

    def facts(self) -> dict[str, object]:
        """Return the same for JSON."""
        test, bounds = self.test, self.test.hypotheses
        return {
            "low": bounds.low,
            "high": bounds.high,
            "verdict": test.verdict.value,
            "log_likelihood_ratio": test.ratio,
            "bounds": [bounds.lower, bounds.upper],
            "alpha": bounds.alpha,
            "beta": bounds.beta,
            "blocks": test.blocks,
            "block_scores": {f"{score:g}": count for score, count in test.counts.items()},
        }
