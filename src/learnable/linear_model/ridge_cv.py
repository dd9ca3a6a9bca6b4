"""Ridge regression with cross-validation."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Literal

import numpy as np

from ..core import Array, Data, DataError, Matrix, Regressor, Trace, Traits, estimator, learned, param, scaling
from ..core.declare.checked_functions import checked, limits
from ..engines import matrix_products
from ..engines.equivalent_rows import EquivalentRows, joint_moments
from ..engines.folds import folds
from ..engines.minimise.least_squares.select_solver import MIN_LEVERAGE_COMPLEMENT
from ..engines.minimise.least_squares.solve import least_squares
from ..engines.minimise.linear_fit import fit_each_alpha
from ..engines.minimise.ridge_path.alpha_path import Factorised, factorise, leave_one_out, leave_one_out_squares
from ..engines.minimise.ridge_path.gram_path import GramPath
from ..engines.passes import RowBlock, TrainingRows
from ..engines.scorers import Scorer, scorer
from ..engines.sparse_coefficients import dense
from ..engines.sufficient_statistics import Moments
from ._closed_form import keep
from ._cv_scores import alphas_of, record_alphas, refuse_with_folds
from ._gram_on_blocks import ChoosesOnFolds
from ._linear_summary import Statistics, Summary, summarise


@estimator
class RidgeCV(ChoosesOnFolds, Regressor):
    """Ridge regression with cross-validation of alpha, leave-one-out by default.

    minimise over w, b    sum_i s_i (y_i - x_i w - b)^2  +  alpha |w|^2,    alpha by cross-validation

    One eigen-decomposition serves every alpha, and the error of each row when left out follows from its leverage, so
    leave-one-out (cv=None) is exact and costs little more than one fit; k folds subtract their Gram matrix.
    A row of weight w is left out one copy at a time. [Golub, Heath and Wahba, 1979]

    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.1, 0.9, 2.1, 2.9]
    >>> RidgeCV(alphas=(0.01, 1.0, 100.0)).fit(X, y).alpha_
    0.01
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
        None, "scoring by name or as a callable; None: squared error, R² with cv"
    )
    cv: Any = param(
        None, "cross-validation folds: None for leave-one-out, a number, a splitter, or (train, test) pairs"
    )
    gcv_mode: Literal["auto", "svd", "eigen"] | None = param(
        None,
        "accepted for compatibility; eigenvalues of the Gram matrix of the shorter side where they are accurate, "
        "singular values of the data where they are not or a row decides its own fit",
    )
    store_cv_results: bool = param(False, "whether to store the error of every row for every alpha (cv=None only)")
    alpha_per_target: bool = param(False, "whether each target has its own alpha (cv=None only)")
    coef_: Array = learned("coefficient of each column", shape="targets? features")
    intercept_: float | Array = learned("intercept of the model", shape="targets?")
    alpha_: float | Array = learned("alpha with the best cross-validation score", shape="targets?")
    best_score_: float | Array = learned("cross-validation score of that alpha", shape="targets?")
    cv_results_: Array = learned("error of each row for each alpha", shape="samples targets? alphas", optional=True)
    statistics_: Statistics = learned("statistics of the coefficient table")

    traits = Traits(sparse=True, storage="csr", multi_target=True, flat_target=True)
    title = "ridge regression with cross-validation"
    reference = "Golub, Heath and Wahba, Generalized cross-validation, Technometrics 21, 1979"

    def _fit(self, data: Data, trace: Trace) -> None:
        refuse_with_folds(self, "store_cv_results", "alpha_per_target")
        whole = data
        if self.cv is None:
            data = matrix_products.counted(data)
            if data.n < 2:
                raise DataError(
                    "RidgeCV: leave-one-out cross-validation needs at least two rows with positive weight; got 1 sample"
                )
        alphas = alphas_of(self)
        unit = scaling.unit_of(data.y)
        y = data.y.reshape(data.n, -1).astype(np.float64) * unit
        problem = factorise(data.X, y, data.weight, self.fit_intercept, alphas)
        compare = self._leave_one_out if self.cv is None else self._cross_validated_scores
        scores = compare(problem, data, alphas)
        best = self._choose(scores, data, alphas)
        if self.store_cv_results and whole.weight is not None and whole.n > data.n:
            self._store_all_rows(whole.weight > 0, whole.y * unit, problem.predictions(whole.X, alphas))
        if self.scoring is None and self.cv is None and unit != 1:
            scores = self._in_units(scores, unit)
        record_alphas(trace, alphas, -scores.mean(axis=1))
        given = data.y.reshape(data.n, -1)
        solve = (
            problem.fit
            if unit == 1
            else partial(fit_each_alpha, least_squares, data.X, given, data.weight, self.fit_intercept)
        )
        keep(self, solve(best), data, trace)

    def _fit_blocks(self, rows: TrainingRows, trace: Trace) -> None:
        if self.scoring not in (None, "r2", "neg_mean_squared_error"):
            raise DataError(
                f"RidgeCV: scoring={self.scoring!r} needs every prediction; a scan gives squared errors only"
            )
        if self.cv is not None:
            super()._fit_blocks(rows, trace)
            return
        if self.scoring is not None or self.store_cv_results:
            raise DataError(
                "RidgeCV: leave-one-out on a scan gives mean squared errors alone; set a number of folds cv"
            )
        self._choose_by_leave_one_out(rows, trace)

    def _choose_by_leave_one_out(self, rows: TrainingRows, trace: Trace) -> None:
        """Two passes: the moments, and the squared errors of the rows when each is left out."""
        alphas = np.ravel(np.asarray(self.alphas, dtype=np.float64))
        like = rows.first
        moments: Moments = rows.total(partial(joint_moments, centre=self.fit_intercept))
        found = EquivalentRows.of(moments)
        data = found.regression_data(like)
        y = data.y.reshape(data.n, -1)
        path = GramPath.from_moments(
            Moments.of(data.X.astype(np.float64), y, data.weight, self.fit_intercept), data.X, y, np.ones(data.n)
        )
        errors = rows.total(left_out_squares, path, found.shift, alphas)
        scores = -errors / moments.weight
        best = self._choose(scores, like, alphas)
        record_alphas(trace, alphas, -scores.mean(axis=1))
        fit = fit_each_alpha(least_squares, data.X, y, data.weight, self.fit_intercept, best)
        keep(self, fit, data, trace)
        self._move_intercept(found.shift[: like.p], found.shift[like.p :])

    def _store_all_rows(self, counted: Array, y: Array, predictions: Array) -> None:
        """Add rows of weight zero, which no fit used, to `cv_results_`."""
        predictions = np.moveaxis(predictions, 0, -1).reshape(*y.shape, -1)
        stored = (y[..., None] - predictions) ** 2 if self.scoring is None else predictions
        stored[counted] = self.cv_results_
        self.cv_results_ = stored

    def _in_units(self, scores: Array, unit: float) -> Array:
        """Squared errors in the units of the target, which was multiplied by `unit`; also those that are stored.

        In these units they may all underflow or overflow, so that they are compared before.
        """
        with np.errstate(over="ignore"):
            self.best_score_ = self.best_score_ / unit / unit
            if self.store_cv_results:
                self.cv_results_ = self.cv_results_ / unit / unit
            return scores / unit / unit

    def _choose(self, table: Array, data: Data, alphas: Array) -> Array:
        """The best alpha for each target; sets it and its score."""
        if not self.alpha_per_target:
            table = table.mean(axis=1, keepdims=True)
        best = np.where(np.isnan(table), -np.inf, table).argmax(axis=0)
        several = self.alpha_per_target and data.y.ndim == 2
        self.alpha_ = alphas[best] if several else float(alphas[best[0]])
        self.best_score_ = table[best, range(len(best))] if several else float(table[best[0], 0])
        return np.broadcast_to(alphas[best], data.y.shape[1] if data.y.ndim == 2 else 1)

    def _leave_one_out(self, path: Factorised, data: Data, alphas: Array) -> Array:
        """The leave-one-out score of each alpha (rows) for each target (columns)."""
        y, weight = path.y, path.root**2
        if self.scoring is None and not self.store_cv_results:
            return np.asarray(-leave_one_out_squares(path, alphas) / weight.sum())
        errors = leave_one_out(path, alphas)
        if self.store_cv_results:
            stored = errors**2 if self.scoring is None else y[:, :, None] - errors
            self.cv_results_ = stored if data.y.ndim == 2 else stored[:, 0]
        score_of = scorer(self.scoring)
        return np.array(
            [
                [score_of(y[:, t], y[:, t] - errors[:, t, a], weight) for t in range(y.shape[1])]
                for a in range(len(alphas))
            ]
        )

    def _cross_validated_scores(self, path: Factorised, data: Data, alphas: Array) -> Array:
        """The mean score of each alpha over folds; R² if no scoring is given, as in a grid search."""
        score_of = scorer(self.scoring or "r2")
        weight = data.weight if data.weight is not None else np.ones(data.n)
        parts = folds(self.cv, data.n, data.y, type(self).__name__)
        return np.asarray(
            np.mean([_fold_scores(path, weight, train, test, alphas, score_of) for train, test in parts], axis=0)
        )

    def _predict(self, X: Matrix) -> Array:
        return matrix_products.scores(X, self.coef_, self.intercept_)

    def summary(self, level: float = 0.95) -> Summary:
        """The coefficient table; it says that classical p values do not apply."""
        return summarise(self, level)


