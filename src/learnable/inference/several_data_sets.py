"""Models compared over several data sets and metrics: ranks, Friedman's test, critical difference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import Array, DataError, ParameterError
from ..core.declare.checked_functions import Rows, checked, is_model, limits, numbers
from ..core.roles.estimator import cloned
from ..core.sklearn_api.estimator_type import is_classifier
from ..model_selection.check_splitter import check_cv
from ..model_selection.validation import cross_validate
from .finding import SHARE, Finding


@checked(n_models=limits(at_least=2), n_data_sets=limits(at_least=2), alpha=SHARE)
def critical_difference(n_models: int, n_data_sets: int, alpha: float = 0.05) -> float:
    """Critical difference of Nemenyi: mean ranks that differ by more belong to significantly different models.

    CD = q sqrt(k (k + 1) / (6 N)),   q = the quantile of the studentised range of k values, divided by sqrt(2)

    [Nemenyi, 1963; Demsar, Statistical comparisons of classifiers over multiple data sets, 2006]

    >>> round(critical_difference(4, 14), 2)
    1.25
    """
    from scipy.stats import studentized_range

    q = float(studentized_range.ppf(1 - alpha, n_models, np.inf)) / np.sqrt(2)
    return float(q * np.sqrt(n_models * (n_models + 1) / (6 * n_data_sets)))


@checked()
def mean_ranks(scores: Rows) -> Array:
    """The mean rank of each model, of scores with a row for each data set; rank 1 is the highest score.

    Equal scores share their mean rank.

    >>> mean_ranks([[0.9, 0.8, 0.8], [0.7, 0.6, 0.5]])
    array([1.  , 2.25, 2.75])
    """
    from scipy.stats import rankdata

    table = numbers("mean_ranks", "scores", scores, None, None)
    ranks: Array = np.apply_along_axis(rankdata, 1, -table).mean(axis=0)
    return ranks


@checked(confidence=SHARE)
def friedman_test(scores: Rows, *, confidence: float = 0.95) -> Finding:
    """Friedman's test: whether models differ at all, from scores with a row for each data set, a column for each model.

    F = (N - 1) chi2 / (N (k - 1) - chi2),   chi2 = 12 N / (k (k + 1)) (sum_j R_j^2 - k (k + 1)^2 / 4)

    with the mean ranks R_j; F of Iman and Davenport has k - 1 and (k - 1)(N - 1) degrees of freedom. No p-value is
    below k!^(1 - N), which is exact where all data sets rank the models alike. The estimate is the largest difference
    of mean ranks. [Friedman, 1937; Iman and Davenport, 1980]

    >>> friedman_test([[3, 2, 1], [3, 2, 1], [3, 1, 2], [3, 2, 1]]).p_value < 0.05
    True
    """
    from scipy.special import fdtrc, gammaln

    table = numbers("friedman_test", "scores", scores, None, None)
    n, k = table.shape
    if n < 2 or k < 2:
        raise DataError(f"friedman_test: at least two data sets and two models are needed; got {n} and {k}")
    ranks = mean_ranks(table)
    statistic = rank_statistic(ranks, n)
    tail = float(fdtrc(k - 1, (k - 1) * (n - 1), statistic)) if np.isfinite(statistic) else 0.0
    p_value = max(tail, float(np.exp((1 - n) * gammaln(k + 1))))
    return Finding(
        "Friedman test", "F", statistic, p_value, float(np.ptp(ranks)), df=float((k - 1) * (n - 1)),
        confidence=confidence, what="difference of mean ranks",
    )  # fmt: skip


def rank_statistic(ranks: Array, n_data_sets: int) -> float:
    """F of Iman and Davenport from the mean ranks of models; infinite where every data set ranks them alike."""
    n, k = n_data_sets, len(ranks)
    chi2 = 12 * n / (k * (k + 1)) * float((ranks**2).sum() - k * (k + 1) ** 2 / 4)
    left = n * (k - 1) - chi2
    return (n - 1) * chi2 / left if left > 1e-9 * n * k else np.inf


@dataclass(frozen=True)
class DataSetComparison:
    """Scores of models on data sets, by metric: a row for each data set, a column for each model."""

    scores: dict[str, Array]
    models: tuple[str, ...]
    data_sets: tuple[str, ...]
    alpha: float = 0.05

    def ranks(self, metric: str) -> Array:
        """The mean rank of each model."""
        return mean_ranks(self.scores[metric])

    def friedman(self, metric: str) -> Finding:
        """Whether the models differ at all."""
        return friedman_test(self.scores[metric], confidence=1 - self.alpha)

    @property
    def critical_difference(self) -> float:
        """The difference of mean ranks that is significant."""
        return critical_difference(len(self.models), len(self.data_sets), self.alpha)

    def cliques(self, metric: str) -> list[tuple[str, ...]]:
        """The largest groups of models with neighbouring ranks that do not differ significantly, best first."""
        ranks = self.ranks(metric)
        order = np.argsort(ranks, kind="stable")
        found: list[tuple[int, int]] = []
        for i in range(len(order)):
            j = i
            while j + 1 < len(order) and ranks[order[j + 1]] - ranks[order[i]] <= self.critical_difference:
                j += 1
            if j > i and not (found and found[-1][1] >= j):
                found.append((i, j))
        return [tuple(self.models[order[p]] for p in range(i, j + 1)) for i, j in found]

    def __str__(self) -> str:
        width = max(map(len, (*self.data_sets, *self.scores, "mean rank")))
        lines = []
        for metric, table in self.scores.items():
            lines.append(f"{metric:<{width}}  " + "  ".join(f"{name:>10.10}" for name in self.models))
            for name, row in zip(self.data_sets, table, strict=True):
                lines.append(f"{name:<{width}}  " + "  ".join(f"{value:>10.4f}" for value in row))
            lines.append(f"{'mean rank':<{width}}  " + "  ".join(f"{rank:>10.2f}" for rank in self.ranks(metric)))
        return "\n".join([*lines, f"critical difference of the ranks: {self.critical_difference:.2f}"])


@checked(alpha=SHARE)
def compare_on_data_sets(
    models: Mapping[str, Any],
    data_sets: Mapping[str, Any],
    *,
    scoring: Any = "accuracy",
    cv: Any = 5,
    alpha: float = 0.05,
    n_jobs: int | None = None,
) -> DataSetComparison:
    """Compare models on several data sets by several metrics: cross-validated scores, ranks, critical difference.

    `data_sets` holds pairs (X, y) by name; `scoring` is a metric or a list of them. On each data set every model is
    scored on the same folds. [Demsar, Statistical comparisons of classifiers over multiple data sets, 2006]

    >>> from learnable import DecisionTreeClassifier, DummyClassifier
    >>> from learnable.datasets import load_iris, load_wine
    >>> tables = {"iris": load_iris(return_X_y=True), "wine": load_wine(return_X_y=True)}
    >>> found = compare_on_data_sets({"tree": DecisionTreeClassifier(), "prior": DummyClassifier()}, tables)
    >>> found.ranks("accuracy").tolist()
    [1.0, 2.0]
    """
    if len(models) < 2 or not all(is_model(model) for model in models.values()):
        raise ParameterError("compare_on_data_sets: models must be at least two estimators by name")
    if len(data_sets) < 2 or not all(isinstance(pair, (tuple, list)) and len(pair) == 2 for pair in data_sets.values()):
        raise ParameterError("compare_on_data_sets: data_sets must be at least two pairs (X, y) by name")
    metrics = _metrics(scoring)
    scores = {metric: np.empty((len(data_sets), len(models))) for metric in metrics}
    classes = any(is_classifier(model) for model in models.values())
    for i, (X, y) in enumerate(data_sets.values()):
        folds = list(check_cv(cv, y, classifier=classes).split(X, y))
        for j, model in enumerate(models.values()):
            found = cross_validate(cloned(model), X, y, scoring=metrics, cv=folds, n_jobs=n_jobs)
            for metric in metrics:
                scores[metric][i, j] = float(np.mean(found[f"test_{metric}"]))
    return DataSetComparison(scores, tuple(map(str, models)), tuple(map(str, data_sets)), alpha)


def _metrics(scoring: Any) -> list[str]:
    found = [scoring] if isinstance(scoring, str) else list(scoring) if isinstance(scoring, Sequence) else []
    if not found or not all(isinstance(metric, str) for metric in found):
        raise ParameterError(f"compare_on_data_sets: scoring must name one metric or several; got {scoring!r:.60}")
    return found
