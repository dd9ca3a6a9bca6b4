"""What linear models by gradient descent share: parameters, learning rate, starting values and certificate."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core import (
    Array,
    ConvergenceWarning,
    DataError,
    Estimator,
    ParameterError,
    Trace,
    Traits,
    declaring,
    learned,
    param,
)
from ..core.errors import warn
from ..core.runtime.random import RandomState, generator, seed_of
from ..engines import matrix_products
from ..engines.columns.column_statistics import ColumnStatistics
from ..engines.iterate import State, iterate
from ..engines.minimise.gradient_descent.batch_gradient import GradientDescent, LinearProblem, batch_curvature
from ..parts import penalties, schedules

START = 2**31  # key of the draw of the first weights, beyond any epoch


@declaring
class GradientDescentModel(Estimator):
    """Base class of linear models by gradient descent on the mean loss of all rows, of one row or of a few."""

    loss: str  # declared, with its choices, by each class

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
    n_iter_: int = learned("number of epochs")
    learning_rate_: float = learned("initial learning rate")

    traits = Traits(sparse=True, storage="csr", stochastic=True)
    reference = "Cauchy, Méthode générale pour la résolution des systèmes d'équations simultanées, 1847"

    def _descend(self, problem: LinearProblem, shape: tuple[int, ...], size: float, trace: Trace) -> State:
        """The last state of gradient descent on coefficients of this shape; sets the learning rate and certifies.

        `size` is the root mean square of the row gradients that counts as one.
        """
        with np.errstate(over="ignore", invalid="ignore"):
            self.learning_rate_ = _rate(self, problem)
            method = _method(self, problem, shape, size)
            if not np.isfinite(method.start().get("gradient", np.inf)).all():
                raise DataError(
                    f"{type(self).__name__}: the loss of the initial coefficients overflows; scale the columns first"
                )
            state = iterate(method, self.max_iter, trace)
        self.n_iter_ = trace.iterations
        _certify(self, method, state, trace)
        return state

    def _penalty(self) -> penalties.Penalty:
        choices: dict[str | None, penalties.Penalty] = {
            None: penalties.Free(),
            "l2": penalties.L2(self.alpha),
            "l1": penalties.L1(self.alpha),
            "elasticnet": penalties.ElasticNet(self.alpha, self.l1_ratio),
        }
        return choices[self.penalty]


def _curvature(model: GradientDescentModel, problem: LinearProblem) -> float:
    """Largest curvature for the steps of the model; learning rates above 2 over it diverge."""
    smooth = problem.penalty.gradient(np.ones(1)) if problem.penalty.smooth else np.zeros(1)
    return batch_curvature(problem, model.batch_size) + float(smooth[0])


def _rate(model: GradientDescentModel, problem: LinearProblem) -> float:
    if model.learning_rate != "auto":
        return float(model.learning_rate)
    owner, curvature = type(model).__name__, _curvature(model, problem)
    if not np.isfinite(curvature) and problem.loss.curvature_bound is not None:
        raise DataError(
            f"{owner}: the squares of X are beyond the range of floating-point numbers, so that no learning rate is "
            "safe; scale the columns of X"
        )
    if not np.isfinite(curvature):
        raise ParameterError(
            f'{owner}: learning_rate="auto" needs a loss of bounded curvature, and {model.loss!r} does not have one; '
            "give a number"
        )
    return 1 / curvature if curvature > 0 else 1.0


def _method(
    model: GradientDescentModel, problem: LinearProblem, shape: tuple[int, ...], size: float
) -> GradientDescent:
    rate, seed = model.learning_rate_, seed_of(model.random_state)
    plan: dict[str, schedules.Schedule] = {
        "constant": schedules.Constant(rate),
        "invscaling": schedules.InverseScaling(rate, model.power_t),
        "step_decay": schedules.StepDecay(rate),
        "adaptive": schedules.Adaptive(rate),
    }
    coef = generator(seed, START).normal(scale=model.init_scale or 1.0, size=shape) * (model.init_scale > 0)
    if model.coef_init is not None:
        coef = _first_weights(model.coef_init, shape)
    return GradientDescent(
        problem,
        plan[model.schedule],
        model.batch_size,
        seed,
        -np.inf if model.tol is None else float(model.tol),
        coef,
        np.full(shape[:-1], float(model.intercept_init) * problem.fit_intercept),
        *_middle_and_norm(problem),
        size,
        bool(model.keep_path),
    )


def _middle_and_norm(problem: LinearProblem) -> tuple[Array, Array]:
    """Mean and standard deviation of each column; zero and its length without an intercept."""
    if not problem.fit_intercept:
        return np.zeros(problem.X.shape[1]), np.sqrt(matrix_products.squared_norms(problem.X, problem.row_weight))
    columns = ColumnStatistics.of(problem.X, problem.row_weight)
    return columns.mean, np.sqrt(columns.spread)


def _first_weights(given: Any, shape: tuple[int, ...]) -> Array:
    count = int(np.prod(shape))
    each = "one for each column" if len(shape) == 1 else f"as an array of the shape {shape}"
    rule = f"coef_init must hold {count} finite numbers, {each}"
    try:
        coef = np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(f"{rule}; got {given!r:.60}") from None
    if coef.size != count:
        raise ParameterError(f"{rule}; got {coef.size} of them")
    return coef.reshape(shape)


def _certify(model: GradientDescentModel, method: GradientDescent, state: State, trace: Trace) -> None:
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


def _divergence(model: GradientDescentModel, method: GradientDescent, state: State) -> str:
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        stable = np.float64(2) / _curvature(model, method.problem)
    bound = f"the largest stable rate is about {stable:.3g}" if stable > 0 else "the loss has no largest stable rate"
    return (
        f"{type(model).__name__}: the objective went from {state['first']:.3g} to {state['objective']:.3g} in "
        f"{state['epoch']} epochs: steps of learning_rate={model.learning_rate_:.3g} are too long, and {bound}; "
        "lower it, or scale the columns"
    )
