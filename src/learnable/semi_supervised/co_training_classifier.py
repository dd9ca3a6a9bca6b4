"""Co-training."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np

from ..core import (
    Array,
    Data,
    Matrix,
    ParameterError,
    ProbabilisticClassifier,
    Trace,
    Traits,
    cloned,
    estimator,
    learned,
    param,
)  # fmt: skip
from ..core.declare.params import REQUIRED
from ..core.roles.traits import traits_of
from ..core.runtime import context
from ..core.sklearn_api.estimator_type import is_estimator
from ._unlabelled import split_labels, transduced


def _has_probabilities(model: Any) -> bool:
    return is_estimator(model) and hasattr(model, "predict_proba")


@estimator
class CoTrainingClassifier(ProbabilisticClassifier):
    """Co-training: two classifiers of different columns (views) label rows for each other.

    h_v = fit(view v of the labelled rows, labels),    labels of the most confident rows per class = argmax_k h_v(x)_k

    It helps where each view suffices for the class and the views are nearly independent given the class, as the words
    of a page and of the links to it. -1, NaN or None in `y` says that a row has no label. Probabilities are products
    of those of both classifiers, normalised. [Blum and Mitchell, 1998]

    >>> from learnable import GaussianNB
    >>> X, y = [[0.0, 9.0], [0.1, 8.0], [0.2, 9.5], [3.0, 1.0], [3.2, 0.0], [3.1, 0.5]], [0, -1, 0, 1, -1, 1]
    >>> CoTrainingClassifier(GaussianNB(), views=([0], [1])).fit(X, y).transduction_
    array([0, 0, 0, 1, 1, 1])
    """

    estimator: Any = param(
        REQUIRED, "classifier with predict_proba for both views, or for the first", kw_only=False,
        accepts=_has_probabilities, says="a classifier with predict_proba",
    )  # fmt: skip
    other_estimator: Any = param(
        None, "classifier for the second view; None: the same", kw_only=False,
        accepts=lambda model: model is None or _has_probabilities(model),
        says="None or a classifier with predict_proba",
    )  # fmt: skip
    views: tuple[Any, Any] | None = param(
        None, "the numbers of the columns of each view; None: the first and the second half of them"
    )
    k_best: int = param(1, "number of rows of each class that each classifier labels in an iteration", at_least=1)
    max_iter: int = param(30, "maximum number of iterations", at_least=0)
    estimators_: Any = learned("the two fitted classifiers")
    views_: Any = learned("the columns of each view")
    classes_: Array = learned("the classes, sorted", shape="classes")
    transduction_: Any = learned("label of each training row, -1 if it has none at the end", shape="samples")
    labeled_iter_: Array = learned(
        "the iteration that labelled each row: 0 if it was given, -1 if none", shape="samples"
    )
    n_iter_: int = learned("number of fits of both classifiers", least=1)

    traits = Traits(sparse=True, storage="csr", weights=False)
    title = "co-training"
    reference = "Blum and Mitchell, Combining labeled and unlabeled data with co-training, COLT 1998"

    def fit(self, X: Any, y: Any) -> Self:  # type: ignore[override]  # how confident a row is has no weights
        """Learn from rows `X` and labels `y`, -1 where there is none."""
        return super().fit(X, y)

    def _classes(self, y: Any, rows: int) -> tuple[Any, Array]:
        return split_labels(self._validator, y, rows)

    def _fit(self, data: Data, trace: Trace) -> None:
        codes = data.y.copy()
        self.views_ = self._columns(data.p)
        self.labeled_iter_, self.n_iter_ = np.where(codes >= 0, 0, -1), 1
        while (codes < 0).any() and self.n_iter_ <= self.max_iter:
            context.give_way()
            before = codes.copy()
            for number in range(2):
                self._label(number, data.X, before, codes)
            self.labeled_iter_[(before < 0) & (codes >= 0)] = self.n_iter_
            self.n_iter_ += 1
            trace.record(float((codes < 0).sum()))
            if context.reason_to_stop():
                break
        self.estimators_ = [self._fitted(number, data.X, codes) for number in range(2)]
        self.transduction_ = transduced(self.classes_, codes)
        trace.exact("both classifiers were fitted to all labels, given and found", float((codes < 0).sum()))

    def _label(self, number: int, X: Matrix, known: Array, codes: Array) -> None:
        """Let one classifier label its most confident rows of every class among those without a label."""
        model = self._fitted(number, X, known)
        rows = np.flatnonzero(codes < 0)
        if not len(rows):
            return
        p = np.asarray(model.predict_proba(X[rows][:, self.views_[number]]))
        best, own = p.argmax(axis=1), np.searchsorted(self.classes_, model.classes_)
        for k, code in enumerate(own):
            candidates = np.flatnonzero(best == k)
            confident = candidates[np.argsort(-p[candidates, k], kind="stable")[: self.k_best]]
            codes[rows[confident]] = code

    def _fitted(self, number: int, X: Matrix, codes: Array) -> Any:
        model = self.estimator if number == 0 or self.other_estimator is None else self.other_estimator
        rows = np.flatnonzero(codes >= 0)
        return cloned(model).fit(X[rows][:, self.views_[number]], self.classes_[codes[rows]])

    def _columns(self, count: int) -> list[Array]:
        """The columns of both views."""
        if self.views is None:
            if count < 2:
                raise ParameterError("CoTrainingClassifier: two views need at least two columns; X has 1 feature(s)")
            return [np.arange(count // 2), np.arange(count // 2, count)]
        try:
            found = [np.arange(count)[np.asarray(view)] for view in self.views]
        except (IndexError, TypeError, ValueError):
            found = []
        if len(found) != 2 or not all(view.ndim == 1 and len(view) for view in found):
            raise ParameterError(
                f"CoTrainingClassifier: views must be two lists of column numbers below {count}; got {self.views!r:.60}"
            )
        return found

    def _probabilities(self, X: Matrix) -> Array:
        joint = np.ones((X.shape[0], len(self.classes_)))
        for model, columns in zip(self.estimators_, self.views_, strict=True):
            p = np.zeros_like(joint)
            p[:, np.searchsorted(self.classes_, model.classes_)] = model.predict_proba(X[:, columns])
            joint *= p
        total = joint.sum(axis=1, keepdims=True)
        return np.where(total > 0, joint / np.where(total > 0, total, 1.0), 1 / len(self.classes_))

    def _effective_traits(self) -> Traits:
        others = [self.estimator] if self.other_estimator is None else [self.estimator, self.other_estimator]
        return replace(self.traits, sparse=all(traits_of(model).sparse for model in others))
