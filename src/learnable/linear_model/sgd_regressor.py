"""Linear regression by stochastic gradient descent."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np

from ..core import (
    Array,
    ConvergenceWarning,
    Data,
    DataError,
    Matrix,
    ParameterError,
    Regressor,
    Trace,
    estimator,
    learned,
    param,
    params,
)
from ..core.errors import warn
from ..core.random import RandomState, generator, seed_of
from ..core.scores import r_squared
from ..engines import design
from ..engines.iterate import State, iterate
from ..engines.minimise.stochastic import Settings, StochasticDescent, beginning, largest_gain, row_norms
from ..parts import losses, penalties

LossName = Literal["squared_error", "huber", "epsilon_insensitive", "squared_epsilon_insensitive"]
RateName = Literal["constant", "optimal", "invscaling", "adaptive", "pa1", "pa2"]
SPARSE_INTERCEPT_STEP = 0.01  # the intercept sees every row of sparse data, the other weights few: it goes slower
VALIDATION = 2**31  # key of the draw of validation rows, beyond any epoch


@estimator
class SGDRegressor(Regressor):
    """A linear model that learns from one row at a time, for data that are many or that keep coming.

    minimise over w, b    mean_i s_i loss(y_i, x_i w + b)  +  alpha (l1_ratio |w|_1 + (1 - l1_ratio) |w|^2 / 2)

    A step per row, in an order drawn anew for each epoch; the rate of the steps follows `learning_rate`. A weight
    multiplies the step of its row, and since many small steps are not one long one, a weight of 3 is three copies only
    in the limit of small rates; a weight of 0 is an absent row. Scale the columns first. Cost of an epoch: the entries
    of X. [Bottou, 2010; Tsuruoka et al., 2009]

    >>> X, y = [[-1.0], [0.0], [1.0], [2.0]] * 50, [-1.0, 1.0, 3.0, 5.0] * 50
    >>> model = SGDRegressor(alpha=0.0, eta0=0.1, tol=1e-6, random_state=0).fit(X, y)
    >>> model.coef_.round(3), model.intercept_.round(3)
    (array([2.]), array([1.]))
    """

    loss: LossName = param("squared_error", "what an error costs", kw_only=False)
    penalty: Literal["l2", "l1", "elasticnet"] | None = param("l2", "what weights cost")
    alpha: float = param(0.0001, "strength of the penalty", at_least=0)
    l1_ratio: float | None = param(0.15, "share of the absolute part of an elastic net", between=(0, 1))
    fit_intercept: bool = param(True, "whether to learn a constant term")
    max_iter: int = param(1000, "most epochs", at_least=1)
    tol: float | None = param(1e-3, "gain per epoch below which the fit ends (None: after max_iter)", at_least=0)
    shuffle: bool = param(True, "whether every epoch draws a new order of the rows")
    verbose: int = param(0, "accepted for compatibility; use learnable.progress()")
    epsilon: float = param(0.1, "where the losses with a tube or a bend have it", at_least=0)
    random_state: RandomState = param(None, "seed of the orders and of the validation rows")
    learning_rate: RateName = param("invscaling", "how the rate of the steps changes")
    eta0: float = param(0.01, "rate of the first step, or aggressiveness of pa1 and pa2", above=0)
    power_t: float = param(0.25, "power of the step number by which invscaling divides the rate")
    early_stopping: bool = param(False, "whether the score of validation rows, not the objective, ends the fit")
    validation_fraction: float = param(0.1, "share of the rows kept for validation", above=0, below=1)
    n_iter_no_change: int = param(5, "epochs without gain that end the fit", at_least=1)
    warm_start: bool = param(False, "whether fit starts from the last weights")
    average: bool | int = param(False, "whether to average the weights, or from which step on", at_least=0)
    coef_: Matrix = learned("weight of each column", shape="features")
    intercept_: Array = learned("constant term", shape="one")
    n_iter_: int = learned("epochs done")
    t_: float = learned("number of the next step")
    standard_coef_: Array = learned("weights before averaging", shape="features", optional=True)
    standard_intercept_: Array = learned("constant term before averaging", shape="one", optional=True)
    average_coef_: Array = learned("average of the weights", shape="features", optional=True)
    average_intercept_: Array = learned("average of the constant term", shape="one", optional=True)

    sparse = True
    storage = "csr"
    stochastic = True
    reference = "Bottou, Large-scale machine learning with stochastic gradient descent, COMPSTAT 2010"

    def fit(  # type: ignore[override]  # scikit-learn has the starting values before the weights
        self, X: Any, y: Any, coef_init: Any = None, intercept_init: Any = None, sample_weight: Any = None
    ) -> Self:
        """Learn from rows `X` and targets `y`, starting at the given weights and intercept, if any."""
        params.check(self)
        self._check_combinations()
        data, names = self._training_data(X, y, sample_weight)
        begin = self._begin(data, coef_init, intercept_init)
        with self._fitting(data.X, data.y, data.weight, begin["coef"], begin["numbers"]) as trace:
            self._remember_columns(data.X, names)
            self._fit(data, trace, begin)
        return self

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """One epoch over the rows given, going on from where the last call ended."""
        params.check(self)
        self._check_combinations()
        if self.early_stopping:
            raise ParameterError("SGDRegressor: early_stopping must be False with partial_fit")
        data, names = self._training_data(X, y, sample_weight)
        known = "coef_" in self.__dict__
        if known:
            self._check_columns(data.X, names)
        begin = self._go_on() if known else self._begin(data, None, None)
        with self._fitting(data.X, data.y, data.weight, begin["coef"], begin["numbers"]) as trace:
            if not known:
                self._remember_columns(data.X, names)
            self._fit(data, trace, begin, once=True)
        return self

    def _fit(self, data: Data, trace: Trace, begin: State | None = None, once: bool = False) -> None:
        begin = begin if begin is not None else self._begin(data, None, None)
        method = _method(self, data, begin, -np.inf if once or self.tol is None else self.tol)
        state = iterate(method, 1 if once else self.max_iter, trace)
        if not np.isfinite(state["objective"]):
            raise DataError(_divergence(self, method, state))
        self.n_iter_ = trace.iterations
        self._keep(state, data.X.dtype)
        _certify(self, method, trace, state, look_at_gradient=not once)

    def _predict(self, X: Matrix) -> Array:
        return design.scores(X, _dense(self.coef_), self.intercept_[0])

    def sparsify(self) -> Self:
        """Keep `coef_` as a sparse matrix, which saves memory where most weights are zero."""
        from scipy import sparse

        self.coef_ = sparse.csr_array(_dense(self.coef_)[None, :])
        return self

    def densify(self) -> Self:
        """Keep `coef_` as an array again, as fit leaves it."""
        self.coef_ = _dense(self.coef_)
        return self

    def _check_combinations(self) -> None:
        if self.learning_rate == "optimal" and self.alpha == 0:
            raise ParameterError(
                'SGDRegressor: alpha must be above 0 with learning_rate="optimal", whose rate is 1 / (alpha t); got 0'
            )
        if self.learning_rate in ("pa1", "pa2") and self.loss != "epsilon_insensitive":
            raise ParameterError(
                f'SGDRegressor: learning_rate="{self.learning_rate}" needs loss="epsilon_insensitive"; got {self.loss}'
            )
        if self.penalty == "elasticnet" and self.l1_ratio is None:
            raise ParameterError('SGDRegressor: l1_ratio must be a number when penalty="elasticnet"; got None')

    def _begin(self, data: Data, coef_init: Any, intercept_init: Any) -> State:
        """Where `fit` starts: at zero, at the given values, or with `warm_start` at the last ones."""
        coef, intercept = np.zeros(data.p), np.zeros(1)
        if self.warm_start and "coef_" in self.__dict__:
            coef = self.__dict__.get("standard_coef_", _dense(self.coef_))
            intercept = self.__dict__.get("standard_intercept_", self.intercept_)
        coef = np.ravel(coef if coef_init is None else coef_init)
        intercept = np.ravel(intercept if intercept_init is None else intercept_init)
        if coef.shape != (data.p,) or intercept.shape != (1,):
            raise DataError(
                f"SGDRegressor: coef_init and intercept_init must hold {data.p} numbers and 1; "
                f"got {coef.size} and {intercept.size}"
            )
        return beginning(_settings(self, 1.0), coef, float(intercept[0]))

    def _go_on(self) -> State:
        """Where `partial_fit` starts: with everything as the last call left it."""
        settings = _settings(self, 1.0)
        if not settings.average_from:
            return beginning(settings, _dense(self.coef_), self.intercept_[0], t=self.t_, epoch=int(self.t_))
        return beginning(
            settings,
            self.__dict__.get("standard_coef_", _dense(self.coef_)),
            self.__dict__.get("standard_intercept_", self.intercept_)[0],
            self.__dict__.get("average_coef_"),
            self.__dict__.get("average_intercept_", [0.0])[0],
            self.t_,
            int(self.t_),
        )

    def _keep(self, state: State, dtype: Any) -> None:
        numbers = state["numbers"]
        self.coef_, self.intercept_ = state["coef"].astype(dtype), numbers[:1].astype(dtype)
        self.t_ = float(numbers[2])
        if self.average:
            self.standard_coef_, self.standard_intercept_ = self.coef_, self.intercept_
            self.average_coef_, self.average_intercept_ = state["average"].astype(dtype), numbers[1:2].astype(dtype)
            if int(self.average) <= self.t_ - 1:
                self.coef_, self.intercept_ = self.average_coef_, self.average_intercept_


def _dense(coef: Matrix) -> Array:
    return coef if isinstance(coef, np.ndarray) else coef.toarray().ravel()


def _settings(model: SGDRegressor, intercept_step: float) -> Settings:
    share = {"l2": 0.0, "l1": 1.0, "elasticnet": model.l1_ratio, None: 0.0}[model.penalty] or 0.0
    strength = 0.0 if model.penalty is None else model.alpha
    return Settings(
        loss=model.loss,
        epsilon=float(model.epsilon),
        rate=model.learning_rate,
        eta=float(model.eta0),
        power=float(model.power_t),
        strength=float(model.alpha),
        l1=strength * share,
        l2=strength * (1 - share),
        intercept_step=intercept_step if model.fit_intercept else 0.0,
        average_from=int(model.average),
    )


def _method(model: SGDRegressor, data: Data, begin: State, tol: float) -> StochasticDescent:
    """The epochs of `model` on `data`, without its validation rows if it keeps some."""
    sparse = design.is_sparse(data.X)
    X = data.X if sparse else np.ascontiguousarray(data.X)
    y, seed = data.y.astype(np.float64), seed_of(model.random_state)
    rows = np.arange(data.n) if data.weight is None else np.flatnonzero(data.weight)
    settings, error = _settings(model, SPARSE_INTERCEPT_STEP if sparse else 1.0), None
    if model.early_stopping:
        rows, held_out = _split(model, rows, seed)
        X_out, y_out = X[held_out], y[held_out]
        weight_out = None if data.weight is None else data.weight[held_out]

        def error(coef: Array, intercept: float) -> float:
            return -r_squared(y_out, design.scores(X_out, coef, intercept), weight_out)

    return StochasticDescent(
        X, y, data.weight, rows, row_norms(X), settings, begin,
        reference=float(np.mean(_loss(model).value(y, np.zeros(data.n))[rows])),
        tol=tol,
        patience=model.n_iter_no_change,
        shuffle=bool(model.shuffle),
        seed=int(generator(seed).integers(2**63)),
        error=error,
    )  # fmt: skip


def _split(model: SGDRegressor, rows: Array, seed: int) -> tuple[Array, Array]:
    """Rows to learn from and rows to validate on."""
    count = int(np.ceil(model.validation_fraction * len(rows)))
    if not 0 < count < len(rows):
        raise DataError(
            f"SGDRegressor: validation_fraction={model.validation_fraction} of {len(rows)} rows leaves an empty set "
            f"({len(rows) - count} and {count}); change it, bring more rows, or set early_stopping=False"
        )
    drawn = generator(seed, VALIDATION).permutation(rows)
    return np.sort(drawn[count:]), np.sort(drawn[:count])


def _divergence(model: SGDRegressor, method: StochasticDescent, state: State) -> str:
    with np.errstate(over="ignore"):
        stable = 2 / (1 + float(method.norms.max()))
    reason = (
        f"The longest row is safe up to a rate of {stable:.3g}" if stable > 0 else "No rate is safe for rows so long"
    )
    return (
        f"SGDRegressor: the weights diverged, to an objective of {state['objective']:.3g} in epoch {state['epoch']}: "
        f"learning_rate={model.learning_rate!r} with eta0={model.eta0:g} steps too far. {reason}; scale the columns of "
        f"X{', or lower eta0' if stable > 0 else ''}"
    )


def _certify(
    model: SGDRegressor, method: StochasticDescent, trace: Trace, state: State, look_at_gradient: bool
) -> None:
    """State by how much the objective still fell, and how steep it is where the fit ended."""
    if trace.stopped == "diverged":
        message = _divergence(model, method, state)
        warn(message, ConvergenceWarning)
        trace.certify("objective", state["objective"], method.reference, message)
        return
    steepness = f" Its slope there is {_steepness(model, method):.3g}." if look_at_gradient else ""
    if trace.stopped in ("budget", "interrupted"):
        left = model.max_iter - trace.iterations
        trace.certify("epochs left", max(left, 1), 0.0, f"the fit was stopped before its epochs were done.{steepness}")
    elif np.isneginf(method.tol):
        sentence = f"the epochs asked for were done, and no tolerance was set.{steepness}"
        trace.certify("gain per epoch", max(0.0, state["gains"][-1]), np.inf, sentence)
    else:
        what = "score of the validation rows" if method.error is not None else "mean objective"
        sentence = f"the {what} gained no more than this over its best, in any of the last epochs.{steepness}"
        gain = largest_gain(state["gains"], method.patience)
        trace.certify("gain per epoch", max(0.0, gain), method.tol, sentence)


def _loss(model: SGDRegressor) -> losses.Loss:
    epsilon = model.epsilon
    choices: dict[str, losses.Loss] = {
        "squared_error": losses.Squared(),
        "huber": losses.Huber(epsilon),
        "epsilon_insensitive": losses.EpsilonInsensitive(epsilon),
        "squared_epsilon_insensitive": losses.SquaredEpsilonInsensitive(epsilon),
    }
    return choices[model.loss]


def _steepness(model: SGDRegressor, method: StochasticDescent) -> float:
    """The largest part of the objective's (sub)gradient at the fitted weights."""
    l1, l2 = method.settings.l1, method.settings.l2
    penalty = penalties.ElasticNet(l1 + l2, l1 / (l1 + l2)) if l1 + l2 > 0 else penalties.Free()
    X, weight = method.X, method.weight
    pull = _loss(model).gradient(method.y, design.scores(X, model.coef_, model.intercept_[0])) / len(method.y)
    pull = pull if weight is None else pull * weight
    parts = penalty.distance(model.coef_, design.pullback(X, pull))
    return float(max(parts.max(), abs(pull.sum()) if model.fit_intercept else 0.0))
