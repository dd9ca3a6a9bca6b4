import matplotlib

matplotlib.use("Agg")

import numpy as np
import pytest
from matplotlib import pyplot

from learnable import plot
from learnable.linear_model import Ridge
from learnable.model_selection import GroupKFold, TimeSeriesSplit, learning_curve, validation_curve

RNG = np.random.default_rng(0)
X = RNG.standard_normal((60, 4))
Y = X @ [1.0, 2.0, 0.0, 0.0] + RNG.standard_normal(60)


@pytest.fixture(autouse=True)
def _closed_figures():
    yield
    pyplot.close("all")


def test_a_learning_curve_shows_the_means():
    display = plot.LearningCurveDisplay.from_estimator(Ridge(), X, Y, cv=4)
    sizes, train, test = learning_curve(Ridge(), X, Y, cv=4)
    for line, scores in zip(display.lines_, (train, test), strict=True):
        np.testing.assert_allclose(line.get_xdata(), sizes)
        np.testing.assert_allclose(line.get_ydata(), scores.mean(axis=1))


def test_score_curves_in_a_style_of_ones_own():
    bars = plot.LearningCurveDisplay.from_estimator(
        Ridge(), X, Y, cv=4, score_type="test", std_display_style="errorbar", errorbar_kw={"c": "red"}
    )
    assert bars.lines_ is None and len(bars.errorbar_) == 1 and bars.errorbar_[0][0].get_color() == "red"
    lines = plot.ValidationCurveDisplay.from_estimator(
        Ridge(),
        X,
        Y,
        param_name="alpha",
        param_range=[1.0, 2.0],
        cv=4,
        line_kw={"ls": ":"},
        fill_between_kw={"alpha": 1},
    )
    assert [line.get_linestyle() for line in lines.lines_] == [":", ":"] and lines.fill_between_[0].get_alpha() == 1
    with pytest.raises(ValueError, match="score_type must be train, test or both"):
        bars.plot(score_type="all")


def test_a_validation_curve_marks_the_best_and_the_simplest():
    alphas = np.geomspace(1e-3, 1e3, 15)
    display = plot.ValidationCurveDisplay.from_estimator(
        Ridge(), X, Y, param_name="alpha", param_range=alphas, cv=4, scoring="neg_mean_squared_error",
        negate_score=True,
    )  # fmt: skip
    curve = validation_curve(
        Ridge(), X, Y, param_name="alpha", param_range=alphas, cv=4, scoring="neg_mean_squared_error"
    )
    marks = [line.get_xdata()[0] for line in display.ax_.lines[2:]]
    assert marks == [curve.best, curve.one_standard_error()] and marks[1] >= marks[0]
    assert len({line.get_linestyle() for line in display.ax_.lines[2:]}) == 2, "one would hide the other"
    np.testing.assert_allclose(display.lines_[1].get_ydata(), -curve[1].mean(axis=1))
    assert display.ax_.get_xscale() == "log" and display.ax_.get_ylabel() == "mean squared error"
    assert curve.simpler == display.simpler == "larger", "Ridge says so"
    assert [line.get_xdata()[0] for line in curve.plot().ax_.lines[2:]] == marks
    other = validation_curve(Ridge(), X, Y, param_name="tol", param_range=[1e-4, 1e-3], cv=2)
    assert other.simpler is None and len(other.plot().ax_.lines) == 3


def test_a_picture_of_folds():
    display = plot.FoldsDisplay.from_cv(TimeSeriesSplit(3), X)
    assert display.roles.shape == (3, 60) and display.roles[0].tolist() == [0] * 15 + [1] * 15 + [-1] * 30
    grouped = plot.FoldsDisplay.from_cv(GroupKFold(2), X, Y, np.arange(60) % 4)
    assert (grouped.roles.sum(axis=0) == 1).all()
    assert plot.FoldsDisplay.from_cv(5, X, (Y > 0).astype(int)).name == "StratifiedKFold"
