"""What values a score can have, and whether it is a share of the rows that it was measured on."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from ..core.sklearn_api.estimator_type import is_classifier, role
from ..parts.confidence_intervals import Interval, wald, wilson
from .scoring import OwnScore, check_scoring

Range = tuple[float, float]
UNIT, AROUND_ZERO, AT_MOST_ONE, NOT_NEGATIVE = (0.0, 1.0), (-1.0, 1.0), (-inf, 1.0), (0.0, inf)
ROUNDING = 1e-9  # that scores of weighted rows may be off by
BY_SCORING = {"SearchCV.score", "BaseSearchCV.score", "RFECV.score", "LogisticRegressionCV.score"}  # theirs as well
WITHIN_CLASSES = {"balanced_accuracy_score", "recall_score", "roc_auc_score"}
OF_CLASSES = {
    "average_precision_score", "brier_score_loss", "cohen_kappa_score", "d2_brier_score", "d2_log_loss_score",
    "f1_score", "fbeta_score", "hamming_loss", "hinge_loss", "jaccard_score", "log_loss", "matthews_corrcoef",
    "precision_score",
}  # fmt: skip
MICRO = {"f1_score", "fbeta_score", "precision_score", "recall_score"}
SHARES = {"accuracy_score", "error_rate", "top_k_accuracy_score", "zero_one_loss"}
RANGES: dict[str, Range] = {
    **dict.fromkeys(SHARES, UNIT),
    **dict.fromkeys(
        (
            "average_precision_score", "balanced_accuracy_score", "completeness_score", "f1_score", "fbeta_score",
            "fowlkes_mallows_score", "hamming_loss", "homogeneity_score", "jaccard_score", "ndcg_score",
            "normalized_mutual_info_score", "precision_score", "rand_score", "recall_score", "roc_auc_score",
            "v_measure_score",
        ),
        UNIT,
    ),
    **dict.fromkeys(("adjusted_rand_score", "cohen_kappa_score", "matthews_corrcoef"), AROUND_ZERO),
    **dict.fromkeys(
        (
            "adjusted_mutual_info_score", "d2_absolute_error_score", "d2_brier_score", "d2_log_loss_score",
            "d2_pinball_score", "d2_tweedie_score", "explained_variance_score", "r2_score",
        ),
        AT_MOST_ONE,
    ),
    **dict.fromkeys(
        (
            "brier_score_loss", "hinge_loss", "log_loss", "max_error", "mean_absolute_error",
            "mean_absolute_percentage_error", "mean_gamma_deviance", "mean_pinball_loss", "mean_poisson_deviance",
            "mean_squared_error", "mean_squared_log_error", "mean_tweedie_deviance", "median_absolute_error",
            "mutual_info_score", "negative_likelihood_ratio", "positive_likelihood_ratio", "root_mean_squared_error",
            "root_mean_squared_log_error",
        ),
        NOT_NEGATIVE,
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Scale:
    """The lowest and the highest value of a score; `of_rows` says whether it is a share of rows, None if unknown.

    Shares of rows go from `lowest` to `lowest` + 1: accuracies from 0, negated errors from -1. `by_classes` marks other
    scores that change with the share of each class, or may.
    """

    lowest: float = -inf
    highest: float = inf
    of_rows: bool | None = None
    by_classes: bool = False

    def honest(self, interval: Interval, mean: float, rows: float | None, confidence: float) -> Interval:
        """The interval within the scale, and no narrower than Wilson's for a proportion of n rows.

        Folds with equal shares of each class score alike, and do not show that another table would have had more rows
        of one class and fewer of another; the number of rows does. Folds that all score the same say nothing about
        scores other than proportions: their interval is the whole scale.
        """
        if self.of_rows and rows:
            interval = max(interval, self.by_rows(mean, rows, confidence), key=lambda ends: ends[1] - ends[0])
        return self.within(interval) if interval[0] < interval[1] else (self.lowest, self.highest)

    def within(self, interval: Interval) -> Interval:
        """The part of the interval that scores can reach."""
        return max(self.lowest, interval[0]), min(self.highest, interval[1])

    def perfect(self, score: float) -> bool:
        """Whether a score between two numbers that are 1 apart is the highest, but for rounding."""
        return self.lowest + 1 == self.highest and score > self.highest - ROUNDING

    def by_rows(self, mean: float, rows: float, confidence: float, method: str = "wilson") -> Interval:
        """Wilson's or Wald's interval of a share of rows."""
        share = mean - self.lowest
        low, high = wald(share, rows, confidence) if method == "wald" else wilson(share * rows, rows, confidence)
        return low + self.lowest, high + self.lowest


ACCURACY, EXPLAINED, UNKNOWN = Scale(*UNIT, True), Scale(*AT_MOST_ONE, False), Scale()


def scales_of(scorer: Any, estimator: Any, y: Any = None) -> dict[str, Scale]:
    """The scale of each score that `scorer` gives for `estimator`, by name; a single one is called `score`."""
    several = getattr(scorer, "scorers", None) or {"score": scorer}
    return {name: scale_of(one, estimator, y) for name, one in several.items()}


def scale_of(scorer: Any, estimator: Any, y: Any = None) -> Scale:
    """What is known of the score of an estimator for targets `y` by a scorer, ours or scikit-learn's.

    >>> from learnable.metrics import get_scorer
    >>> scale_of(get_scorer("accuracy"), None)
    Scale(lowest=0.0, highest=1.0, of_rows=True, by_classes=False)
    """
    if isinstance(scorer, OwnScore) or type(scorer).__name__ == "_PassthroughScorer":
        return _of_own_score(estimator)
    metric = getattr(scorer, "metric", getattr(scorer, "_score_func", None))
    name = getattr(metric, "__name__", "")
    if name not in RANGES or metric.__module__.partition(".")[0] not in ("learnable", "sklearn"):
        return Scale(by_classes=is_classifier(estimator))
    options = getattr(scorer, "options", getattr(scorer, "_kwargs", {}))
    low, high = _range(name, options)
    if getattr(scorer, "sign", getattr(scorer, "_sign", 1)) < 0:
        low, high = -high, -low
    of_rows = high - low == 1 and _of_rows(name, options, y)
    return Scale(low, high, of_rows, not of_rows and _by_classes(name, options))


def _range(name: str, options: dict[str, Any]) -> Range:
    """The values of a metric of ours or of scikit-learn, with some options."""
    if options.get("normalize") is False:
        return NOT_NEGATIVE
    return AT_MOST_ONE if options.get("adjusted") else RANGES[name]


def _of_rows(name: str, options: dict[str, Any], y: Any) -> bool:
    """Whether a metric is a share of rows; where each has one class, micro averages over all classes are too."""
    if name in SHARES:
        return True
    micro = name in MICRO and options.get("average") == "micro" and options.get("labels") is None
    return (name == "hamming_loss" or micro) and y is not None and np.ndim(y[:1]) == 1


def _by_classes(name: str, options: dict[str, Any]) -> bool:
    """Whether a metric of classes changes with the share of each: not if it is an average over classes of equal say."""
    weighted = options.get("average") in ("weighted", "micro", "samples")
    return name in OF_CLASSES or (name in WITHIN_CLASSES and weighted)


def _of_own_score(estimator: Any) -> Scale:
    """Classifiers score themselves by accuracy, regressors by R², some that tune themselves by their `scoring`.

    Others, such as HistGradientBoostingRegressor, only watch their fit by it.
    """
    last = estimator.steps[-1][1] if hasattr(estimator, "steps") else estimator
    scoring = getattr(last, "scoring", None)
    own = getattr(getattr(type(last), "score", None), "__qualname__", "")
    if own in BY_SCORING and scoring not in (None, "warn"):
        return scale_of(check_scoring(last, scoring), last)
    return {"classifier": ACCURACY, "regressor": EXPLAINED}.get(role(last) or "", UNKNOWN)
