"""The picture of a classifier of two columns holds what the classifier says."""

import matplotlib

matplotlib.use("Agg")

import numpy as np
import pytest
import sklearn.linear_model
from matplotlib import pyplot
from sklearn.inspection import DecisionBoundaryDisplay as SklearnDisplay

import learnable
from learnable.core import ParameterError
from learnable.plot import DecisionBoundaryDisplay


@pytest.fixture(autouse=True)
def _closed_figures():
    yield
    pyplot.close("all")


def rows(classes=2):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 2))
    return X, np.digitize(X[:, 0] + X[:, 1] ** 2, np.linspace(0, 2, classes + 1)[1:-1])


def named_lines(ax):
    """The lines that are not boundaries."""
    return [line for line in ax.get_lines() if not line.get_label().startswith("_")]


def test_margins_and_support_vectors_are_drawn():
    X, y = rows()
    model = learnable.SVC(C=5.0).fit(X, y)
    display = DecisionBoundaryDisplay.from_estimator(model, X, y, grid_resolution=30)
    points = np.column_stack([display.xx0.ravel(), display.xx1.ravel()])
    np.testing.assert_allclose(display.response.ravel(), model.decision_function(points))
    assert display.signed and len(display.support) == len(model.support_)
    texts = {line.get_label() for line in display.ax_.get_lines()}
    assert {"0", "1", "support vectors"} <= texts
    assert [text.get_text() for text in display.ax_.get_legend().get_texts()] == ["0", "1", "support vectors"]
    named = display.plot("contourf", None, "width", "height")
    assert (named.ax_.get_xlabel(), named.ax_.get_ylabel()) == ("width", "height")
    plain = DecisionBoundaryDisplay.from_estimator(model, X, margins=False, grid_resolution=10)
    assert plain.support is None and not named_lines(plain.ax_) and plain.ax_.get_legend() is None
    assert len(plain.ax_.collections) == 1  # programs add rows, and find them behind the surface


def test_the_border_of_two_kinds_of_iris_is_a_straight_line():
    iris = learnable.datasets.load_iris()
    X, y = iris.data[50:, 2:], iris.target[50:]
    model = learnable.LogisticRegression(C=10.0).fit(X, y)
    display = DecisionBoundaryDisplay.from_estimator(model, X, y, response_method="predict", grid_resolution=40)
    score = display.xx0 * model.coef_[0, 0] + display.xx1 * model.coef_[0, 1] + model.intercept_[0]
    np.testing.assert_array_equal(display.response == display.response.max(), score > 0)
    assert 0.2 < (score > 0).mean() < 0.8


@pytest.mark.parametrize("method", ["contourf", "contour", "pcolormesh"])
@pytest.mark.parametrize("response", ["auto", "predict", "decision_function"])
def test_several_classes_and_every_method(method, response):
    X, y = rows(3)
    labels = np.array(["a", "b", "c"])[y]
    model = learnable.SVC().fit(X, labels)
    display = DecisionBoundaryDisplay.from_estimator(
        model, X, labels, plot_method=method, response_method=response, grid_resolution=20
    )
    points = np.column_stack([display.xx0.ravel(), display.xx1.ravel()])
    if response != "decision_function":
        np.testing.assert_array_equal(model.classes_[display.response.ravel()], model.predict(points))
    one = DecisionBoundaryDisplay.from_estimator(
        model, X, response_method="decision_function", class_of_interest="b", grid_resolution=20
    )
    np.testing.assert_allclose(one.response.ravel(), model.decision_function(points)[:, 1])


def test_classifiers_of_others_and_outlier_detectors():
    import pandas as pd

    X, y = rows()
    frame = pd.DataFrame(X, columns=["wide", "high"])
    theirs = sklearn.linear_model.LogisticRegression().fit(frame, y)
    display = DecisionBoundaryDisplay.from_estimator(theirs, frame, response_method="predict_proba", grid_resolution=9)
    assert display.ax_.get_xlabel() == "wide" and 0 <= display.response.min() <= display.response.max() <= 1
    found = DecisionBoundaryDisplay.from_estimator(learnable.OneClassSVM().fit(X), X, grid_resolution=9)
    assert found.signed and found.response.shape == (9, 9)
    assert found.support is not None and not found.margins


def test_margins_are_of_models_that_have_support_vectors():
    X, y = rows()
    model = learnable.LogisticRegression().fit(X, y)
    assert not DecisionBoundaryDisplay.from_estimator(model, X, grid_resolution=9).margins
    assert DecisionBoundaryDisplay.from_estimator(model, X, margins=True, grid_resolution=9).margins
    assert DecisionBoundaryDisplay.from_estimator(learnable.SVC().fit(X, y), X, grid_resolution=9).margins


