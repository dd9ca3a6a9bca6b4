"""Linear regression by gradient descent."""

from __future__ import annotations

from typing import Literal

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
    Traits,
    estimator,
    learned,
    param,
)
from ..core.errors import warn
from ..core.runtime.random import RandomState, generator, seed_of
from ..engines import matrix_products
from ..engines.columns.column_statistics import ColumnStatistics
from ..engines.iterate import State, iterate
from ..engines.minimise.gradient_descent.batch_gradient import GradientDescent, LinearProblem, batch_curvature
from ..engines.minimise.row_losses import counted_rows, normalised_weights
from ..parts import losses, penalties, schedules

LOSSES: dict[str, losses.Loss] = {
    "squared_error": losses.Squared(),
    "absolute_error": losses.Absolute(),
    "huber": losses.Huber(),
    "log_cosh": losses.LogCosh(),
    "epsilon_insensitive": losses.EpsilonInsensitive(),
    "squared_epsilon_insensitive": losses.SquaredEpsilonInsensitive(),
    "student_t": losses.StudentT(),
    "poisson": losses.Poisson(),
    "gamma": losses.Gamma(),
}
START = 2**31  # key of the draw of the first weights, beyond any epoch


@estimator
class GradientDescentRegressor(Regressor):
    """Linear regression by gradient descent: batch, stochastic or mini-batch.

    minimise over w, b    sum_i s_i loss(y_i, x_i w + b)  +  alpha penalty(w)        s_i sum to 1
    repeat                w <- w - rate * gradient

    On all rows per step (`batch_size=None`, batch), on one (1, stochastic) or on a few (mini-batch, reshuffled every
    epoch). The gradient is an average over rows; where a textbook sums, its learning rate is ours divided by n. A rate
    beyond 2 / (largest curvature) diverges, and a warning names that bound; "auto" takes half of it. `trace_` holds the
    objective and the root mean squared error of every epoch. For speed use SGDRegressor, for exact
    solutions LinearRegression. [Cauchy, 1847]

    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [1.0, 3.0, 5.0, 7.0]
    >>> model = GradientDescentRegressor(learning_rate=0.2).fit(X, y)
    >>> model.coef_.round(3), round(model.intercept_, 3)
    (array([2.]), 1.0)
    """

    loss: str = param("squared_error", "loss function", accepts=LOSSES.__contains__, says=f"one of {', '.join(LOSSES)}")
    learning_rate: float | Literal["auto"] = param("auto", "learning rate", above=0)
    schedule: Literal["constant", "invscaling", "step_decay", "adaptive"] = param("constant", "learning-rate schedule")
    power_t: float = param(0.5, "exponent of the step number in the invscaling schedule")
    batch_size: int | None = param(None, "number of rows per step (None: all)", at_least=1)
    penalty: Literal["l2", "l1", "elasticnet"] | None = param(None, "penalty of the coefficients")
    alpha: float = param(
        0.01, "regularisation strength", at_least=0, tune=(1e-4, 1e-3, 1e-2, 0.1, 1.0), simpler="larger"
    )
    l1_ratio: float = param(0.5, "fraction of the l1 part in an elastic net", between=(0, 1))
    fit_intercept: bool = param(True, "whether to fit an intercept")
    max_iter: int = param(1000, "maximum number of epochs", at_least=1)
    tol: float | None = param(
        1e-6, "tolerance of the correlation of columns and errors (None: run all epochs)", at_least=0
    )
    init_scale: float = param(0.0, "standard deviation of random initial coefficients", at_least=0)
    coef_init: Array | None = param(None, "initial coefficients, instead of random ones")
    intercept_init: float = param(0.0, "initial intercept")
    keep_path: bool = param(False, "whether to store the coefficients of every epoch")
    random_state: RandomState = param(None, "seed of the initial coefficients and of the batches")
    coef_: Array = learned("coefficient of each column", shape="features")
    intercept_: float = learned("intercept of the model")
    n_iter_: int = learned("number of epochs")
    learning_rate_: float = learned("initial learning rate")
    coef_path_: Array = learned("coefficients before and after every epoch", shape="points features", optional=True)
    intercept_path_: Array = learned("intercept along that path", shape="points", optional=True)

    traits = Traits(sparse=True, storage="csr", stochastic=True)
    title = "linear regression by gradient descent"
    reference = "Cauchy, Méthode générale pour la résolution des systèmes d'équations simultanées, 1847"

    def _fit(self, data: Data, trace: Trace) -> None:
        X, y, weight = counted_rows(data)
        loss = LOSSES[self.loss]
        loss.check(y)
        problem = LinearProblem(
            X, y, normalised_weights(weight, len(y)), loss, _penalty(self), bool(self.fit_intercept)
        )
        with np.errstate(over="ignore", invalid="ignore"):
            self.learning_rate_ = _rate(self, problem)
            method = _method(self, problem)
            if not np.isfinite(method.start().get("gradient", np.inf)).all():
                raise DataError(
                    f"{type(self).__name__}: the loss of the initial coefficients overflows; scale X and y first"
                )
            state = iterate(method, self.max_iter, trace)
        self._keep(state, data)
        self.n_iter_ = trace.iterations
        _certify(self, method, state, trace)

    def _keep(self, state: State, data: Data) -> None:
        self.coef_, self.intercept_ = state["coef"].astype(data.X.dtype), float(state["intercept"])
        if self.keep_path:
            path = np.array(state["path"])
            self.coef_path_, self.intercept_path_ = path[:, :-1], path[:, -1]

    def _predict(self, X: Matrix) -> Array:
        return LOSSES[self.loss].predict(matrix_products.scores(X, self.coef_, self.intercept_))


