"""Base classes of the lasso and elastic net with cross-validation."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ...core import Array, Data, Matrix, RandomState, Regressor, Trace, Traits, declaring, learned, param
from .. import penalised_paths
from .._gram_on_blocks import ChoosesOnFolds
from ..penalised_paths import alphas_allowed
from .penalised_cv import Rule, fit_with_chosen_alpha
from .penalised_fit import predict


@declaring
class PenalisedRegressorCV(ChoosesOnFolds, Regressor):
    """Base class of models with cross-validation of alpha, and of l1_ratio if there are several."""

    eps: float = param(1e-3, "smallest alpha of the grid, relative to the largest", above=0)
    alphas: int | Array = param(
        100,
        "number of alphas on the path, or the values themselves",
        at_least=0,
        accepts=alphas_allowed,
        says="not empty",
    )
    fit_intercept: bool = param(True, "whether to fit an intercept")
    max_iter: int = param(1000, "maximum number of passes over the working set for each alpha", at_least=1)
    tol: float = param(
        1e-4, "tolerance of the duality gap at each alpha, relative to the variance of the target", at_least=0
    )
    copy_X: bool = param(True, "accepted for compatibility; the data are never changed")
    cv: Any = param(None, "cross-validation folds: None for 5, a number, a splitter, or (train, test) pairs")
    verbose: bool | int = param(False, "accepted for compatibility; use learnable.progress()")
    n_jobs: int | None = param(None, "accepted for compatibility; use learnable.threads(n)")
    random_state: RandomState = param(None, "seed of the order of columns where selection is random")
    selection: Literal["cyclic", "random"] = param("cyclic", "order of the columns in a pass")
    rule: Rule = param("min", "alpha with the smallest error, or the largest within one standard error of it")
    alpha_: float = learned("alpha with the best cross-validation score")
    alphas_: Array = learned("alphas tried, in descending order", shape="blends? alphas")
    mse_path_: Array = learned("mean squared error of each alpha on each fold", shape="blends? alphas folds")
    coef_: Array = learned("coefficient of each column", shape="targets? features")
    intercept_: float | Array = learned("intercept of the model", shape="targets?")
    dual_gap_: float = learned("duality gap: an upper bound of the suboptimality of the objective")
    n_iter_: int = learned("number of passes with the chosen alpha")

    traits = Traits(sparse=True)
    path = staticmethod(penalised_paths.lasso_path)

    def _fit(self, data: Data, trace: Trace) -> None:
        fit_with_chosen_alpha(self, data, trace, np.ones(1))

    def _predict(self, X: Matrix) -> Array:
        return predict(self, X)


@declaring
class SingleTargetCV(PenalisedRegressorCV):
    """Base class of models of one target."""

    precompute: bool | Literal["auto"] | Array = param("auto", "accepted for compatibility; chosen automatically")
    positive: bool = param(False, "whether coefficients are constrained to be non-negative")


@declaring
class MultiTaskCV(PenalisedRegressorCV):
    """Base class of multi-task models, in which all targets use the same columns."""

    traits = Traits(single_target=False, multi_target=True)


@declaring
class ElasticNetCVBase(PenalisedRegressorCV):
    """Base class of models with cross-validation of l1_ratio too."""

    l1_ratio: float | Array = param(
        0.5, "fraction of the l1 part in the penalty, or several values to try", between=(0, 1),
        accepts=lambda value: np.size(value) > 0, says="not empty",
    )  # fmt: skip
    verbose: bool | int = param(0, "accepted for compatibility; use learnable.progress()")
    l1_ratio_: float = learned("l1_ratio with the best cross-validation score")

    path = staticmethod(penalised_paths.enet_path)

    def _fit(self, data: Data, trace: Trace) -> None:
        l1_ratios = np.atleast_1d(np.asarray(self.l1_ratio, dtype=np.float64))
        self.l1_ratio_ = fit_with_chosen_alpha(self, data, trace, l1_ratios)
