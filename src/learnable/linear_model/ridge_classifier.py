"""Ridge regression of classes coded as -1 and 1."""

from __future__ import annotations

from functools import partial
from typing import Any, Literal

import numpy as np

from ..core import Array, Data, Matrix, RandomState, Trace, estimator, learned, param
from ..core.classifier import Classifier
from ..engines.minimise.closed import least_squares, nonnegative_least_squares, stacked
from .coded import coded, counted_classes, keep_classes
from .direct import keep_solver
from .linear_scores import decision, places
from .ridge import METHODS, Solver


@estimator
class RidgeClassifier(Classifier):
    """The class whose column of signs ridge regression predicts to be largest.

    minimise over w, b    sum_i s_i (t_i - x_i w - b)^2  +  alpha |w|^2,    t_i = 1 for rows of the class, -1 for others

    One exact solve serves all classes, so it is quick for many of them; scores are no probabilities. For two classes it
    points along Fisher's direction. [Hoerl and Kennard, 1970]

    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["no", "no", "yes", "yes"]
    >>> RidgeClassifier().fit(X, y).predict([[0.5], [2.5]])
    array(['no', 'yes'], dtype='<U3')
    """

    alpha: float | Array = param(
        1.0, "strength of the penalty, or one per class", kw_only=False,
        accepts=lambda value: bool(np.all(np.asarray(value) >= 0)), says="at least 0",
        tune=(1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0, 1e3), simpler="larger",
    )  # fmt: skip
    fit_intercept: bool = param(True, "whether to learn a constant term")
    copy_X: bool = param(True, "accepted for compatibility; the data are never changed")
    max_iter: int | None = param(None, "accepted for compatibility; iterations go on to rounding", at_least=1)
    tol: float = param(1e-4, "accepted for compatibility; answers are accurate to rounding", at_least=0)
    class_weight: dict[Any, float] | Literal["balanced"] | None = param(
        None, 'weight of each class, "balanced" to let all count alike, None for one'
    )
    solver: Solver = param("auto", "as in Ridge: by shape, an orthogonal factorisation, or an iteration")
    positive: bool = param(False, "whether coefficients must be at least zero; by an active set, whatever the solver")
    random_state: RandomState = param(None, "accepted for compatibility; nothing is random")
    classes_: Array = learned("the classes, sorted", shape="classes")
    coef_: Array = learned("weights, a row per class, or one for two classes", shape="rows features")
    intercept_: Array = learned("constant terms", shape="rows")
    n_iter_: int | Array = learned("iterations for each class; 1 if the method is direct, where scikit-learn has None")
    solver_: str = learned("`solver`, or what scikit-learn takes for auto")
    method_: str = learned("how the answer was found: cholesky, dual cholesky, qr, svd, lsmr or active set")

    sparse = True
    storage = "csr"
    reference = "Hoerl and Kennard, Ridge regression, Technometrics 12, 1970"

    def _fit(self, data: Data, trace: Trace) -> None:
        data = counted_classes(self, data)
        y = coded(data.y, len(self.classes_))
        solve = nonnegative_least_squares if self.positive else partial(least_squares, method=METHODS[self.solver])
        strengths = np.broadcast_to(np.asarray(self.alpha, dtype=np.float64).reshape(-1), (y.shape[1],))
        if len(set(strengths)) == 1:
            fit = solve(data.X, y, data.weight, self.fit_intercept, float(strengths[0]))
        else:
            each = enumerate(strengths.tolist())
            fit = stacked([solve(data.X, y[:, [t]], data.weight, self.fit_intercept, a) for t, a in each])
        keep_solver(self, fit, data)
        keep_classes(self, fit, data, trace)

    def decision_function(self, X: Any) -> Array:
        """Score of the second of two classes, or the scores of all classes, for the rows of `X`."""
        return decision(self, self._read(X))

    def _classify(self, X: Matrix) -> Array:
        return places(decision(self, X))
