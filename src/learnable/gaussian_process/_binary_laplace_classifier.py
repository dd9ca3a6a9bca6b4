"""Gaussian process classification of two classes."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from typing import Any, Literal, Self

import numpy as np

from ..core import Array, Data, DataError, ProbabilisticClassifier, Trace, Traits, estimator, learned, param
from ..core.runtime import context
from ..core.runtime.context import single_threaded_blas
from ..core.runtime.random import RandomState
from ._factor import in_parallel
from ._hyperparameter_search import certify, maximise, starting_points
from ._input import ObjectInput, free_kernel, refuse_kernel
from ._laplace import LaplaceInference, factor_of_mode, mean_sigmoid
from ._marginal_likelihood import marginal_likelihood
from ._posterior import across, forward_solve, rows_at_once
from .kernels import RBF, ConstantKernel, Kernel


@estimator
class BinaryLaplaceClassifier(ObjectInput, ProbabilisticClassifier):
    """Gaussian process classification of two classes by Laplace's approximation."""

    kernel: Any = param(None, "covariance function; None: a constant times RBF(), both fixed", kw_only=False)
    optimizer: Literal["fmin_l_bfgs_b"] | Callable[..., Any] | None = param(
        "fmin_l_bfgs_b", "how hyperparameters are optimised"
    )
    n_restarts_optimizer: int = param(0, "number of further runs from random hyperparameters", at_least=0)
    max_iter_predict: int = param(100, "limit of the Newton steps", at_least=1)
    warm_start: bool = param(False, "accepted for compatibility")
    copy_X_train: bool = param(True, "whether the training rows are copied")
    random_state: RandomState = param(None, "seed of the further runs")
    classes_: Array = learned("the two classes", shape="classes")
    kernel_: Kernel = learned("the kernel with optimised hyperparameters")
    X_train_: Any = learned("the training rows", shape="samples features", matrix=True)
    y_train_: Array = learned("the class of each training row, 0 or 1", shape="samples")
    sample_weight_: Array = learned("the weights of the training rows", shape="samples", optional=True)
    pi_: Array = learned("probability of the second class at the mode, of each training row", shape="samples")
    W_sr_: Array = learned("square roots of the second derivatives of the likelihood", shape="samples")
    L_: Array = learned("lower Cholesky factor of I + W^1/2 K W^1/2", shape="samples samples")
    log_marginal_likelihood_value_: float = learned("the approximate log marginal likelihood")

    traits = Traits(many_classes=False, parametric=False, stochastic=True)

    def _fit(self, data: Data, trace: Trace) -> None:
        if len(self.classes_) != 2:
            raise DataError(f"{type(self).__name__}: y must have two classes; got {len(self.classes_)}")
        self.kernel_ = free_kernel(self.kernel, ConstantKernel(1.0, "fixed") * RBF(1.0, "fixed"))
        kept = slice(None) if data.weight is None else np.flatnonzero(data.weight > 0)
        rows = data.X[kept]
        self.X_train_ = rows.copy() if self.copy_X_train else rows
        self.y_train_ = data.y[kept]
        self.__dict__.pop("sample_weight_", None)
        if data.weight is not None:
            self.sample_weight_ = data.weight[kept]
        inference = self._inference(self.kernel_, warm=True)
        optimised = self.optimizer is not None and self.kernel_.n_dims > 0
        if optimised:
            self._optimise(inference, trace)
        with context.finishing() if optimised else nullcontext():
            mode = inference.mode(inference.matrix(self.kernel_))
        self.pi_, self.W_sr_, self.L_ = mode.pi, mode.root, factor_of_mode(mode)
        if not optimised:
            self.log_marginal_likelihood_value_ = mode.value
            trace.exact("the hyperparameters are those of the kernel, and the posterior is at its mode", -mode.value)

    def _optimise(self, inference: LaplaceInference, trace: Trace) -> None:
        def objective(theta: Array, with_gradient: bool) -> tuple[float, Array]:
            self.kernel_.theta = theta
            return inference.evaluate(self.kernel_, with_gradient)

        bounds, n = self.kernel_.bounds, len(self.y_train_)
        starts = starting_points(bounds, self.n_restarts_optimizer, self.random_state, "GaussianProcessClassifier")
        optimum = maximise(objective, self.kernel_.theta, bounds, self.optimizer, starts, trace, n, inference)
        self.kernel_.theta = optimum.theta
        self.kernel_._check_bounds_params()
        self.log_marginal_likelihood_value_ = optimum.value
        certify(trace, optimum, n, "of Laplace's approximation")

    def _inference(self, kernel: Kernel, warm: bool) -> LaplaceInference:
        weight, rows = self.__dict__.get("sample_weight_"), self._objects(self.X_train_)
        return LaplaceInference(rows, self.y_train_.astype(np.float64), weight, kernel, self.max_iter_predict, warm)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows `X` and their classes `y`; a weight of 3 counts a row as three copies."""
        refuse_kernel(self)
        return super().fit(X, y, sample_weight)

    def log_marginal_likelihood(self, theta: Any = None, eval_gradient: bool = False, clone_kernel: bool = True) -> Any:
        """The approximate log marginal likelihood for hyperparameters `theta`, and its gradient if requested."""
        return marginal_likelihood(self, partial(self._inference, warm=False), theta, eval_gradient, clone_kernel)

    def latent_mean_and_variance(self, X: Any) -> tuple[Array, Array]:
        """Mean and variance of the latent function at the rows of `X`."""
        return self._latent(self._read(X), True)

    def _latent(self, X: Array, with_variance: bool) -> tuple[Array, Array]:
        rows, seen = self._objects(X), self._objects(self.X_train_)
        residual = self.y_train_ - self.pi_
        if "sample_weight_" in self.__dict__:
            residual = residual * self.sample_weight_
        mean, reduced, height = np.empty(len(X)), np.zeros(len(X)), rows_at_once(len(seen))
        with single_threaded_blas():

            def block(top: int) -> None:
                here = slice(top, top + height)
                K = across(self.kernel_, rows[here], seen)
                mean[here] = np.einsum("ij,j->i", K, residual)  # in the same order for one row as for many
                if with_variance:
                    V = forward_solve(self.L_, K * self.W_sr_)
                    reduced[here] = np.einsum("ij,ij->i", V, V)

            in_parallel(block, range(0, len(X), height))
        return mean, np.maximum(self.kernel_.diag(rows) - reduced, 0.0) if with_variance else reduced

    def _probabilities(self, X: Array) -> Array:
        second = mean_sigmoid(*self._latent(X, True))
        return np.column_stack([1 - second, second])

    def _classify(self, X: Array) -> Array:
        return (self._latent(X, False)[0] > 0).astype(np.int64)
