"""What the scores of two models make probable: better, practically equal, worse."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core.declare.checked_functions import Rows, checked, limits
from ..parts.confidence_intervals import corrected_error, sample
from .finding import SHARE
from .t_tests import differences, student_interval


@dataclass(frozen=True, slots=True)
class BayesianComparison:
    """Bayesian comparison of two models.

    Probabilities that the first is better, practically equal or worse, and an interval of the difference.
    """

    better: float
    practically_equal: float
    worse: float
    estimate: float
    interval: tuple[float, float]
    rope: float
    confidence: float = 0.95

    @property
    def sentence(self) -> str:
        """The comparison in words."""
        shares = {"better": self.better, "practically equal": self.practically_equal, "worse": self.worse}
        likely = max(shares, key=lambda name: shares[name])
        sure = shares[likely] > self.confidence
        words = f"the first model is {likely}" if sure else "no decision"
        numbers = ", ".join(f"{name} {share:.3f}" for name, share in shares.items())
        return f"{words}: {numbers} (differences within {self.rope:g} count as equal; estimated {self.estimate:.4g})"

    def __str__(self) -> str:
        return self.sentence


@checked(rope=limits(at_least=0), confidence=SHARE)
def bayesian_comparison(
    first: Rows, second: Rows, test_share: float, *, rope: float = 0.01, confidence: float = 0.95
) -> BayesianComparison:
    """Bayesian comparison of two models: the probability that one is better, from scores on the same splits.

    mean difference ~ Student(k - 1, mean(d), sd(d) sqrt(1 / k + test_share / (1 - test_share)))

    is the posterior under a flat prior when scores of splits are correlated by `test_share`. Differences between -rope
    and rope are called practically equal, so that equality can be found, which a p value never does. Scores are taken
    for rounded: where all differences are the same but for rounding, they are compared with the rope up to it.
    [Corani and Benavoli, 2015; Benavoli et al., 2017]

    >>> print(bayesian_comparison([0.90, 0.85, 0.88, 0.91], [0.80, 0.79, 0.82, 0.80], 0.25))
    the first model is better: better 0.982, practically equal 0.009, worse 0.010 (differences within 0.01 count as
    equal; estimated 0.0825)
    """
    from scipy.special import stdtr

    owner = "bayesian_comparison"
    apart = differences(first, second, owner)
    centre, error = float(apart.mean()), corrected_error(apart, test_share, owner)
    freedom = len(apart) - 1
    rounding = 4 * np.finfo(float).eps * max(float(np.abs(sample(scores, owner)).max()) for scores in (first, second))
    if error <= rounding:
        worse, better = (float(sign * centre > rope + rounding) for sign in (-1, 1))
    else:
        worse, better = (float(stdtr(freedom, (-rope + sign * centre) / error)) for sign in (-1, 1))
    interval = student_interval(centre, error, freedom, "two-sided", confidence)
    return BayesianComparison(better, max(0.0, 1 - better - worse), worse, centre, interval, rope, confidence)
