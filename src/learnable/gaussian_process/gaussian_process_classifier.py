"""Gaussian process classification."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Self

import numpy as np

from ..core import (
    Array,
    Data,
    DataError,
    ParameterError,
    ProbabilisticClassifier,
    Trace,
    Traits,
    estimator,
    learned,
    param,
)  # fmt: skip
from ..core.runtime.random import RandomState
from ..multiclass import OneVsOneClassifier, OneVsRestClassifier
from ._binary_laplace_classifier import BinaryLaplaceClassifier
from ._input import KERNEL_WORDS, ObjectInput, is_kernel_or_none, refuse_kernel
from .kernels import CompoundKernel, Kernel


@estimator
class GaussianProcessClassifier(ObjectInput, ProbabilisticClassifier):
    """Gaussian process classification by Laplace's approximation; several classes one against the rest, or by pairs.

    f ~ GP(0, k),    p(y_i = 1 | f) = sigmoid(f(x_i)),    p(f | X, y) ~ N(mode, (K^-1 + W)^-1)

    The mode is found by Newton's method; hyperparameters maximise the approximate marginal likelihood by L-BFGS-B.
    Probabilities are means of the sigmoid over the latent function. A row of weight 3 counts as three with the same
    latent value. An evaluation costs some n^3 and n^2 numbers. [Rasmussen and Williams, 2006, chapter 3]

    >>> from learnable.gaussian_process.kernels import RBF
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
    >>> GaussianProcessClassifier(1.0 * RBF(1.0), random_state=0).fit(X, y).predict([[0.5], [2.5]])
    array([0, 1])
    """

    kernel: Any = param(
        None,
        "covariance function; None: a constant times RBF(), both fixed",
        kw_only=False,
        accepts=is_kernel_or_none,
        says=KERNEL_WORDS,
    )
    optimizer: Literal["fmin_l_bfgs_b"] | Callable[..., Any] | None = param(
        "fmin_l_bfgs_b",
        "how hyperparameters are optimised: L-BFGS-B, a function of objective, theta and bounds, or not at all",
    )
    n_restarts_optimizer: int = param(0, "number of further runs from random hyperparameters", at_least=0)
    max_iter_predict: int = param(100, "limit of the Newton steps to the mode", at_least=1)
    warm_start: bool = param(
        False, "accepted for compatibility; Newton's method always begins at the mode of the last hyperparameters"
    )
    copy_X_train: bool = param(True, "whether the training rows are copied")
    random_state: RandomState = param(None, "seed of the further runs")
    multi_class: Literal["one_vs_rest", "one_vs_one"] = param(
        "one_vs_rest", "how several classes are reduced to two: each against the rest, or each pair"
    )
    n_jobs: int | None = param(None, "number of processes for several classes; None: 1")
    classes_: Array = learned("the classes, sorted", shape="classes")
    n_classes_: int = learned("the number of classes", counts="classes")
    base_estimator_: Any = learned("the classifier of two classes, or the reduction of several to it")
    log_marginal_likelihood_value_: float = learned(
        "the approximate log marginal likelihood, of several classifiers the mean"
    )

    traits = Traits(parametric=False, stochastic=True)
    title = "Gaussian process classification"
    reference = "Rasmussen and Williams, Gaussian processes for machine learning, MIT Press 2006"

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows `X` and their classes `y`; a weight of 3 counts a row as three copies."""
        refuse_kernel(self)
        return super().fit(X, y, sample_weight)

    def _fit(self, data: Data, trace: Trace) -> None:
        self.n_classes_ = len(self.classes_)
        if self.n_classes_ == 1:
            raise DataError(
                "GaussianProcessClassifier requires 2 or more distinct classes; got 1 class (only class "
                f"{self.classes_[0]} is present)"
            )
        base: Any = BinaryLaplaceClassifier(
            self.kernel, optimizer=self.optimizer, n_restarts_optimizer=self.n_restarts_optimizer,
            max_iter_predict=self.max_iter_predict, copy_X_train=self.copy_X_train, random_state=self.random_state,
        )  # fmt: skip
        if self.n_classes_ > 2:
            reduction = OneVsRestClassifier if self.multi_class == "one_vs_rest" else OneVsOneClassifier
            base = reduction(base, n_jobs=self.n_jobs)
        weight = {} if data.weight is None else {"sample_weight": data.weight}
        self.base_estimator_ = base.fit(data.X, self.classes_[data.y], **weight)
        values = [each.log_marginal_likelihood() for each in self._binary()]
        self.log_marginal_likelihood_value_ = float(np.mean(values))
        trace.adopt(base, "the posterior is at its mode")

    def _binary(self) -> list[BinaryLaplaceClassifier]:
        """The classifiers of two classes."""
        return [self.base_estimator_] if self.n_classes_ == 2 else self.base_estimator_.estimators_

    @property
    def kernel_(self) -> Kernel:
        """The kernel with optimised hyperparameters; of several classes, those of all classifiers."""
        self._require_fit()
        found = [each.kernel_ for each in self._binary()]
        return found[0] if self.n_classes_ == 2 else CompoundKernel(found)

    def predict_proba(self, X: Any) -> Array:
        """The probability of each class for the rows of `X`."""
        self._require_fit()
        if self.n_classes_ > 2 and self.multi_class == "one_vs_one":
            raise ParameterError(
                "one_vs_one multi-class mode does not support predicting probability estimates. Use one_vs_rest mode "
                "instead."
            )
        return np.asarray(super().predict_proba(X))

    def _probabilities(self, X: Array) -> Array:
        return np.asarray(self.base_estimator_.predict_proba(X))

    def _classify(self, X: Array) -> Array:
        return np.asarray(np.searchsorted(self.classes_, self.base_estimator_.predict(X)))

    def log_marginal_likelihood(self, theta: Any = None, eval_gradient: bool = False, clone_kernel: bool = True) -> Any:
        """The approximate log marginal likelihood for hyperparameters `theta` (None: those found).

        For several classes the mean over the classifiers, all with the same `theta` or each with its own part of it;
        the gradient, if requested, is that of the mean.
        """
        self._require_fit()
        if theta is None and eval_gradient:
            raise ValueError("Gradient can only be evaluated for theta!=None")
        if theta is None:
            return self.log_marginal_likelihood_value_
        theta, models = np.asarray(theta, dtype=np.float64), self._binary()
        n_dims = models[0].kernel_.n_dims
        if theta.shape[0] not in (n_dims, n_dims * len(models)):
            raise ParameterError(
                f"Shape of theta must be either {n_dims} or {n_dims * len(models)}. Obtained theta with shape "
                f"{theta.shape[0]}."
            )
        together = theta.shape[0] == n_dims
        each = [theta if together else part for part in np.resize(theta, (len(models), n_dims))]
        found = [
            model.log_marginal_likelihood(own, eval_gradient, clone_kernel)
            for model, own in zip(models, each, strict=True)
        ]
        if not eval_gradient:
            return float(np.mean(found))
        gradients = np.array([gradient for _, gradient in found]) / len(models)
        total = gradients.sum(axis=0) if together else gradients.ravel()
        return float(np.mean([value for value, _ in found])), total

    def latent_mean_and_variance(self, X: Any) -> tuple[Array, Array]:
        """Mean and variance of the latent function at the rows of `X`, for two classes."""
        self._require_fit()
        if self.n_classes_ > 2:
            raise ParameterError(
                "Returning the mean and variance of the latent function f is only supported for binary classification, "
                f"received {self.n_classes_} classes."
            )
        latent: tuple[Array, Array] = self.base_estimator_.latent_mean_and_variance(self._read(X))
        return latent
