"""The elastic net: least squares with an absolute and a squared penalty."""

from __future__ import annotations

from typing import Any, Literal

from ..core import Array, Data, Matrix, RandomState, Regressor, Trace, estimator, learned, param
from ..engines.folds import Fold
from ..engines.shortcut import FoldPaths
from . import paths
from .penalised import fit_each_target, predict, sparse_coefficients
from .validation_path import validation_path


@estimator
class ElasticNet(Regressor):
    """Least squares that pays for a blend of the absolute and the squared size of coefficients.

    minimise over w, b    sum_i s_i (y_i - x_i w - b)^2 / 2  +  alpha (l1_ratio |w|_1 + (1 - l1_ratio) |w|^2 / 2)

    The absolute part selects columns, the squared part shares weight among those that resemble each other. The weights
    s_i sum to one. Coordinate descent on working sets to a proven duality gap, as in Lasso. [Zou and Hastie, 2005]

    >>> X, y = [[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0]], [1.0, 3.0, 5.0, 7.0]
    >>> ElasticNet(alpha=0.1).fit(X, y).coef_.round(2)
    array([1.88, 0.  ])
    """

    alpha: float = param(
        1.0, "strength of the penalty", kw_only=False, at_least=0, tune=(1e-4, 1e-3, 1e-2, 0.1, 1.0), simpler="larger"
    )
    l1_ratio: float = param(
        0.5, "share of the absolute part", between=(0, 1), tune=(0.1, 0.5, 0.7, 0.9, 0.95, 0.99, 1.0), simpler="larger"
    )
    fit_intercept: bool = param(True, "whether to learn a constant term")
    precompute: bool | Array = param(False, "the Gram matrix if you have it; else what pays is chosen")
    max_iter: int = param(1000, "most passes over working sets", at_least=1)
    copy_X: bool = param(True, "accepted for compatibility; the data are never changed")
    tol: float = param(1e-4, "duality gap that ends the fit, relative to the spread of the target", at_least=0)
    warm_start: bool = param(False, "whether to start from the coefficients of the last fit")
    positive: bool = param(False, "whether coefficients must be at least zero")
    random_state: RandomState = param(None, "seed of the order of columns where selection is random")
    selection: Literal["cyclic", "random"] = param("cyclic", "order in which a pass visits columns")
    coef_: Array = learned("weight of each column", shape="targets? features")
    intercept_: float | Array = learned("constant term", shape="targets?")
    dual_gap_: float | Array = learned("proven bound on how much the objective could still fall", shape="targets?")
    n_iter_: int | list[int] = learned("passes done, one number per target if there are several")

    sparse = True
    multi_target = True
    validation_paths = ("alpha",)
    reference = "Zou and Hastie, Regularization and variable selection via the elastic net, JRSS B 67, 2005"
    path = staticmethod(paths.enet_path)

    def _fit(self, data: Data, trace: Trace) -> None:
        fit_each_target(self, data, trace, self.l1_ratio, self.positive, self.precompute)

    def _predict(self, X: Matrix) -> Array:
        return predict(self, X)

    def _validation_path(self, parameter: str, values: list[Any], data: Data, parts: list[Fold]) -> FoldPaths | None:
        return validation_path(self, values, data, parts, self.l1_ratio)

    @property
    def sparse_coef_(self) -> Any:
        """The coefficients as a SciPy sparse array."""
        return sparse_coefficients(self)
