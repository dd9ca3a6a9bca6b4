"""Orthogonal matching pursuit."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core import Array, Data, Matrix, Regressor, Trace, estimator, learned, param
from ..core.numbers import EPSILON
from ..engines import design
from ..engines.paths.matching_pursuit import SETTLED, Pursuit
from ..engines.paths.products import rounding_share
from .omp import Prepared, columns_wanted, pursue_all, tell


@estimator
class OrthogonalMatchingPursuit(Regressor):
    """Least squares on few columns, chosen greedily: the one most correlated with the residual joins next.

    minimise over w, b    |y - Xw - b|^2    with at most n_nonzero_coefs entries of w not zero (or until it is <= tol)

    The choice is greedy, so better sets of columns may exist; on the chosen ones the fit is exact. Columns count by
    their product with the residual, so scale them alike. [Pati, Rezaiifar and Krishnaprasad, 1993]

    >>> X, y = [[1.0, 0.0], [-1.0, 0.1], [0.5, -0.1]], [2.0, -2.0, 1.0]
    >>> OrthogonalMatchingPursuit(n_nonzero_coefs=1).fit(X, y).coef_
    array([2., 0.])
    """

    n_nonzero_coefs: int | None = param(
        None, "most columns to choose; a tenth of them if None", at_least=1, tune=(1, 2, 5, 10, 20), simpler="smaller"
    )
    tol: float | None = param(None, "residual sum of squares that is small enough; it overrides the count", at_least=0)
    fit_intercept: bool = param(True, "whether to learn a constant term")
    precompute: bool | Literal["auto"] = param("auto", "whether to use a Gram matrix")
    coef_: Array = learned("weight of each column", shape="targets? features")
    intercept_: float | Array = learned("constant term", shape="targets?")
    n_nonzero_coefs_: int | None = learned("most columns that could be chosen, None with tol")
    n_iter_: Any = learned("number of columns chosen; a list if y has columns")

    multi_target = True
    flat_target = True
    reference = "Pati, Rezaiifar and Krishnaprasad, Orthogonal matching pursuit, Asilomar 1993"

    def _fit(self, data: Data, trace: Trace) -> None:
        count = columns_wanted("OrthogonalMatchingPursuit", self.n_nonzero_coefs, self.tol, data.p)
        self.n_nonzero_coefs_ = count if self.tol is None else None
        problem = Prepared.of(data, self.fit_intercept, self.precompute, count)
        found = pursue_all(problem, count, self.tol, trace)
        keep_pursuits(self, problem, found, data, trace)
        tell("OrthogonalMatchingPursuit", trace)

    def _predict(self, X: Matrix) -> Array:
        return design.scores(X, self.coef_, self.intercept_)


def keep_pursuits(model: Any, problem: Prepared, found: list[Pursuit], data: Data, trace: Trace) -> None:
    """Set coefficients, constants and counts in scikit-learn's shapes, and certify that they are least squares."""
    final = np.zeros((len(found), data.p))
    for row, pursuit in zip(final, found, strict=True):
        row[pursuit.chosen] = pursuit.steps[-1] if pursuit.steps else 0.0
    dtype, several = data.X.dtype, data.y.ndim == 2 and data.y.shape[1] > 1
    coef, intercept = problem.units.stored(final, dtype)
    counts = [len(pursuit.chosen) for pursuit in found]
    squeeze = data.y.ndim == 1
    model.coef_, model.intercept_ = (coef[0], intercept[0]) if squeeze else (coef, intercept)
    model.n_iter_ = counts if several else counts[0]
    fits = zip(found, problem.sources, final, strict=True)
    violation = max(pursuit.violation + rounding_share(source, row[None], dtype) for pursuit, source, row in fits)
    trace.certify(
        "orthogonality", violation + EPSILON, max(SETTLED, 64 * float(np.finfo(dtype).eps)),
        "chosen columns have products with the residual of at most this share of their length times that of the "
        "target: on them the fit is least squares.",
    )  # fmt: skip
