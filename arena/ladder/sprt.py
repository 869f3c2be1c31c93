"""The sequential test of two hypotheses on a pair of bots: blocks are played until the answer is sure enough.

Wald's sequential probability ratio test, generalised to block scores of unknown distribution: the likelihoods compared
are the largest that any distribution with the expected score of either hypothesis can give to what was seen (for two
legs a distribution over five scores, hence "pentanomial"). Formulas and how they were checked: docs/statistics.md.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from arena.core.errors import UsageError
from arena.ladder.versus import share_of

MAX_ELO: Final = 1000.0
"""Largest difference a hypothesis may claim: 99.7 % of the points, beyond which blocks do not tell bots apart."""

DEFAULT_ERROR: Final = 0.05
"""How often either hypothesis may be chosen while the other is true, where nobody says otherwise."""

LEAST_ERROR: Final = 0.0001

PRIOR: Final = 0.5
"""Blocks taken to have ended 0 beforehand, and as many 1: a few alike blocks would otherwise seem to vary too little,
and both errors rise above what is promised."""


class Verdict(StrEnum):
    """What a sequential test has found so far: the low hypothesis, the high one, or nothing yet."""

    LOW = "LOW"
    HIGH = "HIGH"
    OPEN = "OPEN"


@dataclass(frozen=True, slots=True)
class Hypotheses:
    """Low and high Elo difference, and how often each may be chosen while the other is true.

    alpha: likelihood of choosing HIGH where LOW is true; beta: of the contrary.
    """

    low: float
    high: float
    alpha: float = DEFAULT_ERROR
    beta: float = DEFAULT_ERROR

    @classmethod
    def parse(cls, text: str, alpha: float = DEFAULT_ERROR, beta: float = DEFAULT_ERROR) -> Hypotheses:
        """Read "LOW,HIGH" in Elo points. Raises UsageError (BAD_SPRT)."""
        parts = text.split(",")
        try:
            low, high = (float(part) for part in parts)
        except ValueError:
            raise UsageError(
                f"--sprt {text!r} is not LOW,HIGH; give two numbers like 0,30", reason="BAD_SPRT"
            ) from None
        if not -MAX_ELO <= low < high <= MAX_ELO:
            raise UsageError(
                f"--sprt {text!r}: the first number must be below the second, both within {MAX_ELO:.0f} points of 0",
                reason="BAD_SPRT",
            )
        for name, error in (("--alpha", alpha), ("--beta", beta)):
            if not LEAST_ERROR <= error < 0.5:
                raise UsageError(
                    f"{name} {error:g} is no error to allow; give {LEAST_ERROR:g} or more, below 0.5", reason="BAD_SPRT"
                )
        return cls(low, high, alpha, beta)

    @property
    def lower(self) -> float:
        """The log-likelihood ratio at which LOW is chosen.

        ln(beta), not Wald's ln(beta / (1 - alpha)): with that, the errors stay within alpha and beta together only;
        with this each does (Ville's inequality: a likelihood ratio is a martingale; simulations show it for the
        estimated one used here).
        """
        return math.log(self.beta)

    @property
    def upper(self) -> float:
        """The log-likelihood ratio at which HIGH is chosen; see lower."""
        return -math.log(self.alpha)


class SequentialTest:
    """Takes block scores one after the other and says when enough were seen; further ones change nothing then."""

    def __init__(self, hypotheses: Hypotheses) -> None:
        self.hypotheses = hypotheses
        self.ratio = 0.0
        self.verdict = Verdict.OPEN
        self._seen: Counter[float] = Counter()

    @property
    def blocks(self) -> int:
        """How many blocks the ratio is of."""
        return self._seen.total()

    @property
    def counts(self) -> Mapping[float, int]:
        """How many blocks ended with each score, ascending."""
        return dict(sorted(self._seen.items()))

    def add(self, score: float) -> Verdict:
        """Take the score of the next block, 0 to 1, seen from the first bot."""
        if self.verdict is Verdict.OPEN:
            self._seen[score] += 1
            self.ratio = log_likelihood_ratio(self._seen, self.hypotheses)
            if self.ratio >= self.hypotheses.upper:
                self.verdict = Verdict.HIGH
            elif self.ratio <= self.hypotheses.lower:
                self.verdict = Verdict.LOW
        return self.verdict


def log_likelihood_ratio(counts: Mapping[float, float], hypotheses: Hypotheses) -> float:
    """Return log(likelihood of the high hypothesis / likelihood of the low one) of block scores 0 .. 1."""
    seen = {0.0: PRIOR, 1.0: PRIOR}
    for score, count in counts.items():
        seen[score] = seen.get(score, 0) + count
    low, high = share_of(hypotheses.low), share_of(hypotheses.high)
    tilt_low, tilt_high = _tilt(seen, low), _tilt(seen, high)
    # The likeliest distribution with mean m gives score a the weight count / (1 + tilt (a - m)), up to a factor.
    return math.fsum(
        count * (math.log1p(tilt_low * (score - low)) - math.log1p(tilt_high * (score - high)))
        for score, count in seen.items()
    )


def _tilt(seen: Mapping[float, float], mean: float) -> float:
    """Return the t at which sum of count (a - mean) / (1 + t (a - mean)) is 0: Newton's method kept within halves.

    Source: Owen, Empirical Likelihood, 2001, chapter 2. The sum falls in t, from above 0 to below it, between the two
    values at which a weight would become infinite.
    """
    low, high = -1 / (1 - mean), 1 / mean
    tilt = 0.0
    for _ in range(200):
        value = slope = 0.0
        for score, count in seen.items():
            part = (score - mean) / (1 + tilt * (score - mean))
            value += count * part
            slope -= count * part * part
        if value > 0:
            low = tilt
        else:
            high = tilt
        step = tilt - value / slope
        new = step if low < step < high else (low + high) / 2
        if abs(new - tilt) < 1e-13 * max(1.0, abs(tilt)):
            return new
        tilt = new
    return tilt
