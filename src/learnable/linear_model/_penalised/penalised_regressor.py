"""What the lasso, the elastic net and their forms for several targets declare alike."""

from __future__ import annotations

from typing import Any, Literal

from ...core import Array, Data, Matrix, RandomState, Regressor, Trace, declaring, learned, param
from ...engines.cv_path import FoldPaths
from ...engines.folds import Fold
from .. import penalised_paths
from .cv_path import validation_path
from .penalised_fit import fit_all_targets, fit_each_target, predict, sparse_coefficients


@declaring
class PenalisedRegressor(Regressor):
    """Least squares with a penalty that selects columns; `l1_ratio` is the share of the part that selects."""

    alpha: float = param(
        1.0, "strength of the penalty", kw_only=False, at_least=0, tune=(1e-4, 1e-3, 1e-2, 0.1, 1.0), simpler="larger"
    )
    fit_intercept: bool = param(True, "whether to learn a constant term")
    copy_X: bool = param(True, "accepted for compatibility; the data are never changed")
    max_iter: int = param(1000, "most passes over working sets", at_least=1)
    tol: float = param(1e-4, "duality gap that ends the fit, relative to the spread of the target", at_least=0)
    warm_start: bool = param(False, "whether to start from the coefficients of the last fit")
    random_state: RandomState = param(None, "seed of the order of columns where selection is random")
    selection: Literal["cyclic", "random"] = param("cyclic", "order in which a pass visits columns")
    coef_: Array = learned("weight of each column", shape="targets? features")
    intercept_: float | Array = learned("constant term", shape="targets?")
    dual_gap_: float | Array = learned("proven bound on how much the objective could still fall", shape="targets?")
    n_iter_: int | list[int] = learned("passes done, one number per target if each is fitted by itself")

    sparse = True
    multi_target = True
    path = staticmethod(penalised_paths.enet_path)

    def _predict(self, X: Matrix) -> Array:
        return predict(self, X)

    @property
    def sparse_coef_(self) -> Any:
        """The coefficients as a SciPy sparse array."""
        return sparse_coefficients(self)


@declaring
class EachTarget(PenalisedRegressor):
    """Every target is fitted by itself, with columns of its own."""

    precompute: bool | Array = param(False, "the Gram matrix if you have it; else what pays is chosen")
    positive: bool = param(False, "whether coefficients must be at least zero")

    validation_paths = ("alpha",)

    def _fit(self, data: Data, trace: Trace) -> None:
        fit_each_target(self, data, trace)

    def _validation_path(self, parameter: str, values: list[Any], data: Data, parts: list[Fold]) -> FoldPaths | None:
        return validation_path(self, values, data, parts)


@declaring
class AllTargets(PenalisedRegressor):
    """All targets use the same columns."""

    eps_: float = learned("tol in units of the summed squares of the centred targets")

    single_target = False

    def _fit(self, data: Data, trace: Trace) -> None:
        fit_all_targets(self, data, trace)