def left_out_squares(block: RowBlock, path: GramPath, shift: Array, alphas: Array) -> Array:
    """The weighted squares of the errors of each row of a block when it is left out, of shape (alphas, targets)."""
    weight = np.ones(block.n) if block.weight is None else block.weight
    along = (dense(block.X) - shift[: block.p]) @ path.vectors
    target = (block.y.reshape(block.n, -1) - shift[block.p :])[:, None, :]
    shrinkage = 1 / (path.values[:, None] + alphas)
    predicted = np.einsum("ij,jat->iat", along, path.scores[:, None, :] * shrinkage[:, :, None])
    leverage = along**2 @ shrinkage + (1 / path.middle.weight if path.middle.centred else 0.0)
    left = 1 - np.minimum(weight, 1.0)[:, None] * leverage
    if (left[weight > 0] < MIN_LEVERAGE_COMPLEMENT).any():
        row = int(np.asarray(block.numbers)[np.argmax(((left < MIN_LEVERAGE_COMPLEMENT).any(axis=1)) & (weight > 0))])
        raise DataError(
            f"RidgeCV: row {row} decides its own prediction, so that its error when it is left out cannot be computed "
            "from sums; set a number of folds cv"
        )
    errors: Array = (target - predicted) / left[:, :, None]
    return np.asarray(np.einsum("i,iat->at", weight, errors**2))


