"""Cross-validation of linear models: scores of classifiers, traces of the scores, and refused options."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from inspect import signature
from typing import Any

import numpy as np

from ..core import Array, ParameterError, Trace
from ..core.roles.classifier import Classifier
from ..core.sklearn_api.routing import accepts_weight
from ._decision_function import predicted_codes, probabilities


@dataclass(frozen=True)
class ClassScorer:
    """A scorer of the decision values of a linear classifier; `each_alone`: see `probabilities`."""

    scorer: Any
    classes: Array
    each_alone: bool = False

    @classmethod
    def of(cls, scoring: str | Callable[..., float], classes: Array, each_alone: bool = False) -> ClassScorer:
        """By the name of a scorer, or a callable `scoring(model, X, y)`."""
        from ..metrics import get_scorer

        return cls(_of_all_classes(get_scorer(scoring), scoring, classes), classes, each_alone)

    def __call__(self, code: Array, scores: Array, weight: Array | None) -> float:
        """The score of rows whose classes are given by codes, or whose labels by indicators."""
        return self.of_labels(code if code.ndim == 2 else self.classes[code], scores, weight)

    def of_labels(self, truth: Array, scores: Array, weight: Array | None) -> float:
        """The score of rows whose classes are given."""
        flat = scores[:, 0] if scores.ndim == 2 and scores.shape[1] == 1 else scores
        model = PrecomputedScores(self.classes, flat, self.each_alone, truth.ndim == 2)
        rows = np.arange(len(truth))[:, None]
        if weight is not None and accepts_weight(self.scorer) and (weight != weight[0]).any():
            return float(self.scorer(model, rows, truth, sample_weight=weight))
        return float(self.scorer(model, rows, truth))


def _of_all_classes(scorer: Any, scoring: Any, classes: Array) -> Any:
    """A scorer that is given by its name, with `classes` also where some do not occur among the rows of a fold."""
    known = signature(scorer.metric).parameters if isinstance(scoring, str) else {}
    options = {"labels": classes} if "labels" in known else {}
    if len(classes) == 2 and "pos_label" in known:
        options["pos_label"] = classes[1]
    return replace(scorer, options={**options, **scorer.options}) if options else scorer


class PrecomputedScores(Classifier):
    """A classifier with precomputed scores of all rows, in order."""

    def __init__(self, classes: Array, scores: Array, each_alone: bool, labels: bool) -> None:
        self.classes_, self._scores, self._each_alone, self._labels = classes, scores, each_alone, labels
        self.n_features_in_ = 1

    def _fit(self, data: Any, trace: Any) -> None:
        """Nothing is left to learn."""

    def _classify(self, X: Any) -> Array:
        return predicted_codes(self._scores, self._labels)

    def decision_function(self, X: Any) -> Array:
        """The known scores."""
        return self._scores

    def predict_proba(self, X: Any) -> Array:
        """The probabilities that belong to the known scores."""
        return probabilities(self._scores, self._each_alone)


def alphas_of(model: Any) -> Array:
    """The values of alpha to try; zero only with folds, as the leverage of rows may be one without a penalty."""
    alphas = np.ravel(np.asarray(model.alphas, dtype=np.float64))
    zero = np.flatnonzero(alphas == 0)
    if model.cv is None and len(zero):
        raise ParameterError(
            f"{type(model).__name__}: alphas[{zero[0]}] == 0.0, must be > 0.0 with leave-one-out cross-validation; "
            "leave it out, or set cv to a number of folds"
        )
    return alphas


def record_alphas(trace: Trace, alphas: Array, errors: Array, **more: float) -> None:
    """A row of the trace for each alpha with its cross-validation error; a budget may not have reached all."""
    for alpha, error in zip(alphas.tolist(), errors.tolist(), strict=True):
        if error == error:
            trace.record(error, alpha=alpha, **more)


def refuse_with_folds(model: Any, *options: str) -> None:
    """Refuse options of leave-one-out cross-validation where folds are given."""
    for name in options:
        if model.cv is not None and getattr(model, name):
            raise ParameterError(
                f"{type(model).__name__}: cv={model.cv!r:.40} and {name}=True are incompatible, as it "
                f"requires leave-one-out cross-validation; set cv=None or {name}=False"
            )
