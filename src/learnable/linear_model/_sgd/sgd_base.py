"""What models that learn from one row at a time share: the course of their steps, their rows and their certificate."""

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
from ...engines.minimise.gradient_descent.sgd import Settings, StochasticDescent, largest_gain, row_norms
from ...parts import losses, penalties

SPARSE_INTERCEPT_STEP = 0.01  # the intercept sees every row of sparse data, the other weights few: it goes slower
VALIDATION = 2**31  # key of the draw of validation rows, beyond any epoch
OF_NUMBERS = ("squared_error", "huber", "epsilon_insensitive", "squared_epsilon_insensitive")
UNITLESS = 10.0  # scores of classes have no unit: good ones can lose so many times what weights of zero lose
STEEPEST = 1e12  # slope of the loss of a row; the compiled step cuts what is steeper


@dataclass(frozen=True, slots=True)
class Course:
    """Loss, penalty, price of the intercept, rate; `average` is the first step that counts in the average (0: none)."""

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

    def settings(self, intercept_step: float) -> Settings:
        """The same as the engine knows it."""
        l1_ratio = {"l2": 0.0, "l1": 1.0, "elasticnet": self.l1_ratio, None: 0.0}[self.penalty] or 0.0
        strength = 0.0 if self.penalty is None else self.alpha
        return Settings(
            loss=self.loss,
            epsilon=float(WANTED_MARGIN.get(self.loss, self.epsilon)),
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
        """Refuse what does not go together."""
        if self.rate == "optimal" and self.alpha == 0:
            raise ParameterError(
                f'{owner}: alpha must be above 0 with learning_rate="optimal", whose rate is 1 / (alpha t); got 0'
            )
        if self.rate in ("pa1", "pa2") and self.loss not in ("epsilon_insensitive", "hinge"):
            requested = "hinge" if self.loss in WANTED_MARGIN or owner.endswith("Classifier") else "epsilon_insensitive"
            raise ParameterError(f'{owner}: learning_rate="{self.rate}" needs loss="{requested}"; got {self.loss}')
        if self.penalty == "elasticnet" and self.l1_ratio is None:
            raise ParameterError(f'{owner}: l1_ratio must be a number when penalty="elasticnet"; got None')

    def price(self) -> losses.Loss:
        """The loss as a part; the logistic one as a deviance of half the score."""
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

    def slope(self, y: Array, z: Array) -> Array:
        """Derivative of the loss by the score."""
        if self.loss == "log_loss":
            return np.asarray(self.price().gradient(y, z / 2) / 2)
        return self.price().gradient(y, z)

    def reference(self, y: Array) -> float:
        """The mean loss of weights that are all zero, or some times that; an end far above it means divergence."""
        if self.loss in ("perceptron", "perceptron_zero_one"):
            return np.inf  # weights of zero cost nothing: no others cost less, however well they classify
        nothing = float(np.mean(self.price().value(y, np.zeros_like(y))))
        return nothing if self.loss in OF_NUMBERS else UNITLESS * nothing


WANTED_MARGIN = {"hinge": 1.0, "perceptron": 0.0, "perceptron_zero_one": 0.0}


def readable(X: Matrix) -> tuple[Matrix, float]:
    """`X` as the compiled steps read it, and the share of a step that an intercept takes."""
    sparse = matrix_products.is_sparse(X)
    return (X, SPARSE_INTERCEPT_STEP) if sparse else (np.ascontiguousarray(X), 1.0)


def method_of(
    model: Any, data: Data, begin: State, tol: float, seed: int, held_out: HeldOut | None
) -> StochasticDescent:
    """The epochs of `model` on the numbers or signs `data.y`, without its validation rows if it keeps some."""
    (X, intercept_step), course = readable(data.X), model._course()
    rows = np.arange(data.n) if data.weight is None else np.flatnonzero(data.weight)
    rows = rows if held_out is None else held_out.rest
    return StochasticDescent(
        X, data.y, data.weight, rows, row_norms(X), course.settings(intercept_step if model.fit_intercept else 0.0),
        begin,
        reference=course.reference(data.y[rows]),
        tol=tol,
        patience=model.n_iter_no_change,
        shuffle=bool(model.shuffle),
        seed=seed,
        error=None if held_out is None else held_out.error_of(data.y),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class HeldOut:
    """Validation rows, the `rest` to learn from, and the score that must rise: of truth, scores and weights."""

    X: Matrix
    rows: Array
    rest: Array
    weight: Array | None
    score: Callable[[Array, Array, Array | None], float]

    def error_of(self, y: Array) -> Callable[[Array, float], float]:
        """What must fall: minus the score of a model on the validation rows."""
        truth = y[self.rows]

        def error(coef: Array, intercept: float) -> float:
            return -self.score(truth, matrix_products.scores(self.X, coef, intercept), self.weight)

        return error

    @classmethod
    def of(cls, model: Any, data: Data, score: Any, strata: Array | None = None) -> HeldOut | None:
        """The rows that `model` keeps for validation, if it does, alike many of each of the `strata`."""
        if not model.early_stopping:
            return None
        rows = np.arange(data.n) if data.weight is None else np.flatnonzero(data.weight)
        rest, held = split_rows(model, rows, seed_of(model.random_state), strata)
        weight = None if data.weight is None else data.weight[held]
        return cls(readable(data.X)[0][held], held, rest, weight, score)


def split_rows(model: Any, rows: Array, seed: int, strata: Array | None) -> tuple[Array, Array]:
    """Rows to learn from and rows to validate on."""
    count = int(np.ceil(model.validation_fraction * len(rows)))
    if not 0 < count < len(rows):
        raise DataError(
            f"{type(model).__name__}: validation_fraction={model.validation_fraction} of {len(rows)} rows leaves an "
            f"empty set ({len(rows) - count} and {count}); change it, bring more rows, or set early_stopping=False"
        )
    drawn = generator(seed, VALIDATION).permutation(rows)
    if strata is not None:  # the n-th of a stratum of m rows stands at n / m: neighbours then are of all strata
        labels = strata[drawn]
        place = np.empty(len(drawn))
        for label in np.unique(labels):
            here = np.flatnonzero(labels == label)
            place[here] = (np.arange(len(here)) + 0.5) / len(here)
        drawn = drawn[np.argsort(place, kind="stable")]
    return np.sort(drawn[count:]), np.sort(drawn[:count])


def first_values(model: Any, name: str, given: Any, shape: tuple[int, ...]) -> Array:
    """Weights to begin with, which are given as the argument `name` of fit."""
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


def divergence(model: Any, course: Course, method: StochasticDescent, state: State) -> str:
    """What happened to weights that ran away, and what to do."""
    story = (
        f"{type(model).__name__}: the weights diverged, to an objective of {state['objective']:.3g} in epoch "
        f"{state['epoch']}: "
    )
    with np.errstate(over="ignore"):
        longest = 1 + float(method.norms.max())
    if course.penalty is not None and course.alpha > longest:
        return f"{story}the penalty of alpha={course.alpha:g} pulls harder than any row; lower alpha"
    if course.rate == "optimal":
        return (
            f"{story}learning_rate='optimal' with alpha={course.alpha:g} steps too far; scale the columns of X, raise "
            'alpha, or take learning_rate="adaptive" with a small eta0'
        )
    story += f"learning_rate={course.rate!r} with eta0={course.eta:g} steps too far. "
    if np.isinf(longest):
        return f"{story}No rate is safe for rows so long; scale the columns of X"
    safe = f"The longest row is safe up to a rate of {2 / longest:.3g}"
    return f"{story}{safe}; scale the columns of X, or lower eta0"


def certify(
    model: Any, course: Course, trace: Trace, methods: list[StochasticDescent], states: list[State], whole: bool
) -> None:
    """State by how much the objective still fell, and, after a `whole` fit, how steep it is where the fit ended."""
    if trace.stopped == "diverged":
        worst = int(np.argmax([state["objective"] for state in states]))
        message = divergence(model, course, methods[worst], states[worst])
        warn(message, ConvergenceWarning)
        trace.certify("objective", states[worst]["objective"], methods[worst].reference, message)
        return
    pairs = list(zip(methods, states, strict=True))
    pull = max(largest_pull(course, *pair) for pair in pairs) if whole else 0
    if trace.stopped == "converged" and pull >= STEEPEST:
        trace.stopped = "stalled"
        remedy = "scale y" if course.loss in OF_NUMBERS else "scale the columns of X"
        trace.certify("slope of a row", pull, STEEPEST, f"steeper slopes are cut, so that steps are short; {remedy}")
        return
    method = methods[0]
    slope = max(steepness(course, *pair) for pair in pairs) if whole else 0
    steep = f" Its slope there is {slope:.3g}." if whole else ""
    if trace.stopped in ("budget", "interrupted"):
        left = model.max_iter - trace.iterations
        trace.certify("epochs left", max(left, 1), 0.0, f"the fit was stopped before its epochs were done.{steep}")
    elif np.isneginf(method.tol):
        sentence = f"the epochs asked for were done; no tolerance was set, so nothing is said of the optimum.{steep}"
        trace.certify("epochs left", 0.0, 0.0, sentence)
    else:
        what = "score of the validation rows" if method.error is not None else "mean objective"
        sentence = f"the {what} gained no more than this over its best, in any of the last epochs.{steep}"
        gain = max(largest_gain(state["gains"], method.patience) for state in states)
        trace.certify("gain per epoch", max(0.0, gain), method.tol, sentence)


def largest_pull(course: Course, method: StochasticDescent, state: State) -> float:
    """The largest slope of the loss of a row at the last weights."""
    scores = matrix_products.precise_scores(method.X, state["coef"], state["numbers"][0])
    return float(np.abs(course.slope(method.y, scores)).max())


def steepness(course: Course, method: StochasticDescent, state: State) -> float:
    """The largest part of the objective's (sub)gradient at the last weights."""
    settings, X, weight = method.settings, method.X, method.weight
    l1, l2 = settings.l1, settings.l2
    penalty = penalties.ElasticNet(l1 + l2, l1 / (l1 + l2)) if l1 + l2 > 0 else penalties.Free()
    coef, intercept = state["coef"], state["numbers"][0]
    pull = course.slope(method.y, matrix_products.precise_scores(X, coef, intercept)) / len(method.y)
    pull = pull if weight is None else pull * weight
    parts = penalty.distance(coef, matrix_products.transposed_product(X, pull))
    return float(max(parts.max(), abs(pull.sum() + settings.intercept_cost) if settings.intercept_step else 0.0))
