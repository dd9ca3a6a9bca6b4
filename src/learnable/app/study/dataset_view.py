"""Rows of a question as arrays for estimators: features by name, encoded targets, weights, groups."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core import Array
from ...core.validate.rows import take_rows
from ..ordered_classes import in_order
from ..task import Question
from ..time_series import step_of
from .candidates import halves
from .encoding_cache import EncodingCache
from .metric import Metric
from .model_candidate import FIRST_ROWS, ModelCandidate
from .settings import StudySettings
from .splits import forward_folds


@dataclass(frozen=True, slots=True)
class DatasetView:
    """Rows of a question; classes are encoded by their index in `labels`, the positive class last."""

    question: Question
    frame: Any
    y: Array
    weight: Array | None
    groups: Array | None
    labels: tuple[Any, ...]

    @classmethod
    def of(cls, question: Question) -> DatasetView:
        """All rows of a question."""
        labels = labels_of(question)
        codes = {label: code for code, label in enumerate(labels)}
        values = question.y.tolist()
        y = np.array([codes[value] for value in values]) if labels else question.y.astype(np.float64)
        return cls(question, question.frame(), y, question.weights, question.groups, labels)

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.y)

    @property
    def of_one_group(self) -> bool:
        """Whether all rows are of one group, so that they allow no statement about others."""
        return self.groups is not None and len(np.unique(self.groups)) < 2

    def rows(self, chosen: Array) -> DatasetView:
        """Some of the rows, by index."""
        part = [None if values is None else values[chosen] for values in (self.weight, self.groups)]
        question = self.question.rows(chosen)
        return DatasetView(question, take_rows(self.frame, chosen), self.y[chosen], part[0], part[1], self.labels)

    def options(self) -> dict[str, Any]:
        """The arguments of `fit` besides features and target."""
        return {} if self.weight is None else {"sample_weight": self.weight}

    def predict(self, model: Any, frame: Any = None) -> Array:
        """The predictions of a model: class probabilities, or values; `frame` replaces the features of the rows."""
        frame = self.frame if frame is None else frame
        if not self.labels:
            return np.asarray(model.predict(frame), dtype=np.float64)
        found = np.zeros((self.n, len(self.labels)))
        found[:, np.asarray(model.classes_, dtype=int)] = model.predict_proba(frame)
        return found


def labels_of(question: Question) -> tuple[Any, ...]:
    """The classes in order, the positive class last; empty in regression."""
    if not question.classifies:
        return ()
    classes = sorted(set(question.y.tolist()), key=lambda label: (isinstance(label, str), label))
    if question.task == "binary":
        classes.sort(key=lambda label: label == question.positive)
    return tuple(in_order(classes) or classes)


def size_of_rarest_class(y: Array, groups: Array | None) -> int:
    """Number of rows of the rarest class present, or of groups with such rows if rows have groups."""
    groups = np.arange(len(y)) if groups is None else groups
    return min(len(np.unique(groups[y == label])) for label in np.unique(y))


@dataclass(frozen=True, slots=True)
class FittedPipeline:
    """A fitted pipeline with its selected hyperparameters; `seconds` is the time of its last fit."""

    model: Any
    chosen: dict[str, Any]
    unfinished: int  # fits that did not converge
    seconds: float


def tune_and_fit(
    candidate: ModelCandidate, view: DatasetView, settings: StudySettings, metric: Metric, cache: EncodingCache
) -> FittedPipeline:  # fmt: skip
    """Tune the hyperparameters of a candidate on the rows and fit it to them."""
    began, space = time.perf_counter(), candidate.space(settings)
    pipeline = candidate.pipeline(settings.seed).set_params(memory=cache)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        if not space:
            pipeline.fit(view.frame, view.y, **view.options()).set_params(memory=None)
            return FittedPipeline(pipeline, {}, _unfinished(seen), time.perf_counter() - began + cache.last_saved)
        search = _search(pipeline, space, view, settings, metric)
        grouped = {} if view.groups is None else {"groups": view.groups}
        search.fit(view.frame, view.y, **view.options(), **grouped)
    seconds = search.refit_time_ + cache.last_saved  # its last fit was the last to use the cache
    model = search.best_estimator_.set_params(memory=None)
    return FittedPipeline(model, dict(search.best_params_), _unfinished(seen), seconds)


def fit_candidate(
    candidate: ModelCandidate, chosen: dict[str, Any], view: DatasetView, settings: StudySettings,
    y: Array | None = None,
) -> Any:  # fmt: skip
    """Fit a candidate with given hyperparameters to the rows; `y` are other names for the targets."""
    pipeline = candidate.pipeline(settings.seed).set_params(**chosen)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the certificate in the report says so
        return pipeline.fit(view.frame, view.y if y is None else y, **view.options())


def _unfinished(seen: list[warnings.WarningMessage]) -> int:
    from ...core import ConvergenceWarning

    return sum(issubclass(warning.category, ConvergenceWarning) for warning in seen)


def _search(
    pipeline: Any, space: dict[str, list[Any]], view: DatasetView, settings: StudySettings, metric: Metric
) -> Any:
    """Grid search on all rows if they are few, otherwise successive halving."""
    from ...model_selection import GridSearchCV, HalvingGridSearchCV

    inside = _inner_folds(view, settings)
    if not halves(view.question, view.n):
        return GridSearchCV(estimator=pipeline, param_grid=space, scoring=metric.scorer, cv=inside)
    return HalvingGridSearchCV(
        estimator=pipeline, param_grid=space, scoring=metric.scorer, cv=inside, factor=2, min_resources=FIRST_ROWS,
        random_state=settings.seed,
    )  # fmt: skip


def _inner_folds(view: DatasetView, settings: StudySettings) -> Any:
    from ...model_selection import GroupKFold, KFold, StratifiedGroupKFold, StratifiedKFold

    count, seed = settings.inner_folds, settings.seed
    if view.question.moments is not None:
        return _forward(view, view.question.moments, count)
    if view.groups is not None and not view.of_one_group:  # one group is split by rows
        count = min(count, len(np.unique(view.groups)))
        return (StratifiedGroupKFold if view.labels else GroupKFold)(count, shuffle=True, random_state=seed)
    return (StratifiedKFold if view.labels else KFold)(count, shuffle=True, random_state=seed)


def _forward(view: DatasetView, moments: Array, count: int) -> Any:
    """Forward-chaining folds that test new groups only, or all later rows if there are no new groups."""
    from ...model_selection import TimeSeriesSplit

    steps, horizon = step_of(view.question), 1 if view.question.lags is None else view.question.lags.horizon
    tried = (forward_folds(moments, groups, steps, count=count, horizon=horizon) for groups in (view.groups, None))
    whole = (folds for folds in tried if all(len(part) for fold in folds for part in fold))
    return next(whole, TimeSeriesSplit(n_splits=count))
