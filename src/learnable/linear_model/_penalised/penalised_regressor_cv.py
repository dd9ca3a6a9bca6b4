"""What the forms of the lasso and the elastic net that choose their own strength declare alike."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ...core import Array, Data, Matrix, RandomState, Regressor, Trace, declaring, learned, param
from .. import penalised_paths
from ..penalised_paths import alphas_allowed
from .penalised_cv import Rule, fit_chosen
from .penalised_fit import predict


@declaring
class PenalisedRegressorCV(Regressor):
    """The strength, and among several blends `l1_ratio` also the blend, chosen by cross-validation."""

    eps: float = param(1e-3, "weakest strength of a grid over the strongest", above=0)
    alphas: int | Array = param(
        100, "how many strengths to try, or which", at_least=0, accepts=alphas_allowed, says="not empty"
    )
    fit_intercept: bool = param(True, "whether to learn a constant term")
    max_iter: int = param(1000, "most passes over working sets for each strength", at_least=1)
    tol: float = param(1e-4, "duality gap at each strength, relative to the spread of the target", at_least=0)
    copy_X: bool = param(True, "accepted for compatibility; the data are never changed")
    cv: Any = param(None, "folds: None for five, a number, a splitter, or pairs of index arrays")
    verbose: bool | int = param(False, "accepted for compatibility; use learnable.progress()")
    n_jobs: int | None = param(None, "accepted for compatibility; use learnable.threads(n)")
    random_state: RandomState = param(None, "seed of the order of columns where selection is random")
    selection: Literal["cyclic", "random"] = param("cyclic", "order in which a pass visits columns")
    rule: Rule = param("min", "the strength of the smallest error, or the strongest within one standard error of it")
    alpha_: float = learned("the strength chosen")
    alphas_: Array = learned("the strengths tried, from strong to weak", shape="blends? strengths")
    mse_path_: Array = learned("mean squared error of each strength on each fold", shape="blends? strengths folds")
    coef_: Array = learned("weight of each column", shape="targets? features")
    intercept_: float | Array = learned("constant term", shape="targets?")
    dual_gap_: float = learned("proven bound on how much the objective could still fall")
    n_iter_: int = learned("passes done with the strength chosen")

    sparse = True
    path = staticmethod(penalised_paths.lasso_path)

    def _fit(self, data: Data, trace: Trace) -> None:
        fit_chosen(self, data, trace, np.ones(1))

    def _predict(self, X: Matrix) -> Array:
        return predict(self, X)


@declaring
class OneTargetCV(PenalisedRegressorCV):
    """For one target."""

    precompute: bool | Literal["auto"] | Array = param("auto", "accepted for compatibility; what pays is chosen")
    positive: bool = param(False, "whether coefficients must be at least zero")


@declaring
class AllTargetsCV(PenalisedRegressorCV):
    """For several targets that use the same columns."""

    multi_target = True
    single_target = False


@declaring
class Blended(PenalisedRegressorCV):
    """That also chooses between blends of selection and shrinkage."""

    l1_ratio: float | Array = param(
        0.5, "share of the part that selects, or several to try", between=(0, 1),
        accepts=lambda value: np.size(value) > 0, says="not empty",
    )  # fmt: skip
    verbose: bool | int = param(0, "accepted for compatibility; use learnable.progress()")
    l1_ratio_: float = learned("the blend chosen")

    path = staticmethod(penalised_paths.enet_path)

    def _fit(self, data: Data, trace: Trace) -> None:
        blends = np.atleast_1d(np.asarray(self.l1_ratio, dtype=np.float64))
        self.l1_ratio_ = fit_chosen(self, data, trace, blends)