def _penalty(model: GradientDescentRegressor) -> penalties.Penalty:
    choices: dict[str | None, penalties.Penalty] = {
        None: penalties.Free(),
        "l2": penalties.L2(model.alpha),
        "l1": penalties.L1(model.alpha),
        "elasticnet": penalties.ElasticNet(model.alpha, model.l1_ratio),
    }
    return choices[model.penalty]


def _curvature(model: GradientDescentRegressor, problem: LinearProblem) -> float:
    """Largest curvature for the steps of the model; learning rates above 2 over it diverge."""
    smooth = problem.penalty.gradient(np.ones(1)) if problem.penalty.smooth else np.zeros(1)
    return batch_curvature(problem, model.batch_size) + float(smooth[0])


def _rate(model: GradientDescentRegressor, problem: LinearProblem) -> float:
    if model.learning_rate != "auto":
        return float(model.learning_rate)
    curvature = _curvature(model, problem)
    if not np.isfinite(curvature) and problem.loss.curvature_bound is not None:
        raise DataError(
            "GradientDescentRegressor: the squares of X are beyond the range of floating-point numbers, so that no "
            "learning rate is safe; scale the columns of X"
        )
    if not np.isfinite(curvature):
        raise ParameterError(
            f'GradientDescentRegressor: learning_rate="auto" needs a loss of bounded curvature, and {model.loss!r} '
            "does not have one; give a number"
        )
    return 1 / curvature if curvature > 0 else 1.0


def _method(model: GradientDescentRegressor, problem: LinearProblem) -> GradientDescent:
    rate, seed, p = model.learning_rate_, seed_of(model.random_state), problem.X.shape[1]
    plan: dict[str, schedules.Schedule] = {
        "constant": schedules.Constant(rate),
        "invscaling": schedules.InverseScaling(rate, model.power_t),
        "step_decay": schedules.StepDecay(rate),
        "adaptive": schedules.Adaptive(rate),
    }
    coef = generator(seed, START).normal(scale=model.init_scale or 1.0, size=p) * (model.init_scale > 0)
    if model.coef_init is not None:
        coef = _first_weights(model.coef_init, p)
    return GradientDescent(
        problem,
        plan[model.schedule],
        model.batch_size,
        seed,
        -np.inf if model.tol is None else float(model.tol),
        coef,
        float(model.intercept_init) * problem.fit_intercept,
        *_middle_and_norm(problem),
        _size(problem),
        bool(model.keep_path),
    )


def _middle_and_norm(problem: LinearProblem) -> tuple[Array, Array]:
    """Mean and standard deviation of each column; zero and its length without an intercept."""
    if not problem.fit_intercept:
        return np.zeros(problem.X.shape[1]), np.sqrt(matrix_products.squared_norms(problem.X, problem.row_weight))
    columns = ColumnStatistics.of(problem.X, problem.row_weight)
    return columns.mean, np.sqrt(columns.spread)


def _first_weights(given: Array, count: int) -> Array:
    rule = f"coef_init must hold {count} finite numbers, one for each column"
    try:
        coef = np.array(given, dtype=np.float64).ravel()
    except (TypeError, ValueError):
        raise ParameterError(f"{rule}; got {given!r:.60}") from None
    if coef.shape != (count,):
        raise ParameterError(f"{rule}; got {coef.size} of them")
    return coef


def _size(problem: LinearProblem) -> float:
    """Root mean square of the row gradients at the best constant prediction."""
    y, row_weight, loss = problem.y, problem.row_weight, problem.loss
    best = loss.best_constant(y, row_weight) if problem.fit_intercept else 0.0
    least, none = (float(np.sqrt(row_weight @ loss.gradient(y, np.full_like(y, z)) ** 2)) for z in (best, 0.0))
    return max(least, 1e-9 * none) or 1.0


def _certify(model: GradientDescentRegressor, method: GradientDescent, state: State, trace: Trace) -> None:
    """Certify the distance from the optimum; warn of divergence."""
    reached, tolerance = method.criterion(state), np.inf if model.tol is None else method.tol
    sentence = "no column, nor the intercept, correlates with the errors by more than this."
    far = state["objective"] > (1 + 1e-9 if method.whole else 10) * abs(state["first"])
    if trace.stopped == "diverged" or (trace.stopped == "limit" and far):
        trace.stopped = "diverged"
        sentence = _divergence(model, method, state)
        warn(sentence, ConvergenceWarning)
        reached, tolerance = max(reached, 2 * method.tol), max(method.tol, 0.0)
    trace.certify("correlation", reached, tolerance, sentence)


def _divergence(model: GradientDescentRegressor, method: GradientDescent, state: State) -> str:
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        stable = np.float64(2) / _curvature(model, method.problem)
    bound = f"the largest stable rate is about {stable:.3g}" if stable > 0 else "the loss has no largest stable rate"
    return (
        f"GradientDescentRegressor: the objective went from {state['first']:.3g} to {state['objective']:.3g} in "
        f"{state['epoch']} epochs: steps of learning_rate={model.learning_rate_:.3g} are too long, and {bound}; "
        "lower it, or scale the columns"
    )
