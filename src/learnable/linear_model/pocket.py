"""The pocket algorithm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..core import Array, Data, Matrix, Trace, estimator, learned, param
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
    """A perceptron that keeps the best plane it has met, for classes that no plane separates.

    minimise over w, b    the share of rows with y_i (x_i w + b) <= 0,    y_i in {-1, 1}

    Each round turns the plane towards one wrong row, drawn at random, and puts the new plane into the pocket if it is
    wrong for fewer rows. The share never rises, and the best plane is found in the end with probability one, though
    nobody knows when: `certificate_` says what share is left. A round costs a product Xw. More than two classes are
    told apart one from the rest. [Gallant, 1990]

    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [10.0]], [0, 0, 1, 1, 0]  # the last row is out of line
    >>> model = Pocket(max_iter=200, random_state=0).fit(X, y)
    >>> model.error_, model.predict([[0.5], [2.5]])
    (array([0.2]), array([0, 1]))
    """

    max_iter: int = param(1000, "how many rows the plane is turned towards", at_least=1)
    eta0: float = param(1.0, "length of a step", above=0)
    start: Literal["zero", "least_squares"] = param("zero", "plane of the first round: none, or that of a regression")
    fit_intercept: bool = param(True, "whether to learn a constant term")
    class_weight: dict[Any, Any] | Literal["balanced"] | None = param(None, "factors of the weights by class")
    random_state: RandomState = param(None, "seed of the draws of rows")
    classes_: Array = learned("the classes, sorted", shape="classes")
    coef_: Array = learned("weight of each column, for each class or for the second of two", shape="planes features")
    intercept_: Array = learned("constant term", shape="planes")
    error_: Array = learned("weighted share of the rows that each plane has on its wrong side", shape="planes")
    n_iter_: int = learned("rounds done")

    sparse = True
    storage = "csr"
    stochastic = True
    reference = "Gallant, Perceptron-based learning algorithms, IEEE Transactions on Neural Networks 1, 1990"

    def _fit(self, data: Data, trace: Trace) -> None:
        refuse_one_class("Pocket", self.classes_, data.y, data.weight)
        X, codes, weight = matrix_products.counting_rows(data.X, data.y, data.weight)
        X = X if matrix_products.is_sparse(X) else np.ascontiguousarray(X)
        factors = class_weights(self.class_weight, self.classes_, codes, weight, "Pocket")
        row_weight = factors[codes] * (1.0 if weight is None else weight)
        places = [1] if len(self.classes_) == 2 else list(range(len(self.classes_)))
        seed = seed_of(self.random_state)
        unit = matrix_products.unit_of(X)  # the plane is the same in any unit of the columns
        X = X if unit == 1 else X * unit
        key = matrix_products.precise_scores(X, generator(0).standard_normal(X.shape[1]), 0.0)
        methods = [
            _Rounds(X, np.where(codes == place, 1.0, -1.0), row_weight / row_weight.sum(), self, seed, place, key)
            for place in places
        ]
        found = iterate(Lockstep(methods), self.max_iter, trace)["parts"]
        self.coef_ = (np.array([state["pocket"][:-1] for state in found]) * unit).astype(X.dtype)
        self.intercept_ = np.array([state["pocket"][-1] for state in found]).astype(X.dtype)
        self.error_ = np.array([state["error"] for state in found])
        self.n_iter_ = trace.iterations
        left = float(self.error_.max())
        if left == 0:
            trace.certify("share of errors", 0.0, 0.0, "no row is on the wrong side of its plane.")
        else:
            if trace.stopped == "limit":
                trace.stopped = "converged"  # all rounds asked for were done: there is no other end
            trace.certify("share of errors", left, 1.0, "this share of the rows is on the wrong side of a plane.")


@dataclass(frozen=True, slots=True)
class _Rounds:
    """The rounds of one plane; its last weight is the constant term."""

    X: Matrix
    sign: Array
    row_weight: Array
    model: Pocket
    seed: int
    place: int
    key: Array  # equal for equal rows, and for hardly any others

    def start(self) -> State:
        w = np.zeros(self.X.shape[1] + 1)
        if self.model.start == "least_squares":
            w = _regression(self.X, self.sign, self.row_weight, self.model.fit_intercept)
        return {"w": w, "round": 0, **self._looked(w), "pocket": w}

    def step(self, state: State) -> State:
        wrong = state["wrong"]
        if len(wrong) == 0:
            return state | {"round": state["round"] + 1}
        row = self._drawn(state)
        w = state["w"].copy()
        x = self.X[[row]]
        move = self.model.eta0 * self.sign[row]
        w[:-1] += move * np.ravel(x.toarray() if matrix_products.is_sparse(x) else x)
        w[-1] += move if self.model.fit_intercept else 0.0
        looked = self._looked(w)
        better = looked["now"] < state["error"]
        kept = {"pocket": w, "error": looked["now"]} if better else {"error": state["error"]}
        return state | looked | kept | {"w": w, "round": state["round"] + 1}

    def progress(self, state: State) -> Progress:
        return Progress(state["error"], state["error"], 0.0, {"now": state["now"]})

    def _drawn(self, state: State) -> int:
        """A wrong row: copies of it, and weights that stand for copies, make it likelier alike."""
        wrong = state["wrong"]
        order = wrong[np.lexsort((self.key[wrong], state["margin"]))]  # equal rows are neighbours, wherever they stood
        reached = np.cumsum(self.row_weight[order])
        level = generator(self.seed, self.place, state["round"]).random() * reached[-1]
        return int(order[min(np.searchsorted(reached, level, side="right"), len(order) - 1)])

    def _looked(self, w: Array) -> State:
        margin = self.sign * matrix_products.precise_scores(self.X, w[:-1], w[-1])
        wrong = np.flatnonzero(margin <= 0)
        error = float(self.row_weight[wrong].sum())
        return {"wrong": wrong, "margin": margin[wrong], "now": error, "error": error}


def _regression(X: Matrix, sign: Array, row_weight: Array, fit_intercept: bool) -> Array:
    """The least-squares fit of the signs."""
    fit = least_squares(X, sign.astype(X.dtype).reshape(-1, 1), row_weight, fit_intercept)
    return np.append(np.ravel(fit.coef), np.ravel(fit.intercept)[0]).astype(np.float64)
