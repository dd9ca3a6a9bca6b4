"""Gaussian process regression."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Self

import numpy as np

from ..core import Array, Data, DataError, Matrix, ParameterError, Regressor, Trace, Traits, estimator, learned, param
from ..core.runtime.context import single_threaded_blas
from ..core.runtime.random import RandomState, stream
from ..core.validate.range_errors import check_predictions
from ._exact import LOG_2_PI, ExactInference, left_out
from ._hyperparameter_search import Optimum, at_the_end_of, certify, maximise, starting_points
from ._inducing import InducingInference
from ._input import KERNEL_WORDS, ObjectInput, free_kernel, is_kernel_or_none, refuse_kernel
from ._marginal_likelihood import marginal_likelihood
from ._posterior import for_each_target, predictive
from ._training_pairs import Noise
from .kernels import RBF, ConstantKernel, Kernel

LARGEST_TARGET = 1e140  # whose square over the smallest noise is finite
ONE_PREDICTION = "At most one of return_std or return_cov can be requested."


@estimator
class GaussianProcessRegressor(ObjectInput, Regressor):
    """Gaussian process regression (kriging): a posterior over functions, with a standard deviation of predictions.

    f ~ GP(0, k),    y_i = f(x_i) + e_i,    e_i ~ N(0, alpha_i / w_i)

    Exact by a Cholesky factor; hyperparameters maximise the marginal likelihood by L-BFGS-B from the kernel's values
    and `n_restarts_optimizer` random ones. Noise that a kernel has (`WhiteKernel`) is divided by the weight too: a
    weight of 3 is three rows. An evaluation costs n^3 and n^2 numbers; with `n_inducing` points n m^2, by the
    variational bound. [Rasmussen and Williams, 2006; Titsias, 2009]

    >>> from learnable.gaussian_process.kernels import RBF, WhiteKernel
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 0.8, 0.9, 0.1]
    >>> model = GaussianProcessRegressor(RBF(1.0) + WhiteKernel(0.01), optimizer=None).fit(X, y)
    >>> mean, std = model.predict([[1.5]], return_std=True)
    >>> mean.round(2), std.round(2)
    (array([1.01]), array([0.17]))
    """

    kernel: Any = param(
        None, "covariance function; None: a constant times RBF()", kw_only=False, accepts=is_kernel_or_none,
        says=KERNEL_WORDS,
    )  # fmt: skip
    alpha: float | Array = param(1e-10, "variance added to the diagonal, or one for each row: noise", at_least=0)
    optimizer: Literal["fmin_l_bfgs_b"] | Callable[..., Any] | None = param(
        "fmin_l_bfgs_b",
        "how hyperparameters are optimised: L-BFGS-B, a function of objective, theta and bounds, or not at all",
    )
    n_restarts_optimizer: int = param(0, "number of further runs from random hyperparameters", at_least=0)
    normalize_y: bool = param(False, "whether targets are standardised before the fit")
    copy_X_train: bool = param(True, "whether the training rows are copied")
    n_targets: int | None = param(None, "number of targets, for predictions before a fit", at_least=1)
    random_state: RandomState = param(None, "seed of the further runs")
    n_inducing: int | None = param(
        None, "number of inducing points of the variational approximation; None: exact", at_least=1
    )
    kernel_: Kernel = learned("the kernel with optimised hyperparameters")
    X_train_: Any = learned("the training rows", shape="samples features", matrix=True)
    y_train_: Array = learned("the targets, standardised if `normalize_y`", shape="samples targets?")
    sample_weight_: Array = learned("the weights of the training rows", shape="samples", optional=True)
    inducing_points_: Array = learned("the inducing points", shape="fitted features", optional=True)
    L_: Array = learned(
        "lower Cholesky factor of the covariance matrix of the training rows, or of the inducing points",
        shape="fitted fitted",
    )
    L_posterior_: Array = learned(
        "lower Cholesky factor of the whitened precision of the inducing points", shape="fitted fitted", optional=True
    )
    alpha_: Array = learned("dual coefficients: the mean is k(x, training rows) alpha_", shape="fitted targets?")
    noise_variance_: Array = learned("the variance alpha of each training row", shape="samples")
    y_mean_: Array = learned("mean of each target before the fit, 0 without `normalize_y`", shape="outputs")
    y_std_: Array = learned("standard deviation of each target, 1 without `normalize_y`", shape="outputs")
    log_marginal_likelihood_value_: float = learned("the log marginal likelihood, or with `n_inducing` its bound")

    traits = Traits(multi_target=True, parametric=False, stochastic=True, double_target=True)
    title = "Gaussian process regression"
    reference = "Rasmussen and Williams, Gaussian processes for machine learning, MIT Press 2006"

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows `X` and their targets `y`; a weight of 3 counts a row as three copies."""
        option = "sample_weight" if sample_weight is not None else "n_inducing" if self.n_inducing is not None else ""
        refuse_kernel(self, option)
        return super().fit(X, y, sample_weight)

    def _fit(self, data: Data, trace: Trace) -> None:
        self.kernel_ = free_kernel(self.kernel, ConstantKernel() * RBF())
        kept = slice(None) if data.weight is None else np.flatnonzero(data.weight > 0)
        weight = None if data.weight is None else data.weight[kept]
        y = data.y.reshape(data.n, -1)
        if self.n_targets is not None and y.shape[1] != self.n_targets:
            raise ParameterError(
                "The number of targets seen in `y` is different from the parameter `n_targets`. "
                f"Got {y.shape[1]} != {self.n_targets}."
            )
        alpha = self._alphas(data.n)[kept]
        self.X_train_ = data.X[kept].copy() if self.copy_X_train else data.X[kept]
        scaled = self._standardise(y[kept], weight)
        if not np.abs(scaled).max(initial=0.0) < LARGEST_TARGET:
            raise DataError(
                f"{type(self).__name__}: y holds {np.abs(y).max():.3g}, whose squares leave the range of float64; "
                "divide it by a constant, or set normalize_y=True"
            )
        self.y_train_ = scaled.reshape(data.y[kept].shape)
        if weight is not None:
            self.sample_weight_ = weight
        self.noise_variance_ = alpha.copy()
        if self.n_inducing is not None:
            self._fit_inducing(scaled, alpha, trace)
        else:
            self._fit_exact(scaled, alpha, trace)

    def _standardise(self, y: Array, weight: Array | None) -> Array:
        self.y_mean_, self.y_std_ = np.zeros(y.shape[1]), np.ones(y.shape[1])
        if self.normalize_y:
            self.y_mean_ = np.average(y, axis=0, weights=weight)
            spread = np.sqrt(np.average((y - self.y_mean_) ** 2, axis=0, weights=weight))
            constant: Array = spread <= 10 * np.finfo(np.float64).eps * np.abs(y).max(axis=0, initial=0.0)
            self.y_std_ = np.where(constant, 1.0, spread)
        return np.asarray((y - self.y_mean_) / self.y_std_)

    def _fit_exact(self, y: Array, alpha: Array, trace: Trace) -> None:
        exact = ExactInference(self._objects(self.X_train_), y, alpha, self._weights(), self.kernel_)
        optimum = self._optimised(exact.evaluate, trace)
        try:
            with at_the_end_of(optimum):
                posterior = exact.posterior(self.kernel_)
        except np.linalg.LinAlgError:
            raise np.linalg.LinAlgError(
                f"The kernel, {self.kernel_}, is not returning a positive definite matrix. Try gradually increasing "
                "the 'alpha' parameter of your GaussianProcessRegressor estimator."
            ) from None
        self.L_, self.alpha_ = posterior.L, posterior.dual.reshape(self.y_train_.shape)
        self._conclude(optimum, float(exact.evaluate(self.kernel_, False)[0]) if optimum is None else 0.0, trace)

    def _fit_inducing(self, y: Array, alpha: Array, trace: Trace) -> None:
        rows, count = self._objects(self.X_train_), int(self.n_inducing or 1)
        inference = InducingInference(rows, y, alpha, self._weights(), count)
        optimum = inference.optimise(self.kernel_, lambda: self._optimised(inference.evaluate, trace))
        with at_the_end_of(optimum):
            found = inference.posterior(self.kernel_)
        self.inducing_points_, self.L_, self.L_posterior_ = inference.points, found.L, found.L_posterior
        self.alpha_ = found.dual.reshape(-1, *self.y_train_.shape[1:])
        self._conclude(optimum, found.bound, trace)

    def _optimised(self, evaluate: Callable[[Kernel, bool], tuple[float, Array]], trace: Trace) -> Optimum | None:
        """Maximise the marginal likelihood over the hyperparameters of `kernel_`; None where there are none."""
        if self.optimizer is None or self.kernel_.n_dims == 0:
            return None

        def objective(theta: Array, with_gradient: bool) -> tuple[float, Array]:
            self.kernel_.theta = theta
            return evaluate(self.kernel_, with_gradient)

        bounds = self.kernel_.bounds
        starts = starting_points(bounds, self.n_restarts_optimizer, self.random_state, type(self).__name__)
        optimum = maximise(objective, self.kernel_.theta, bounds, self.optimizer, starts, trace, len(self.y_train_))
        self.kernel_.theta = optimum.theta
        self.kernel_._check_bounds_params()
        return optimum

    def _conclude(self, optimum: Optimum | None, value: float, trace: Trace) -> None:
        how = "the posterior is exact" if self.n_inducing is None else "of the variational bound"
        if optimum is not None:
            self.log_marginal_likelihood_value_ = optimum.value
            certify(trace, optimum, len(self.y_train_), how)
            return
        self.log_marginal_likelihood_value_ = value
        trace.exact(f"the hyperparameters are those of the kernel, and {how}", -value)

    def _alphas(self, n: int) -> Array:
        alpha = np.asarray(self.alpha, dtype=np.float64).reshape(-1)
        if len(alpha) not in (1, n):
            raise ParameterError(
                f"alpha must be a scalar or an array with same number of entries as y. ({len(alpha)} != {n})"
            )
        return np.broadcast_to(alpha, (n,))

    def _weights(self) -> Array | None:
        return self.__dict__.get("sample_weight_")

    def predict(self, X: Any, return_std: bool = False, return_cov: bool = False) -> Any:
        """The mean of the posterior for the rows of `X`, with its standard deviation or covariance if requested.

        Before a fit these are those of the prior. Noise of the kernel is part of the deviation, `alpha` is not.
        """
        if return_std and return_cov:
            raise RuntimeError(ONE_PREDICTION)
        if not self.__sklearn_is_fitted__():
            return self._prior(X, return_std, return_cov)
        rows = self._read(X)
        with single_threaded_blas():
            seen = self.X_train_ if self.n_inducing is None else self.inducing_points_
            factors = [self.L_] if self.n_inducing is None else [self.L_, self.L_posterior_]
            dual = self.alpha_.reshape(len(self.alpha_), -1)
            new, old = self._objects(rows), self._objects(seen)
            found = predictive(self.kernel_, new, old, dual, factors, return_std, return_cov)
        mean = np.asarray(check_predictions(self, found.mean * self.y_std_ + self.y_mean_, rows))
        mean = mean[:, 0] if mean.shape[1] == 1 else mean
        if return_cov:
            return mean, for_each_target(found.covariance, self.y_std_**2)
        return (mean, np.sqrt(for_each_target(found.variance, self.y_std_**2))) if return_std else mean

    def _predict(self, X: Matrix) -> Array:
        return np.asarray(self.predict(X))

    def _prior(self, X: Any, return_std: bool, return_cov: bool) -> Any:
        rows = self._objects(self._enter(X)[0])
        kernel = free_kernel(self.kernel, ConstantKernel() * RBF())
        targets = self.n_targets or 1
        mean = np.zeros((len(rows), targets) if targets > 1 else len(rows))
        if return_cov:
            return mean, for_each_target(kernel(rows), np.ones(targets))
        return (mean, np.sqrt(for_each_target(kernel.diag(rows), np.ones(targets)))) if return_std else mean

    def sample_y(self, X: Any, n_samples: int = 1, random_state: RandomState = 0) -> Array:
        """Functions drawn from the posterior, or before a fit from the prior, at the rows of `X`, a column each."""
        draws = stream(random_state)
        mean, covariance = self.predict(X, return_cov=True)
        if mean.ndim == 1:
            return np.asarray(draws.multivariate_normal(mean, covariance, n_samples).T)
        each = [
            draws.multivariate_normal(mean[:, t], covariance[..., t], n_samples).T[:, None]
            for t in range(mean.shape[1])
        ]
        return np.hstack(each)

    def log_marginal_likelihood(self, theta: Any = None, eval_gradient: bool = False, clone_kernel: bool = True) -> Any:
        """The log marginal likelihood for hyperparameters `theta` (None: those found), and its gradient."""
        return marginal_likelihood(self, self._inference, theta, eval_gradient, clone_kernel)

    def _inference(self, kernel: Kernel) -> ExactInference | InducingInference:
        """The inference that the fit made."""
        y = self.y_train_.reshape(len(self.y_train_), -1)
        if self.n_inducing is None:
            return ExactInference(self._objects(self.X_train_), y, self.noise_variance_, self._weights(), kernel)
        rows = self._objects(self.X_train_)
        found = InducingInference(rows, y, self.noise_variance_, self._weights(), self.n_inducing)
        found.use_points(self.inducing_points_)
        return found

    def leave_one_out(self, return_std: bool = False) -> Any:
        """Prediction of each training row by the others, for the hyperparameters found, in closed form.

        A row is left out whole, with all the copies that its weight stands for. Deviations are those of `predict`.
        """
        mean, variance = self._left_out()
        own = self._row_noise()
        weight = np.ones(len(own)) if self._weights() is None else self.sample_weight_
        spread = np.maximum(variance - own / weight + (own - self.noise_variance_), 0.0)
        mean = mean * self.y_std_ + self.y_mean_
        mean = mean.reshape(self.y_train_.shape)
        return (mean, np.sqrt(for_each_target(spread, self.y_std_**2))) if return_std else mean

    def leave_one_out_log_score(self) -> float:
        """Sum over rows of the log density of each target given the others; alpha is part of the noise here."""
        mean, variance = self._left_out()
        own, weight = self._row_noise(), self._weights()
        copies = np.ones(len(own)) if weight is None else weight
        variance = (variance - own / copies + own)[:, None]
        y = self.y_train_.reshape(mean.shape)
        scores = -((y - mean) ** 2) / (2 * variance) - np.log(variance) / 2 - LOG_2_PI / 2 - np.log(self.y_std_)
        return float((copies[:, None] * scores).sum())

    def _left_out(self) -> tuple[Array, Array]:
        """Leave-one-out means of the scaled targets, and their variances with the noise of the mean of the copies."""
        self._require_fit()
        if self.n_inducing is not None:
            raise ParameterError(
                "GaussianProcessRegressor: leave-one-out predictions need exact inference; set n_inducing=None"
            )
        with single_threaded_blas():
            return left_out(self.L_, self.alpha_.reshape(len(self.L_), -1), self.y_train_.reshape(len(self.L_), -1))

    def _row_noise(self) -> Array:
        """The variance of the noise of each training row: alpha and that of the kernel."""
        if not self.kernel_.by_pairs:
            return self.noise_variance_
        return self.noise_variance_ + Noise(self._objects(self.X_train_)).variance(self.kernel_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        return tags
