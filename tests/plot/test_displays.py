import inspect
from itertools import pairwise

import matplotlib

matplotlib.use("Agg")

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot

import learnable
from learnable import plot
from learnable.core import DataError, NotFittedError, ParameterError
from learnable.linear_model import (
    ElasticNet,
    ElasticNetCV,
    HuberRegressor,
    LarsCV,
    Lasso,
    LassoCV,
    LassoLarsCV,
    LassoLarsIC,
    LinearRegression,
    LogisticRegression,
    Ridge,
    RidgeCV,
    ridge_path,
)


@pytest.fixture(autouse=True)
def _closed_figures():
    yield
    pyplot.close("all")


def drawn(n=40, p=3):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(n, p)), columns=["height", "width", "depth"][:p])
    return X, X.to_numpy() @ np.arange(1.0, p + 1) + 0.1 * rng.normal(size=n)


def test_correlations_equal_numpy_and_keep_names():
    X, _ = drawn()
    display = plot.CorrelationDisplay.from_data(X)
    np.testing.assert_allclose(display.correlation, np.corrcoef(X.to_numpy().T), atol=1e-12)
    assert [label.get_text() for label in display.ax_.get_xticklabels()] == ["height", "width", "depth"]
    assert len(display.ax_.texts) == 9
    many = plot.CorrelationDisplay.from_data(np.random.default_rng(0).normal(size=(20, 16)))
    assert not many.ax_.texts, "numbers of many columns would overlap"


def test_a_constant_column_has_no_correlation_and_is_said_to_have_none():
    X, _ = drawn()
    display = plot.CorrelationDisplay.from_data(X.assign(width=0.1))
    assert np.isnan(display.correlation).tolist() == [[False, True, False], [True] * 3, [False, True, False]]
    assert len(display.ax_.texts) == 4
    assert display.ax_.get_xlabel() == "blank, as it does not vary: width"


def test_pairs_draw_every_pair_and_colour_classes():
    X, y = drawn()
    display = plot.PairDisplay.from_data(X, y > 0)
    assert display.axes_.shape == (3, 3)
    assert len(display.axes_[0, 1].lines) == 2
    assert len(display.figure_.legends[0].get_texts()) == 2


def test_many_rows_are_thinned():
    X = np.random.default_rng(1).normal(size=(10_000, 2))
    assert len(plot.PairDisplay.from_data(X, most_rows=500).matrix) == 500


@pytest.mark.parametrize("kind", ["residual_vs_predicted", "actual_vs_predicted"])
def test_prediction_errors(kind):
    X, y = drawn()
    model = LinearRegression().fit(X, y)
    display = plot.PredictionErrorDisplay.from_estimator(model, X, y, kind=kind)
    points = display.scatter_.get_offsets().data
    np.testing.assert_allclose(points[:, 0], model.predict(X))
    np.testing.assert_allclose(points[:, 1], y - model.predict(X) if kind.startswith("residual") else y)


@pytest.mark.parametrize("subsample", [-1, 0, 0.0, 1.0, 2.5, True])
def test_subsamples_of_no_size_are_refused(subsample):
    with pytest.raises(ParameterError, match="subsample must be a whole number of rows"):
        plot.PredictionErrorDisplay.from_predictions(np.ones(5), np.ones(5), subsample=subsample)


def test_prediction_errors_of_a_subsample():
    y = np.arange(100.0)
    assert len(plot.PredictionErrorDisplay.from_predictions(y, y, subsample=0.1, random_state=0).y_true) == 10
    with pytest.raises(ValueError, match="100 true values for 2"):
        plot.PredictionErrorDisplay.from_predictions(y, y[:2])
    with pytest.raises(ValueError, match="kind must be"):
        plot.PredictionErrorDisplay(y, y).plot(kind="pie")


def test_prediction_errors_in_a_style_of_ones_own():
    X, y = drawn()
    model, (_, ax) = LinearRegression().fit(X, y), pyplot.subplots()
    style = {"scatter_kwargs": {"c": "red", "alpha": 0.5}, "line_kwargs": {"ls": ":", "lw": 3}}
    for display in (
        plot.PredictionErrorDisplay.from_predictions(y, model.predict(X), **style),
        plot.PredictionErrorDisplay.from_estimator(model, X, y, kind="actual_vs_predicted", **style),
        plot.PredictionErrorDisplay(y, y).plot(ax, **style),
    ):
        assert display.scatter_.get_facecolor()[0].tolist() == [1.0, 0.0, 0.0, 0.5]
        assert (display.line_.get_linestyle(), display.line_.get_linewidth()) == (":", 3)
    assert display.ax_ is ax


