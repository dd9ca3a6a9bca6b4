"""Pictures of comparisons and of studies of errors."""

import matplotlib

matplotlib.use("Agg")

import numpy as np
import pytest
from matplotlib import pyplot

from learnable import plot
from learnable.inference import compare
from learnable.inference.comparison import ComparedModel, Comparison
from learnable.linear_model import LinearRegression, Ridge
from learnable.theory import NoisyFunction, bias_variance, error_by_complexity, error_by_size


@pytest.fixture(autouse=True)
def _closed_figures():
    yield
    pyplot.close("all")


def test_comparisons_show_scores_intervals_and_ties():
    X = np.random.default_rng(0).normal(size=(40, 3))
    y = X.sum(axis=1) + 0.1 * X[::-1, 0]
    models = {"least squares": LinearRegression(), "ridge": Ridge(0.1), "flat": Ridge(1e9)}
    display = plot.ComparisonDisplay.from_estimators(models, X, y, baseline="flat", cv=5)
    rows = display.comparison.rows
    labels = [label.get_text().split("\n") for label in display.ax_.get_yticklabels()]
    assert [name for name, _ in labels] == [row.name for row in rows]
    assert dict(labels)["flat"] == "baseline" and dict(labels)["ridge"] == "better"
    bars = [line.get_xdata() for line in display.ax_.lines if len(line.get_xdata()) == 2 and line.get_linewidth() == 2]
    np.testing.assert_allclose(bars, [(row.low, row.high) for row in rows])
    again = display.comparison.plot()
    assert [label.get_text().split("\n") for label in again.ax_.get_yticklabels()] == labels


def test_comparisons_of_losses_are_positive_and_the_recommended_model_is_bold():
    X = np.random.default_rng(0).normal(size=(40, 3))
    models = {"ridge": Ridge(0.1), "flat": Ridge(1e9)}
    found = compare(models, X, X.sum(axis=1), baseline="flat", cv=5, scoring="neg_mean_absolute_error")
    ax = plot.ComparisonDisplay(found, "flat").plot(negate_score=True, verdicts=False).ax_
    assert [label.get_text() for label in ax.get_yticklabels()] == ["ridge", "flat"]
    dots = [line for line in ax.lines if line.get_marker() == "o"]
    np.testing.assert_allclose([dot.get_xdata()[0] for dot in dots], [-row.score for row in found.rows])
    assert dots[1].get_markersize() > dots[0].get_markersize()
    dashed = next(line for line in ax.lines if line.get_linestyle() == "--")
    np.testing.assert_allclose(dashed.get_xdata(), -found.rows[1].score)


def test_a_baseline_that_always_scores_the_same_has_no_interval():
    rows = tuple(
        ComparedModel(name, score, 0.0, 1.0, 0.0, 1.0, "", 1.0, 1) for name, score in (("ridge", 0.9), ("guess", 0.5))
    )
    scores = {"ridge": np.array([0.9, 0.9]), "guess": np.array([0.5, 0.5])}
    found = Comparison(rows, scores, "guess", "AUC", "holm", 0.05, 0.2)
    bars = [line for line in found.plot().ax_.lines if line.get_linewidth() == 2]
    assert [list(bar.get_ydata()) for bar in bars] == [[0, 0]]


def test_bias_and_variance_sum_to_the_error():
    parts = {
        alpha: bias_variance(
            Ridge(alpha), NoisyFunction(lambda X: X[:, 0], noise=0.5), n=15, repeats=20, random_state=0
        )
        for alpha in (0.1, 1.0, 10.0)
    }
    display = plot.BiasVarianceDisplay.from_parts(parts)
    np.testing.assert_allclose(display.ax_.lines[3].get_ydata(), [part.total for part in parts.values()])
    assert len(display.ax_.get_legend().get_texts()) == 4


def test_error_curves_mark_the_turning_point_and_the_target_error():
    line = NoisyFunction(lambda X: X[:, 0], noise=0.5)
    curve = error_by_complexity({1: Ridge(1e3), 2: Ridge(1.0)}, line, n=20, repeats=5, random_state=0)
    display = plot.ErrorCurveDisplay.from_curve(curve, target=0.3)
    names = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert names == ["training error", "test error", "turning point", "target"]
    np.testing.assert_allclose(display.ax_.lines[1].get_ydata(), curve.test_error)
    for line_of_means, band in zip(display.ax_.lines[:2], display.ax_.collections, strict=True):
        for x, mean in line_of_means.get_xydata():
            edge = band.get_paths()[0].vertices
            assert edge[edge[:, 0] == x, 1].min() <= mean <= edge[edge[:, 0] == x, 1].max()
    by_size = error_by_size(Ridge(), line, [5, 200], repeats=5, random_state=0)
    assert plot.ErrorCurveDisplay.from_curve(by_size).ax_.get_xscale() == "log"
