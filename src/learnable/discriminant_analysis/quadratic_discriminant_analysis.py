"""Quadratic discriminant analysis."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np

from ..core import (
    Array,
    Data,
    DataError,
    Matrix,
    ParameterError,
    ProbabilisticClassifier,
    Trace,
    estimator,
    learned,
    param,
)
from ..core.runtime.native import kernels
from ..core.runtime.threads import single_threaded_blas
from ..engines.algebra.covariances import covariance_of, refuse_both, shrunk
from ..engines.algebra.interruptible_lapack import interruptibly
from ..engines.generative.posterior import checked_priors, log_posterior
from ._discriminant_base import SingularError, UnsupportedError, rows_that_count, upright
from ._exact_classes import FitsClassProducts

WORTH_A_TRIANGLE = 8  # columns, and rows per column, from which a triangular factor is faster
TAME = 1e-4  # ratio of smallest to largest variance above which the inverse of a covariance can be formed
ILL_CONDITIONED = 1e-10  # ratio of smallest to largest variance from which on the squares of a covariance lose digits


class ClassRows(NamedTuple):
    """The rows of one class, copied on demand."""

    X: Array
    codes: Array
    weight: Array | None
    k: int

    def chosen(self) -> tuple[Array, Array | None]:
        """These rows and their weights."""
        chosen = self.codes == self.k
        return self.X[chosen], None if self.weight is None else self.weight[chosen]


@estimator
class QuadraticDiscriminantAnalysis(FitsClassProducts, ProbabilisticClassifier):
    """Quadratic discriminant analysis (QDA): normal classes, each with its own covariance; quadratic boundaries.

    delta_k(x) = -log|S_k| / 2 - (x - mu_k)' S_k^-1 (x - mu_k) / 2 + log pi_k,   P(k | x) = exp delta_k(x) / sum

    S_k is the covariance of class k (divided by n, not n - 1), with `reg_param` r mixed with the identity:
    (1 - r) S_k + r I ("svd"), or shrunk ("eigen"). One pass over the data, then an eigendecomposition per class.
    [Smith, 1947; Friedman, 1989]

    >>> X = [[-1, -1], [-2, -1], [-3, -2], [1, 1], [2, 1], [3, 2]]
    >>> QuadraticDiscriminantAnalysis().fit(X, [1, 1, 1, 2, 2, 2]).predict([[-0.8, -1]])
    array([1])
    """

    solver: Literal["svd", "eigen"] = param("svd", 'decomposition of the covariances; "eigen" supports shrinkage')
    shrinkage: Literal["auto"] | float | None = param(
        None, "shrinkage intensity of S_k towards its mean variance", between=(0, 1), tune=(None, "auto", 0.1, 0.5)
    )
    priors: Array | None = param(None, "prior probabilities of the classes; None: class frequencies", at_least=0)
    reg_param: float = param(
        0.0, "regularisation: fraction of the identity in S_k", between=(0, 1), tune=(0.0, 0.01, 0.1, 0.5)
    )
    store_covariance: bool = param(False, "whether covariance_ is stored")
    tol: float = param(1e-4, "minimum variance of a direction", at_least=0)
    covariance_estimator: Any = param(
        None, "covariance estimator with fit(X) and covariance_",
        accepts=lambda value: value is None or hasattr(value, "fit"), says="an estimator with a fit method or None",
    )  # fmt: skip
    classes_: Array = learned("class labels, sorted", shape="classes")
    priors_: Array = learned("prior probability of each class", shape="classes")
    means_: Array = learned("mean of each class", shape="classes features")
    rotations_: list[Array] = learned(
        "principal axes of each class, one per column", counts="classes", each="features axes*"
    )
    scalings_: list[Array] = learned("variance of each class along its axes", counts="classes", each="axes*")
    covariance_: list[Array] = learned(
        "covariance of each class", optional=True, counts="classes", each="features features"
    )

    title = "quadratic discriminant analysis"
    reference = "Friedman, Regularized discriminant analysis, Journal of the American Statistical Association, 1989"

    def _fit(self, data: Data, trace: Trace) -> None:
        self._check_choices()
        X, codes, weight = rows_that_count(data, type(self).__name__)
        counts = np.bincount(codes)
        self._check_rows(counts)
        classes, dtype = len(self.classes_), data.X.dtype
        totals, means, scatter = kernels.class_scatter(X, codes, classes, weight)
        given = self.priors is not None
        frequencies = totals / totals.sum()
        self.priors_ = (
            checked_priors(type(self).__name__, self.priors, classes, normalise=True) if given else frequencies
        )
        rows = [ClassRows(X, codes, weight, k) for k in range(classes)]
        scatter /= totals[:, None, None]
        variances, axes = self._decomposed(self._covariances(scatter, rows), rows, means)
        self._check_rank(variances, counts)
        self.means_ = means.astype(dtype, copy=False)
        self.rotations_, self.scalings_ = (list(of.astype(dtype, copy=False)) for of in (axes, variances))
        if self.store_covariance:
            pairs = zip(self.rotations_, self.scalings_, strict=True)
            self.covariance_ = [(axes * variances) @ axes.T for axes, variances in pairs]
        trace.exact("the discriminants follow from class means and covariances in closed form")

    def _check_choices(self) -> None:
        owner = type(self).__name__
        if self.solver == "svd" and self.shrinkage is not None:
            raise UnsupportedError(f"{owner}: solver='svd' does not support shrinkage; use 'eigen'")
        if self.solver == "svd" and self.covariance_estimator is not None:
            raise ParameterError(f"{owner}: solver='svd' does not use a covariance_estimator; use solver='eigen'")
        refuse_both(self.shrinkage, self.covariance_estimator, owner)

    def _check_rows(self, counts: Array) -> None:
        if len(counts) < 2:
            raise DataError(
                f"QuadraticDiscriminantAnalysis: at least two classes are needed; y holds {len(counts)} class"
            )
        if counts.min() == 1 and self.reg_param == 0:
            raise DataError(
                f"QuadraticDiscriminantAnalysis: class {self.classes_[counts.argmin()]} has one row only, too few for "
                "a covariance of its own; collect more rows of it, or set reg_param"
            )

    def _covariances(self, plain: Array, rows: list[ClassRows]) -> Array:
        """The covariance of each class, from those that are neither shrunk nor estimated in another way."""
        if self.covariance_estimator is not None or self.shrinkage == "auto":
            how = self.shrinkage, self.covariance_estimator, type(self).__name__
            return np.array([covariance_of(*of_class.chosen(), *how) for of_class in rows])
        return np.array([shrunk(one, float(self.shrinkage)) for one in plain]) if self.shrinkage else plain

    def _decomposed(self, covariances: Array, rows: list[ClassRows], means: Array) -> tuple[Array, Array]:
        """Variances (classes, axes) along principal axes, largest first, and the axes in columns."""
        variances, axes = (of[..., ::-1] for of in interruptibly(np.linalg.eigh, covariances))
        if self.solver == "svd":
            if self.reg_param == 0:
                variances, axes = _with_digits(variances, axes, rows, means)
            variances = (1 - self.reg_param) * np.maximum(variances, 0.0) + self.reg_param
        return variances, upright(axes)

    def _check_rank(self, spread: Array, counts: Array) -> None:
        if np.minimum.reduce(spread, axis=None) > self.tol:
            return
        k = int((~(spread > self.tol)).any(axis=1).argmax())
        variances, rows, p = spread[k], int(counts[k]), spread.shape[1]
        owner, name = type(self).__name__, self.classes_[k]
        if self.solver == "svd" and rows <= p:
            raise SingularError(
                f"{owner}: the covariance of class {name} is singular, as it has {rows} rows for {p} columns; use "
                "solver='eigen' with shrinkage"
            )
        remedy = "shrinkage" if self.solver == "eigen" else "reg_param"
        raise SingularError(
            f"{owner}: the covariance of class {name} is singular, as in some direction its rows have a variance of "
            f"{max(float(variances.min()), 0.0):.3g}, not above tol={self.tol:g}; raise {remedy}, drop columns that "
            "are constant or follow from others, or scale columns with small values"
        )

    def decision_function(self, X: Any) -> Array:
        """log P(k | x) up to a constant of the row; for two classes the log odds of the second."""
        scores = self._scores(self._read(X))
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    def predict_log_proba(self, X: Any) -> Array:
        """Log posterior probabilities of the classes, exact also where the probabilities underflow."""
        return self._log_posterior(self._read(X))

    def _log_posterior(self, X: Matrix) -> Array:
        with np.errstate(divide="ignore"):  # a class of probability zero
            return log_posterior(self._scores(X), np.log(self.priors_))

    def _scores(self, X: Matrix) -> Array:
        rows, p = X.shape
        if rows < WORTH_A_TRIANGLE * p or p < WORTH_A_TRIANGLE:
            return kernels.axis_scores(X, self.means_, self.rotations_, self.scalings_, self.priors_)
        with np.errstate(divide="ignore"):  # a class of probability zero
            constants = np.log(self.priors_) - [0.5 * np.add.reduce(np.log(variances)) for variances in self.scalings_]
        with single_threaded_blas():
            triangles = [_triangle(*shape) for shape in zip(self.rotations_, self.scalings_, strict=True)]
        means = self.means_.astype(np.float64)
        return kernels.quadratic_scores(X, means.mean(axis=0), means, triangles, constants)

    def _probabilities(self, X: Matrix) -> Array:
        return np.exp(self._log_posterior(X))

    def _classify(self, X: Matrix) -> Array:
        return np.asarray(self._scores(X).argmax(axis=1))


def _triangle(axes: Array, variances: Array) -> Array:
    """The lower triangle L of the inverse covariance L L': a product with it takes half the work of one with axes."""
    whitening = axes.astype(np.float64) / np.sqrt(variances)
    if variances.min() > TAME * variances.max():
        return np.linalg.cholesky(whitening @ whitening.T)
    return np.asarray(np.linalg.qr(whitening.T, mode="r")).T


def _with_digits(variances: Array, axes: Array, rows: list[ClassRows], means: Array) -> tuple[Array, Array]:
    """The same, from the rows themselves for classes whose covariance is so ill-conditioned that digits are lost."""
    lost = variances[:, -1] < ILL_CONDITIONED * variances[:, 0]
    if np.count_nonzero(lost):
        variances, axes = variances.copy(), axes.copy()
        for k in lost.nonzero()[0]:
            variances[k], axes[k] = _from_rows(*rows[k].chosen(), means[k])
    return variances, axes


def _from_rows(X: Array, weight: Array | None, mean: Array) -> tuple[Array, Array]:
    """Variances and axes of a class from its rows, which keeps the digits that squares lose."""
    centred = X - mean
    total = len(X) if weight is None else float(weight.sum())
    if weight is not None:
        centred = centred * np.sqrt(weight)[:, None]
    _, size, axes = interruptibly(np.linalg.svd, centred, full_matrices=False)
    short = X.shape[1] - len(size)
    return np.pad(size**2 / total, (0, short)), np.pad(axes.T, ((0, 0), (0, short)))