@pytest.mark.parametrize("name", ["y_true", "y_pred"])
def test_prediction_errors_of_missing_values(name):
    values = {"y_true": [1.0, 2.0], "y_pred": [1.0, 2.0], name: [1.0, np.nan]}
    with pytest.raises(DataError, match=f"Input contains NaN: {name} in row 1"):
        plot.PredictionErrorDisplay.from_predictions(**values)
    with pytest.raises(DataError, match=f"Input contains NaN: {name} in row 1"):
        plot.PredictionErrorDisplay(**values).plot()


def test_coefficients_carry_the_intervals_of_the_summary():
    X, y = drawn()
    model = LinearRegression().fit(X, y)
    display = plot.CoefficientDisplay.from_estimator(model, level=0.8, sort=True)
    assert display.names == ["depth", "width", "height"]
    np.testing.assert_allclose(display.low[::-1], model.summary(0.8).table["low"][1:])
    assert plot.CoefficientDisplay.from_estimator(Ridge().fit(X, y)).low is None


def test_path_from_estimator_equals_path_function():
    X, y = drawn()
    alphas = [10.0, 1.0, 0.1]
    display = plot.RegularizationPathDisplay.from_estimator(Ridge(), X, y, alphas=alphas)
    np.testing.assert_allclose(display.coefs, ridge_path(X, y, alphas=alphas)[1], rtol=1e-8)
    assert display.ax_.get_xscale() == "log" and len(display.lines_) == 3


PATHS = {
    "Lasso": (Lasso(alpha=0.05), lambda alpha: Lasso(alpha=alpha, tol=1e-8)),
    "Lasso without a constant": (Lasso(fit_intercept=False), lambda a: Lasso(alpha=a, fit_intercept=False, tol=1e-8)),
    "ElasticNet": (ElasticNet(l1_ratio=0.3), lambda alpha: ElasticNet(alpha=alpha, l1_ratio=0.3, tol=1e-8)),
    "LassoCV": (LassoCV(alphas=20), lambda alpha: Lasso(alpha=alpha, tol=1e-8)),
    "RidgeCV": (RidgeCV(), Ridge),
    "LassoLarsCV": (LassoLarsCV(), lambda alpha: Lasso(alpha=alpha, tol=1e-8)),
    "LassoLarsIC": (LassoLarsIC(), lambda alpha: Lasso(alpha=alpha, tol=1e-8)),
    "HuberRegressor": (HuberRegressor(), lambda alpha: HuberRegressor(alpha=alpha)),
}


@pytest.mark.parametrize("fitted", [True, False])
@pytest.mark.parametrize("name", PATHS)
def test_a_path_is_that_of_the_fits_one_by_one(name, fitted):
    (model, single), (X, y) = PATHS[name], drawn()
    model = model.clone().fit(X, y) if fitted else model.clone()
    display = plot.RegularizationPathDisplay.from_estimator(model, X, y)
    assert display.names == ["height", "width", "depth"]
    place = len(display.alphas) // 2
    expected = single(float(display.alphas[place])).fit(X, y).coef_
    np.testing.assert_allclose(display.coefs[:, place], expected, atol=0.02 * np.abs(expected).max())


def test_paths_of_lars_and_of_choosers_are_those_they_keep():
    X, y = drawn()
    lars = LarsCV().fit(X, y)
    display = plot.RegularizationPathDisplay.from_estimator(lars, X, y)
    np.testing.assert_array_equal(display.coefs, lars.coef_path_)
    chooser = ElasticNetCV(l1_ratio=[0.5, 0.9], alphas=[1.0, 0.1, 0.01]).fit(X, y)
    display = plot.RegularizationPathDisplay.from_estimator(chooser, X, y)
    assert display.alphas.tolist() == [1.0, 0.1, 0.01] and display.chosen == chooser.alpha_


def test_what_has_no_path_is_refused_in_words():
    X, y = drawn()
    with pytest.raises(ValueError, match="LinearRegression has neither a path nor a parameter alpha"):
        plot.RegularizationPathDisplay.from_estimator(LinearRegression(), X, y)
    with pytest.raises(ValueError, match="fit this ElasticNetCV first"):
        plot.RegularizationPathDisplay.from_estimator(ElasticNetCV(l1_ratio=[0.5, 0.9]), X, y)


