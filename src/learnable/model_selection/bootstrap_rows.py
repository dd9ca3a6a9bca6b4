"""Rows drawn with replacement."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..core import Array, ParameterError, RandomState, generator, seed_of
from ..core.declare.checked_functions import Rows, checked, limits


class BootstrapRows(NamedTuple):
    """Row numbers of one bootstrap sample, with repetitions, and of the rows that it left out."""

    in_bag: Array
    out_of_bag: Array


@checked(n=limits(at_least=1), size=limits(at_least=0))
def draw_bootstrap(
    n: int, *, size: int | None = None, weight: Rows | None = None, random_state: RandomState = None
) -> BootstrapRows:
    """Bootstrap sample: `size` of `n` rows (n by default) drawn with replacement, and the out-of-bag rows.

    P(row i) = weight_i / sum of weights, all alike by default; about 1/e of the rows are left out. [Efron, 1979]

    >>> sample = draw_bootstrap(5, random_state=0)
    >>> len(sample.in_bag), sorted({*sample.in_bag.tolist(), *sample.out_of_bag.tolist()})
    (5, [0, 1, 2, 3, 4])
    """
    share = None
    if weight is not None:
        share = np.asarray(weight, dtype=np.float64)
        if share.shape != (n,) or not (share >= 0).all() or not np.isfinite(share).all() or share.sum() == 0:
            raise ParameterError(
                f"draw_bootstrap: weight must be {n} numbers of at least 0, not all of them 0; got shape {share.shape}"
            )
        share = share / share.sum()
    drawn = generator(seed_of(random_state)).choice(n, size=n if size is None else size, replace=True, p=share)
    return BootstrapRows(drawn, np.setdiff1d(np.arange(n), drawn))
