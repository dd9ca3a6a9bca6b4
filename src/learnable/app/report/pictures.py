"""The pictures of a report, each with a title and a sentence on how to read it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ...core import Array, ambient
from ...parts.intervals import wilson
from ..study.outcome import Study
from .svg import as_svg, drawn

MOST_POINTS = 800
MOST_COLUMNS = 12
BINS = 8
MOST_CLASSES = 8  # whose curves are drawn


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawing with its title and how to read it."""

    title: str
    reading: str
    svg: str


def pictures(study: Study) -> dict[str, list[Picture]]:
    """Pictures by the part of the report that they belong to, as many as there is time for."""
    parts = {"models": _models(study), "columns": _columns(study), "rows": _rows(study), "answers": _answers(study)}
    return {name: list(_in_time(part)) for name, part in parts.items()}


def _in_time(part: Iterator[Picture]) -> Iterator[Picture]:
    """The pictures up to the end of a budget."""
    while not ambient.reason_to_stop():
        picture = next(part, None)
        if picture is None:
            return
        yield picture


def _models(study: Study) -> Iterator[Picture]:
    from ...plot.style import BLUE, GREY, plain

    lines = study.ranking.standings[::-1]
    shown = [line for line in lines if not line.baseline]

    def draw(ax: Any) -> None:
        plain(ax)
        for place, line in enumerate(shown):
            taken = line.name == study.recommended
            ends = sorted([study.metric.shown(line.estimate.low), study.metric.shown(line.estimate.high)])
            colour = BLUE if taken else GREY
            ax.plot(ends, [place, place], color=colour, linewidth=3 if taken else 1.6, solid_capstyle="round")
            ax.plot(study.metric.shown(line.estimate.mean), place, "o", color=colour, markersize=7 if taken else 5)
        base = next(line for line in lines if line.baseline)
        ax.axvline(study.metric.shown(base.estimate.mean), color=GREY, linestyle=":", linewidth=1.2)
        ax.set_yticks(range(len(shown)), [line.name for line in shown])
        ax.set(xlabel=study.metric.label, ylim=(-0.6, len(shown) - 0.4))

    reading = "Each dot is a mean over the test parts, each line its 95 % interval; the dotted line is the baseline."
    svg = drawn("Scores of the models", draw, (5.6, 0.9 + 0.32 * len(shown)))
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
        yield from _curves(truth, answers[:, 1], str(study.labels[1]))
    else:
        right = answers.argmax(axis=1) == truth
        yield _true_chances(right, answers.max(axis=1), "How often the likeliest class was right, by its probability.")
        yield from _class_curves(truth, answers, [str(label)[:16] for label in study.labels])


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

    names = [str(label)[:16] for label in study.labels]
    side = 2.2 + 0.5 * min(len(names), 12)

    def draw(ax: Any) -> None:
        ConfusionMatrixDisplay.from_predictions(
            truth, guessed, labels=range(len(names)), display_labels=names, ax=ax, colorbar=False
        )

    reading = "Rows are the true class, columns the answer; what is off the diagonal is wrong."
    return Picture(
        "Which classes are mistaken for which", reading, drawn("Confusion matrix", draw, (side, side * 0.85))
    )


def _curves(truth: Array, chances: Array, positive: str) -> Iterator[Picture]:
    from ...plot import DetCurveDisplay, PrecisionRecallDisplay, RocCurveDisplay, ThresholdDisplay

    for title, display, reading in (
        (
            "ROC curve",
            RocCurveDisplay,
            "Found positives against false alarms, threshold by threshold; chance is the diagonal.",
        ),
        (
            "Precision and recall",
            PrecisionRecallDisplay,
            f"How many of the alarms are right, and how many {positive} rows are found.",
        ),
        (
            "Detection error trade-off",
            DetCurveDisplay,
            "Misses against false alarms on normal scales; lower left is better.",
        ),
    ):
        yield Picture(title, reading, drawn(title, partial(_curve, display, truth, chances), (4.2, 3.6)))
    yield Picture(
        "Errors at each threshold", "Raise the threshold for fewer false alarms, lower it for fewer misses.",
        drawn("Errors at each threshold", partial(_curve, ThresholdDisplay, truth, chances)),
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
    from ...parts.colours import CLASS_COLOURS

    for place, (code, name) in enumerate(names.items()):
        colour = CLASS_COLOURS[place % len(CLASS_COLOURS)]
        display.from_predictions(truth == code, chances[:, code], name=name, ax=ax, curve_kwargs={"color": colour})


def _true_chances(truth: Array, chances: Array, reading: str) -> Picture:
    title, how = "Are the probabilities true?", "The band is a 95 % interval; on the dashed line both agree."
    return Picture(title, f"{reading} {how}", drawn("Calibration", partial(_calibration, truth, chances), (4.2, 3.6)))


def _curve(display: Any, truth: Array, chances: Array, ax: Any) -> None:
    display.from_predictions(truth, chances, ax=ax)


def _calibration(truth: Array, chances: Array, ax: Any) -> None:
    """Bins of equal numbers of rows, with a band of Wilson's intervals."""
    from ...plot.style import BLUE, GREY, plain

    plain(ax)
    ax.plot([0, 1], [0, 1], color=GREY, linestyle="--", linewidth=1)
    edges = np.unique(np.quantile(chances, np.linspace(0, 1, BINS + 1)[1:-1]))
    places = np.searchsorted(edges, chances)  # equal probabilities are in one bin
    bins = [np.flatnonzero(places == place) for place in np.unique(places)]
    said = [float(chances[rows].mean()) for rows in bins]
    low, high = zip(*(wilson(float(truth[rows].sum()), len(rows)) for rows in bins), strict=True)
    ax.fill_between(said, low, high, color=BLUE, alpha=0.2, linewidth=0)
    ax.plot(said, [truth[rows].mean() for rows in bins], "o-", color=BLUE, linewidth=1.2)
    ax.set(xlabel="stated probability", ylabel="share that was so", xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))


def _columns(study: Study) -> Iterator[Picture]:
    from ...plot import ImportancesDisplay

    found = study.diagnosis.importances[:MOST_COLUMNS]
    if found:
        display = ImportancesDisplay(
            [one.column[:28] for one in found], np.array([one.loss for one in found]),
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
            _dependences(study),
        )  # fmt: skip


def _dependences(study: Study) -> str:
    from matplotlib.figure import Figure

    from ...plot.style import BLUE, plain

    found = study.diagnosis.dependences
    figure = Figure(figsize=(5.6, 2.3 * ((len(found) + 1) // 2)), layout="constrained")
    panels = figure.subplots((len(found) + 1) // 2, 2, squeeze=False, sharey=True).ravel()
    for ax, one in zip(panels, found, strict=False):
        answers = one.answers[-1]
        if isinstance(one.values[0], str):
            plain(ax).bar([value[:10] for value in one.values], answers, color=BLUE, alpha=0.85)
            ax.tick_params(axis="x", rotation=30 if len(one.values) > 3 else 0)
        else:
            plain(ax).plot(one.values, answers, color=BLUE, linewidth=2)
        ax.set_xlabel(one.column[:28])
    for ax in panels[len(found) :]:
        ax.set_visible(False)
    for ax in panels[::2]:
        ax.set_ylabel("mean answer")
    return as_svg(figure, "Dependence on columns")


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
