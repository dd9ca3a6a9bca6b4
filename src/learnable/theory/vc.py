"""The generalisation bound of Vapnik and Chervonenkis."""

from __future__ import annotations

import math

from ..core.declare.checked_functions import checked, limits

RULES = {
    "error": limits(at_least=0, at_most=1),
    "dimension": limits(at_least=0),
    "n": limits(at_least=1),
    "delta": limits(above=0, below=1),
}


@checked(**RULES)
def vc_penalty(dimension: int, n: int, delta: float = 0.05) -> float:
    """VC confidence term: the largest excess of the generalisation error, with probability 1 - delta.

    sqrt(8 / n ln(4 ((2 n)^d + 1) / delta))    for a class of VC dimension d

    so of the order sqrt(d ln n / n). It holds for every law of the data and every learner that picks from the class,
    and is far above what one sees. [Vapnik and Chervonenkis, 1971]

    >>> round(vc_penalty(3, 10_000), 3)
    0.165
    """
    power = dimension * math.log(2 * n)
    log_growth = power + math.log1p(math.exp(-power))
    return math.sqrt(8 / n * (math.log(4 / delta) + log_growth))


@checked(**RULES)
def vc_bound(error: float, dimension: int, n: int, delta: float = 0.05) -> float:
    """VC bound of the generalisation error, given the training error on n rows, with probability 1 - delta.

    E_out <= E_in + sqrt(8 / n ln(4 ((2 n)^d + 1) / delta))

    It may exceed 1, and then says nothing.

    >>> round(vc_bound(0.1, 3, 10_000), 3)
    0.265
    """
    return error + vc_penalty(dimension, n, delta)
