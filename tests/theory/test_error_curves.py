"""Curves of errors, what they diagnose, and studies of dimensions, folds and approximation."""

import warnings

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

from learnable.core import DataError, ParameterError
from learnable.linear_model import GradientDescentRegressor, LinearRegression, penalty_advice
from learnable.theory import (
    NoisyFunction,
    choice_of_folds,
    diagnose,
    distance_contrast,
    error_by_complexity,
    error_by_components,
    error_by_irrelevant_columns,
    error_by_size,
    error_by_width,
    logistic_or_svm,
    output_and_loss_for,
    overfits,
)
from learnable.theory.error_curves import zero_one_error
from learnable.tree import DecisionTreeRegressor

CUBIC = NoisyFunction(lambda X: 4 * X[:, 0] ** 3 - 2 * X[:, 0], noise=0.3)


def polynomial(degree):
    return make_pipeline(PolynomialFeatures(degree), LinearRegression())


def test_simple_models_stay_high_and_flexible_ones_need_rows():
    """THE-05: the biased model has the higher asymptote, the flexible one the larger gap at first."""
    sizes = [15, 60, 1000]
    line, quintic = (error_by_size(polynomial(d), CUBIC, sizes, random_state=0) for d in (1, 5))
    assert line.test_error[-1] > 2 * quintic.test_error[-1]
    assert quintic.test_error[-1] == pytest.approx(0.09, rel=0.05) and quintic.train_error[-1] < 0.09 * 1.05
    assert quintic.gap[0] > line.gap[0] > 0 and (np.diff(quintic.gap) < 0).all()


def test_complexity_turns_at_the_truth():
    """THE-06, THE-07: degree 1 underfits, 3 is right, high degrees overfit; training errors only fall."""
    models = {degree: polynomial(degree) for degree in (1, 3, 7, 10)}
    curve = error_by_complexity(models, CUBIC, n=20, repeats=40, random_state=0)
    assert curve.turning_point == 3
    assert (np.diff(curve.train_error) < 1e-9).all()
    found = overfits(curve.train_error, curve.test_error)
    assert found.tolist() == [False, False, True, True]
    assert curve.diagnose(0.2, at=0).regime == "high bias" and curve.diagnose(0.12).regime == "high variance"


