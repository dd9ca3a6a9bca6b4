"""Orthogonal matching pursuit with cross-validation."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, Data, Matrix, Regressor, Trace, estimator, learned, param
from ..core.runtime.trace import EARLY
from ..engines import matrix_products
from ..engines.folds import folds
from ..engines.paths.omp import pursue
from ..engines.time_budget import fraction_of_time
from .orthogonal_matching_pursuit import Prepared, keep_pursuits, pursue_all


@estimator
class OrthogonalMatchingPursuitCV(Regressor):
    """Orthogonal matching pursuit with cross-validation of the number of columns.

    minimise over w, b    |y - Xw - b|^2    with at most k entries of w not zero,    k by cross-validation

    A pursuit per fold gives the errors for every number of columns up to max_iter.
    [Pati, Rezaiifar and Krishnaprasad, 1993]

    >>> X = [[1.0, 0.0], [-1.0, 0.1], [0.5, -0.1], [0.25, 0.2], [-0.5, 0.3], [2.0, 0.1]]
    >>> y = [2.0, -2.0, 1.0, 0.5, -1.0, 4.0]
    >>> OrthogonalMatchingPursuitCV(cv=3).fit(X, y).coef_.round(6) + 0.0
    array([2., 0.])
    """

    copy: bool = param(True, "accepted for compatibility; the data are never changed")
    fit_intercept: bool = param(True, "whether to fit an intercept")
    max_iter: int | None = param(
        None, "maximum number of columns to try; a tenth of them but at least 5 if None", at_least=0
    )
    cv: Any = param(None, "cross-validation folds: None for 5, a number, a splitter, or (train, test) pairs")
    n_jobs: int | None = param(None, "accepted for compatibility; use learnable.threads(n)")
    verbose: int | bool = param(False, "accepted for compatibility; use learnable.progress()")
    coef_: Array = learned("coefficient of each column", shape="features")
    intercept_: float = learned("intercept of the model")
    n_nonzero_coefs_: int = learned("number of columns chosen")
    n_iter_: int = learned("number of columns in the final fit")
    mse_path_: Array = learned("mean squared error on each fold with 1, 2, ... columns", shape="steps folds")

    title = "orthogonal matching pursuit with cross-validation"
    reference = "Pati, Rezaiifar and Krishnaprasad, Orthogonal matching pursuit, Asilomar 1993"

    def _fit(self, data: Data, trace: Trace) -> None:
        most = min(self.max_iter or max(int(0.1 * data.p), 5), data.p)
        pairs = folds(self.cv, data.n, data.y, "OrthogonalMatchingPursuitCV")
        folded, paths = Trace(), []
        for place, (train, test) in enumerate(pairs):
            with fraction_of_time(1 / (len(pairs) - place + 1)):  # the last fraction is for the fit of all rows
                path = self._errors(data, train, test, most, folded)
            paths += [path] if path is not None else []
        shortest = min(len(path) for path in paths)
        self.mse_path_ = np.column_stack([path[:shortest] for path in paths])
        self.n_nonzero_coefs_ = int(self.mse_path_.mean(axis=1).argmin()) + 1 if shortest else 1
        problem = Prepared.of(data, self.fit_intercept, "auto", self.n_nonzero_coefs_)
        found = pursue_all(problem, self.n_nonzero_coefs_, None, trace)
        trace.stopped = folded.stopped if folded.stopped in EARLY else trace.stopped
        keep_pursuits(self, problem, found, data, trace)

    def _errors(self, data: Data, train: Array, test: Array, most: int, folded: Trace) -> Array | None:
        """Mean squared errors on the rows `test` after each step on `train`; None if all of either have weight zero.

        `folded` records whether any fold was stopped early.
        """
        weight = np.ones(data.n) if data.weight is None else data.weight
        if not (weight[train].any() and weight[test].any()):
            return None
        rows = Data(data.X[train], data.y[train], None if data.weight is None else weight[train], data.names)
        problem = Prepared.of(rows, self.fit_intercept, "auto", most)
        trace = Trace()
        coefs = pursue(problem.sources[0], most, None, trace).coefs(data.p)
        folded.stopped = trace.stopped if folded.stopped not in EARLY else folded.stopped
        units = problem.units
        if not len(coefs):
            return np.empty(0)
        predicted = matrix_products.scores(data.X[test], units.coefficients(coefs), units.intercepts(coefs))
        return np.asarray((weight[test] / weight[test].sum()) @ (data.y[test][:, None] - predicted) ** 2)

    def _predict(self, X: Matrix) -> Array:
        return matrix_products.scores(X, self.coef_, self.intercept_)
