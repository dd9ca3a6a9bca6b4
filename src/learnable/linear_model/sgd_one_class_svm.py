"""Linear one-class SVM by stochastic gradient descent."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Self

import numpy as np

from ..core import Array, Data, DataError, Matrix, Trace, Traits, estimator, learned, param
from ..core.declare import params
from ..core.roles.outlier_detector import OutlierDetector
from ..core.runtime.random import RandomState, generator, seed_of
from ..engines import matrix_products
from ..engines.iterate import State, iterate
from ..engines.minimise.gradient_descent.sgd import initial_state
from ..engines.sparse_coefficients import SparseCoefficients, flat
from ._sgd.sgd_base import SGDConfig, certify, checked_start, divergence_message, method_of


@estimator
class SGDOneClassSVM(SparseCoefficients, OutlierDetector):
    """Linear one-class SVM by stochastic gradient descent, for large data and streams.

    minimise over w, r    nu |w|^2 / 2 - nu r + mean_i s_i max(0, r - x_i w)

    Rows with x w below r are outliers. It is the linear `OneClassSVM` for large data and streams; after a
    feature map such as `Nystroem` or `RBFSampler` it approximates one with a kernel. The descent is over b = 1 - r,
    which has the cost nu; a weight multiplies the step of its row. Cost of an epoch: the entries of X.
    [Schölkopf et al., 2001; Bottou, 2010]

    >>> X = [[3.0, 2.0], [2.0, 3.0], [3.0, 3.0], [2.5, 2.5]] * 50
    >>> SGDOneClassSVM(nu=0.1, random_state=0).fit(X).predict([[3.0, 3.0], [-3.0, -3.0]])
    array([ 1, -1])
    """

    nu: float = param(0.5, "upper bound of the fraction of outliers in training", above=0, at_most=1, kw_only=False)
    fit_intercept: bool = param(True, "whether to fit the offset; it is 0 otherwise", kw_only=False)
    max_iter: int = param(1000, "maximum number of epochs", at_least=1, kw_only=False)
    tol: float | None = param(
        1e-3, "improvement per epoch below which the fit ends (None: after max_iter)", at_least=0, kw_only=False
    )
    shuffle: bool = param(True, "whether to shuffle the rows in every epoch", kw_only=False)
    verbose: int = param(0, "accepted for compatibility; use learnable.progress()", kw_only=False)
    random_state: RandomState = param(None, "seed of the row order", kw_only=False)
    learning_rate: Literal["constant", "optimal", "invscaling", "adaptive"] = param(
        "optimal", "learning-rate schedule", kw_only=False
    )
    eta0: float = param(0.01, "initial learning rate", above=0, kw_only=False)
    power_t: float = param(0.5, "exponent of the step number in the invscaling schedule", kw_only=False)
    warm_start: bool = param(False, "whether fit starts from the previous coefficients", kw_only=False)
    average: bool | int = param(
        False, "whether to average the coefficients, or from which step on", at_least=0, kw_only=False
    )

    coef_: Matrix = learned("coefficient of each column", shape="one? features", matrix=True)
    offset_: Array = learned("offset: rows with smaller scores are outliers", shape="one")
    n_iter_: int = learned("number of epochs")
    t_: float = learned("number of the next step", least=0)
    standard_coef_: Array = learned("coefficients before averaging", shape="features", optional=True)
    standard_offset_: Array = learned("offset before averaging", shape="one", optional=True)
    average_coef_: Array = learned("average of the coefficients", shape="features", optional=True)
    average_offset_: Array = learned("average of the offset", shape="one", optional=True)

    traits = Traits(sparse=True, storage="csr", stochastic=True)
    single_output = True
    title = "one-class SVM by stochastic gradient descent"
    reference = "Schölkopf, Platt, Shawe-Taylor, Smola and Williamson, 2001"
    n_iter_no_change: ClassVar[int] = 5  # epochs without improvement before the fit ends

    def fit(  # type: ignore[override]  # scikit-learn has the starting values before the weights
        self, X: Any, y: Any = None, coef_init: Any = None, offset_init: Any = None, sample_weight: Any = None
    ) -> Self:
        """Learn from the rows of `X`, starting at the given weights and offset, if any; `y` is ignored."""
        return self._learn(X, sample_weight, lambda data: self._initial_state(data, coef_init, offset_init), once=False)

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """One epoch over the rows given, continuing from the previous call."""
        known = "coef_" in self.__dict__
        start = (lambda data: self._resumed_state()) if known else (lambda data: self._initial_state(data, None, None))
        return self._learn(X, sample_weight, start, once=True)

    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> Array:
        """Learn from the rows of `X` and return 1 for inliers, -1 for outliers."""
        return self.fit(X, sample_weight=sample_weight).predict(X)

    def _learn(self, X: Any, sample_weight: Any, initial: Any, once: bool) -> Self:
        """Epochs over the rows of `X` from the state that `initial` makes of the data."""
        params.check(self)
        matrix, names = self._enter(X)
        if "n_features_in_" in self.__dict__ and (once or self.warm_start):
            self._check_columns(matrix, names)
        data = Data(matrix, np.ones(matrix.shape[0]), self._validator.weights(sample_weight, matrix.shape[0]), names)
        start = initial(data)
        with self._fitting(data.X, None, data.weight, start["coef"], start["numbers"]) as trace:
            self._remember_columns(matrix, names)
            self._fit(data, trace, start, once)
        return self

    def _fit(self, data: Data, trace: Trace, start: State | None = None, once: bool = False) -> None:
        start = start if start is not None else self._initial_state(data, None, None)
        tol = -np.inf if once or self.tol is None else self.tol
        config, seed = self._sgd_config(), int(generator(seed_of(self.random_state)).integers(2**63))
        method = method_of(self, data, start, tol, seed, None)
        state = iterate(method, 1 if once else self.max_iter, trace)
        if not np.isfinite(state["objective"]):
            raise DataError(divergence_message(self, config, method, state))
        self.n_iter_ = trace.iterations
        self._keep(state, data.X.dtype)
        certify(self, config, trace, [method], [state], whole=not once)

    def _sgd_config(self) -> SGDConfig:
        return SGDConfig(
            "hinge", penalty="l2", alpha=self.nu, rate=self.learning_rate, eta=self.eta0, power=self.power_t,
            average=int(self.average), intercept_cost=self.nu,
        )  # fmt: skip

    def _initial_state(self, data: Data, coef_init: Any, offset_init: Any) -> State:
        """The initial state of `fit`: zero, the given values, or with `warm_start` the previous ones."""
        coef, offset = np.zeros(data.p), np.zeros(1)
        if self.warm_start and "coef_" in self.__dict__:
            coef, offset = self._last()
        coef = checked_start(self, "coef_init", coef if coef_init is None else coef_init, (data.p,))
        offset = checked_start(self, "offset_init", offset if offset_init is None else offset_init, (1,))
        return initial_state(self._sgd_config().settings(1.0), coef, 1 - float(offset[0]))

    def _resumed_state(self) -> State:
        """The initial state of `partial_fit`: that after the previous call."""
        settings, (coef, offset), kept = self._sgd_config().settings(1.0), self._last(), self.__dict__
        average = kept.get("average_coef_") if settings.average_from else None
        mean = 1 - float(kept.get("average_offset_", [1.0])[0])
        return initial_state(settings, coef, 1 - float(offset[0]), average, mean, self.t_)

    def _last(self) -> tuple[Array, Array]:
        """Weights and offset after the last step, before any averaging."""
        if self.average and "standard_coef_" in self.__dict__:
            return self.standard_coef_, self.standard_offset_
        return flat(self.coef_), self.offset_

    def _keep(self, state: State, dtype: Any) -> None:
        numbers = state["numbers"]
        self.coef_, self.offset_ = state["coef"].astype(dtype), (1 - numbers[:1]).astype(dtype)
        self.t_ = float(numbers[2])
        for name in ("standard_coef_", "standard_offset_", "average_coef_", "average_offset_"):
            self.__dict__.pop(name, None)
        if self.average:
            self.standard_coef_, self.standard_offset_ = self.coef_, self.offset_
            self.average_coef_ = state["average"].astype(dtype)
            self.average_offset_ = (1 - numbers[1:2]).astype(dtype)
            if int(self.average) <= self.t_ - 1:
                self.coef_, self.offset_ = self.average_coef_, self.average_offset_

    def _scores(self, X: Matrix) -> Array:
        return matrix_products.scores(X, flat(self.coef_), 0.0)
