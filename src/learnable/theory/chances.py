"""Small formulas about chance: votes, averages, bootstrap samples, samples without outliers."""

from __future__ import annotations

import math
from numbers import Integral
from typing import Any

import numpy as np

from ..core import Array, ParameterError
from ..parts.trials import ransac_trials as ransac_trials


def majority_vote_probability(n: int, p: Any) -> float | Array:
    """The probability that most of n independent voters are right, if each is with probability p.

    P = sum_{k > n/2} C(n, k) p^k (1 - p)^(n - k)

    above p for p > 1/2 and below it for p < 1/2; for even n a tie counts as wrong. [Condorcet, 1785]

    >>> round(majority_vote_probability(11, 0.7), 4)
    0.9218
    """
    from scipy.special import bdtrc

    try:
        shares = np.asarray(p, dtype=np.float64)
    except (TypeError, ValueError):
        shares = np.array(np.nan)
    if not isinstance(n, Integral) or n < 1 or not ((shares >= 0) & (shares <= 1)).all():
        raise ParameterError(
            f"majority_vote_probability: needs a whole number n >= 1 and p from 0 to 1; got {n!r:.40} and {p!r:.40}"
        )
    found = bdtrc(n // 2, n, shares)
    return float(found) if shares.ndim == 0 else np.asarray(found)


def variance_of_average(n: float, correlation: float, variance: float = 1.0) -> float:
    """The variance of an average of n variables that are alike and correlated.

    rho variance + (1 - rho) variance / n

    More variables only remove the second part, so a forest decorrelates its trees. `n` may be infinite. A correlation
    below -1 / (n - 1) cannot be.

    >>> variance_of_average(10, 0.3)
    0.37
    """
    if n < 1 or variance < 0:
        raise ParameterError(f"variance_of_average: needs n >= 1 and variance >= 0; got {n!r} and {variance!r}")
    least = -1 / (n - 1) if n > 1 else -1.0
    if not least <= correlation <= 1:
        raise ParameterError(
            f"variance_of_average: {n:g} variables can be correlated from {least:g} to 1 alike; got {correlation!r}"
        )
    return correlation * variance + (1 - correlation) * variance / n


def bootstrap_left_out(n: float) -> float:
    """The expected share of n rows that a bootstrap sample of n leaves out: (1 - 1/n)^n, which tends to 1/e = 0.368.

    >>> round(bootstrap_left_out(10), 4), round(bootstrap_left_out(math.inf), 4)
    (0.3487, 0.3679)
    """
    if n < 1:
        raise ParameterError(f"bootstrap_left_out: n must be at least 1; got {n!r}")
    if n == 1:
        return 0.0
    return math.exp(-1.0) if math.isinf(n) else math.exp(n * math.log1p(-1 / n))
