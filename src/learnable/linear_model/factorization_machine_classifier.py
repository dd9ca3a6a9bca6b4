"""Factorization machine classifier."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, Data, Matrix, ProbabilisticClassifier, Trace, estimator, learned
from ..engines import matrix_products
from ..engines.iterate import iterate
from ..engines.lockstep import Lockstep
from ._logistic.logistic_objective import refuse_one_class
from ._sgd.factorization_machine_base import FactorizationMachine, scores


@estimator
class FactorizationMachineClassifier(FactorizationMachine, ProbabilisticClassifier):
    """Factorization machine classifier: logistic regression with pairwise interactions of low rank.

    z = w0 + x w + sum over j < l of (v_j . v_l) x_j x_l,    v_j of length k
    minimise    mean_i log(1 + exp(-y_i z_i))  +  (alpha_constant w0^2 + alpha_linear |w|^2 + alpha_factors |V|^2) / n

    y is -1 or 1: more than two classes are handled one versus rest. With k as large as the number of columns the
    products can have any weights. solver="als" sets each parameter to the minimum of a parabola above the objective in
    turn, "sgd" takes a step per row. Scale columns to about one. [Rendle, 2010]

    >>> X, y = [[-1, -1], [-1, 1], [1, -1], [1, 1]], [0, 1, 1, 0]  # exclusive or: no plane separates it
    >>> FactorizationMachineClassifier(2, alpha_factors=0.01, random_state=0).fit(X, y).predict(X)
    array([0, 1, 1, 0])
    """

    classes_: Array = learned("class labels, sorted", shape="classes")
    intercept_: Array = learned("intercept w0", shape="machines")
    coef_: Array = learned(
        "coefficient of each column, for each class or for the second of two", shape="machines features"
    )
    factors_: Array = learned("factors of each column", shape="machines features factors")

    title = "factorization machine classifier"

    def decision_function(self, X: Any) -> Array:
        """The score z of each class for each row; with two classes, that of the second."""
        return self._scores(self._read(X))

    def _fit(self, data: Data, trace: Trace) -> None:
        refuse_one_class(type(self).__name__, self.classes_, data.y, data.weight)
        X, codes, weight = matrix_products.counting_rows(data.X, data.y, data.weight)
        positive_classes = [1] if len(self.classes_) == 2 else list(range(len(self.classes_)))
        methods = [
            self._method(X, np.where(codes == index, 1.0, -1.0), weight, logistic=True, index=index)
            for index in positive_classes
        ]
        found = iterate(Lockstep(methods), self.max_iter, trace)["parts"]
        self.intercept_ = np.array([state["constant"][0] for state in found]).astype(X.dtype)
        self.coef_ = np.array([state["w"] for state in found]).astype(X.dtype)
        self.factors_ = np.array([state["v"] for state in found]).astype(X.dtype)
        self.n_iter_ = trace.iterations
        self._certify(trace, found)

    def _scores(self, X: Matrix) -> Array:
        each = zip(self.intercept_, self.coef_, self.factors_, strict=True)
        columns = [scores(X, constant, w, v) for constant, w, v in each]
        return columns[0] if len(columns) == 1 else np.column_stack(columns)

    def _probabilities(self, X: Matrix) -> Array:
        likely = np.asarray(0.5 + np.tanh(self._scores(X) / 2) / 2)
        if likely.ndim == 1:
            return np.column_stack([1 - likely, likely])
        total = likely.sum(axis=1, keepdims=True)
        return np.asarray(np.divide(likely, total, out=np.full_like(likely, 1 / likely.shape[1]), where=total > 0))
