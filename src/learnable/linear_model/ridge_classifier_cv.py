"""Ridge classifier with cross-validation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from ..core import Array, Data, Trace, Traits, estimator, learned, param
from ..core.errors import DataError
from ..engines import matrix_products
from ..engines.folds import folds
from ..engines.minimise.least_squares.solve import least_squares
from ..engines.minimise.ridge_path.alpha_path import factorise, leave_one_out, leave_one_out_squares
from ._class_coding import CodedClassifier, coded, data_with_class_weights
from ._cv_scores import ClassScorer, alphas_of, record_alphas, refuse_with_folds
from ._logistic.logistic_fit import weights_by_class


@estimator
class RidgeClassifierCV(CodedClassifier):
    """Ridge classifier with cross-validation of alpha, leave-one-out by default.

    minimise over w, b    sum_i s_i (t_i - x_i w - b)^2  +  alpha |w|^2,    alpha by cross-validation,  t_i = 1 or -1

    One eigen-decomposition serves every alpha, and the leave-one-out prediction of each row follows from its leverage,
    so leave-one-out (cv=None) is exact and costs little more than one fit, with `class_weight` than one for each class.
    A row is left out with its class weight, or one copy of it if it has a sample weight; errors are weighted by class.
    [Golub, Heath and Wahba, 1979]

    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["no", "no", "yes", "yes"]
    >>> RidgeClassifierCV(alphas=(0.01, 1.0, 100.0)).fit(X, y).alpha_
    1.0
    """

    alphas: float | Array = param(
        (0.1, 1.0, 10.0),
        "values of alpha to try",
        kw_only=False,
        at_least=0,
        accepts=lambda v: np.size(v) > 0,
        says="not empty",
    )
    fit_intercept: bool = param(True, "whether to fit an intercept")
    scoring: str | Callable[..., float] | None = param(
        None, "scoring by name or as a callable; None: squared error, accuracy with cv"
    )
    cv: Any = param(
        None, "cross-validation folds: None for leave-one-out, a number, a splitter, or (train, test) pairs"
    )
    class_weight: dict[Any, float] | Literal["balanced"] | None = param(
        None, 'weight of each class; "balanced": inversely proportional to class frequencies; None: one'
    )
    store_cv_results: bool = param(False, "whether to store the error of every row for every alpha (cv=None only)")
    alpha_: float = learned("alpha with the best cross-validation score")
    best_score_: float = learned("cross-validation score of that alpha")
    cv_results_: Array = learned("error of each row for each alpha", shape="samples rows alphas", optional=True)

    traits = Traits(sparse=True, storage="csr")
    title = "ridge classifier with cross-validation"
    reference = "Golub, Heath and Wahba, Generalized cross-validation, Technometrics 21, 1979"

    def _fit(self, data: Data, trace: Trace) -> None:
        refuse_with_folds(self, "store_cv_results")
        whole, alphas = data, alphas_of(self)
        data = data_with_class_weights(self, whole, whole=self.cv is not None)  # folds are of all rows
        if self.cv is None and data.n < 2:
            raise DataError(
                "RidgeClassifierCV: leave-one-out cross-validation needs at least two rows with positive weight; got "
                "1 sample"
            )
        y = coded(data.y, len(self.classes_))
        table = (
            self._fold_scores(data, y, alphas)
            if self.cv is not None
            else self._leave_one_out_scores(whole, data, y, alphas)
        )
        record_alphas(trace, alphas, -table)
        best = int(np.where(np.isnan(table), -np.inf, table).argmax())
        self.alpha_, self.best_score_ = float(alphas[best]), float(table[best])
        fit = least_squares(data.X, y, data.weight, self.fit_intercept, self.alpha_)
        self._keep(fit, data, trace)

    def _leave_one_out_scores(self, whole: Data, data: Data, y: Array, alphas: Array) -> Array:
        """The leave-one-out score of each alpha."""
        problem = factorise(data.X, y, data.weight, self.fit_intercept, alphas)
        weight = problem.root**2
        if self.scoring is None and self.class_weight is None and not self.store_cv_results:
            return np.asarray(-leave_one_out_squares(problem, alphas).mean(axis=1) / weight.sum())
        every = weights_by_class(self, whole)
        counted = every > 0 if whole.weight is None else every * whole.weight > 0
        class_cost = every[counted]
        errors = self._errors(data, y, alphas, class_cost)
        squares, predictions = class_cost[:, None, None] * errors**2, y[:, :, None] - errors
        if self.store_cv_results:
            truth = coded(whole.y, len(self.classes_))[:, :, None]
            seen = np.moveaxis(problem.predictions(whole.X, alphas), 0, -1)  # predictions for rows of weight zero
            self.cv_results_ = every[:, None, None] * (truth - seen) ** 2 if self.scoring is None else seen
            self.cv_results_[counted] = squares if self.scoring is None else predictions
        if self.scoring is None:
            return np.asarray(-np.average(squares.mean(axis=1), axis=0, weights=weight / class_cost))
        scorer = ClassScorer.of(self.scoring, self.classes_)
        return np.array([scorer(data.y, predictions[:, :, a], weight) for a in range(len(alphas))])

    def _errors(self, data: Data, y: Array, alphas: Array, class_cost: Array) -> Array:
        """The leave-one-out error of each row (samples, targets, alphas), of which one copy weighs `class_cost`.

        Weights and alphas are divided by the cost, so that a copy weighs one.
        """
        weight, errors = np.ones(data.n) if data.weight is None else data.weight, np.empty((*y.shape, len(alphas)))
        for unit in np.unique(class_cost):
            problem = factorise(data.X, y, weight / unit, self.fit_intercept, alphas / unit)
            errors[class_cost == unit] = leave_one_out(problem, alphas / unit)[class_cost == unit]
        return errors

    def _fold_scores(self, data: Data, y: Array, alphas: Array) -> Array:
        """The mean score of each alpha over folds."""
        spectrum = factorise(data.X, y, data.weight, self.fit_intercept, alphas)
        weight = spectrum.root**2
        scorer = ClassScorer.of(self.scoring or "accuracy", self.classes_)
        scores = []
        for train, test in folds(self.cv, data.n, data.y, type(self).__name__, classes=data.y.ndim == 1):
            predictions = spectrum.without(test, train, weight).predictions(matrix_products.rows(data.X, test), alphas)
            scores.append([scorer(data.y[test], at, weight[test]) for at in predictions])
        return np.asarray(np.mean(scores, axis=0))
