"""The figures of a report, each with a title and a caption."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ...core import Array
from ...core.runtime import context
from ..study.result import Study
from .failures import Failed, drawn
from .short_labels import shortened

MAX_POINTS = 800
MAX_COLUMNS = 12
BINS = 8
MAX_CLASSES = 8  # whose curves are drawn


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure with its title and caption; `svg` is the reason if drawing failed."""

    title: str
    reading: str
    svg: str | Failed

    @property
    def failed(self) -> Failed | None:
        """Why the figure is missing."""
        return self.svg if isinstance(self.svg, Failed) else None


def pictures(study: Study) -> dict[str, list[Picture]]:
    """Figures by section of the report, as many as the time allows."""
    parts = {"models": _models(study)}
    if study.has_model:
        parts |= {"features": _features(study), "learning": _learning(study), "predictions": _predictions(study)}
    return {name: list(in_time(part)) for name, part in parts.items()}


def in_time(part: Iterator[Picture]) -> Iterator[Picture]:
    """The figures up to the end of a budget."""
    while not context.reason_to_stop():
        try:
            picture = next(part, None)
        except Exception as error:
            picture, part = Picture("Further figures of this section", "", Failed.of(error)), iter(())
        if picture is None:
            return
        yield picture


def _models(study: Study) -> Iterator[Picture]:
    from ...plot import ComparisonDisplay

    display = ComparisonDisplay(study.ranking.comparison, study.recommended)

    def draw(ax: Any) -> None:
        display.plot(ax=ax, negate_score=study.metric.sign < 0, verdicts=False)

    reading = (
        "Large dots are means over the test folds, lines their 95 % confidence intervals, small dots single folds; the "
        "dashed line is the baseline. Models of the same colour do not differ significantly from the "
        "best of them; bold: recommended."
    )
    svg = drawn("Scores of the models", draw, (5.6, 0.9 + 0.32 * len(display.comparison.rows)))
    yield Picture("Model comparison", reading, svg)


def _predictions(study: Study) -> Iterator[Picture]:
    """The out-of-fold predictions compared with the truth."""
    found = study.diagnosis
    predictions, truth = found.out_of_fold[found.tested], _codes(study)[found.tested]
    if study.question.task == "regression":
        yield from _residuals(predictions, truth)
        return
    yield _confusion(study, truth, predictions.argmax(axis=1))
    if study.question.task == "binary":
        yield _calibration_picture(truth, predictions[:, 1], "The fraction of positive rows by predicted probability.")
        yield from _curves(truth, predictions[:, 1], _positive(study))
    else:
        right = predictions.argmax(axis=1) == truth
        yield _calibration_picture(
            right, predictions.max(axis=1), "The accuracy of the most probable class by its predicted probability."
        )
        yield from _class_curves(truth, predictions, shortened(study.labels))


def _codes(study: Study) -> Array:
    """The encoded targets of the development rows."""
    y = study.question.y[study.split.development]
    if not study.labels:
        return np.asarray(y, dtype=np.float64)
    codes = {label: code for code, label in enumerate(study.labels)}
    return np.array([codes[value] for value in y.tolist()])


def _residuals(predictions: Array, truth: Array) -> Iterator[Picture]:
    from ...plot import PredictionErrorDisplay

    for kind, title, reading in (
        ("actual_vs_predicted", "Predicted and actual values", "On the dashed line prediction and truth are equal."),
        (
            "residual_vs_predicted",
            "Residuals",
            "A trend or a funnel shape indicates structure that the model does not capture.",
        ),
    ):
        draw = partial(_errors, PredictionErrorDisplay, truth, predictions, kind)
        yield Picture(title, reading, drawn(title, draw))


def _errors(display: Any, truth: Array, predictions: Array, kind: str, ax: Any) -> None:
    display.from_predictions(
        truth, predictions, kind=kind, subsample=min(MAX_POINTS, len(truth)), random_state=0, ax=ax
    )


def _confusion(study: Study, truth: Array, guessed: Array) -> Picture:
    from ...plot import ConfusionMatrixDisplay

    names = shortened(study.labels)
    side = 2.2 + 0.5 * min(len(names), 12)

    def draw(ax: Any) -> None:
        ConfusionMatrixDisplay.from_predictions(
            truth, guessed, labels=range(len(names)), display_labels=names, ax=ax, colorbar=False
        )

    reading = "Rows are true classes, columns predicted classes; entries off the diagonal are errors."
    return Picture("Confusion matrix", reading, drawn("Confusion matrix", draw, (side, side * 0.85)))


def _positive(study: Study) -> str:
    """The positive class as text."""
    return f"{shortened([study.question.target])[0]} = {shortened(study.labels)[-1]}"


def _curves(truth: Array, probabilities: Array, positive: str) -> Iterator[Picture]:
    from ...plot import DetCurveDisplay, PrecisionRecallDisplay, RocCurveDisplay, ThresholdDisplay

    for title, draw, reading in (
        (
            "ROC curve",
            partial(RocCurveDisplay.from_predictions, plot_chance_level=True),
            "True positive rate against false positive rate over all thresholds; the diagonal is random guessing.",
        ),
        (
            "Precision and recall",
            PrecisionRecallDisplay.from_predictions,
            "Precision: the fraction of predicted positives that are correct; recall: the fraction of rows with "
            f"{positive} that are found.",
        ),
        (
            "Detection error trade-off",
            DetCurveDisplay.from_predictions,
            "False negative rate against false positive rate on normal deviate scales; lower left is better.",
        ),
    ):
        yield Picture(title, reading, drawn(title, partial(_on, draw, truth, probabilities), (4.2, 3.6)))
    yield Picture(
        "Errors by threshold", "A higher threshold gives fewer false positives, a lower one fewer false negatives.",
        drawn(
            "Errors by threshold", partial(_on, ThresholdDisplay.from_predictions, truth, probabilities), (4.2, 3.6)
        ),
    )  # fmt: skip


