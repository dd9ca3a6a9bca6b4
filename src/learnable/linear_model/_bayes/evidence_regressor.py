"""Base class of Bayesian linear regressions by evidence maximisation."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from ...core import Array, Data, Matrix, Regressor, Trace, declaring, learned, param
from ...engines import matrix_products
from ...engines.iterate import iterate
from .._gram_on_blocks import OnMoments
from .evidence import EvidenceMaximisation, certify, check_squares, keep


@declaring
class EvidenceRegressor(OnMoments, Regressor):
    """Base class of linear models with gamma priors of the precisions of noise and weights."""

    max_iter: int = param(300, "maximum number of iterations", at_least=1)
    tol: float = param(1e-3, "tolerance of the gradient per row and of the change of the coefficients", at_least=0)
    alpha_1: float = param(1e-6, "shape of the gamma prior of alpha", at_least=0)
    alpha_2: float = param(1e-6, "rate of the gamma prior of alpha", at_least=0)
    lambda_1: float = param(1e-6, "shape of the gamma prior of lambda", at_least=0)
    lambda_2: float = param(1e-6, "rate of the gamma prior of lambda", at_least=0)
    compute_score: bool = param(False, "whether to keep the log evidence of every iteration")
    fit_intercept: bool = param(True, "whether to fit an intercept")
    copy_X: bool = param(True, "accepted for compatibility; the data are never changed")
    verbose: bool = param(False, "accepted for compatibility; use learnable.progress()")
    coef_: Array = learned("posterior mean of the coefficients", shape="features")
    intercept_: float = learned("intercept of the model")
    alpha_: float = learned("precision (one over the variance) of the noise")
    n_iter_: int = learned("number of iterations")
    X_offset_: Array = learned("mean of each column", shape="features")
    X_scale_: Array = learned("ones, as columns are not scaled", shape="features")
    sigma_: Array = learned("posterior covariance of the remaining coefficients", shape="left left")
    scores_: Array = learned("log evidence of each iteration; empty unless compute_score", shape="scores")

    def _fit(self, data: Data, trace: Trace) -> None:
        data = matrix_products.counted(data)
        check_squares(self, data)
        method = self._evidence(data)
        state = iterate(method, self.max_iter, trace)
        found = method.found(state)
        keep(self, data, method.units, found)
        self.n_iter_ = trace.iterations
        self.scores_ = np.append(-trace["objective"], found.score) if self.compute_score else np.empty(0)
        certify(trace, found.gradient, self.tol)

    def _move_intercept(self, shift_x: Array, shift_y: Array | float) -> None:
        super()._move_intercept(shift_x, shift_y)
        self.X_offset_ = self.X_offset_ + shift_x

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """Predicted targets for the rows of `X`; with `return_std` also the standard deviation of each."""
        matrix = self._read(X)
        mean = self._predict(matrix)
        if not return_std:
            return mean
        centred = (matrix - self.X_offset_)[:, self._uncertain()]
        return mean, np.sqrt(((centred @ self.sigma_) * centred).sum(axis=1) + 1 / self.alpha_)

    def _predict(self, X: Matrix) -> Array:
        return matrix_products.scores(X, self.coef_, self.intercept_)

    @abstractmethod
    def _evidence(self, data: Data) -> EvidenceMaximisation:
        """The updates of the precisions, as a method of `iterate`."""

    @abstractmethod
    def _uncertain(self) -> Any:
        """The columns whose weights `sigma_` covers."""
