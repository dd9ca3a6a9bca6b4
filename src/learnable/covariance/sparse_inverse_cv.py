"""Graphical lasso with cross-validation."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..core import Array, Data, ParameterError, ParameterTypeError, Trace, estimator, learned, param
from ..core.errors import DataError
from ..core.runtime.context import give_way
from ..engines.folds import folds
from ._graphical_lasso import GraphicalLassoSettings, solve_graphical_lasso
from ._moments import average_log_likelihood, precision_of, refuse_one_row, scatter_of
from .sparse_inverse import SparseInverseEstimator

RANGE = 1e-2  # the smallest alpha of the first grid, relative to the one that leaves no edge
FOLD_SWEEPS = 0.1  # sweeps of a fold relative to those of the last fit


class _Scored(NamedTuple):
    """A value of alpha and the score of each fold."""

    alpha: float
    scores: list[float]


@estimator
class GraphicalLassoCV(SparseInverseEstimator):
    """Graphical lasso with cross-validation of alpha.

    minimise over P    tr(S P) - log det P + alpha sum over i != j of |P_ij|,    alpha by cross-validation

    The score is the log likelihood of the held-out rows. A grid of `alphas` values is refined `n_refinements` times
    about the best; each fold solves a grid from the largest value on, each fit starting at the one before.
    [Friedman, Hastie and Tibshirani, 2008]

    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(60, 3)) @ [[1.0, 0.8, 0.0], [0.0, 0.6, 0.0], [0.0, 0.0, 1.0]]
    >>> model = GraphicalLassoCV(alphas=[0.5, 0.1, 0.02]).fit(X)
    >>> model.alpha_
    0.02
    """

    alphas: int | Any = param(
        4, "number of alphas of a grid, or the alphas",
        accepts=lambda value: isinstance(value, (int, np.integer)) or (np.ndim(value) == 1 and len(value) > 0),
        says="a number or a list of numbers above 0",
    )  # fmt: skip
    n_refinements: int = param(4, "number of times that the grid is refined, if alphas is a number", at_least=1)
    cv: Any = param(None, "cross-validation folds: None for 5, a number, a splitter, or (train, test) pairs")
    n_jobs: int | None = param(None, "accepted for compatibility; use learnable.threads(n)")
    alpha_: float = learned("chosen penalty", least=0)
    cv_results_: dict[str, Any] = learned("alphas, and for each the scores of the folds, their mean and deviation")

    title = "graphical lasso with cross-validation"
    reference = "Friedman, Hastie and Tibshirani, Sparse inverse covariance estimation with the graphical lasso, 2008"

    def _fit(self, data: Data, trace: Trace) -> None:
        refuse_one_row(data, type(self).__name__)
        location, covariance = scatter_of(data.X, data.weight, self.assume_centered)
        problems = self._fold_problems(data)
        found = self._search(covariance, problems)
        best = max(range(len(found)), key=lambda i: (np.mean(found[i].scores), i))
        self.alpha_ = found[best].alpha
        plain = [average_log_likelihood(test, precision_of(train)) for train, test in problems]
        self.cv_results_ = _results([*found, _Scored(0.0, plain)])
        trace.rows.clear()
        self._keep(data, location, solve_graphical_lasso(covariance, self.alpha_, self._settings(data), trace))

    def _fold_problems(self, data: Data) -> list[tuple[Array, Array]]:
        """The covariances of the training and the test rows of each fold."""
        weight = np.ones(data.n) if data.weight is None else data.weight
        problems = []
        for train, test in folds(self.cv, data.n, owner=type(self).__name__, X=data.X):
            if not weight[train].any() or not weight[test].any():
                raise DataError("GraphicalLassoCV: a fold has no rows with a weight above 0; choose other folds")
            both = [scatter_of(data.X[rows], weight[rows], self.assume_centered) for rows in (train, test)]
            problems.append((both[0].covariance, both[1].covariance))
        return problems

    def _search(self, covariance: Array, problems: list[tuple[Array, Array]]) -> list[_Scored]:
        """Values of alpha in falling order with their scores."""
        given = not isinstance(self.alphas, (int, np.integer))
        if not given and self.alphas < 1:
            raise ParameterError(
                "GraphicalLassoCV: alphas must be a number of grid points (a whole number of at least 1) or a list of "
                f"positive values; got {self.alphas}"
            )
        grid = _given_alphas(self.alphas) if given else _first_grid(covariance, int(self.alphas))
        found: list[_Scored] = []
        for _ in range(1 if given else self.n_refinements):
            found = sorted([*found, *self._scored(grid, problems)], key=lambda one: -one.alpha)
            if not given:
                grid = _refined_grid(found, int(self.alphas))
        return found

    def _scored(self, grid: Array, problems: list[tuple[Array, Array]]) -> list[_Scored]:
        paths = [self._path(grid, train, test) for train, test in problems]
        return [_Scored(float(alpha), [path[i] for path in paths]) for i, alpha in enumerate(grid)]

    def _path(self, grid: Array, train: Array, test: Array) -> list[float]:
        """Scores on the test rows of one fold, in the order of the grid, which is solved from its largest value on."""
        most = max(int(FOLD_SWEEPS * self.max_iter), 1)
        settings = GraphicalLassoSettings(self.tol, self.enet_tol, most, type(self).__name__)
        scores, state = np.empty(len(grid)), None
        for place in np.argsort(-grid, kind="stable"):
            give_way()
            found = solve_graphical_lasso(train, float(grid[place]), settings, Trace(), state)
            state = found.state
            scores[place] = average_log_likelihood(test, found.precision)
        return [float(score) for score in scores]


def _given_alphas(alphas: Any) -> Array:
    """The alphas of a list as numbers above zero."""
    values = list(alphas)
    for value in values:
        if isinstance(value, (str, bytes)) or not np.isreal(value):
            raise ParameterTypeError(f"GraphicalLassoCV: alphas must be an instance of float; got {value!r:.40}")
        if not 0 < float(value) < np.inf:
            raise ParameterError(f"GraphicalLassoCV: alphas must be > 0; got {value!r:.40}")
    if not values:
        raise ParameterError("GraphicalLassoCV: alphas must hold at least one value")
    return np.array(values, dtype=np.float64)


def _first_grid(covariance: Array, count: int) -> Array:
    """Alphas from the one that leaves no edge down."""
    largest = float(np.abs(np.triu(covariance, 1)).max(initial=0.0))
    if largest == 0:  # all columns are uncorrelated, or there is one
        largest = max(float(np.diag(covariance).max()), np.finfo(np.float64).tiny)
    return np.logspace(np.log10(RANGE * largest), np.log10(largest), count)[::-1]


def _refined_grid(found: list[_Scored], count: int) -> Array:
    """Alphas between the neighbours of the best one."""
    means = [float(np.mean(one.scores)) for one in found]
    best = max(range(len(found)), key=lambda i: (means[i], i))
    upper = found[max(best - 1, 0)].alpha
    lower = found[best + 1].alpha if best + 1 < len(found) else RANGE * found[best].alpha
    if best + 1 == len(found):
        upper = found[best].alpha
    return np.logspace(np.log10(upper), np.log10(lower), count + 2)[1:-1]


def _results(found: list[_Scored]) -> dict[str, Array]:
    scores = np.array([one.scores for one in found])
    results = {"alphas": np.array([one.alpha for one in found])}
    results |= {f"split{k}_test_score": scores[:, k] for k in range(scores.shape[1])}
    mean = scores.mean(axis=1)  # minus infinity where a precision of some fold is singular
    finite = np.isfinite(mean)
    deviation = np.where(finite, np.where(finite[:, None], scores, 0.0).std(axis=1), np.inf)
    return results | {"mean_test_score": mean, "std_test_score": deviation}
