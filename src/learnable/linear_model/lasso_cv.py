"""The lasso that chooses its own strength."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core import Array, Data, Matrix, RandomState, Regressor, Trace, estimator, learned, param
from . import paths
from .penalised import predict
from .penalised_cv import Rule, fit_chosen, strengths_allowed


@estimator
class LassoCV(Regressor):
    """The lasso with the strength that predicts best the rows it has not seen.

    minimise over w, b    sum_i s_i (y_i - x_i w - b)^2 / 2  +  alpha |w|_1,      alpha by cross-validation

    One warm-started path per fold, to a proven duality gap at every strength. With rule="one_standard_error" the
    strongest penalty within one standard error of the best is taken, for a simpler model. [Tibshirani, 1996]

    >>> X = [[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0], [4.0, 1.0], [5.0, 1.0]]
    >>> model = LassoCV(alphas=[1.0, 0.01], cv=3).fit(X, [1.0, 3.0, 5.0, 7.0, 9.0, 11.0])
    >>> model.alpha_, model.coef_.round(2)
    (0.01, array([2., 0.]))
    """

    eps: float = param(1e-3, "weakest strength of the grid over the strongest", above=0)
    alphas: int | Array = param(
        100, "how many strengths to try, or which", accepts=strengths_allowed, says="at least one, none below 0"
    )
    fit_intercept: bool = param(True, "whether to learn a constant term")
    precompute: bool | Literal["auto"] | Array = param("auto", "accepted for compatibility; what pays is chosen")
    max_iter: int = param(1000, "most passes over working sets for each strength", at_least=1)
    tol: float = param(1e-4, "duality gap at each strength, relative to the spread of the target", at_least=0)
    copy_X: bool = param(True, "accepted for compatibility; the data are never changed")
    cv: Any = param(None, "folds: None for five, a number, a splitter, or pairs of index arrays")
    verbose: bool | int = param(False, "accepted for compatibility; use learnable.progress()")
    n_jobs: int | None = param(None, "accepted for compatibility; use learnable.threads(n)")
    positive: bool = param(False, "whether coefficients must be at least zero")
    random_state: RandomState = param(None, "seed of the order of columns where selection is random")
    selection: Literal["cyclic", "random"] = param("cyclic", "order in which a pass visits columns")
    rule: Rule = param("min", "the strength of the smallest error, or the strongest within one standard error of it")
    alpha_: float = learned("the strength chosen")
    alphas_: Array = learned("the strengths tried, from strong to weak", shape="strengths")
    mse_path_: Array = learned("mean squared error of each strength on each fold", shape="strengths folds")
    coef_: Array = learned("weight of each column", shape="features")
    intercept_: float = learned("constant term")
    dual_gap_: float = learned("proven bound on how much the objective could still fall")
    n_iter_: int = learned("passes done with the strength chosen")

    sparse = True
    reference = "Tibshirani, Regression shrinkage and selection via the lasso, JRSS B 58, 1996"
    path = staticmethod(paths.lasso_path)

    def _fit(self, data: Data, trace: Trace) -> None:
        fit_chosen(self, data, trace, np.ones(1), several=False)

    def _predict(self, X: Matrix) -> Array:
        return predict(self, X)
