"""Principal component pursuit: decomposition into a low-rank and a sparse matrix."""

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
    """Decomposition X = low_rank + sparse, and the trace."""

    low_rank: Array
    sparse: Array
    rank: int
    trace: Trace


@checked(strength=limits(above=0), tol=limits(at_least=0), max_iter=limits(at_least=1))
def principal_component_pursuit(
    X: Rows, *, strength: float | None = None, tol: float = 1e-7, max_iter: int = 1000, trace: Trace | None = None
) -> Parted:
    """Principal component pursuit: X as the sum of a low-rank and a sparse matrix.

    minimise over L, S    |L|_* + strength |S|_1    with L + S = X,    strength = 1 / sqrt(max(n, p)) if None

    Exact if L is incoherent and the support of S is random. By the alternating direction method of multipliers (ADMM):
    soft thresholding of singular values, then of entries. [Candès, Li, Ma and Wright, 2011]

    >>> import numpy as np
    >>> X = np.outer([1.0, 2.0, 3.0, 4.0, 5.0], [1.0, 1.0, 2.0, 2.0, 3.0])
    >>> X[1, 2] += 50.0
    >>> principal_component_pursuit(X).sparse[1, 2].round(3)
    np.float64(50.0)
    """
    matrix = np.asarray(FeatureValidator("principal_component_pursuit").matrix(X)[0], dtype=np.float64)
    found = Trace() if trace is None else trace
    method = _Pursuit(matrix, strength or 1 / np.sqrt(max(matrix.shape)), tol)
    state = iterate(method, max_iter, found)
    left = found.rows[-1]["criterion"]
    found.certify("gap of the parts", left, tol, "the two terms add up to the matrix up to this relative error")
    return Parted(state["low"], state["sparse"], int(state["rank"]), found)


@dataclass(frozen=True)
class _Pursuit:
    """ADMM: each term is optimal given the other; multipliers penalise the residual."""

    X: Array
    strength: float
    tolerance: float

    def start(self) -> State:
        zeros = np.zeros_like(self.X)
        total = float(np.abs(self.X).sum())
        penalty = self.X.size / (4 * total) if total > 0 else 1.0
        return {"low": zeros, "sparse": zeros, "multiplier": zeros, "penalty": penalty, "rank": 0, "objective": 0.0}

    def step(self, state: State) -> State:
        give_way()
        penalty, multiplier = state["penalty"], state["multiplier"]
        left, sizes, right = interruptibly(
            np.linalg.svd, self.X - state["sparse"] + multiplier / penalty, full_matrices=False
        )
        sizes = np.maximum(sizes - 1 / penalty, 0.0)
        low = (left * sizes) @ right
        sparse = _soft_threshold(self.X - low + multiplier / penalty, self.strength / penalty)
        return {
            "low": low,
            "sparse": sparse,
            "multiplier": multiplier + penalty * (self.X - low - sparse),
            "penalty": penalty,
            "rank": int(np.count_nonzero(sizes)),
            "objective": float(sizes.sum()) + self.strength * float(np.abs(sparse).sum()),
        }

    def progress(self, state: State) -> Progress:
        size = float(np.linalg.norm(self.X))
        off = float(np.linalg.norm(self.X - state["low"] - state["sparse"])) / (size or 1.0)
        return Progress(state["objective"], off, self.tolerance)


def _soft_threshold(values: Array, threshold: float) -> Array:
    return np.asarray(np.sign(values) * np.maximum(np.abs(values) - threshold, 0.0))
