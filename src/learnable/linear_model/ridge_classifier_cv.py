"""Ridge regression of classes that chooses its own strength."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from ..core import Array, Data, Trace, estimator, learned, param
from ..core.errors import DataError
from ..engines import matrix_products
from ..engines.folds import folds
from ..engines.minimise.least_squares.solve import least_squares
from ..engines.minimise.ridge_path.alpha_path import factorise, leave_one_out, leave_one_out_squares
from ._class_coding import Coded, coded, counted_classes
from ._cv_scores import ClassJudge, record_alphas, refuse_with_folds
from ._logistic.logistic_fit import weights_by_class


@estimator
class RidgeClassifierCV(Coded):
    """Ridge regression of classes with the strength that predicts best the rows it has not seen.

    minimise over w, b    sum_i s_i (t_i - x_i w - b)^2  +  alpha |w|^2,    alpha by cross-validation,  t_i = 1 or -1

    One eigen-decomposition serves every alpha, and the answer for each row when left out follows from its leverage, so
    leave-one-out (cv=None) is exact and costs little more than one fit, with `class_weight` than one for each class. A
    row is left out with all that its class weighs, or one copy of it if it has a weight itself; errors count as much
    as the class. [Golub, Heath and Wahba, 1979]

    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["no", "no", "yes", "yes"]
    >>> RidgeClassifierCV(alphas=(0.01, 1.0, 100.0)).fit(X, y).alpha_
    1.0
    """

    alphas: Array = param(
        (0.1, 1.0, 10.0), "strengths to try", kw_only=False, above=0, accepts=lambda v: np.size(v) > 0, says="not empty"
    )
    fit_intercept: bool = param(True, "whether to learn a constant term")
    scoring: str | Callable[..., float] | None = param(
        None, "what to compare by: a name or a callable; None: squared error, accuracy with cv"
    )
    cv: Any = param(None, "folds: None for leave-one-out, a number, a splitter, or pairs of index arrays")
    class_weight: dict[Any, float] | Literal["balanced"] | None = param(
        None, 'weight of each class, "balanced" to let all count alike, None for one'
    )
    store_cv_results: bool = param(False, "whether to keep the error of every row for every alpha (cv=None only)")
    alpha_: float = learned("the strength chosen")
    best_score_: float = learned("its score")
    cv_results_: Array = learned("error of each row for each alpha", shape="samples rows strengths", optional=True)

    sparse = True
    storage = "csr"
    reference = "Golub, Heath and Wahba, Generalized cross-validation, Technometrics 21, 1979"

    def _fit(self, data: Data, trace: Trace) -> None:
        refuse_with_folds(self, "store_cv_results")
        whole, alphas = data, np.ravel(np.asarray(self.alphas, dtype=np.float64))
        data = counted_classes(self, whole, whole=self.cv is not None)  # folds are of all rows
        if self.cv is None and data.n < 2:
            raise DataError("RidgeClassifierCV: leaving one out needs at least two rows of some weight; got 1 sample")
        y = coded(data.y, len(self.classes_))
        table = self._folded(data, y, alphas) if self.cv is not None else self._left_out(whole, data, y, alphas)
        record_alphas(trace, alphas, -table)
        best = int(np.where(np.isnan(table), -np.inf, table).argmax())
        self.alpha_, self.best_score_ = float(alphas[best]), float(table[best])
        fit = least_squares(data.X, y, data.weight, self.fit_intercept, self.alpha_)
        self._keep(fit, data, trace)

    def _left_out(self, whole: Data, data: Data, y: Array, alphas: Array) -> Array:
        """The score of each strength, every row, or a copy of it, predicted without itself."""
        problem = factorise(data.X, y, data.weight, self.fit_intercept, alphas)
        weight = problem.root**2
        if self.scoring is None and self.class_weight is None and not self.store_cv_results:
            return np.asarray(-leave_one_out_squares(problem, alphas).mean(axis=1) / weight.sum())
        every = weights_by_class(self, whole)
        counted = every > 0 if whole.weight is None else every * whole.weight > 0
        price = every[counted]
        errors = self._errors(data, y, alphas, price)
        squares, answers = price[:, None, None] * errors**2, y[:, :, None] - errors
        if self.store_cv_results:
            truth = coded(whole.y, len(self.classes_))[:, :, None]
            seen = np.moveaxis(problem.predictions(whole.X, alphas), 0, -1)  # what rows of no weight, unseen, are told
            self.cv_results_ = every[:, None, None] * (truth - seen) ** 2 if self.scoring is None else seen
            self.cv_results_[counted] = squares if self.scoring is None else answers
        if self.scoring is None:
            return np.asarray(-np.average(squares.mean(axis=1), axis=0, weights=weight / price))
        judge = ClassJudge.of(self.scoring, self.classes_)
        return np.array([judge(data.y, answers[:, :, a], weight) for a in range(len(alphas))])

    def _errors(self, data: Data, y: Array, alphas: Array, price: Array) -> Array:
        """The error of each row (samples, targets, strengths) when one copy of it is left out, which weighs `price`.

        The same is minimised with all weights and strengths in units of a price, in which a copy weighs one.
        """
        weight, errors = np.ones(data.n) if data.weight is None else data.weight, np.empty((*y.shape, len(alphas)))
        for unit in np.unique(price):
            problem = factorise(data.X, y, weight / unit, self.fit_intercept, alphas / unit)
            errors[price == unit] = leave_one_out(problem, alphas / unit)[price == unit]
        return errors

    def _folded(self, data: Data, y: Array, alphas: Array) -> Array:
        """The mean score of each strength over folds."""
        spectrum = factorise(data.X, y, data.weight, self.fit_intercept, alphas)
        weight = spectrum.root**2
        judge = ClassJudge.of(self.scoring or "accuracy", self.classes_)
        scores = []
        for train, test in folds(self.cv, data.n, data.y, type(self).__name__, classes=data.y.ndim == 1):
            answers = spectrum.without(test, train, weight).predictions(matrix_products.rows(data.X, test), alphas)
            scores.append([judge(data.y[test], at, weight[test]) for at in answers])
        return np.asarray(np.mean(scores, axis=0))
