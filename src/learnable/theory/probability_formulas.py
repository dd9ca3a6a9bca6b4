"""Small formulas of probability: votes, averages, bootstrap samples, samples without outliers."""

from __future__ import annotations

import math

import numpy as np

from ..core import Array, ParameterError
from ..core.declare.checked_functions import Rows, checked, limits
from ..parts.ransac_trials import ransac_trials as ransac_trials

many = limits(at_least=1, infinite=True)


@checked(n=limits(at_least=1), p=limits(at_least=0, at_most=1))
def majority_vote_probability(n: int, p: float | Rows) -> float | Array:
    """Condorcet's theorem: the probability that most of n independent voters are right, each with probability p.

    P = sum_{k > n/2} C(n, k) p^k (1 - p)^(n - k)

    above p for p > 1/2 and below it for p < 1/2; for even n a tie counts as wrong. [Condorcet, 1785]

    >>> round(majority_vote_probability(11, 0.7), 4)
    0.9218
    """
    from scipy.special import betainc

    shares = np.asarray(p, dtype=np.float64)
    found = betainc(n // 2 + 1, n - n // 2, shares)  # more digits than SciPy's own tail of the binomial law
    return float(found) if shares.ndim == 0 else np.asarray(found)


@checked(n=many, variance=limits(at_least=0))
def variance_of_average(n: float, correlation: float, variance: float = 1.0) -> float:
    """The variance of the average of n identically distributed, correlated variables.

    rho variance + (1 - rho) variance / n

    More variables only remove the second part, so a forest decorrelates its trees. `n` may be infinite. A correlation
    below -1 / (n - 1) cannot be.

    >>> variance_of_average(10, 0.3)
    0.37
    """
    least = -1 / (n - 1) if n > 1 else -1.0
    if not least <= correlation <= 1:
        raise ParameterError(
            f"variance_of_average: {n:g} equally correlated variables have a correlation between {least:g} and 1; got "
            f"{correlation!r}"
        )
    return correlation * variance + (1 - correlation) * variance / n


@checked(n=many)
def bootstrap_left_out(n: float) -> float:
    """The expected out-of-bag fraction of a bootstrap sample of n rows: (1 - 1/n)^n, which tends to 1/e = 0.368.

    >>> round(bootstrap_left_out(10), 4), round(bootstrap_left_out(math.inf), 4)
    (0.3487, 0.3679)
    """
    if n == 1:
        return 0.0
    return math.exp(-1.0) if math.isinf(n) else math.exp(n * math.log1p(-1 / n))
