"""Naive Bayes for mixed feature types."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np

from ..core import Array, Data, DataError, Matrix, ParameterError, Traits, estimator, learned, param
from ..core.validate.features import column_name
from ..engines.generative.posterior import checked_priors, class_frequencies
from ..engines.matrix_products import counting_rows
from ..parts.distributions import FAMILIES, Distribution, Sums
from ._mixed_statistics import MixedStatistics
from ._naive_bayes_base import SufficientStatisticsClassifier

MAX_LEVELS = 20  # distinct integers up to which a column is categorical by default


@estimator
class MixedNB(SufficientStatisticsClassifier):
    """Naive Bayes for mixed feature types: independent features, each with its own family of distributions.

    P(k | x) = pi_k prod_j p_j(x_j; parameters of class k) / sum over classes of the same

    Kinds are "gaussian", "bernoulli", "categorical", "poisson", "exponential" and "kde" (kernel density). "auto" uses
    Bernoulli for columns of 0 and 1, categorical for few integers, otherwise normal; partial_fit may change that, as if
    all rows had been given at once. Missing values (NaN) are left out of estimates and products: exact
    marginalisation. [Hand and Yu, 2001]

    >>> X = [[0, 1.0, 2], [0, 1.2, 0], [1, 3.1, 5], [1, 2.8, 7]]
    >>> model = MixedNB(distributions=["bernoulli", "gaussian", "poisson"]).fit(X, ["a", "a", "b", "b"])
    >>> model.predict([[0, 1.1, 1], [1, float("nan"), 6]])
    array(['a', 'b'], dtype='<U1')
    """

    distributions: str | list[Any] | dict[Any, Any] = param(
        "auto",
        "distribution family of all columns, a list for each, or a dict from columns (name or index) to families",
    )
    alpha: float = param(
        1.0, "additive smoothing parameter (pseudo-count) of counts and rates", at_least=0, tune=(0.01, 0.1, 1.0)
    )
    var_smoothing: float = param(
        1e-9, "fraction of the variance of a column that is added to its variances by class", at_least=0
    )
    priors: Array | None = param(None, "prior probabilities of the classes; None: class frequencies", at_least=0)
    classes_: Array = learned("class labels, sorted", shape="classes")
    class_count_: Array = learned("weighted number of rows of each class", shape="classes")
    class_prior_: Array = learned("prior probability of each class", shape="classes")
    distributions_: list[str] = learned("distribution family of each column", counts="features")
    summary_: dict[str, Any] = learned("sufficient statistics of each column in each class")

    traits = Traits(missing="native")
    meaning = ("distributions",)
    title = "naive Bayes for mixed feature types"
    reference = "Hand and Yu, Idiot's Bayes: not so stupid after all?, International Statistical Review, 2001"

    def _statistics(self, data: Data) -> MixedStatistics:
        X, codes, weight = counting_rows(data.X, data.y, data.weight)
        X, classes = X.astype(np.float64, copy=False), len(self.classes_)
        kinds = [_infer_kind(X[:, j]) if kind == "auto" else kind for j, kind in enumerate(self._requested())]
        for j, kind in enumerate(kinds):
            _refuse_outside(X[:, j], kind, column_name(data.names, j))
        return MixedStatistics.of(X, codes, classes, weight, kinds)

    def _requested(self) -> list[str]:
        """The requested family of each column."""
        requested, p = self.distributions, self.n_features_in_
        if isinstance(requested, dict):
            names = list(self.__dict__.get("feature_names_in_", []))
            by_index = {_index(column, names, p): kind for column, kind in requested.items()}
            kinds = [by_index.get(j, "auto") for j in range(p)]
        else:
            kinds = [requested] * p if isinstance(requested, str) else list(requested)
        strange = [kind for kind in kinds if kind != "auto" and kind not in FAMILIES]
        if len(kinds) != p or strange:
            problem = (
                f"{strange[0]!r} is not a family" if strange else f"there are {len(kinds)} families for {p} columns"
            )
            raise ParameterError(
                f'MixedNB: distributions must name a family for each column: "auto", {", ".join(FAMILIES)}; {problem}'
            )
        return kinds

    def _stored_statistics(self) -> MixedStatistics:
        return MixedStatistics(self.summary_["weight"], self.summary_["columns"], self.distributions_)

    def _estimate(self, summary: MixedStatistics, dtype: Any) -> None:
        owner = type(self).__name__
        few = zip(self._requested(), summary.kinds, summary.columns, strict=True)
        summary = summary.widened(["gaussian" if _too_many(*column) else column[1] for column in few])
        self.distributions_ = summary.kinds
        self.summary_ = {"weight": summary.weight, "columns": summary.columns}
        self.class_count_ = summary.weight
        given = self.priors is not None
        self.class_prior_ = (
            checked_priors(owner, self.priors, len(self.classes_))
            if given
            else class_frequencies(owner, summary.weight)
        )

    def _rounding(self, before: MixedStatistics, rest: MixedStatistics) -> float:
        largest = 0.0
        for j, kind in enumerate(rest.kinds):
            if kind == "gaussian":
                for was, its, found in zip(before.columns[j], rest.columns[j], self._distributions(j), strict=True):
                    noise = np.finfo(np.float64).eps * was["scatter"] / (its["weight"] or np.inf)
                    largest = max(largest, noise / found.variance)
        return largest

    def distribution(self, column: int, label: Any) -> Distribution:
        """The estimated distribution of a column (by number) in the class called `label`."""
        if label not in self.classes_.tolist():
            raise ParameterError(f"MixedNB: label must be one of {self.classes_.tolist()}; got {label!r}")
        index: int = self.classes_.tolist().index(label)
        return self._distributions(column)[index]

    def _distributions(self, column: int) -> list[Distribution]:
        """The distribution of one column in each class."""
        kind = self.distributions_[column]
        family, sums = FAMILIES[kind], self.summary_["columns"][column]
        pseudo_counts = self.var_smoothing if kind in ("gaussian", "kde") else self.alpha
        typical = sums[0]
        for other in sums[1:]:
            typical = family.add(typical, other)
        return [family.from_summary(its, pseudo_counts, typical) for its in sums]

    def _joint_log_likelihood(self, X: Matrix) -> Array:
        joint = np.tile(self._class_log_prior(), (len(X), 1))
        for j in range(X.shape[1]):
            there = ~np.isnan(X[:, j])
            values = X[there, j].astype(np.float64)
            for k, distribution in enumerate(self._distributions(j)):
                joint[there, k] += distribution.log_density(values)
        return joint


def _index(column: Any, names: list[str], p: int) -> int:
    """The index of a column given by index or name."""
    if isinstance(column, str) and column in names:
        return names.index(column)
    if isinstance(column, Integral) and -p <= int(column) < p:
        return int(column) % p
    raise ParameterError(f"MixedNB: distributions names the column {column!r}, which X does not have")


def _infer_kind(values: Array) -> str:
    """The family of a column inferred from its values."""
    known = values[~np.isnan(values)]
    if known.size and FAMILIES["bernoulli"].supports(known).all():
        return "bernoulli"
    few = FAMILIES["categorical"].supports(known).all() and len(np.unique(known)) <= MAX_LEVELS
    return "categorical" if known.size and few and known.max() < 10 * MAX_LEVELS else "gaussian"


def _too_many(requested: str, kind: str, sums: list[Sums]) -> bool:
    """Whether a column inferred as categorical has too many categories by now."""
    if requested != "auto" or kind != "categorical":
        return False
    return len(set().union(*(np.flatnonzero(its["counts"]).tolist() for its in sums))) > MAX_LEVELS


def _refuse_outside(values: Array, kind: str, where: str) -> None:
    """Raise a `DataError` if a column has a value outside the support of its family."""
    family = FAMILIES[kind]
    bad = ~(family.supports(values) | np.isnan(values))
    if bad.any():
        row = int(np.argmax(bad))
        raise DataError(
            f'MixedNB: {where} holds {values[row]:g} in row {row}, but a "{kind}" column takes {family.support}; '
            "name another distribution for it"
        )
