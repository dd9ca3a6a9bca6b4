"""Comparison of two models on the same labelled rows."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ...core import Array, DataError
from ...inference import Finding, error_interval, mcnemar_test, paired_t_test
from .labelled_rows import LabelledRows, class_texts
from .predictor import Predictor

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class EvaluatedModel:
    """The score of a model on some rows, with a confidence interval."""

    name: str
    score: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class ModelComparison:
    """Two models, the test of their difference, and its result; `measure` is the name of the score."""

    measure: str
    rows: int
    models: tuple[EvaluatedModel, EvaluatedModel]
    finding: Finding
    better: str | None

    @property
    def verdict(self) -> str:
        """The result in one sentence."""
        low, high = self.finding.interval or (np.nan, np.nan)
        reach = f"95 % interval of the difference {low:.4g} to {high:.4g}, p = {self.finding.p_value:.2g}"
        if self.better is None:
            same = f"The models do not differ significantly on these {self.rows} rows"
            return f"{same} ({reach}); a difference may still exist."
        return f"{self.better} is significantly better ({reach})."

    def as_json(self) -> dict[str, Any]:
        """The comparison as a JSON object."""
        models = [{"name": one.name, "score": one.score, "interval": [one.low, one.high]} for one in self.models]
        test = {"name": self.finding.test, "p": self.finding.p_value, "difference": self.finding.estimate}
        return {
            "measure": self.measure, "rows": self.rows, "models": models, "better": self.better,
            "test": test | {"interval": list(self.finding.interval or ())}, "verdict": self.verdict,
        }  # fmt: skip


def compare_models(first: Predictor, second: Predictor, data: LabelledRows, target: str | None) -> ModelComparison:
    """Compare two models on labelled rows: classifiers by McNemar's test, regressors by absolute errors."""
    kinds = {"regression" if predictor.model.task == "regression" else "classes" for predictor in (first, second)}
    if len(kinds) > 1:
        raise DataError(
            f"{first.name} and {second.name} predict different targets: one is a regressor, the other a classifier"
        )
    models = (first, second)
    truth = data.truth(target or _target(first, second), first)
    predicted = [np.asarray(one.predict(data.frame(one)).prediction) for one in models]
    compare = _compare_errors if kinds == {"regression"} else _compare_classes
    return compare(models, truth, predicted)


def distinct_names(first: Path, second: Path) -> tuple[str, str]:
    """Distinct names of two files: as much of the end of their paths as they need to differ.

    >>> distinct_names(Path("old/model.learnable"), Path("new/model.learnable"))
    ('old/model.learnable', 'new/model.learnable')
    """
    parts = [path.absolute().parts for path in (first, second)]
    for length in range(1, max(map(len, parts)) + 1):
        names = [str(Path(*own[-length:])) for own in parts]
        if names[0] != names[1]:
            return names[0], names[1]
    return f"{first.name} (first)", f"{second.name} (second)"


def _target(first: Predictor, second: Predictor) -> str:
    """The column that the models say they predict."""
    found = [predictor.model.target for predictor in (first, second) if predictor.deployed]
    if not found or len(set(found)) > 1:
        raise DataError("the models do not have the same target; name it with --target")
    return found[0]


def _compare_classes(predictors: tuple[Predictor, Predictor], truth: Array, predicted: list[Array]) -> ModelComparison:
    predictions = [class_texts(prediction) for prediction in predicted]
    finding = mcnemar_test(truth.astype(str), predictions[0].astype(str), predictions[1].astype(str))
    models = []
    for one, prediction in zip(predictors, predictions, strict=True):
        accuracy = float(np.mean(prediction == truth))
        low, high = error_interval(accuracy, len(truth), method="wilson")
        models.append(EvaluatedModel(one.name, accuracy, low, high))
    return _comparison("accuracy", len(truth), models, finding, finding.estimate > 0)


def _compare_errors(predictors: tuple[Predictor, Predictor], truth: Array, predicted: list[Array]) -> ModelComparison:
    from scipy.special import stdtrit

    if len(truth) < 2:
        raise DataError("a comparison of errors needs at least two rows")
    errors = [np.abs(truth - prediction) for prediction in predicted]
    finding = paired_t_test(errors[0], errors[1])
    reach = float(stdtrit(len(truth) - 1, (1 + CONFIDENCE) / 2)) / np.sqrt(len(truth))
    models = [
        EvaluatedModel(
            one.name, float(off.mean()), *(float(off.mean() + side * reach * off.std(ddof=1)) for side in (-1, 1))
        )
        for one, off in zip(predictors, errors, strict=True)
    ]
    return _comparison("mean absolute error", len(truth), models, finding, finding.estimate < 0)


def _comparison(
    measure: str, rows: int, models: list[EvaluatedModel], finding: Finding, first: bool
) -> ModelComparison:
    better = models[0 if first else 1].name if finding.significant else None
    return ModelComparison(measure, rows, (models[0], models[1]), finding, better)