def _class_curves(truth: Array, probabilities: Array, names: list[str]) -> Iterator[Picture]:
    """One-vs-rest curves of the most frequent classes."""
    from ...plot import PrecisionRecallDisplay, RocCurveDisplay

    counts = np.bincount(truth, minlength=len(names))
    shown = [int(code) for code in np.argsort(-counts, kind="stable")[:MAX_CLASSES] if 0 < counts[code] < len(truth)]
    for title, display, reading in (
        ("ROC curves", RocCurveDisplay, "One class against the rest: true positive rate against false positive rate."),
        ("Precision and recall", PrecisionRecallDisplay, "One class against the rest: precision against recall."),
    ):
        draw = partial(_each_class, display, truth, probabilities, {code: names[code] for code in shown})
        yield Picture(title, reading, drawn(title, draw, (4.6, 4.0)))


def _each_class(display: Any, truth: Array, probabilities: Array, names: dict[int, str], ax: Any) -> None:
    from ...parts.literal_text import literal_text
    from ...parts.palette import class_colour

    for k, (code, name) in enumerate(names.items()):
        style = {"color": class_colour(k)}
        label = literal_text(name, legend=True)
        display.from_predictions(truth == code, probabilities[:, code], name=label, ax=ax, curve_kwargs=style)


def _calibration_picture(truth: Array, probabilities: Array, reading: str) -> Picture:
    title, how = "Calibration", "The band is a 95 % confidence interval; the dashed line is perfect calibration."
    return Picture(
        title, f"{reading} {how}", drawn("Calibration", partial(_calibration, truth, probabilities), (4.2, 3.8))
    )


def _on(draw: Any, truth: Array, probabilities: Array, ax: Any) -> None:
    draw(truth, probabilities, ax=ax)


def _calibration(truth: Array, probabilities: Array, ax: Any) -> None:
    from ...plot import CalibrationDisplay

    CalibrationDisplay.from_predictions(
        truth, probabilities, n_bins=BINS, strategy="quantile", confidence=0.95, pos_label=1, ax=ax
    )
    ax.set(xlabel="predicted probability", ylabel="observed frequency")


def _features(study: Study) -> Iterator[Picture]:
    from ...plot import ImportancesDisplay

    found = study.diagnosis.importances[:MAX_COLUMNS]
    if found:
        display = ImportancesDisplay(
            shortened([one.column for one in found], 28), np.array([one.loss for one in found]),
            np.array([one.low for one in found]), np.array([one.high for one in found]),
            f"{study.metric.worse} of the {study.metric.label} when the feature is shuffled",
        )  # fmt: skip
        yield Picture(
            "Permutation importance",
            f"{study.metric.worse.capitalize()} of the {study.metric.label} when a feature is shuffled; lines are "
            "95 % intervals.",
            drawn("Permutation importance", lambda ax: display.plot(ax=ax), (5.6, 0.9 + 0.28 * len(found))),
        )  # fmt: skip
    if study.diagnosis.partial_dependences:
        yield Picture(
            "Partial dependence",
            "The mean prediction when one feature is set to a value and the others are unchanged.",
            drawn("Partial dependence", partial(_dependences, study), (5.6, 2.3 * _rows_of_two(study))),
        )  # fmt: skip


def _rows_of_two(study: Study) -> int:
    return (len(study.diagnosis.partial_dependences) + 1) // 2


def _dependences(study: Study, ax: Any) -> None:
    from ...parts.literal_text import literal_text
    from ...plot import PartialDependenceDisplay
    from ...plot.partial_dependence import deciles_of

    found, columns = study.diagnosis.partial_dependences, study.plan.development.question.table.columns
    categorical = [isinstance(one.values[0], str) for one in found]
    results = [{"grid_values": [_short(one.values)], "average": one.predictions} for one in found]
    deciles = {k: deciles_of(columns[one.column]) for k, one in enumerate(found) if not categorical[k]}
    label = f"probability of\n{literal_text(_positive(study))}" if study.labels else "mean prediction"
    PartialDependenceDisplay(
        results, [(k,) for k in range(len(found))], shortened([one.column for one in found], 28), -1, deciles,
        is_categorical=[(one,) for one in categorical], label=label,
    ).plot(ax=ax, n_cols=2)  # fmt: skip


def _short(values: list[Any]) -> list[Any]:
    return list(shortened(values, 10)) if isinstance(values[0], str) else values


def _learning(study: Study) -> Iterator[Picture]:
    from ...plot import LearningCurveDisplay

    curve = study.diagnosis.learning_curve
    if curve is not None:
        display = LearningCurveDisplay(
            train_sizes=curve.sizes, train_scores=curve.train, test_scores=curve.test, score_name=study.metric.label
        )
        yield Picture(
            "Learning curve", curve.more_rows,
            drawn(
                "Learning curve",
                lambda ax: display.plot(ax, negate_score=study.metric.sign < 0, score_type="both"),
            ),
        )  # fmt: skip