def _fold_scores(path: Factorised, weight: Array, train: Array, test: Array, alphas: Array, score_of: Scorer) -> Array:
    """Scores of shape (alphas, targets) on the rows `test` of models fitted to the rows `train`."""
    predicted = path.without(test, train, weight).predictions(matrix_products.rows(path.X, test), alphas)
    y = path.y[test]
    return np.array([[score_of(y[:, t], at[:, t], weight[test]) for t in range(y.shape[1])] for at in predicted])


@checked(
    alphas=limits(at_least=0, accepts=lambda v: v is None or np.size(v) > 0, says="not empty"),
    n_alphas=limits(at_least=1),
    eps=limits(above=0),
)
def ridge_path(
    X: Any,
    y: Any,
    *,
    alphas: float | Array | None = None,
    n_alphas: int = 100,
    eps: float = 1e-6,
    fit_intercept: bool = True,
    sample_weight: Any = None,
) -> tuple[Array, Array, Array]:
    """Alphas, coefficients (targets?, features, alphas) and intercepts of ridge regression along a path.

    Without `alphas`, a geometric grid of `n_alphas` values from where the fit is almost constant to `eps` times that.

    >>> alphas, coefs, intercepts = ridge_path([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0], alphas=[0.0, 2.0])
    >>> coefs
    array([[1. , 0.5]])
    """
    from ..core.validate.features import FeatureValidator

    validator = FeatureValidator("ridge_path", sparse=True, storage="csr")
    matrix, _ = validator.matrix(X)
    target = validator.target(y, matrix.shape[0], np.float64, True)
    weight = validator.weights(sample_weight, matrix.shape[0])
    y = target.reshape(len(target), -1) * (scale_y := scaling.unit_of(target))
    scale_x = scaling.unit_of(matrix) if alphas is None else 1.0
    if alphas is None:
        scaled = matrix if scale_x == 1 else matrix * scale_x
        path = GramPath.of(scaled, y, weight, fit_intercept, weakest=1.0)
        problem: Factorised = path
        grid = 100 * (path.values.max(initial=0.0) or 1.0) * np.geomspace(1, eps, n_alphas)
    else:
        grid = np.ravel(np.asarray(alphas, dtype=np.float64))
        problem = factorise(matrix, y, weight, fit_intercept, grid)
    coef = problem.coef(grid).transpose(2, 0, 1)
    intercept = problem.middle.mean_y[:, None] - np.tensordot(coef, problem.middle.mean_x, axes=(1, 0))
    with np.errstate(over="ignore"):
        grid = grid / scale_x / scale_x
    if not np.isfinite(grid).all():
        raise matrix_products.OutOfRange
    coef, intercept = coef * (scale_x / scale_y), intercept / scale_y
    return (grid, coef, intercept) if target.ndim == 2 else (grid, coef[0], intercept[0])
