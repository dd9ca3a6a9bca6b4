"""Configuration, validation set and certificate of linear models by stochastic gradient descent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core import Array, ConvergenceWarning, Data, DataError, Matrix, ParameterError, Trace
from ...core.errors import warn
from ...core.runtime.random import generator, seed_of
from ...engines import matrix_products
from ...engines.iterate import State
from ...engines.minimise.gradient_descent.sgd import SgdSettings, StochasticDescent, largest_gain, row_norms
from ...parts import losses, penalties

SPARSE_INTERCEPT_STEP = 0.01  # learning rate of the intercept for sparse data, whose gradient is dense
VALIDATION = 2**31  # key of the draw of validation rows, beyond any epoch
REGRESSION_LOSSES = ("squared_error", "huber", "epsilon_insensitive", "squared_epsilon_insensitive")
CLASSIFICATION_FACTOR = 10.0  # loss, relative to zero coefficients, that is not yet divergence in classification
MAX_ROW_GRADIENT = 1e12  # gradient of the loss of a row, beyond which the compiled step clips it


@dataclass(frozen=True, slots=True)
class SGDConfig:
    """Loss, penalty, learning rate and averaging of SGD; `average` is the first step in the average (0: none)."""

    loss: str
    epsilon: float = 0.1
    penalty: str | None = None
    alpha: float = 1.0
    l1_ratio: float | None = 0.15
    rate: str = "constant"
    eta: float = 1.0
    power: float = 0.5
    average: int = 0
    intercept_cost: float = 0.0

    def settings(self, intercept_step: float) -> SgdSettings:
        """The settings of the engine."""
        l1_ratio = {"l2": 0.0, "l1": 1.0, "elasticnet": self.l1_ratio, None: 0.0}[self.penalty] or 0.0
        strength = 0.0 if self.penalty is None else self.alpha
        return SgdSettings(
            loss=self.loss,
            epsilon=float(TARGET_MARGIN.get(self.loss, self.epsilon)),
            rate=self.rate,
            eta=float(self.eta),
            power=float(self.power),
            strength=float(self.alpha),
            l1=strength * l1_ratio,
            l2=strength * (1 - l1_ratio),
            intercept_step=intercept_step,
            average_from=int(self.average),
            intercept_cost=self.intercept_cost,
        )

    def check(self, owner: str) -> None:
        """Refuse incompatible parameters."""
        if self.rate == "optimal" and self.alpha == 0:
            raise ParameterError(
                f'{owner}: alpha must be above 0 with learning_rate="optimal", whose rate is 1 / (alpha t); got 0'
            )
        if self.rate in ("pa1", "pa2") and self.loss not in ("epsilon_insensitive", "hinge"):
            requested = "hinge" if self.loss in TARGET_MARGIN or owner.endswith("Classifier") else "epsilon_insensitive"
            raise ParameterError(f'{owner}: learning_rate="{self.rate}" needs loss="{requested}"; got {self.loss}')
        if self.penalty == "elasticnet" and self.l1_ratio is None:
            raise ParameterError(f'{owner}: l1_ratio must be a number when penalty="elasticnet"; got None')

    def loss_function(self) -> losses.Loss:
        """The loss object; the logistic loss as the deviance of half the score."""
        epsilon = self.epsilon
        choices: dict[str, losses.Loss] = {
            "squared_error": losses.Squared(),
            "huber": losses.Huber(epsilon),
            "epsilon_insensitive": losses.EpsilonInsensitive(epsilon),
            "squared_epsilon_insensitive": losses.SquaredEpsilonInsensitive(epsilon),
            "hinge": losses.Hinge(),
            "perceptron": losses.PerceptronLoss(),
            "perceptron_zero_one": losses.PerceptronLoss(),
            "squared_hinge": losses.SquaredHinge(),
            "modified_huber": losses.ModifiedHuber(),
            "log_loss": losses.BinomialDeviance(),
            "exponential": losses.Exponential(),
        }
        return choices[self.loss]

    def gradient(self, y: Array, z: Array) -> Array:
        """Derivative of the loss by the score."""
        if self.loss == "log_loss":
            return np.asarray(self.loss_function().gradient(y, z / 2) / 2)
        return self.loss_function().gradient(y, z)

    def reference(self, y: Array) -> float:
        """The mean loss of zero coefficients, or a multiple of it; a final loss far above it means divergence."""
        if self.loss in ("perceptron", "perceptron_zero_one"):
            return np.inf  # zero coefficients have loss zero
        nothing = float(np.mean(self.loss_function().value(y, np.zeros_like(y))))
        return nothing if self.loss in REGRESSION_LOSSES else CLASSIFICATION_FACTOR * nothing


TARGET_MARGIN = {"hinge": 1.0, "perceptron": 0.0, "perceptron_zero_one": 0.0}


def for_kernels(X: Matrix) -> tuple[Matrix, float]:
    """`X` in the layout of the kernels, and the learning-rate factor of the intercept."""
    sparse = matrix_products.is_sparse(X)
    return (X, SPARSE_INTERCEPT_STEP) if sparse else (np.ascontiguousarray(X), 1.0)


def method_of(
    model: Any, data: Data, begin: State, tol: float, seed: int, validation: ValidationSet | None
) -> StochasticDescent:
    """The SGD method of `model` for the targets or signs `data.y`, without its validation rows if there are any."""
    (X, intercept_step), config = for_kernels(data.X), model._sgd_config()
    rows = np.arange(data.n) if data.weight is None else np.flatnonzero(data.weight)
    rows = rows if validation is None else validation.rest
    return StochasticDescent(
        X, data.y, data.weight, rows, row_norms(X), config.settings(intercept_step if model.fit_intercept else 0.0),
        begin,
        reference=config.reference(data.y[rows]),
        tol=tol,
        patience=model.n_iter_no_change,
        shuffle=bool(model.shuffle),
        seed=seed,
        error=None if validation is None else validation.error_of(data.y),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class ValidationSet:
    """The validation set for early stopping, the remaining training rows, and the monitored score."""

    X: Matrix
    rows: Array
    rest: Array
    weight: Array | None
    score: Callable[[Array, Array, Array | None], float]

    def error_of(self, y: Array) -> Callable[[Array, float], float]:
        """The monitored error: minus the score on the validation set."""
        truth = y[self.rows]

        def error(coef: Array, intercept: float) -> float:
            return -self.score(truth, matrix_products.scores(self.X, coef, intercept), self.weight)

        return error

    @classmethod
    def of(cls, model: Any, data: Data, score: Any, strata: Array | None = None) -> ValidationSet | None:
        """The validation set of `model`, if it has one, stratified by `strata`."""
        if not model.early_stopping:
            return None
        rows = np.arange(data.n) if data.weight is None else np.flatnonzero(data.weight)
        rest, test = split_rows(model, rows, seed_of(model.random_state), strata)
        weight = None if data.weight is None else data.weight[test]
        return cls(for_kernels(data.X)[0][test], test, rest, weight, score)


def split_rows(model: Any, rows: Array, seed: int, strata: Array | None) -> tuple[Array, Array]:
    """Training rows and validation rows."""
    count = int(np.ceil(model.validation_fraction * len(rows)))
    if not 0 < count < len(rows):
        raise DataError(
            f"{type(model).__name__}: validation_fraction={model.validation_fraction} of {len(rows)} rows leaves an "
            f"empty set ({len(rows) - count} and {count}); change it, pass more rows, or set early_stopping=False"
        )
    drawn = generator(seed, VALIDATION).permutation(rows)
    if strata is not None:  # the n-th of m rows of a stratum is put at n / m, which mixes the strata
        labels = strata[drawn]
        place = np.empty(len(drawn))
        for label in np.unique(labels):
            here = np.flatnonzero(labels == label)
            place[here] = (np.arange(len(here)) + 0.5) / len(here)
        drawn = drawn[np.argsort(place, kind="stable")]
    return np.sort(drawn[count:]), np.sort(drawn[:count])


def checked_start(model: Any, name: str, given: Any, shape: tuple[int, ...]) -> Array:
    """Initial coefficients given as the argument `name` of fit, checked."""
    rule = f"{type(model).__name__}: {name} must hold finite numbers in the shape {shape}"
    try:
        values = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise DataError(f"{rule}; got {given!r:.60}") from None
    if values.squeeze().shape != np.empty(shape).squeeze().shape:
        raise DataError(f"{rule}; got the shape {values.shape}")
    if not np.isfinite(values).all():
        raise DataError(f"{rule}; got {values[~np.isfinite(values)][0]} among them")
    return values.reshape(shape)


def divergence_message(model: Any, config: SGDConfig, method: StochasticDescent, state: State) -> str:
    """The message of a divergence, with remedies."""
    story = (
        f"{type(model).__name__}: the weights diverged, to an objective of {state['objective']:.3g} in epoch "
        f"{state['epoch']}: "
    )
    with np.errstate(over="ignore"):
        longest = 1 + float(method.norms.max())
    if config.penalty is not None and config.alpha > longest:
        return f"{story}the penalty of alpha={config.alpha:g} dominates every row; lower alpha"
    if config.rate == "optimal":
        return (
            f"{story}learning_rate='optimal' with alpha={config.alpha:g} steps too far; scale the columns of X, raise "
            'alpha, or take learning_rate="adaptive" with a small eta0'
        )
    story += f"learning_rate={config.rate!r} with eta0={config.eta:g} steps too far. "
    if np.isinf(longest):
        return f"{story}No rate is stable for rows of this length; scale the columns of X"
    safe = f"The longest row is stable up to a rate of {2 / longest:.3g}"
    return f"{story}{safe}; scale the columns of X, or lower eta0"


def certify(
    model: Any, config: SGDConfig, trace: Trace, methods: list[StochasticDescent], states: list[State], whole: bool
) -> None:
    """Certify the improvement of the last epochs, and, after a `whole` fit, the gradient at the end."""
    if trace.stopped == "diverged":
        worst = int(np.argmax([state["objective"] for state in states]))
        message = divergence_message(model, config, methods[worst], states[worst])
        warn(message, ConvergenceWarning)
        trace.certify("objective", states[worst]["objective"], methods[worst].reference, message)
        return
    pairs = list(zip(methods, states, strict=True))
    row_gradient = max(largest_row_gradient(config, *pair) for pair in pairs) if whole else 0
    if trace.stopped == "converged" and row_gradient >= MAX_ROW_GRADIENT:
        trace.stopped = "stalled"
        remedy = "scale y" if config.loss in REGRESSION_LOSSES else "scale the columns of X"
        trace.certify(
            "row gradient",
            row_gradient,
            MAX_ROW_GRADIENT,
            f"larger gradients are clipped, so that steps are short; {remedy}",
        )
        return
    method = methods[0]
    gradient = max(largest_gradient_entry(config, *pair) for pair in pairs) if whole else 0
    at_end = f" The gradient there is {gradient:.3g}." if whole else ""
    if trace.stopped in ("budget", "interrupted"):
        left = model.max_iter - trace.iterations
        trace.certify("epochs left", max(left, 1), 0.0, f"the fit was stopped before its epochs were done.{at_end}")
    elif np.isneginf(method.tol):
        sentence = f"the requested epochs were done; without a tolerance nothing is certified of the optimum.{at_end}"
        trace.certify("epochs left", 0.0, 0.0, sentence)
    else:
        what = "score of the validation rows" if method.error is not None else "mean objective"
        sentence = f"the {what} gained no more than this over its best, in any of the last epochs.{at_end}"
        gain = max(largest_gain(state["gains"], method.patience) for state in states)
        trace.certify("gain per epoch", max(0.0, gain), method.tol, sentence)


def largest_row_gradient(config: SGDConfig, method: StochasticDescent, state: State) -> float:
    """The largest gradient of the loss of a row at the last coefficients."""
    scores = matrix_products.precise_scores(method.X, state["coef"], state["numbers"][0])
    return float(np.abs(config.gradient(method.y, scores)).max())


def largest_gradient_entry(config: SGDConfig, method: StochasticDescent, state: State) -> float:
    """The largest entry of the objective's (sub)gradient at the last coefficients."""
    settings, X, weight = method.settings, method.X, method.weight
    l1, l2 = settings.l1, settings.l2
    penalty = penalties.ElasticNet(l1 + l2, l1 / (l1 + l2)) if l1 + l2 > 0 else penalties.Free()
    coef, intercept = state["coef"], state["numbers"][0]
    row_gradient = config.gradient(method.y, matrix_products.precise_scores(X, coef, intercept)) / len(method.y)
    row_gradient = row_gradient if weight is None else row_gradient * weight
    violations = penalty.distance(coef, matrix_products.transposed_product(X, row_gradient))
    return float(
        max(violations.max(), abs(row_gradient.sum() + settings.intercept_cost) if settings.intercept_step else 0.0)
    )
