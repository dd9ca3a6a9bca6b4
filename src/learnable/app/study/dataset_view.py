"""Rows in the form that models take: a table by names, targets as numbers, weights, groups."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core import Array
from ...core.validate.rows import take_rows
from ..task import Question
from .candidates import FIRST_ROWS, Candidate, halves
from .encoding_cache import Encoded
from .metric import Metric
from .settings import Settings
from .splits import forward_folds


@dataclass(frozen=True, slots=True)
class Case:
    """Rows of a question; classes are numbered in the order of `labels`, the positive one last."""

    question: Question
    frame: Any
    y: Array
    weight: Array | None
    groups: Array | None
    labels: tuple[Any, ...]

    @classmethod
    def of(cls, question: Question) -> Case:
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
        """Whether all rows are of one group, so that they tell nothing of others."""
        return self.groups is not None and len(np.unique(self.groups)) < 2

    def rows(self, chosen: Array) -> Case:
        """Some of the rows, by index."""
        part = [None if values is None else values[chosen] for values in (self.weight, self.groups)]
        question = self.question.rows(chosen)
        return Case(question, take_rows(self.frame, chosen), self.y[chosen], part[0], part[1], self.labels)

    def options(self) -> dict[str, Any]:
        """What goes to `fit` beside table and target."""
        return {} if self.weight is None else {"sample_weight": self.weight}

    def answers(self, model: Any, frame: Any = None) -> Array:
        """What a model says: probabilities of all classes, or numbers; `frame` has other entries for the rows."""
        frame = self.frame if frame is None else frame
        if not self.labels:
            return np.asarray(model.predict(frame), dtype=np.float64)
        found = np.zeros((self.n, len(self.labels)))
        found[:, np.asarray(model.classes_, dtype=int)] = model.predict_proba(frame)
        return found


def labels_of(question: Question) -> tuple[Any, ...]:
    """The classes in order, the positive one last; none for numbers."""
    if not question.classifies:
        return ()
    classes = sorted(set(question.y.tolist()), key=lambda label: (isinstance(label, str), label))
    if question.task == "binary":
        classes.sort(key=lambda label: label == question.positive)
    return tuple(classes)


def of_rarest_class(y: Array, groups: Array | None) -> int:
    """Rows of the class that has fewest of those that are there, or groups with such rows where rows have groups."""
    groups = np.arange(len(y)) if groups is None else groups
    return min(len(np.unique(groups[y == label])) for label in np.unique(y))


@dataclass(frozen=True, slots=True)
class Fitted:
    """A pipeline that was fitted, with the parameters that were chosen; `seconds` is what its last fit took."""

    model: Any
    chosen: dict[str, Any]
    unfinished: int  # fits that did not converge
    seconds: float


def fitted(candidate: Candidate, case: Case, settings: Settings, metric: Metric, encoded: Encoded) -> Fitted:
    """A candidate fitted to the rows, its parameters chosen on them."""
    began, space = time.perf_counter(), candidate.space(settings)
    pipeline = candidate.pipeline(settings.seed).set_params(memory=encoded)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        if not space:
            pipeline.fit(case.frame, case.y, **case.options()).set_params(memory=None)
            return Fitted(pipeline, {}, _unfinished(seen), time.perf_counter() - began + encoded.spared_last)
        search = _search(pipeline, space, case, settings, metric)
        grouped = {} if case.groups is None else {"groups": case.groups}
        search.fit(case.frame, case.y, **case.options(), **grouped)
    seconds = search.refit_time_ + encoded.spared_last  # its last fit was the last to ask
    model = search.best_estimator_.set_params(memory=None)
    return Fitted(model, dict(search.best_params_), _unfinished(seen), seconds)


def learned(
    candidate: Candidate, chosen: dict[str, Any], case: Case, settings: Settings, y: Array | None = None
) -> Any:  # fmt: skip
    """A candidate with parameters that were chosen, fitted to the rows; `y` are other names for the targets."""
    pipeline = candidate.pipeline(settings.seed).set_params(**chosen)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its certificate says it, and is shown
        return pipeline.fit(case.frame, case.y if y is None else y, **case.options())


def _unfinished(seen: list[warnings.WarningMessage]) -> int:
    from ...core import ConvergenceWarning

    return sum(issubclass(warning.category, ConvergenceWarning) for warning in seen)


def _search(pipeline: Any, space: dict[str, list[Any]], case: Case, settings: Settings, metric: Metric) -> Any:
    """Every combination on all rows where they are few; else by halving: many on few rows, the better half on more."""
    from ...model_selection import GridSearchCV, HalvingGridSearchCV

    inside = _inner_folds(case, settings)
    if not halves(case.question, case.n):
        return GridSearchCV(estimator=pipeline, param_grid=space, scoring=metric.scorer, cv=inside)
    return HalvingGridSearchCV(
        estimator=pipeline, param_grid=space, scoring=metric.scorer, cv=inside, factor=2, min_resources=FIRST_ROWS,
        random_state=settings.seed,
    )  # fmt: skip


def _inner_folds(case: Case, settings: Settings) -> Any:
    from ...model_selection import GroupKFold, KFold, StratifiedGroupKFold, StratifiedKFold

    count, seed = settings.inner_folds, settings.seed
    if case.question.moments is not None:
        return _forward(case, case.question.moments, count)
    if case.groups is not None and not case.of_one_group:  # which has but rows to divide
        count = min(count, len(np.unique(case.groups)))
        return (StratifiedGroupKFold if case.labels else GroupKFold)(count, shuffle=True, random_state=seed)
    return (StratifiedKFold if case.labels else KFold)(count, shuffle=True, random_state=seed)


def _forward(case: Case, moments: Array, count: int) -> Any:
    """Folds that go forward in time and test new groups; all later rows where that leaves none."""
    from ...model_selection import TimeSeriesSplit

    tried = (forward_folds(moments, groups, count) for groups in (case.groups, None))
    whole = (folds for folds in tried if all(len(part) for fold in folds for part in fold))
    return next(whole, TimeSeriesSplit(n_splits=count))
