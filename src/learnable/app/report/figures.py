"""The pictures of a report, each with a title and a sentence on how to read it."""

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

MOST_POINTS = 800
MOST_COLUMNS = 12
BINS = 8
MOST_CLASSES = 8  # whose curves are drawn


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawing with its title and how to read it; one that failed stands there with the reason."""

    title: str
    reading: str
    svg: str | Failed

    @property
    def failed(self) -> Failed | None:
        """Why there is no drawing."""
        return self.svg if isinstance(self.svg, Failed) else None


def pictures(study: Study) -> dict[str, list[Picture]]:
    """Pictures by the part of the report that they belong to, as many as there is time for."""
    parts = {"models": _models(study)}
    if study.learned_something:
        parts |= {"columns": _columns(study), "rows": _rows(study), "answers": _answers(study)}
    return {name: list(in_time(part)) for name, part in parts.items()}


def in_time(part: Iterator[Picture]) -> Iterator[Picture]:
    """The pictures up to the end of a budget."""
    while not context.reason_to_stop():
        try:
            picture = next(part, None)
        except Exception as error:
            picture, part = Picture("More pictures of this part", "", Failed.of(error)), iter(())
        if picture is None:
            return
        yield picture


def _models(study: Study) -> Iterator[Picture]:
    from ...plot import ComparisonDisplay

    display = ComparisonDisplay(study.ranking.comparison, study.recommended)

    def draw(ax: Any) -> None:
        display.plot(ax=ax, negate_score=study.metric.sign < 0, verdicts=False)

    reading = (
        "Large dots are means over the test parts, lines their 95 % intervals, small dots single parts; the dashed "
        "line is the baseline. Models of one colour were not told apart; the bold one is recommended."
    )
    svg = drawn("Scores of the models", draw, (5.6, 0.9 + 0.32 * len(display.comparison.rows)))
    yield Picture("Models side by side", reading, svg)


def _answers(study: Study) -> Iterator[Picture]:
    """How the answers about unseen rows compare with the truth."""
    found = study.diagnosis
    answers, truth = found.unseen[found.tested], _codes(study)[found.tested]
    if study.question.task == "regression":
        yield from _residuals(answers, truth)
        return
    yield _confusion(study, truth, answers.argmax(axis=1))
    if study.question.task == "binary":
        yield _true_chances(truth, answers[:, 1], "Of rows with a stated probability, how many were positive.")
        yield from _curves(truth, answers[:, 1], _positive(study))
    else:
        right = answers.argmax(axis=1) == truth
        yield _true_chances(right, answers.max(axis=1), "How often the likeliest class was right, by its probability.")
        yield from _class_curves(truth, answers, shortened(study.labels))


def _codes(study: Study) -> Array:
    """The truth of the development rows, as models see it."""
    y = study.question.y[study.division.development]
    if not study.labels:
        return np.asarray(y, dtype=np.float64)
    places = {label: code for code, label in enumerate(study.labels)}
    return np.array([places[value] for value in y.tolist()])


def _residuals(answers: Array, truth: Array) -> Iterator[Picture]:
    from ...plot import PredictionErrorDisplay

    for kind, title, reading in (
        ("actual_vs_predicted", "Predicted and actual", "On the dashed line prediction and truth agree."),
        (
            "residual_vs_predicted",
            "What is left over",
            "A shape or a funnel here is something the model has not learned.",
        ),
    ):
        draw = partial(_errors, PredictionErrorDisplay, truth, answers, kind)
        yield Picture(title, reading, drawn(title, draw))


def _errors(display: Any, truth: Array, answers: Array, kind: str, ax: Any) -> None:
    display.from_predictions(truth, answers, kind=kind, subsample=min(MOST_POINTS, len(truth)), random_state=0, ax=ax)


def _confusion(study: Study, truth: Array, guessed: Array) -> Picture:
    from ...plot import ConfusionMatrixDisplay

    names = shortened(study.labels)
    side = 2.2 + 0.5 * min(len(names), 12)

    def draw(ax: Any) -> None:
        ConfusionMatrixDisplay.from_predictions(
            truth, guessed, labels=range(len(names)), display_labels=names, ax=ax, colorbar=False
        )

    reading = "Rows are the true class, columns the answer; what is off the diagonal is wrong."
    return Picture(
        "Which classes are mistaken for which", reading, drawn("Confusion matrix", draw, (side, side * 0.85))
    )


def _positive(study: Study) -> str:
    """What is looked for, in words."""
    return f"{shortened([study.question.target])[0]} = {shortened(study.labels)[-1]}"


def _curves(truth: Array, chances: Array, positive: str) -> Iterator[Picture]:
    from ...plot import DetCurveDisplay, PrecisionRecallDisplay, RocCurveDisplay, ThresholdDisplay

    for title, draw, reading in (
        (
            "ROC curve",
            partial(RocCurveDisplay.from_predictions, plot_chance_level=True),
            "Found positives against false alarms, threshold by threshold; chance is the diagonal.",
        ),
        (
            "Precision and recall",
            PrecisionRecallDisplay.from_predictions,
            f"How many of the alarms are right, and how many of the rows with {positive} are found.",
        ),
        (
            "Detection error trade-off",
            DetCurveDisplay.from_predictions,
            "Misses against false alarms on normal scales; lower left is better.",
        ),
    ):
        yield Picture(title, reading, drawn(title, partial(_on, draw, truth, chances), (4.2, 3.6)))
    yield Picture(
        "Errors at each threshold", "Raise the threshold for fewer false alarms, lower it for fewer misses.",
        drawn("Errors at each threshold", partial(_on, ThresholdDisplay.from_predictions, truth, chances), (4.2, 3.6)),
    )  # fmt: skip


def _class_curves(truth: Array, chances: Array, names: list[str]) -> Iterator[Picture]:
    """Each class against all others; of many classes the commonest."""
    from ...plot import PrecisionRecallDisplay, RocCurveDisplay

    counts = np.bincount(truth, minlength=len(names))
    shown = [int(code) for code in np.argsort(-counts, kind="stable")[:MOST_CLASSES] if 0 < counts[code] < len(truth)]
    for title, display, reading in (
        ("ROC curves", RocCurveDisplay, "Each class against all others: found rows against false alarms."),
        ("Precision and recall", PrecisionRecallDisplay, "Each class against all others: how many alarms are right."),
    ):
        draw = partial(_each_class, display, truth, chances, {code: names[code] for code in shown})
        yield Picture(title, reading, drawn(title, draw, (4.6, 4.0)))


def _each_class(display: Any, truth: Array, chances: Array, names: dict[int, str], ax: Any) -> None:
    from ...parts.literal_text import literal_text
    from ...parts.palette import class_colour

    for place, (code, name) in enumerate(names.items()):
        style = {"color": class_colour(place)}
        label = literal_text(name, legend=True)
        display.from_predictions(truth == code, chances[:, code], name=label, ax=ax, curve_kwargs=style)


def _true_chances(truth: Array, chances: Array, reading: str) -> Picture:
    title, how = "Are the probabilities true?", "The band is a 95 % interval; on the dashed line both agree."
    return Picture(title, f"{reading} {how}", drawn("Calibration", partial(_calibration, truth, chances), (4.2, 3.8)))


def _on(draw: Any, truth: Array, chances: Array, ax: Any) -> None:
    draw(truth, chances, ax=ax)


def _calibration(truth: Array, chances: Array, ax: Any) -> None:
    from ...plot import CalibrationDisplay

    CalibrationDisplay.from_predictions(
        truth, chances, n_bins=BINS, strategy="quantile", confidence=0.95, pos_label=1, ax=ax
    )
    ax.set(xlabel="stated probability", ylabel="share that was so")


def _columns(study: Study) -> Iterator[Picture]:
    from ...plot import ImportancesDisplay

    found = study.diagnosis.importances[:MOST_COLUMNS]
    if found:
        display = ImportancesDisplay(
            shortened([one.column for one in found], 28), np.array([one.loss for one in found]),
            np.array([one.low for one in found]), np.array([one.high for one in found]),
            f"loss of score ({study.metric.label}) if the column is shuffled",
        )  # fmt: skip
        yield Picture(
            "Which columns matter",
            "How much worse the model gets when a column is shuffled; lines are 95 % intervals.",
            drawn("Importance of columns", lambda ax: display.plot(ax=ax), (5.6, 0.9 + 0.28 * len(found))),
        )  # fmt: skip
    if study.diagnosis.dependences:
        yield Picture(
            "How the answer depends on them",
            "The mean answer when one column is set to a value and the others stay as they are.",
            drawn("Dependence on columns", partial(_dependences, study), (5.6, 2.3 * _lines_of_two(study))),
        )  # fmt: skip


def _lines_of_two(study: Study) -> int:
    return (len(study.diagnosis.dependences) + 1) // 2


def _dependences(study: Study, ax: Any) -> None:
    from ...parts.literal_text import literal_text
    from ...plot import PartialDependenceDisplay
    from ...plot.partial_dependence import deciles_of

    found, columns = study.diagnosis.dependences, study.plan.case.question.table.columns
    words = [isinstance(one.values[0], str) for one in found]
    results = [{"grid_values": [_short(one.values)], "average": one.answers} for one in found]
    deciles = {k: deciles_of(columns[one.column]) for k, one in enumerate(found) if not words[k]}
    label = f"probability of\n{literal_text(_positive(study))}" if study.labels else "mean answer"
    PartialDependenceDisplay(
        results, [(k,) for k in range(len(found))], shortened([one.column for one in found], 28), -1, deciles,
        is_categorical=[(word,) for word in words], label=label,
    ).plot(ax=ax, n_cols=2)  # fmt: skip


def _short(values: list[Any]) -> list[Any]:
    return list(shortened(values, 10)) if isinstance(values[0], str) else values


def _rows(study: Study) -> Iterator[Picture]:
    from ...plot import LearningCurveDisplay

    curve = study.diagnosis.learning
    if curve is not None:
        display = LearningCurveDisplay(
            train_sizes=curve.sizes, train_scores=curve.train, test_scores=curve.test, score_name=study.metric.label
        )
        yield Picture(
            "Would more rows help?", curve.more_rows,
            drawn(
                "Learning curve",
                lambda ax: display.plot(ax, negate_score=study.metric.sign < 0, score_type="both"),
            ),
        )  # fmt: skip
