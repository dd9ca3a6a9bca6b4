"""Linear discriminant analysis."""

from __future__ import annotations

from typing import Any, Literal

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
from ..engines import matrix_products
from ..engines.algebra.covariances import refuse_both
from ..engines.generative.posterior import checked_priors, log_posterior
from ._discriminant_base import DiscriminantProjection, UnsupportedError, rows_that_count
from ._exact_classes import FitsClassProducts
from ._linear_solvers import Discriminant, DiscriminantProblem, solve_eigen, solve_least_squares, solve_svd


@estimator
class LinearDiscriminantAnalysis(FitsClassProducts, DiscriminantProjection, ProbabilisticClassifier):
    """Linear discriminant analysis (LDA): normal classes with a common covariance, and linear decision boundaries.

    delta_k(x) = x' S^-1 mu_k - mu_k' S^-1 mu_k / 2 + log pi_k,   P(k | x) = exp delta_k(x) / sum over classes

    S is the pooled within-class covariance (divided by n, not n - K). `transform` projects on at most K - 1
    directions in which the class means are farthest apart. One pass over the data, then p x p algebra; "svd" drops
    directions without variance (also p > n), "lsqr" and "eigen" take `shrinkage`, (1 - s) S + s tr(S)/p I, by the
    Ledoit-Wolf lemma if "auto". [Fisher, 1936; Rao, 1948]

    >>> X = [[-1, -1], [-2, -1], [-3, -2], [1, 1], [2, 1], [3, 2]]
    >>> LinearDiscriminantAnalysis().fit(X, [1, 1, 1, 2, 2, 2]).predict([[-0.8, -1]])
    array([1])
    """

    solver: Literal["svd", "lsqr", "eigen"] = param("svd", "solver of the discriminant problem", kw_only=False)
    shrinkage: Literal["auto"] | float | None = param(
        None,
        "shrinkage intensity of S towards its mean variance",
        kw_only=False,
        between=(0, 1),
        tune=(None, "auto", 0.1, 0.5),
    )
    priors: Array | None = param(
        None, "prior probabilities of the classes; None: class frequencies", at_least=0, kw_only=False
    )
    n_components: int | None = param(
        None, "number of directions of transform; None: all, at most K - 1", kw_only=False, at_least=1
    )
    store_covariance: bool = param(False, 'whether "svd" computes covariance_ too', kw_only=False)
    tol: float = param(
        1e-4, 'minimum standard deviation of a direction of standardised columns, for "svd"', kw_only=False, at_least=0
    )
    covariance_estimator: Any = param(
        None, "covariance estimator with fit(X) and covariance_", kw_only=False,
        accepts=lambda value: value is None or hasattr(value, "fit"), says="an estimator with a fit method or None",
    )  # fmt: skip
    classes_: Array = learned("class labels, sorted", shape="classes")
    priors_: Array = learned("prior probability of each class", shape="classes")
    means_: Array = learned("mean of each class", shape="classes features")
    coef_: Array = learned("coefficients of each class; one row for two classes", shape="rows features")
    intercept_: Array = learned("intercept of each class; one for two classes", shape="rows")
    covariance_: Array = learned("within-class covariance", shape="features features", optional=True)
    scalings_: Array = learned("directions that separate the classes", shape="features scalings", optional=True)
    xbar_: Array = learned("mean of the class means", shape="features", optional=True)
    explained_variance_ratio_: Array = learned(
        "fraction of the between-class variance of each direction", shape="directions", optional=True
    )

    title = "linear discriminant analysis"
    reference = "Fisher, The use of multiple measurements in taxonomic problems, Annals of Eugenics, 1936"

    def _fit(self, data: Data, trace: Trace) -> None:
        self._check_choices(data.p)
        X, codes, weight = rows_that_count(data, type(self).__name__)
        classes = len(self.classes_)
        if len(X) <= classes:
            raise DataError(
                f"LinearDiscriminantAnalysis: {len(X)} sample(s) in {classes} class(es) leave no degrees of "
                "freedom for a covariance; more rows than classes are needed"
            )
        totals = np.bincount(codes, weights=weight, minlength=classes).astype(np.float64)
        given = self.priors is not None
        priors = (
            checked_priors(type(self).__name__, self.priors, classes, normalise=True)
            if given
            else totals / (len(X) if weight is None else weight.sum())
        )
        found = self._solved(
            DiscriminantProblem(X, codes, weight, totals, priors, self.shrinkage, self.covariance_estimator)
        )
        self._keep(found, priors, data.X.dtype)
        trace.exact("the discriminants follow from class means and pooled covariance in closed form")

    @property
    def _shifted(self) -> bool:
        return self.solver == "svd"

    def _move(self, shift: Array) -> None:
        super()._move(shift)
        self.intercept_ = (self.intercept_ - self.coef_ @ shift).astype(self.intercept_.dtype)
        if "xbar_" in self.__dict__:
            self.xbar_ = (self.xbar_ + shift).astype(self.xbar_.dtype)

    def _check_choices(self, p: int) -> None:
        owner = type(self).__name__
        if self.solver == "svd" and self.shrinkage is not None:
            raise UnsupportedError(f"{owner}: solver='svd' does not support shrinkage; use 'lsqr' or 'eigen'")
        if self.solver == "svd" and self.covariance_estimator is not None:
            raise ParameterError(f"{owner}: solver='svd' does not use a covariance_estimator; choose another")
        refuse_both(self.shrinkage, self.covariance_estimator, owner)
        if self.n_components is not None and self.n_components > min(len(self.classes_) - 1, p):
            raise ParameterError(
                f"{owner}: n_components={self.n_components}, but {p} column(s) and {len(self.classes_)} class(es) have "
                f"{min(len(self.classes_) - 1, p)} direction(s)"
            )

    def _solved(self, problem: DiscriminantProblem) -> Discriminant:
        if self.solver == "svd":
            return solve_svd(problem, self.tol, self.store_covariance)
        return solve_eigen(problem) if self.solver == "eigen" else solve_least_squares(problem)

    def _keep(self, found: Discriminant, priors: Array, dtype: Any) -> None:
        self.priors_ = priors.astype(dtype, copy=False)
        coef, intercept = found.coef, found.intercept
        if len(priors) == 2:
            coef, intercept = coef[1:] - coef[:1], intercept[1:] - intercept[:1]
        ratios = None if found.ratios is None else found.ratios[: self._directions()]
        learnt = {"means_": found.means, "coef_": coef, "intercept_": intercept, "covariance_": found.covariance}
        learnt |= {"scalings_": found.scalings, "xbar_": found.centre, "explained_variance_ratio_": ratios}
        self.__dict__.update(
            {name: value.astype(dtype, copy=False) for name, value in learnt.items() if value is not None}
        )

    def decision_function(self, X: Any) -> Array:
        """log P(k | x) up to a constant of the row; for two classes the log odds of the second."""
        scores = matrix_products.scores(self._read(X), self.coef_, self.intercept_)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict_log_proba(self, X: Any) -> Array:
        """Log posterior probabilities of the classes, exact also where the probabilities underflow."""
        return self._log_posterior(self._read(X))

    def _log_posterior(self, X: Matrix) -> Array:
        scores = matrix_products.scores(X, self.coef_, self.intercept_).astype(np.float64)
        if len(self.classes_) == 2:
            scores = np.column_stack([np.zeros(len(scores)), scores])
        with np.errstate(divide="ignore"):  # a class of probability zero
            return log_posterior(scores, np.log(self.priors_.astype(np.float64)))

    def _probabilities(self, X: Matrix) -> Array:
        return np.exp(self._log_posterior(X))

    def _classify(self, X: Matrix) -> Array:
        scores = matrix_products.scores(X, self.coef_, self.intercept_)
        return (scores[:, 0] > 0).astype(np.int64) if len(self.classes_) == 2 else np.asarray(scores.argmax(axis=1))

    def transform(self, X: Any) -> Any:
        """The rows of `X` in the directions that separate the classes best ("svd" and "eigen")."""
        if self.solver == "lsqr":
            raise UnsupportedError(
                "transform needs directions, which solver='lsqr' does not compute: use 'svd' or 'eigen'"
            )
        return super().transform(X)

    def _project(self, X: Matrix) -> Array:
        directions = self.scalings_[:, : self._directions()]
        moved = X - self.xbar_ if hasattr(self, "xbar_") else X
        if directions.shape[1] == 0:
            return np.zeros((len(X), 0), dtype=X.dtype)
        return matrix_products.scores(moved, directions.T)

    def _directions(self) -> int:
        most = min(len(self.classes_) - 1, self.n_features_in_)
        return most if self.n_components is None else min(self.n_components, most)