def test_coefficients_of_an_unfitted_model_are_refused():
    with pytest.raises(NotFittedError, match="this Ridge is not fitted yet"):
        plot.CoefficientDisplay.from_estimator(Ridge())


@pytest.mark.parametrize("penalty", ["l1", "l2", "elasticnet"])
def test_constrained_minimum_meets_the_penalised_one(penalty):
    """For the multiplier at the touching point, the constrained and the penalised problem have the same solution."""
    X, y = drawn(p=2)
    display = plot.ConstraintRegionDisplay.from_data(X, y, penalty=penalty, size=0.9)
    best = display.best()
    np.testing.assert_allclose(display.value(display.boundary()), 0.9, rtol=1e-9)
    assert display.value(best) == pytest.approx(0.9)
    edge = display.boundary()
    assert display._error(best) <= display._error(edge).min()
    if penalty == "l2":
        gradient = display.gram @ (display.free - best)
        alpha = gradient @ best / (best @ best)
        np.testing.assert_allclose(Ridge(alpha).fit(X, y).coef_, best, atol=2e-3)


@pytest.mark.parametrize("model", [Lasso(0.3), Ridge(40.0), ElasticNet(0.3, l1_ratio=0.7), LassoCV()])
def test_the_region_of_a_fitted_model_touches_its_coefficients(model):
    X, y = drawn(p=2)
    display = plot.ConstraintRegionDisplay.from_estimator(model.fit(X, y), X, y)
    np.testing.assert_allclose(display.best(), model.coef_, atol=2e-3)
    assert display.ax_.get_xlabel() == "coefficient of height" and display.ax_.get_ylabel() == "coefficient of width"


def test_the_region_of_a_model_needs_a_fit_and_a_penalty():
    X, y = drawn(p=2)
    with pytest.raises(NotFittedError):
        plot.ConstraintRegionDisplay.from_estimator(Lasso(), X, y)
    with pytest.raises(ValueError, match="cannot infer the penalty of LinearRegression; pass penalty="):
        plot.ConstraintRegionDisplay.from_estimator(LinearRegression().fit(X, y), X, y)


def test_a_loose_constraint_changes_nothing_and_corners_give_zeros():
    X, y = drawn(p=2)
    loose = plot.ConstraintRegionDisplay.from_data(X, y, size=100.0)
    np.testing.assert_allclose(loose.best(), LinearRegression().fit(X, y).coef_)
    assert 0.0 in plot.ConstraintRegionDisplay.from_data(X, y, size=0.5).best()
    with pytest.raises(ValueError, match="two columns"):
        plot.ConstraintRegionDisplay.from_data(np.ones((4, 3)), np.ones(4), size=1.0)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"penalty": "elastic net"}, 'penalty must be "l1", "l2" or "elasticnet"'),
        ({"size": -1.0}, "size must be above 0"),
        ({"penalty": "elasticnet", "l1_ratio": 2.0}, "l1_ratio must be at least 0 and at most 1"),
        ({"X": np.ones((40, 2))}, "a column of X is constant"),
        ({"y": np.ones(3)}, "y has 3"),
    ],
)
def test_regions_that_cannot_be_drawn_are_refused(options, words):
    X, y = np.random.default_rng(0).normal(size=(40, 2)), np.arange(40.0)
    with pytest.raises((DataError, ParameterError, TypeError), match=f"ConstraintRegionDisplay: .*{words}"):
        plot.ConstraintRegionDisplay.from_data(**{"X": X, "y": y, "size": 1.0, **options})


def test_between_its_knots_a_path_is_straight_over_the_alpha():
    display = plot.RegularizationPathDisplay.from_path([1.0, 0.01], [[0.0, 0.99]])
    alphas, coefs = display.lines_[0].get_data()
    np.testing.assert_allclose(coefs, 1 - alphas, atol=1e-12)
    assert len(alphas) > 100
    assert plot.RegularizationPathDisplay.from_path([1.0, 0.1], [[1.0, 2.0]]).ax_.get_title("left")[:2] == "1 "


def test_trace_is_drawn_per_iteration():
    X, y = drawn()
    display = plot.TraceDisplay.from_estimator(Ridge().fit(X, y))
    assert len(display.line_.get_xdata()) == 1


