"""A classifier of two classes whose threshold cross-validation chooses."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral
from typing import Any

import numpy as np

from ..core import Array, DataError, ParameterError, RandomState, Trace, Traits, cloned, estimator, learned, param
from ..core.errors import not_fitted
from ..core.sklearn_api.routing import accepts_weight
from ..engines.folds import Fold, estimator_folds, is_splitting
from ..engines.parallel import each
from ..metrics import check_scoring
from ..metrics.scorers import Scorer
from ._evaluation import FitArguments, fitted
from ._threshold_base import ThresholdClassifier, labels_at
from .stratified_shuffle_split import StratifiedShuffleSplit


def _divides(cv: Any) -> bool:
    if isinstance(cv, (str, float)):
        return cv == "prefit" if isinstance(cv, str) else 0 < cv < 1
    return is_splitting(cv)


@estimator
class TunedThresholdClassifierCV(ThresholdClassifier):
    """Decision threshold tuning: a binary classifier with the threshold of the best cross-validated score.

    threshold = argmax over t of  mean over folds k of  score of {s_{-k}(x) >= t} on fold k

    Scores at thresholds between those of a fold are interpolated. With weights, rows count as copies in fits and in
    scores. [Elkan, 2001]

    >>> from learnable import GaussianNB
    >>> X, y = [[float(i)] for i in range(16)], [0] * 10 + [1] * 6
    >>> model = TunedThresholdClassifierCV(GaussianNB(), cv=2).fit(X, y)
    >>> model.predict([[0.5], [14.5]])
    array([0, 1])
    """

    title = "decision threshold tuning"
    reference = "Elkan, The foundations of cost-sensitive learning, IJCAI 2001"

    scoring: str | Callable[..., Any] = param(
        "balanced_accuracy", "scoring of predicted classes, by name or as a callable"
    )
    thresholds: int | Array | list[float] = param(
        100, "number of evenly spaced thresholds, or the thresholds", infinite=True,
        accepts=lambda value: np.ndim(value) > 0 or value >= 1, says="at least 1, or a list of thresholds",
    )  # fmt: skip
    cv: Any = param(
        None, 'folds: a number, a splitter, pairs of index arrays, a share of rows to test on; None: 5; "prefit": all '
        "rows test a classifier that is fitted already", accepts=_divides, says="folds, a share, or 'prefit'",
    )  # fmt: skip
    refit: bool = param(True, "whether to refit the classifier on all rows")
    n_jobs: int | None = param(
        None, "number of parallel fits, as in joblib; threads unless another joblib backend is active"
    )
    random_state: RandomState = param(None, "seed of the rows to test on, where cv is a share")
    store_cv_results: bool = param(False, "whether to keep the score of every threshold")

    best_threshold_: float = learned("the chosen threshold")
    best_score_: float = learned("cross-validation score of the best threshold")
    cv_results_: dict[str, Any] = learned("thresholds and their scores, if they are kept", optional=True)

    traits = Traits(stochastic=True)

    def _fit_inside(self, sample: FitArguments, trace: Trace) -> None:
        scorer = self._scorer()
        if isinstance(self.cv, str):
            self._check_prefit()
            self.estimator_ = self.estimator
            curves = [self._curve(self.estimator, sample, scorer)]
        else:
            parts = self._parts(sample)
            whole = sample if self.refit else sample.part(parts[0][0])
            self.estimator_ = fitted(cloned(self.estimator), whole)
            curves = self._curves(sample, scorer, parts)
        self._choose(curves, trace)

    def _check_prefit(self) -> None:
        if self.refit:
            raise ParameterError("TunedThresholdClassifierCV: cv='prefit' fits nothing; set refit=False")
        if not hasattr(self.estimator, "classes_"):
            raise not_fitted(self.estimator)

    def _parts(self, sample: FitArguments) -> list[Fold]:
        cv = self.cv
        if isinstance(cv, float):
            cv = StratifiedShuffleSplit(1, test_size=cv, random_state=self.random_state)
        parts = estimator_folds(type(self).__name__, self.estimator, sample.X, sample.y, None, cv, sample.n)
        if not self.refit and len(parts) > 1:
            raise ParameterError(
                f"TunedThresholdClassifierCV: refit=False needs a single split; cv has "
                f"{len(parts)}, and only one fitted estimator can predict"
            )
        return parts

    def _curves(self, sample: FitArguments, scorer: Scorer, parts: list[Fold]) -> list[tuple[Array, Array]]:
        found: list[Any] = [None] * len(parts)
        for place, curve in each(self._fold, (sample, scorer), parts, self.n_jobs):
            found[place] = curve
        return found

    def _fold(self, sample: FitArguments, scorer: Scorer, fold: Fold) -> tuple[Array, Array]:
        train, test = fold
        model = self.estimator_ if not self.refit else fitted(cloned(self.estimator), sample.part(train))
        return self._curve(model, sample.part(test), scorer)

    def _curve(self, model: Any, part: FitArguments, scorer: Scorer) -> tuple[Array, Array]:
        """Thresholds, and the score of each on some rows."""
        scores, positive, _ = self._scores(model, part.X)
        if np.isclose(scores.min(), scores.max()):
            raise DataError(
                "TunedThresholdClassifierCV: the estimator gives every row the same score, so no threshold separates "
                "them"
            )
        weight = part.weight if accepts_weight(scorer) else None
        cuts = np.asarray(self.thresholds, dtype=np.float64)
        if isinstance(self.thresholds, Integral):
            cuts = np.linspace(scores.min(), scores.max(), int(self.thresholds))
        found = [scorer.of(part.y, labels_at(scores, cut, model.classes_, positive), weight) for cut in cuts]
        return cuts, np.array(found, dtype=np.float64)

    def _choose(self, curves: list[tuple[Array, Array]], trace: Trace) -> None:
        """Keep the threshold whose score, averaged over folds, is the highest."""
        cuts = np.asarray(self.thresholds, dtype=np.float64)
        if isinstance(self.thresholds, Integral):
            ends = min(found.min() for found, _ in curves), max(found.max() for found, _ in curves)
            cuts = np.linspace(*ends, int(self.thresholds))
        scores = np.mean([np.interp(cuts, *curve) for curve in curves], axis=0)
        best = int(scores.argmax())
        self.best_threshold_, self.best_score_ = float(cuts[best]), float(scores[best])
        if self.store_cv_results:
            self.cv_results_ = {"thresholds": cuts, "scores": scores}
        for cut, score in zip(cuts.tolist(), scores.tolist(), strict=True):
            trace.record(-score, threshold=cut)

    def _cut(self, method: str) -> float:
        return self.best_threshold_

    @property
    def _positive(self) -> Any:
        return self._scorer().pos_label

    def _scorer(self) -> Scorer:
        scorer = check_scoring(self.estimator, self.scoring)
        if hasattr(scorer, "_score_func"):  # one of scikit-learn's
            return Scorer(scorer._score_func, scorer._sign, "predict", dict(scorer._kwargs))
        if not isinstance(scorer, Scorer):
            raise ParameterError(
                "TunedThresholdClassifierCV: scoring must be a name or come from make_scorer, so that labels can be "
                f"scored; got {self.scoring!r:.60}"
            )
        return scorer

    def __sklearn_is_fitted__(self) -> bool:
        return "best_threshold_" in self.__dict__
