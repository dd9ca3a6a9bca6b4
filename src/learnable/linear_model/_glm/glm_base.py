"""Base class of generalised linear regressors."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from ...core import Array, Data, Matrix, Regressor, Trace, Traits, declaring, learned, param
from ...engines import matrix_products
from ...engines.minimise.smooth_solver import Solver
from ...engines.passes import TrainingRows
from ...parts.losses.loss import Loss
from .._linear_summary import Summary
from .glm_fit import explained_deviance, fit_glm
from .glm_on_blocks import fit_glm_on_blocks
from .glm_summary import GlmStatistics, glm_summary


@declaring
class GeneralizedLinear(Regressor):
    """Base class of generalised linear models: `_loss` is half the deviance, and the variance is mean^`_power`."""

    alpha: float = param(
        1.0, "regularisation strength", at_least=0, tune=(1e-4, 1e-3, 1e-2, 0.1, 1.0), simpler="larger"
    )
    fit_intercept: bool = param(True, "whether to fit an intercept")
    solver: Solver = param("lbfgs", "optimisation method; more than 2000 columns always use lbfgs")
    max_iter: int = param(100, "maximum number of iterations", at_least=1)
    tol: float = param(
        1e-4, "relative gradient norm that ends the fit; its square is reached if rounding allows", above=0
    )
    warm_start: bool = param(False, "whether to start from the previous solution")
    verbose: int = param(0, "accepted for compatibility; use learnable.progress()", at_least=0)
    coef_: Array = learned("coefficient of each column", shape="features")
    intercept_: float = learned("intercept of the model")
    n_iter_: int = learned("number of iterations")
    statistics_: GlmStatistics = learned("statistics of the coefficient table")

    traits = Traits(sparse=True, storage="csr")

    @property
    @abstractmethod
    def _loss(self) -> Loss: ...

    @property
    @abstractmethod
    def _power(self) -> float: ...

    def _fit(self, data: Data, trace: Trace) -> None:
        fit_glm(self, self._loss, self._power, data, trace)

    def _fit_blocks(self, rows: TrainingRows, trace: Trace) -> None:
        fit_glm_on_blocks(self, self._loss, self._power, rows, trace)

    def _predict(self, X: Matrix) -> Array:
        return self._loss.predict(matrix_products.scores(X, self.coef_, self.intercept_))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """D², the fraction of the deviance explained by the model."""
        return explained_deviance(self, self._loss, X, y, sample_weight)

    def summary(self, level: float = 0.95) -> Summary:
        """The coefficient table with standard errors, z, p and intervals at `level`; only coef if alpha > 0."""
        return glm_summary(self, level)