def test_losses_are_drawn_as_they_are_computed():
    """Squared, absolute, Huber at 0.1, 1 and 3, and log-cosh on one axis."""
    display = plot.LossDisplay.from_losses()
    assert display.names == ["Squared", "Absolute", "Huber 0.1", "Huber 1", "Huber 3", "LogCosh"]
    assert len(display.lines_) == 6
    at_two = display.values[:, np.argmin(np.abs(display.residual - 2))]
    np.testing.assert_allclose(at_two, [2.0, 2.0, 0.195, 1.5, 2.0, np.log(np.cosh(2))], rtol=1e-12)


def test_losses_of_margins_are_drawn_as_they_are_computed():
    """Zero-one, hinge, squared hinge, modified Huber, perceptron, exponential, deviance at a margin of -2."""
    display = plot.LossDisplay.from_margins()
    at = display.values[:, np.argmin(np.abs(display.residual + 2))]
    m = display.residual[np.argmin(np.abs(display.residual + 2))]
    requested = [1.0, 1 - m, (1 - m) ** 2, -4 * m, -m, np.exp(-m), np.log1p(np.exp(-2 * m))]
    np.testing.assert_allclose(at, requested, rtol=1e-12)
    assert display.ax_.get_xlabel() == "margin"


@pytest.mark.parametrize("ratio", [1.0, 0.5])
def test_the_path_of_logistic_regression_is_over_C(ratio):
    X, y = drawn()
    labels = np.where(y > np.median(y), "high", "low")
    model = LogisticRegression(C=0.3, l1_ratio=ratio)
    display = plot.RegularizationPathDisplay.from_estimator(model, X, labels, alphas=[5.0, 0.5])
    one = LogisticRegression(C=2.0, l1_ratio=ratio, tol=1e-7).fit(X, labels).coef_[0]
    np.testing.assert_allclose(display.coefs[:, 1], one, atol=1e-3)
    assert display.chosen == pytest.approx(1 / 0.3) and display.strength == "1 / C"


def test_names_at_the_ends_of_lines_do_not_overlap():
    coefs = np.array([[0.0, 1.0], [0.0, 1.0001], [0.0, -1.0]])
    display = plot.RegularizationPathDisplay.from_path([1.0, 0.1], coefs, names=["a", "b", "c"])
    heights = {text.get_text().strip(): text.xy[1] for text in display.ax_.texts}
    assert heights["b"] - heights["a"] > 0.02 and heights["c"] == pytest.approx(-1)


@pytest.mark.parametrize(
    ("alphas", "coefs", "names"),
    [([1.0, 0.1], np.ones((3, 4)), None), ([1.0, 0.1], np.ones(2), None), ([], np.ones((3, 0)), None),
     ([1.0, 0.1], np.ones((3, 2)), ["a"]), ([0.0], np.ones((3, 1)), None), (1.0, np.ones((3, 1)), None)],
)  # fmt: skip
def test_paths_whose_parts_do_not_fit_are_refused(alphas, coefs, names):
    with pytest.raises(DataError, match="RegularizationPathDisplay"):
        plot.RegularizationPathDisplay.from_path(alphas, coefs, names=names)


def test_weights_of_images_are_images():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 6)), np.repeat(["a", "b", "c"], 20)
    model = LogisticRegression().fit(X, y)
    display = plot.CoefficientImageDisplay.from_estimator(model, (2, 3), columns=2)
    np.testing.assert_array_equal(display.images, model.coef_.reshape(3, 2, 3))
    assert display.names == ["a", "b", "c"] and display.axes_.shape == (2, 2)
    np.testing.assert_array_equal(display.axes_[0, 1].images[0].get_array(), display.images[1])
    two = plot.CoefficientImageDisplay.from_estimator(LogisticRegression().fit(X[:40], y[:40]), (3, 2))
    assert two.names == ["b"]
    with pytest.raises(DataError, match="6 weights cannot be an image of 2 by 2"):
        plot.CoefficientImageDisplay.from_estimator(model)


def test_images_of_one_vs_one_models_are_of_pairs_of_classes():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 4)), np.repeat(["a", "b", "c", "d"], 20)
    for labels in (y, np.where(y == "d", "a", y)):
        model = learnable.SVC(kernel="linear").fit(X, labels)
        display = plot.CoefficientImageDisplay.from_estimator(model)
        first, last = model.classes_[[0, 1]], model.classes_[[-2, -1]]
        assert [display.names[0], display.names[-1]] == [f"{one}, not {other}" for one, other in (first, last)]
        assert len(display.names) == len(model.coef_) == sum(len(ax.images) for ax in display.axes_.flat)


