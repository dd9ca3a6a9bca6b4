"""Base classes of the lasso and elastic net, for separate or joint targets."""

from __future__ import annotations

from typing import Any, Literal, Self

from ...core import Array, Data, Matrix, RandomState, Regressor, Trace, Traits, declaring, learned, param
from ...engines.cv_path import FoldPaths
from ...engines.folds import Fold
from ...engines.passes import TrainingRows
from .. import penalised_paths
from .._gram_on_blocks import OnMoments
from .cv_path import validation_path
from .penalised_fit import fit_all_targets, fit_each_target, predict, sparse_coefficients


@declaring
class PenalisedRegressor(Regressor):
    """Base class of the lasso and elastic net; `l1_ratio` is the fraction of the l1 part in the penalty."""

    alpha: float = param(
        1.0, "regularisation strength", kw_only=False, at_least=0, tune=(1e-4, 1e-3, 1e-2, 0.1, 1.0), simpler="larger"
    )
    fit_intercept: bool = param(True, "whether to fit an intercept")
    copy_X: bool = param(True, "accepted for compatibility; the data are never changed")
    max_iter: int = param(1000, "maximum number of passes over the working set", at_least=1)
    tol: float = param(1e-4, "tolerance of the duality gap, relative to the variance of the target", at_least=0)
    warm_start: bool = param(False, "whether to start from the previous solution")
    random_state: RandomState = param(None, "seed of the order of columns where selection is random")
    selection: Literal["cyclic", "random"] = param("cyclic", "order of the columns in a pass")
    coef_: Array = learned("coefficient of each column", shape="targets? features")
    intercept_: float | Array = learned("intercept of the model", shape="targets?")
    dual_gap_: float | Array = learned(
        "duality gap: an upper bound of the suboptimality of the objective", shape="targets?"
    )
    n_iter_: int | list[int] = learned("number of passes, per target if each is fitted separately")

    traits = Traits(sparse=True, multi_target=True)
    path = staticmethod(penalised_paths.enet_path)

    def _predict(self, X: Matrix) -> Array:
        return predict(self, X)

    @property
    def sparse_coef_(self) -> Any:
        """The coefficients as a SciPy sparse array."""
        return sparse_coefficients(self)


@declaring
class SingleTargetBase(OnMoments, PenalisedRegressor):
    """Base class of models that fit every target separately."""

    precompute: bool | Array = param(False, "the Gram matrix if it is known; otherwise it is computed where that pays")
    positive: bool = param(False, "whether coefficients are constrained to be non-negative")

    validation_paths = ("alpha",)

    def fit(self, X: Any, y: Any, sample_weight: Any = None, check_input: bool = True) -> Self:
        """Learn from rows `X` and their targets `y`; `check_input` is accepted for compatibility, input is checked."""
        return super().fit(X, y, sample_weight)

    def _fit(self, data: Data, trace: Trace) -> None:
        fit_each_target(self, data, trace)

    def _validation_path(self, parameter: str, values: list[Any], data: Data, parts: list[Fold]) -> FoldPaths | None:
        return validation_path(self, values, data, parts)


@declaring
class MultiTaskBase(OnMoments, PenalisedRegressor):
    """Base class of multi-task models, in which all targets use the same columns."""

    eps_: float = learned("tol times the sum of squares of the centred targets")

    traits = Traits(single_target=False)

    def _fit(self, data: Data, trace: Trace) -> None:
        fit_all_targets(self, data, trace)

    def _fit_blocks(self, rows: TrainingRows, trace: Trace) -> None:
        super()._fit_blocks(rows, trace)
        few = 2 if self.fit_intercept else 1  # rows for each column and target
        self.eps_ *= rows.n / (few * (rows.first.p + rows.first.y.shape[1]))