def test_classes_have_the_requested_colours():
    X, y = rows(3)
    model = learnable.GaussianNB().fit(X, y)
    requested = ["red", "green", "blue"]
    display = DecisionBoundaryDisplay.from_estimator(model, X, y, multiclass_colors=requested, grid_resolution=9)
    assert [line.get_color() for line in named_lines(display.ax_)] == requested
    named = DecisionBoundaryDisplay.from_estimator(model, X, y, multiclass_colors="viridis", grid_resolution=9)
    assert len(named.colours) == 3
    with pytest.raises(ValueError, match="1 colours for 3 classes"):
        DecisionBoundaryDisplay.from_estimator(model, X, multiclass_colors=["red"])


def test_invalid_requests_are_refused():
    X, y = rows()
    model = learnable.SVC().fit(X, y)
    with pytest.raises(ValueError, match="equal to 2"):
        DecisionBoundaryDisplay.from_estimator(model, np.ones((3, 3)))
    with pytest.raises(ValueError, match="plot_method is"):
        DecisionBoundaryDisplay.from_estimator(model, X, plot_method="surface")
    with pytest.raises(ValueError, match="grid_resolution"):
        DecisionBoundaryDisplay.from_estimator(model, X, grid_resolution=1)


def test_densities_and_amounts_are_shaded_over_their_whole_range():
    X, y = rows()
    density = learnable.GaussianMixture(2, random_state=0).fit(X)
    amount = learnable.LinearRegression().fit(X, 40 * y + 7.0)
    for model, method in ((density, "score_samples"), (amount, "predict")):
        display = DecisionBoundaryDisplay.from_estimator(model, X, response_method=method)
        levels = display.surface_.levels
        assert (levels[0], levels[-1]) == pytest.approx((display.response.min(), display.response.max()))
        assert len(levels) == 21


def test_responses_that_an_estimator_lacks_are_refused():
    X, y = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 0.0], [3.0, 1.0]]), [0, 0, 1, 1]
    model = learnable.LogisticRegression().fit(X, y)
    with pytest.raises(ParameterError, match="no method 'predict_chance'"):
        DecisionBoundaryDisplay.from_estimator(model, X, response_method="predict_chance")
    with pytest.raises(
        ParameterError, match=r"class_of_interest=7 is not among the classes of the estimator: \[0, 1\]"
    ):
        DecisionBoundaryDisplay.from_estimator(model, X, class_of_interest=7)


def test_a_display_states_its_number_of_classes_and_their_colours():
    X, y = rows(3)
    model = learnable.GaussianNB().fit(X, y)
    display = DecisionBoundaryDisplay.from_estimator(model, X, multiclass_colors=["red", "green", "blue"])
    np.testing.assert_array_equal(display.multiclass_colors_, matplotlib.colors.to_rgba_array(["r", "green", "b"]))
    groups = learnable.KMeans(4, random_state=0).fit(X)
    two = learnable.GaussianNB().fit(X, y > 0)
    for fitted, more, count in (
        (model, {}, 3),
        (model, {"class_of_interest": 1}, 2),
        (groups, {}, 4),
        (two, {}, 2),
        (learnable.LinearRegression().fit(X, y), {}, 2),
        (learnable.IsolationForest(n_estimators=10, random_state=0).fit(X), {"response_method": "predict"}, 2),
    ):
        ours = DecisionBoundaryDisplay.from_estimator(fitted, X, grid_resolution=30, **more)
        theirs = SklearnDisplay.from_estimator(fitted, X, grid_resolution=30, **more)
        assert ours.n_classes == theirs.n_classes == count
        assert hasattr(ours, "multiclass_colors_") == hasattr(theirs, "multiclass_colors_") == (count > 2)
    shown = DecisionBoundaryDisplay.from_estimator(groups, X, grid_resolution=30)
    assert set(np.unique(shown.response)) == {0, 1, 2, 3}


def test_a_display_is_made_from_responses_as_that_of_scikit_learn():
    X, y = rows(3)
    model = learnable.GaussianNB().fit(X, y)
    across, up = np.meshgrid(np.linspace(-2, 2, 20), np.linspace(-2, 2, 20))
    shares = model.predict_proba(np.column_stack([across.ravel(), up.ravel()])).reshape(20, 20, 3)
    display = DecisionBoundaryDisplay(
        xx0=across, xx1=up, n_classes=3, response=shares, multiclass_colors="viridis"
    ).plot()
    assert display.multiclass_colors_.shape == (3, 4)
    np.testing.assert_array_equal(display.multiclass_colors_[0], matplotlib.colormaps["viridis"](0.0))
    numbers = DecisionBoundaryDisplay(xx0=across, xx1=up, n_classes=3, response=shares.argmax(axis=2)).plot()
    np.testing.assert_array_equal(numbers.surface_.levels, display.surface_.levels)