def test_images_of_weights_that_are_stored_sparsely():
    rng = np.random.default_rng(0)
    model = LogisticRegression().fit(rng.normal(size=(60, 4)), np.repeat(["a", "b", "c"], 20))
    dense = model.coef_.reshape(3, 2, 2)
    np.testing.assert_array_equal(plot.CoefficientImageDisplay.from_estimator(model.sparsify()).images, dense)


@pytest.mark.filterwarnings("ignore:.*penalty is deprecated:FutureWarning")
@pytest.mark.parametrize("penalty", ["l1", "l2", None])
def test_the_path_is_of_the_penalty_that_was_requested_by_name(penalty):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 4))
    y, share = X[:, 0] + rng.normal(size=100) > 0, 1.0 if penalty == "l1" else 0.0
    model = LogisticRegression(penalty=penalty, l1_ratio=share).fit(X, y)
    named = plot.RegularizationPathDisplay.from_estimator(model, X, y)
    plain = plot.RegularizationPathDisplay.from_estimator(LogisticRegression(l1_ratio=share).fit(X, y), X, y)
    np.testing.assert_array_equal(named.coefs, plain.coefs)
    assert (named.coefs == 0).any() == (penalty == "l1")


def test_a_target_of_numbers_is_one_more_column_of_pairs():
    rng = np.random.default_rng(0)
    for amounts in (rng.normal(size=50), np.arange(50.0)):
        picture = plot.PairDisplay.from_data(rng.normal(size=(50, 2)), amounts)
        assert picture.names[-1] == "target"
        assert picture.axes_.shape == (3, 3)
        assert picture.classes is None


LEARNS = {"LearningCurveDisplay", "LearningSystemDisplay", "RegularizationPathDisplay", "ValidationCurveDisplay"}
DRAWN = sorted(
    name
    for name in learnable.public_names()
    if name.endswith("Display") and hasattr(getattr(learnable, name), "from_estimator") and name not in LEARNS
)


@pytest.mark.parametrize("name", DRAWN)
def test_every_picture_of_a_model_refuses_one_that_is_not_fitted(name):
    """In the same words, whichever picture it is."""
    draw = getattr(learnable, name).from_estimator
    rows = {"X": np.eye(4)[:, :2], "y": [0, 1, 0, 1], "features": [0], "image": np.eye(4), "world": None}
    takes = [argument for argument in inspect.signature(draw).parameters if argument in rows]
    with pytest.raises(learnable.NotFittedError, match="this LogisticRegression is not fitted yet"):
        draw(learnable.LogisticRegression(), **{argument: rows[argument] for argument in takes})


@pytest.mark.parametrize("name", ["SpectrumDisplay", "ImportancesDisplay", "CoefficientDisplay", "ReachabilityDisplay"])
def test_a_fitted_model_of_another_kind_is_distinguished_from_an_unfitted_one(name):
    fitted = learnable.KNeighborsClassifier(1).fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(learnable.ParameterError, match=f"{name}: a model with .*_ is needed; KNeighborsClassifier"):
        getattr(learnable, name).from_estimator(fitted)


def test_long_names_of_columns_leave_room_for_the_picture():
    rng = np.random.default_rng(0)
    names = [f"a_rather_long_name_of_a_measured_column_{j:02d}" for j in range(6)]
    X = pd.DataFrame(rng.normal(size=(60, 6)), columns=names)
    pairs = plot.PairDisplay.from_data(X)
    forest = plot.CoefficientDisplay.from_estimator(LinearRegression().fit(X, X.sum(axis=1) + rng.normal(size=60)))
    heat = plot.CorrelationDisplay.from_data(X)
    for figure in (pairs.figure_, forest.figure_, heat.figure_):
        figure.canvas.draw()
    across = [ax.xaxis.label.get_window_extent() for ax in pairs.axes_[-1]]
    upwards = [ax.yaxis.label.get_window_extent() for ax in pairs.axes_[::-1, 0]]
    assert all(left.x1 < right.x0 for left, right in pairwise(across))
    assert all(low.y1 < high.y0 for low, high in pairwise(upwards))
    assert forest.ax_.get_window_extent().width > 3.5 * forest.figure_.dpi
    cell = heat.ax_.get_window_extent().width / 6
    assert all(number.get_window_extent().width < cell for number in heat.ax_.texts)