def test_errors_by_depth_and_by_epochs():
    """THE-06: the axis may be the depth of a tree or the epochs of training, which under- and overfit alike."""
    depths = {depth: DecisionTreeRegressor(max_depth=depth) for depth in (1, 2, 3, 5, 9)}
    curve = error_by_complexity(depths, CUBIC, n=60, repeats=20, random_state=0)
    assert (np.diff(curve.train_error) < 1e-9).all() and curve.turning_point in (2, 3, 5)
    assert curve.test_error[-1] > 1.1 * curve.test_error.min() < curve.test_error[0] / 1.1

    def wide(rng, n):
        X = rng.normal(size=(n, 45))
        return X, X[:, 0] + X[:, 1] + 2 * rng.normal(size=n)

    options = {"tol": None, "learning_rate": 0.1}
    epochs = {count: GradientDescentRegressor(max_iter=count, **options) for count in (1, 5, 20, 100, 1000)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        curve = error_by_complexity(epochs, wide, n=50, repeats=10, random_state=0)
    assert (np.diff(curve.train_error) < 0).all() and curve.turning_point in (5, 20)
    assert curve.test_error[-1] > 2 * curve.test_error.min() < curve.test_error[0] * 2


def test_overfitting_needs_a_witness():
    """THE-08: some h' with the larger training error, yet the smaller test error."""
    assert overfits([0.1], [0.9]).tolist() == [False]
    assert overfits([0.1, 0.2, 0.3], [0.5, 0.4, 0.6]).tolist() == [True, False, False]
    assert overfits([0.1, 0.1], [0.5, 0.4]).tolist() == [False, False]
    with pytest.raises(DataError, match="one error of each kind"):
        overfits([0.1, 0.2], [0.1])


def test_diagnoses_and_remedies():
    """THE-09."""
    variance, bias, fine = diagnose(0.01, 0.3, 0.1), diagnose(0.2, 0.22, 0.1), diagnose(0.05, 0.08, 0.1)
    assert "more training rows" in variance.remedies and any("flexible model" in r for r in bias.remedies)
    assert fine.regime == "on target" and not fine.remedies
    assert str(bias).startswith("high bias: even the training error is too high (0.2 on the training set")
    with pytest.raises(ParameterError, match="must be finite"):
        diagnose(np.nan, 0.1, 0.1)


def test_distances_concentrate():
    """THE-18: the contrast of distances falls to nothing."""
    contrast = distance_contrast([1, 3, 10, 100, 1000], random_state=0)
    assert (np.diff(contrast) < 0).all() and contrast[-1] < 0.25


def test_neighbours_suffer_most_from_columns_of_noise():
    """THE-18: accuracy of nearest neighbours falls as irrelevant columns join."""

    def classes(rng, n):
        y = rng.integers(0, 2, n)
        return rng.normal(size=(n, 2)) + 1.5 * y[:, None], y

    options = {"n": 100, "loss": zero_one_error, "repeats": 10, "random_state": 0}
    curve = error_by_irrelevant_columns(KNeighborsClassifier(5), classes, [0, 10, 200], **options)
    assert (np.diff(curve.test_error) > 0.02).all() and curve.test_error[-1] > 0.3


def test_any_function_and_any_density_is_approached():
    """THE-17."""
    widths = error_by_width(lambda x: np.abs(x) + (x > 0.3), [0, 2, 8, 32, 128], random_state=0)
    assert (np.diff(widths) < 0).all() and widths[-1] < 0.2 * widths[0]
    hump = error_by_components(lambda x: np.where(np.abs(x) < 0.5, 1.0, 0.0), [1, 4, 16, 64])
    assert (np.diff(hump) < 0).all() and hump[-1] < 0.1
    with pytest.raises(ParameterError, match="widths must be at least 0 and not empty"):
        error_by_width(np.sin, [])
    with pytest.raises(ParameterError, match="counts must be at least 1"):
        error_by_components(np.sin, [0])


def test_two_folds_are_too_pessimistic_and_leaving_one_out_is_not():
    """RES-05: upward bias at K = 2, next to none at K = n."""
    rows = NoisyFunction(lambda X: X @ np.ones(8), noise=1.0, draw=lambda rng, n: rng.normal(size=(n, 8)))
    study = choice_of_folds(LinearRegression(), rows, [2, 5, 30], n=30, repeats=80, random_state=0)
    assert study.bias[0] > 3 * study.bias[1] > 0 and abs(study.bias[2]) < 0.1 * study.bias[0]
    assert (study.spread > 0).all() and "2 folds: bias +" in str(study)


def test_outputs_and_losses_by_target():
    """LOS-25."""
    targets = {
        "identity": [0.5, 1.25, 3.0],
        "sigmoid": ["yes", "no"],
        "softmax": [0, 1, 2],
        "sigmoid of each output": [[1, 0], [1, 1]],
    }
    found = {name: output_and_loss_for(y) for name, y in targets.items()}
    assert [advice.activation for advice in found.values()] == list(targets)
    losses = ["squared error", "binary cross-entropy", "categorical cross-entropy", "binary cross-entropy"]
    assert [advice.loss for advice in found.values()] == losses
    assert str(found["sigmoid of each output"]) == "multi-label: sigmoid of each output, binary cross-entropy loss"


def test_classifiers_by_shape():
    """WFL-03, SVM-11: wide tables linear, medium ones a Gaussian kernel, tall ones linear with more columns."""
    assert "linear SVM" in logistic_or_svm(100, 10_000).choices
    assert logistic_or_svm(5_000, 50).choices == ("Gaussian SVM",)
    tall = logistic_or_svm(1_000_000, 50)
    assert "logistic regression" in tall.choices and "add columns" in str(tall)
    with pytest.raises(ParameterError, match="at least one row and one column"):
        logistic_or_svm(0, 3)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 20))
    assert penalty_advice(X, 3 * X[:, 0] + rng.normal(size=80)).choice == "lasso"


@pytest.mark.parametrize("errors", [(-1, 0.1, 0.1), (0.1, np.nan, 0.1), (0.1, 0.1, "low")])
def test_errors_are_numbers_from_0_on(errors):
    with pytest.raises(ParameterError, match=r"diagnose: t[a-z]+_error must be .*at least 0 and an error"):
        diagnose(*errors)
