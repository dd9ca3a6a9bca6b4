"""A table as the sum of one of low rank and one with few entries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..core import Array
from ..core.declare.checked_functions import Rows, checked, limits
from ..core.runtime.context import give_way
from ..core.runtime.trace import Trace
from ..core.validate.features import FeatureValidator
from ..engines.algebra.interruptible_lapack import interruptibly
from ..engines.iterate import Progress, State, iterate


class Parted(NamedTuple):
    """X = low_rank + sparse, and how it was found."""

    low_rank: Array
    sparse: Array
    rank: int
    trace: Trace


@checked(strength=limits(above=0), tol=limits(at_least=0), max_iter=limits(at_least=1))
def principal_component_pursuit(
    X: Rows, *, strength: float | None = None, tol: float = 1e-7, max_iter: int = 1000, trace: Trace | None = None
) -> Parted:
    """Part X into a table of low rank and one that is zero but for few entries, which may be large.

    minimise over L, S    |L|_* + strength |S|_1    with L + S = X,    strength = 1 / sqrt(the longer side) if None

    Exact where L is spread over rows and columns and S is scattered. By alternating directions with multipliers: soft
    thresholds of singular values, then of entries. [Candès, Li, Ma and Wright, 2011]

    >>> import numpy as np
    >>> X = np.outer([1.0, 2.0, 3.0, 4.0, 5.0], [1.0, 1.0, 2.0, 2.0, 3.0])
    >>> X[1, 2] += 50.0
    >>> principal_component_pursuit(X).sparse[1, 2].round(3)
    np.float64(50.0)
    """
    matrix = np.asarray(FeatureValidator("principal_component_pursuit").matrix(X)[0], dtype=np.float64)
    course = Trace() if trace is None else trace
    method = _Pursuit(matrix, strength or 1 / np.sqrt(max(matrix.shape)), tol)
    state = iterate(method, max_iter, course)
    left = course.rows[-1]["criterion"]
    course.certify("gap of the parts", left, tol, "the two parts add up to the table but for this share of its size")
    return Parted(state["low"], state["sparse"], int(state["rank"]), course)


@dataclass(frozen=True)
class _Pursuit:
    """Alternating directions: each part in turn is the best for the other, and multipliers charge what is left."""

    X: Array
    strength: float
    tolerance: float

    def start(self) -> State:
        zeros = np.zeros_like(self.X)
        total = float(np.abs(self.X).sum())
        price = self.X.size / (4 * total) if total > 0 else 1.0
        return {"low": zeros, "sparse": zeros, "multiplier": zeros, "price": price, "rank": 0, "objective": 0.0}

    def step(self, state: State) -> State:
        give_way()
        price, multiplier = state["price"], state["multiplier"]
        left, sizes, right = interruptibly(
            np.linalg.svd, self.X - state["sparse"] + multiplier / price, full_matrices=False
        )
        sizes = np.maximum(sizes - 1 / price, 0.0)
        low = (left * sizes) @ right
        sparse = _shrunk(self.X - low + multiplier / price, self.strength / price)
        return {
            "low": low,
            "sparse": sparse,
            "multiplier": multiplier + price * (self.X - low - sparse),
            "price": price,
            "rank": int(np.count_nonzero(sizes)),
            "objective": float(sizes.sum()) + self.strength * float(np.abs(sparse).sum()),
        }

    def progress(self, state: State) -> Progress:
        size = float(np.linalg.norm(self.X))
        off = float(np.linalg.norm(self.X - state["low"] - state["sparse"])) / (size or 1.0)
        return Progress(state["objective"], off, self.tolerance)


def _shrunk(values: Array, threshold: float) -> Array:
    return np.asarray(np.sign(values) * np.maximum(np.abs(values) - threshold, 0.0))
