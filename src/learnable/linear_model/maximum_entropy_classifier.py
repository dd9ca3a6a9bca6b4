"""Maximum-entropy classification."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ..core import Array, Data, DataError, Matrix, ProbabilisticClassifier, Trace, estimator, learned, param
from ..core.validate.features import column_name
from ..engines.iterate import Method, iterate
from ._entropy.constraints import Constraints
from ._entropy.iterative_scaling import IterativeScaling
from ._entropy.quasi_newton import QuasiNewton


@estimator
class MaximumEntropyClassifier(ProbabilisticClassifier):
    """Maximum-entropy model: of all p(y | x) with the feature expectations of the data, that with the largest entropy.

    maximise over p    H(y | x)    subject to    E_p[ x_j 1(y = k) ] = E_data[ x_j 1(y = k) ]   for all j, k

    Its dual is softmax regression: p(k | x) is proportional to exp(sum_j w_jk x_j); its weights are the
    multipliers. With `alpha`, a normal prior of the weights, the constraints hold up to alpha w. "gis" and "iis"
    (generalised and improved iterative scaling) need features of at least 0. [Berger et al., 1996]

    >>> X, y = [[1, 0], [1, 0], [0, 1], [0, 1], [0, 1]], ["a", "b", "a", "b", "b"]
    >>> model = MaximumEntropyClassifier(alpha=0, fit_intercept=False, solver="gis").fit(X, y)
    >>> model.predict_proba([[0, 1]]).round(3)
    array([[0.333, 0.667]])
    """

    alpha: float = param(1e-3, "regularisation strength, for columns divided by their largest entry", at_least=0)
    fit_intercept: bool = param(True, "whether to fit an intercept, a feature that is always 1")
    solver: Literal["lbfgs", "gis", "iis"] = param("lbfgs", "L-BFGS, generalised or improved iterative scaling")
    tol: float = param(1e-6, "difference of expectations, for columns divided by their largest entry", above=0)
    max_iter: int = param(1000, "maximum number of iterations", at_least=1)
    classes_: Array = learned("class labels, sorted", shape="classes")
    coef_: Array = learned("weight of each class and feature", shape="classes features")
    intercept_: Array = learned("weight of the feature that is always 1", shape="classes")

    n_iter_: int = learned("number of iterations")

    title = "maximum-entropy model"
    reference = "Berger, Della Pietra and Della Pietra, A maximum entropy approach to natural language processing, 1996"

    def _fit(self, data: Data, trace: Trace) -> None:
        X = np.asarray(data.X, dtype=np.float64)
        self._refuse_negative(X, data.names)
        problem = Constraints.of(X, data.y, data.weight, len(self.classes_), self.alpha, self.fit_intercept)
        method: Method
        if self.solver == "lbfgs":
            method = QuasiNewton(problem, self.tol)
        else:
            method = IterativeScaling(problem, self.solver == "iis", self.tol)
        state = iterate(method, self.max_iter, trace)
        self.n_iter_ = trace.iterations
        claim = "the largest difference between an expectation of the model and its constraint"
        trace.certify("constraint violation", method.progress(state).criterion, self.tol, claim)
        coef, intercept = problem.in_units_of_the_data(state["x"])
        kind = data.X.dtype if data.X.dtype.kind == "f" else np.dtype(np.float64)
        self.coef_, self.intercept_ = coef.astype(kind), intercept.astype(kind)

    def _refuse_negative(self, X: Array, names: list[str] | None) -> None:
        if self.solver != "lbfgs" and (X < 0).any():
            row, column = (int(index) for index in np.argwhere(X < 0)[0])
            raise DataError(
                f"MaximumEntropyClassifier: Negative values in data: {column_name(names, column)} has "
                f'{X[row, column]:g} in row {row}; iterative scaling needs features of at least 0; use solver="lbfgs"'
            )

    def _probabilities(self, X: Matrix) -> Array:
        scores = np.einsum("ij,kj->ik", X, self.coef_) + self.intercept_
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))
