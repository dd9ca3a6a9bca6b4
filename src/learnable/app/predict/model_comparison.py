"""Two models judged by the same rows."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ...core import Array, DataError
from ...inference import Finding, error_interval, mcnemar_test, paired_t_test
from .labelled_rows import Labelled, words
from .predictor import Answering

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Judged:
    """How good a model is on some rows, with an interval."""

    name: str
    score: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Judgement:
    """Two models, the test of their difference, and what it means; `measure` says what the scores are."""

    measure: str
    rows: int
    models: tuple[Judged, Judged]
    finding: Finding
    better: str | None

    @property
    def verdict(self) -> str:
        """The result in one sentence."""
        low, high = self.finding.interval or (np.nan, np.nan)
        reach = f"95 % interval of the difference {low:.4g} to {high:.4g}, p = {self.finding.p_value:.2g}"
        if self.better is None:
            return f"These {self.rows} rows show no difference between the models ({reach}); one may still be there."
        return f"{self.better} is better on such rows ({reach})."

    def as_json(self) -> dict[str, Any]:
        """The same for programs."""
        models = [{"name": one.name, "score": one.score, "interval": [one.low, one.high]} for one in self.models]
        test = {"name": self.finding.test, "p": self.finding.p_value, "difference": self.finding.estimate}
        return {
            "measure": self.measure, "rows": self.rows, "models": models, "better": self.better,
            "test": test | {"interval": list(self.finding.interval or ())}, "verdict": self.verdict,
        }  # fmt: skip


def judged(first: Answering, second: Answering, data: Labelled, target: str | None) -> Judgement:
    """Compare two models on labelled rows: by McNemar's test for classes, by absolute errors for numbers."""
    kinds = {"regression" if requested.model.task == "regression" else "classes" for requested in (first, second)}
    if len(kinds) > 1:
        raise DataError(f"{first.name} and {second.name} answer different questions: one gives numbers, one classes")
    requested = (first, second)
    truth = data.truth(target or _target(first, second), first)
    told = [np.asarray(one.answers(data.frame(one)).prediction) for one in requested]
    return _numbers(requested, truth, told) if kinds == {"regression"} else _classes(requested, truth, told)


def told_apart(first: Path, second: Path) -> tuple[str, str]:
    """Names of two files: as much of the end of their paths as tells them apart, one and two if nothing does.

    >>> told_apart(Path("old/model.learnable"), Path("new/model.learnable"))
    ('old/model.learnable', 'new/model.learnable')
    """
    parts = [path.absolute().parts for path in (first, second)]
    for length in range(1, max(map(len, parts)) + 1):
        names = [str(Path(*own[-length:])) for own in parts]
        if names[0] != names[1]:
            return names[0], names[1]
    return f"{first.name} (first)", f"{second.name} (second)"


def _target(first: Answering, second: Answering) -> str:
    """The column that the models say they predict."""
    found = [requested.model.target for requested in (first, second) if requested.deployed]
    if not found or len(set(found)) > 1:
        raise DataError("the models do not name one column that both predict; name it by --target")
    return found[0]


def _classes(requested: tuple[Answering, Answering], truth: Array, told: list[Array]) -> Judgement:
    answers = [words(prediction) for prediction in told]
    finding = mcnemar_test(truth.astype(str), answers[0].astype(str), answers[1].astype(str))
    models = []
    for one, prediction in zip(requested, answers, strict=True):
        share = float(np.mean(prediction == truth))
        low, high = error_interval(share, len(truth), method="wilson")
        models.append(Judged(one.name, share, low, high))
    return _judgement("accuracy", len(truth), models, finding, finding.estimate > 0)


def _numbers(requested: tuple[Answering, Answering], truth: Array, told: list[Array]) -> Judgement:
    from scipy.special import stdtrit

    if len(truth) < 2:
        raise DataError("a comparison of errors needs at least two rows")
    errors = [np.abs(truth - prediction) for prediction in told]
    finding = paired_t_test(errors[0], errors[1])
    reach = float(stdtrit(len(truth) - 1, (1 + CONFIDENCE) / 2)) / np.sqrt(len(truth))
    models = [
        Judged(one.name, float(off.mean()), *(float(off.mean() + side * reach * off.std(ddof=1)) for side in (-1, 1)))
        for one, off in zip(requested, errors, strict=True)
    ]
    return _judgement("mean absolute error", len(truth), models, finding, finding.estimate < 0)


def _judgement(measure: str, rows: int, models: list[Judged], finding: Finding, first: bool) -> Judgement:
    better = models[0 if first else 1].name if finding.significant else None
    return Judgement(measure, rows, (models[0], models[1]), finding, better)
