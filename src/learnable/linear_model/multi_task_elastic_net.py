"""The elastic net for several targets that use the same columns."""

from __future__ import annotations

from typing import Any, Literal

from ..core import Array, Data, Matrix, RandomState, Regressor, Trace, estimator, learned, param
from . import paths
from .penalised import fit_all_targets, predict, sparse_coefficients


@estimator
class MultiTaskElasticNet(Regressor):
    """Least squares for several targets at once, with a blend of selection by column and shrinkage.

    minimise over W, b    sum_i s_i |y_i - x_i W - b|^2 / 2  +  alpha (l1_ratio sum_j |W_j| + (1 - l1_ratio) |W|^2 / 2)

    W_j holds the coefficients of column j for all targets: all of them are zero or none is. The weights s_i sum to one.
    Block coordinate descent on working sets to a proven duality gap. [Yuan and Lin, 2006; Zou and Hastie, 2005]

    >>> X, Y = [[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0]], [[1.0, 0.0], [3.0, 1.0], [5.0, 2.0], [7.0, 3.0]]
    >>> MultiTaskElasticNet(alpha=0.1).fit(X, Y).coef_.round(2)
    array([[1.89, 0.  ],
           [0.94, 0.  ]])
    """

    alpha: float = param(1.0, "strength of the penalty", kw_only=False, at_least=0)
    l1_ratio: float = param(0.5, "share of the part that selects", between=(0, 1))
    fit_intercept: bool = param(True, "whether to learn constant terms")
    copy_X: bool = param(True, "accepted for compatibility; the data are never changed")
    max_iter: int = param(1000, "most passes over working sets", at_least=1)
    tol: float = param(1e-4, "duality gap that ends the fit, relative to the spread of the targets", at_least=0)
    warm_start: bool = param(False, "whether to start from the coefficients of the last fit")
    random_state: RandomState = param(None, "seed of the order of columns where selection is random")
    selection: Literal["cyclic", "random"] = param("cyclic", "order in which a pass visits columns")
    coef_: Array = learned("weight of each column for each target", shape="targets features")
    intercept_: float | Array = learned("constant terms", shape="targets?")
    dual_gap_: float = learned("proven bound on how much the objective could still fall")
    n_iter_: int = learned("passes done")
    eps_: float = learned("tol in units of the summed squares of the centred targets")

    sparse = True
    multi_target = True
    single_target = False
    reference = "Yuan and Lin, Model selection and estimation in regression with grouped variables, JRSS B 68, 2006"
    path = staticmethod(paths.enet_path)

    def _fit(self, data: Data, trace: Trace) -> None:
        fit_all_targets(self, data, trace, self.l1_ratio)

    def _predict(self, X: Matrix) -> Array:
        return predict(self, X)

    @property
    def sparse_coef_(self) -> Any:
        """The coefficients as a SciPy sparse array."""
        return sparse_coefficients(self)
