"""The pocket algorithm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..core import Array, Data, Matrix, Trace, Traits, estimator, learned, param, scaling
from ..core.runtime.random import RandomState, generator, seed_of
from ..engines import matrix_products
from ..engines.iterate import Progress, State, iterate
from ..engines.linear_decision import LinearDecision
from ..engines.lockstep import Lockstep
from ..engines.minimise.least_squares.solve import least_squares
from ..parts.class_weights import class_weights
from ._logistic.logistic_objective import refuse_one_class


@estimator
class Pocket(LinearDecision):
    """Pocket algorithm: a perceptron that keeps the best weights so far, for classes that are not separable.

    minimise over w, b    the fraction of rows with y_i (x_i w + b) <= 0,    y_i in {-1, 1}

    Each round updates the weights by a random misclassified row, and keeps the new weights in the pocket if they
    misclassify fewer rows. The error never rises, and the best hyperplane is found eventually with probability one:
    `certificate_` gives the remaining error. A round costs a product Xw. More than two classes are handled one versus
    rest. [Gallant, 1990]

    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [10.0]], [0, 0, 1, 1, 0]  # the last row is an outlier
    >>> model = Pocket(max_iter=200, random_state=0).fit(X, y)
    >>> model.error_, model.predict([[0.5], [2.5]])
    (array([0.2]), array([0, 1]))
    """

    max_iter: int = param(1000, "number of rounds", at_least=1)
    eta0: float = param(1.0, "learning rate", above=0)
    start: Literal["zero", "least_squares"] = param("zero", "initial weights: zero, or those of least squares")
    fit_intercept: bool = param(True, "whether to fit an intercept")
    class_weight: dict[Any, Any] | Literal["balanced"] | None = param(
        None, "weights of the classes, which multiply the sample weights"
    )
    random_state: RandomState = param(None, "seed of the sampling of rows")
    classes_: Array = learned("class labels, sorted", shape="classes")
    coef_: Array = learned(
        "coefficient of each column, for each class or for the second of two", shape="planes features"
    )
    intercept_: Array = learned("intercept of the model", shape="planes")
    error_: Array = learned("weighted training error of each hyperplane", shape="planes")
    n_iter_: int = learned("number of rounds")

    traits = Traits(sparse=True, storage="csr", stochastic=True)
    title = "pocket algorithm"
    reference = "Gallant, Perceptron-based learning algorithms, IEEE Transactions on Neural Networks 1, 1990"

    def _fit(self, data: Data, trace: Trace) -> None:
        refuse_one_class("Pocket", self.classes_, data.y, data.weight)
        X, codes, weight = matrix_products.counting_rows(data.X, data.y, data.weight)
        X = X if matrix_products.is_sparse(X) else np.ascontiguousarray(X)
        factors = class_weights(self.class_weight, self.classes_, codes, weight, "Pocket")
        row_weight = factors[codes] * (1.0 if weight is None else weight)
        positive_classes = [1] if len(self.classes_) == 2 else list(range(len(self.classes_)))
        seed = seed_of(self.random_state)
        unit = scaling.unit_of(X)  # the hyperplane does not depend on the scale of the columns
        X = X if unit == 1 else X * unit
        key = matrix_products.precise_scores(X, generator(0).standard_normal(X.shape[1]), 0.0)
        methods = [
            _PocketRounds(X, np.where(codes == index, 1.0, -1.0), row_weight / row_weight.sum(), self, seed, index, key)
            for index in positive_classes
        ]
        found = iterate(Lockstep(methods), self.max_iter, trace)["parts"]
        self.coef_ = (np.array([state["pocket"][:-1] for state in found]) * unit).astype(X.dtype)
        self.intercept_ = np.array([state["pocket"][-1] for state in found]).astype(X.dtype)
        self.error_ = np.array([state["error"] for state in found])
        self.n_iter_ = trace.iterations
        left = float(self.error_.max())
        if left == 0:
            trace.certify("share of errors", 0.0, 0.0, "no row is misclassified by its hyperplane.")
        else:
            if trace.stopped == "limit":
                trace.stopped = "converged"  # all rounds were done: there is no other stopping rule
            trace.certify("share of errors", left, 1.0, "this fraction of the rows is misclassified by a hyperplane.")


@dataclass(frozen=True, slots=True)
class _PocketRounds:
    """The rounds of one hyperplane; its last weight is the intercept."""

    X: Matrix
    sign: Array
    row_weight: Array
    model: Pocket
    seed: int
    index: int
    key: Array  # equal for equal rows, and for hardly any others

    def start(self) -> State:
        w = np.zeros(self.X.shape[1] + 1)
        if self.model.start == "least_squares":
            w = _regression(self.X, self.sign, self.row_weight, self.model.fit_intercept)
        return {"w": w, "round": 0, **self._evaluate(w), "pocket": w}

    def step(self, state: State) -> State:
        wrong = state["wrong"]
        if len(wrong) == 0:
            return state | {"round": state["round"] + 1}
        row = self._draw(state)
        w = state["w"].copy()
        x = self.X[[row]]
        move = self.model.eta0 * self.sign[row]
        w[:-1] += move * np.ravel(x.toarray() if matrix_products.is_sparse(x) else x)
        w[-1] += move if self.model.fit_intercept else 0.0
        evaluated = self._evaluate(w)
        better = evaluated["now"] < state["error"]
        kept = {"pocket": w, "error": evaluated["now"]} if better else {"error": state["error"]}
        return state | evaluated | kept | {"w": w, "round": state["round"] + 1}

    def progress(self, state: State) -> Progress:
        return Progress(state["error"], state["error"], 0.0, {"now": state["now"]})

    def _draw(self, state: State) -> int:
        """A random misclassified row, with a probability proportional to its weight."""
        wrong = state["wrong"]
        order = wrong[
            np.lexsort((self.key[wrong], state["margin"]))
        ]  # equal rows are adjacent, in any order of the data
        reached = np.cumsum(self.row_weight[order])
        level = generator(self.seed, self.index, state["round"]).random() * reached[-1]
        return int(order[min(np.searchsorted(reached, level, side="right"), len(order) - 1)])

    def _evaluate(self, w: Array) -> State:
        margin = self.sign * matrix_products.precise_scores(self.X, w[:-1], w[-1])
        wrong = np.flatnonzero(margin <= 0)
        error = float(self.row_weight[wrong].sum())
        return {"wrong": wrong, "margin": margin[wrong], "now": error, "error": error}


def _regression(X: Matrix, sign: Array, row_weight: Array, fit_intercept: bool) -> Array:
    """The least-squares fit of the signs."""
    fit = least_squares(X, sign.astype(X.dtype).reshape(-1, 1), row_weight, fit_intercept)
    return np.append(np.ravel(fit.coef), np.ravel(fit.intercept)[0]).astype(np.float64)
