"""The elastic net that chooses its own strength and blend."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core import Array, Data, Matrix, RandomState, Regressor, Trace, estimator, learned, param
from . import paths
from .penalised import predict
from .penalised_cv import Rule, fit_chosen, strengths_allowed


@estimator
class ElasticNetCV(Regressor):
    """The elastic net with the strength, and the blend, that predict best the rows it has not seen.

    minimise over w, b    sum_i s_i (y_i - x_i w - b)^2 / 2  +  alpha (l1_ratio |w|_1 + (1 - l1_ratio) |w|^2 / 2)

    Several values of l1_ratio may be given: each has its own grid of strengths. One warm-started path per blend and
    fold, to a proven duality gap at every strength. [Zou and Hastie, 2005]

    >>> X = [[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0], [4.0, 1.0], [5.0, 1.0]]
    >>> model = ElasticNetCV(l1_ratio=[0.1, 0.9], alphas=[1.0, 0.01], cv=3).fit(X, [1.0, 3.0, 5.0, 7.0, 9.0, 11.0])
    >>> model.alpha_, model.l1_ratio_
    (0.01, 0.9)
    """

    l1_ratio: float | Array = param(
        0.5, "share of the absolute part, or several to try",
        accepts=lambda value: bool(np.all((np.asarray(value) >= 0) & (np.asarray(value) <= 1))), says="between 0 and 1",
    )  # fmt: skip
    eps: float = param(1e-3, "weakest strength of a grid over the strongest", above=0)
    alphas: int | Array = param(
        100, "how many strengths to try, or which", accepts=strengths_allowed, says="at least one, none below 0"
    )
    fit_intercept: bool = param(True, "whether to learn a constant term")
    precompute: bool | Literal["auto"] | Array = param("auto", "accepted for compatibility; what pays is chosen")
    max_iter: int = param(1000, "most passes over working sets for each strength", at_least=1)
    tol: float = param(1e-4, "duality gap at each strength, relative to the spread of the target", at_least=0)
    cv: Any = param(None, "folds: None for five, a number, a splitter, or pairs of index arrays")
    copy_X: bool = param(True, "accepted for compatibility; the data are never changed")
    verbose: bool | int = param(0, "accepted for compatibility; use learnable.progress()")
    n_jobs: int | None = param(None, "accepted for compatibility; use learnable.threads(n)")
    positive: bool = param(False, "whether coefficients must be at least zero")
    random_state: RandomState = param(None, "seed of the order of columns where selection is random")
    selection: Literal["cyclic", "random"] = param("cyclic", "order in which a pass visits columns")
    rule: Rule = param("min", "the strength of the smallest error, or the strongest within one standard error of it")
    alpha_: float = learned("the strength chosen")
    l1_ratio_: float = learned("the blend chosen")
    alphas_: Array = learned("the strengths tried, from strong to weak", shape="blends? strengths")
    mse_path_: Array = learned("mean squared error of each strength on each fold", shape="blends? strengths folds")
    coef_: Array = learned("weight of each column", shape="features")
    intercept_: float = learned("constant term")
    dual_gap_: float = learned("proven bound on how much the objective could still fall")
    n_iter_: int = learned("passes done with the strength chosen")

    sparse = True
    reference = "Zou and Hastie, Regularization and variable selection via the elastic net, JRSS B 67, 2005"
    path = staticmethod(paths.enet_path)

    def _fit(self, data: Data, trace: Trace) -> None:
        blends = np.atleast_1d(np.asarray(self.l1_ratio, dtype=np.float64))
        self.l1_ratio_ = fit_chosen(self, data, trace, blends, several=False)

    def _predict(self, X: Matrix) -> Array:
        return predict(self, X)
