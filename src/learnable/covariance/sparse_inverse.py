"""Graphical lasso."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core import Array, Data, DataError, Trace, declaring, estimator, learned, param
from ._covariance_base import CovarianceEstimator
from ._graphical_lasso import GraphicalLassoSettings, SparseInverse, solve_graphical_lasso
from ._moments import refuse_one_row, scatter_of


@declaring
class SparseInverseEstimator(CovarianceEstimator):
    """Parameters and results of the graphical lasso, with or without cross-validation."""

    mode: Literal["cd", "lars"] = param("cd", "accepted for compatibility; columns are solved by coordinate descent")
    tol: float = param(1e-4, "convergence threshold: duality gap", at_least=0)
    enet_tol: float = param(1e-4, "largest change of a coefficient that ends the lasso of a column", above=0)
    max_iter: int = param(100, "maximum number of sweeps over the columns", at_least=1)
    verbose: bool | int = param(False, "accepted for compatibility; use learnable.progress()")
    eps: float = param(np.finfo(np.float64).eps, "accepted for compatibility", at_least=0)
    costs_: list[Any] = learned("objective and duality gap after each sweep")
    n_iter_: int = learned("number of sweeps", least=0)

    def _settings(self, data: Data) -> GraphicalLassoSettings:
        return GraphicalLassoSettings(self.tol, self.enet_tol, self.max_iter, type(self).__name__, data.names)

    def _keep(self, data: Data, location: Array, found: SparseInverse) -> None:
        self._store(data.X, location, found.covariance, found.precision)
        self.costs_ = found.costs
        self.n_iter_ = len(found.costs)

    @property
    def partial_correlations_(self) -> Array:
        """Correlations of two columns given all others; zero where they are conditionally independent."""
        precision = self.get_precision().astype(np.float64)
        scale = np.sqrt(np.diag(precision))
        found = -precision / scale / scale[:, None]
        np.fill_diagonal(found, 1.0)
        return np.asarray(found)

    def edges(self) -> list[tuple[Any, Any, float]]:
        """The network: pairs of columns that are dependent given all others, with their partial correlations.

        >>> X = [[0.0, 0.0, 1.0], [1.0, 1.0, 0.0], [2.0, 3.0, 0.0], [3.0, 2.0, 1.0]]
        >>> [(a, b, round(correlation, 2)) for a, b, correlation in GraphicalLasso(alpha=0.25).fit(X).edges()]
        [(0, 1, 0.6)]
        """
        correlations = self.partial_correlations_
        names = getattr(self, "feature_names_in_", np.arange(len(correlations))).tolist()
        pairs = zip(*np.nonzero(np.triu(correlations, 1)), strict=True)
        return [(names[i], names[j], float(correlations[i, j])) for i, j in pairs]


@estimator
class GraphicalLasso(SparseInverseEstimator):
    """Graphical lasso: a sparse inverse covariance, the network of a Gaussian graphical model.

    minimise over P    tr(S P) - log det P + alpha sum over i != j of |P_ij|

    A zero P_ij says that columns i and j are independent given all others. Block coordinate descent solves a lasso for
    each column in turn, until the duality gap is below `tol`. Columns are not scaled, so alpha is in their units:
    standardise them for one penalty for all. [Friedman, Hastie and Tibshirani, 2008]

    >>> X = [[0.0, 0.0, 1.0], [1.0, 1.0, 0.0], [2.0, 3.0, 0.0], [3.0, 2.0, 1.0]]
    >>> GraphicalLasso(alpha=0.25).fit(X).precision_.round(2)
    array([[ 1.25, -0.75,  0.  ],
           [-0.75,  1.25,  0.  ],
           [ 0.  ,  0.  ,  4.  ]])
    """

    alpha: float = param(
        0.01, "penalty: larger leaves fewer edges", kw_only=False, at_least=0, tune=(0.01, 0.03, 0.1, 0.3),
        simpler="larger",
    )  # fmt: skip
    covariance: Literal["precomputed"] | None = param(None, 'whether X is a covariance ("precomputed")')

    title = "graphical lasso"
    reference = "Friedman, Hastie and Tibshirani, Sparse inverse covariance estimation with the graphical lasso, 2008"

    def _fit(self, data: Data, trace: Trace) -> None:
        if self.covariance == "precomputed":
            location, covariance = np.zeros(data.p), _checked_covariance(data)
        else:
            refuse_one_row(data, type(self).__name__)
            location, covariance = scatter_of(data.X, data.weight, self.assume_centered)
        self._keep(data, location, solve_graphical_lasso(covariance, self.alpha, self._settings(data), trace))


def _checked_covariance(data: Data) -> Array:
    """X as a covariance: square, symmetric."""
    S = data.X.astype(np.float64)
    if S.shape[0] != S.shape[1] or not np.allclose(S, S.T, rtol=1e-6, atol=1e-8 * np.abs(S).max()):
        raise DataError(f"GraphicalLasso: X must be a symmetric covariance; got a matrix of the shape {S.shape}")
    return np.asarray((S + S.T) / 2)
