"""Multi-layer perceptrons: scikit-learn's trajectory for the same seed, and what goes beyond it."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn import neural_network as theirs
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris

import learnable
from learnable.core import ConvergenceWarning, DataError, ParameterError
from learnable.neural_network import MLPClassifier, MLPRegressor

SOLVERS = {
    "adam": {"solver": "adam"},
    "nesterov": {"solver": "sgd"},
    "momentum and invscaling": {
        "solver": "sgd", "nesterovs_momentum": False, "learning_rate": "invscaling", "learning_rate_init": 0.02,
    },
    "plain and adaptive": {
        "solver": "sgd", "momentum": 0.0, "learning_rate": "adaptive", "tol": 0.05, "n_iter_no_change": 1,
    },
    "lbfgs": {"solver": "lbfgs"},
    "early stopping": {"early_stopping": True},
    "fixed order": {"shuffle": False},
    "no hidden layer": {"hidden_layer_sizes": ()},
    "one batch": {"batch_size": 10_000},
}  # fmt: skip
ACTIVATIONS = ["identity", "logistic", "tanh", "relu"]


def standardised(X):
    return (X - X.mean(axis=0)) / X.std(axis=0)


def problem(kind):
    if kind == "poisson":
        X, y = load_diabetes(return_X_y=True)
        return 20 * X, np.floor(y / 40), {"loss": "poisson"}
    if kind == "numbers":
        X, y = load_diabetes(return_X_y=True)
        return 20 * X, (y - y.mean()) / y.std(), {}
    X, y = (load_iris if kind == "three classes" else load_breast_cancer)(return_X_y=True)
    return standardised(X), y, {}


PROBLEMS = ["three classes", "two classes", "numbers", "poisson"]


def both(kind, **options):
    """Ours and scikit-learn's with the same parameters, unfitted."""
    given = {"hidden_layer_sizes": (12, 7), "random_state": 3, "max_iter": 20, "batch_size": 37, **options}
    ours, other = (MLPClassifier, theirs.MLPClassifier) if "classes" in kind else (MLPRegressor, theirs.MLPRegressor)
    return ours(**given), other(**given)


def fit_both(kind, *data, **options):
    ours, other = both(kind, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of both: epochs at an end, batches that are too large
        return ours.fit(*data), other.fit(*data)


def assert_same_course(ours, other, tolerance=1e-9):
    for name in ("loss_curve_", "validation_scores_"):
        if getattr(other, name, None) is not None:
            assert_allclose(getattr(ours, name), getattr(other, name), rtol=0, atol=tolerance)
    for mine, their in zip(ours.coefs_ + ours.intercepts_, other.coefs_ + other.intercepts_, strict=True):
        assert mine.dtype == their.dtype
        assert_allclose(mine, their, rtol=0, atol=tolerance)
    assert_allclose(ours.loss_, other.loss_, rtol=0, atol=tolerance)
    for name in ("n_iter_", "t_", "n_layers_", "n_outputs_", "out_activation_"):
        assert getattr(ours, name) == getattr(other, name), name
    for name in ("best_loss_", "best_validation_score_"):
        if getattr(other, name, None) is not None:
            assert_allclose(getattr(ours, name), getattr(other, name), rtol=0, atol=tolerance)


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("kind", PROBLEMS)
def test_the_course_of_the_fit_is_that_of_scikit_learn(kind, solver, activation):
    X, y, more = problem(kind)
    ours, other = fit_both(kind, X, y, activation=activation, **SOLVERS[solver], **more)
    assert_same_course(ours, other)
    assert_allclose(ours.predict(X), other.predict(X), atol=1e-9)
    if "classes" in kind:
        assert_allclose(ours.predict_proba(X), other.predict_proba(X), atol=1e-9)


@pytest.mark.parametrize("kind", PROBLEMS)
def test_weights_and_sparse_rows_are_those_of_scikit_learn(kind):
    X, y, more = problem(kind)
    weight = np.random.default_rng(0).uniform(0.5, 3.0, len(y))
    rows = sparse.csr_array(np.where(np.abs(X) < 0.5, 0, X))
    assert_same_course(*fit_both(kind, rows, y, weight, **more))
    assert_same_course(*fit_both(kind, rows.tocsc(), y, weight, early_stopping=True, **more))


@pytest.mark.parametrize("kind", ["three classes", "two classes", "poisson"])
def test_single_precision_stays_close_to_scikit_learn(kind):
    X, y, more = problem(kind)
    ours, other = fit_both(kind, X.astype(np.float32), y.astype(np.float32) if more else y, **more)
    assert_same_course(ours, other, tolerance=1e-4)


def test_several_labels_are_those_of_scikit_learn():
    X = standardised(load_iris(return_X_y=True)[0])
    labels = (np.column_stack([X[:, 0] > 0, X[:, 1] > 0, X[:, 2] > X[:, 3]])).astype(int)
    ours, other = fit_both("classes", X, labels, early_stopping=True)
    assert_same_course(ours, other)
    assert_array_equal(ours.predict(X), other.predict(X))
    assert_allclose(ours.predict_proba(X), other.predict_proba(X), atol=1e-9)
    assert ours.score(X, labels) == other.score(X, labels)


@pytest.mark.parametrize("kind", PROBLEMS)
@pytest.mark.parametrize("options", [{}, {"solver": "sgd", "learning_rate": "invscaling", "learning_rate_init": 0.1}])
def test_batches_one_after_the_other_are_those_of_scikit_learn(kind, options):
    X, y, more = problem(kind)
    ours, other = both(kind, **options, **more)
    first = {"classes": np.unique(y)} if "classes" in kind else {}
    for rows in np.array_split(np.random.default_rng(0).permutation(len(y)), 4):
        ours.partial_fit(X[rows], y[rows], **first)
        other.partial_fit(X[rows], y[rows], **first)
        first = {}
    assert_same_course(ours, other)


def test_rows_with_several_labels_come_in_batches():
    X = standardised(load_iris(return_X_y=True)[0])
    labels = (X[:, :2] > 0).astype(int)
    model = MLPClassifier((10,), random_state=0, learning_rate_init=0.05)
    for _ in range(60):
        for rows in np.array_split(np.arange(len(X)), 3):
            model.partial_fit(X[rows], labels[rows])
    assert model.predict(X).shape == labels.shape
    assert model.score(X, labels) > 0.95


@pytest.mark.parametrize("options", [{}, {"early_stopping": True}, {"solver": "lbfgs"}])
def test_warm_starts_are_those_of_scikit_learn(options):
    X, y, _ = problem("three classes")
    ours, other = both("classes", warm_start=True, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(3):
            ours.fit(X, y)
            other.fit(X, y)
    assert_same_course(ours, other)


def test_a_warm_start_with_other_classes_is_refused():
    X, y, _ = problem("three classes")
    model = MLPClassifier((5,), warm_start=True, max_iter=2, n_iter_no_change=1, tol=10.0).fit(X, y)
    with pytest.raises(DataError, match="same classes as in the previous fit, which had 3 outputs"):
        model.fit(X, y == 1)


def test_the_loss_of_several_targets_is_that_of_its_gradient():
    """scikit-learn averages the value over targets and sums the gradient; here both are sums."""
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(50, 4)), rng.normal(size=(50, 3))
    ours, other = fit_both("numbers", X, Y, alpha=0.0)
    assert_allclose(np.concatenate([w.ravel() for w in ours.coefs_]), np.concatenate([w.ravel() for w in other.coefs_]))
    assert_allclose(ours.loss_curve_, 3 * np.array(other.loss_curve_), rtol=1e-9)


def test_lbfgs_ends_at_a_stationary_point():
    X, y, _ = problem("numbers")
    options = {"hidden_layer_sizes": (5,), "activation": "tanh", "solver": "lbfgs", "alpha": 1.0, "random_state": 0}
    model = MLPRegressor(tol=1e-3, max_iter=20_000, **options).fit(X, y)
    assert model.trace_.stopped == "converged" and model.certificate_.holds
    stricter = MLPRegressor(tol=1e-12, max_iter=20_000, **options).fit(X, y)  # ended by small gains
    assert stricter.trace_.stopped == "patience" and not stricter.certificate_.holds
    assert model.certificate_.kind == "gradient norm" and "stationary point" in model.certificate_.sentence


def test_stochastic_training_claims_nothing_of_the_minimum():
    X, y, _ = problem("three classes")
    model = MLPClassifier((20,), learning_rate_init=0.01, tol=1e-2, random_state=0).fit(X, y)
    assert model.trace_.stopped == "patience"
    assert not model.certificate_.holds
    assert "nothing is proven about the minimum" in model.certificate_.sentence
    assert 0 < model.certificate_.value < 1


def test_class_weights_multiply_those_of_the_rows():
    X, y, _ = problem("three classes")
    factors = {0: 1.0, 1: 2.0, 2: 0.5}
    weighted = MLPClassifier((6,), class_weight=factors, max_iter=5, random_state=0)
    plain = MLPClassifier((6,), max_iter=5, random_state=0)
    with pytest.warns(ConvergenceWarning):
        weighted.fit(X, y)
    with pytest.warns(ConvergenceWarning):
        plain.fit(X, y, sample_weight=[factors[label] for label in y])
    assert weighted.loss_curve_ == plain.loss_curve_


def test_own_validation_rows_stop_the_fit_and_the_best_weights_are_kept():
    X, y, _ = problem("two classes")
    model = MLPClassifier((10,), random_state=0, learning_rate_init=0.02, validation_scoring="loss")
    model.fit(X[:400], y[:400], X_val=X[400:], y_val=y[400:])
    assert model.trace_.stopped == "patience"
    p = np.clip(model.predict_proba(X[400:]), 1e-15, 1)
    loss = -np.mean(np.log(p[np.arange(len(p)), y[400:]]))
    assert_allclose(loss, -max(model.validation_scores_), rtol=1e-9)
    assert_allclose(model.trace_["validation"], model.validation_scores_)


@pytest.mark.parametrize("end", ["watcher", "limit", "divergence"])
def test_the_best_weights_are_kept_whatever_ended_the_fit(end):
    X, y, _ = problem("two classes")
    rate = {"divergence": 1e200}.get(end, 0.05)
    model = MLPClassifier(
        (10,), random_state=0, early_stopping=True, learning_rate_init=rate, max_iter=12, solver="sgd",
        n_iter_no_change=50, momentum=0.0,
    )  # fmt: skip
    stop_at = 7 if end == "watcher" else 10**9
    with learnable.watch(lambda event: event.iteration >= stop_at), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if end == "divergence":
            with pytest.raises(DataError, match="lower the learning rate"):
                model.fit(X, y)
            return
        model.fit(X, y)
    assert model.trace_.stopped == {"watcher": "interrupted", "limit": "limit"}[end]
    assert model.best_validation_score_ == max(model.validation_scores_)


def test_divergence_names_the_layer_the_step_and_the_remedy():
    X, y, _ = problem("numbers")
    with pytest.raises(
        DataError, match=r"MLPRegressor: training diverged in step \d+ .*layer \d.*gradient norms.*lower"
    ):
        MLPRegressor(hidden_layer_sizes=(10,), solver="sgd", learning_rate_init=1e6, random_state=0).fit(1000 * X, y)


def test_dropout_hides_units_in_training_only():
    X, y = load_digits(return_X_y=True)
    model = MLPClassifier((64,), dropout=0.5, random_state=0, max_iter=30, learning_rate_init=0.01)
    with pytest.warns(ConvergenceWarning):
        model.fit(X / 16, y)
    assert model.score(X / 16, y) > 0.99
    assert model.loss_curve_[-1] > 0.02, "half of the units should be hidden from the training loss"
    assert_array_equal(model.predict_proba(X / 16), model.predict_proba(X / 16))


def test_every_layer_may_have_its_own_activation():
    X, y, _ = problem("three classes")
    model = MLPClassifier((8, 6), activation=["tanh", "gelu"], solver="lbfgs", random_state=0).fit(X, y)
    assert model.score(X, y) > 0.97
    hidden = model.activations(X, layer=0)
    assert hidden.shape == (150, 8)
    assert_allclose(hidden, np.tanh(X @ model.coefs_[0] + model.intercepts_[0]), atol=1e-12)
    assert model.activations(X).shape == (150, 6)
    with pytest.raises(ParameterError, match="from -2 to 1"):
        model.activations(X, layer=2)
    with pytest.raises(ParameterError, match="names 1 functions for 2 hidden layers"):
        MLPClassifier((8, 6), activation=["tanh"]).fit(X, y)


def test_l1_makes_weights_small_and_clipping_shortens_steps():
    X, y, _ = problem("three classes")
    sizes = {}
    for l1 in (0.0, 5.0):
        model = MLPClassifier((10,), l1=l1, solver="adam", learning_rate_init=0.02, random_state=0, tol=1e-3).fit(X, y)
        sizes[l1] = np.abs(np.concatenate([w.ravel() for w in model.coefs_])).sum()
    assert sizes[5.0] < 0.5 * sizes[0.0]
    plain = {"solver": "sgd", "momentum": 0.0, "random_state": 0, "batch_size": 150}
    start, free, clipped = (
        MLPClassifier((10,), **plain, clip=clip, learning_rate_init=rate).partial_fit(X, y, classes=[0, 1, 2])
        for clip, rate in ((None, 1e-300), (None, 1.0), (1e-3, 1.0))
    )
    before, *after = (np.concatenate([w.ravel() for w in m.coefs_ + m.intercepts_]) for m in (start, free, clipped))
    moved = [np.linalg.norm(weights - before) for weights in after]
    assert_allclose(moved[1], 1e-3, rtol=1e-6)
    assert moved[0] > 10 * moved[1]


def test_the_exclusive_or_is_learned():
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    model = MLPClassifier((4,), activation="tanh", solver="lbfgs", random_state=1).fit(X, y)
    assert model.predict(X).tolist() == y
    linear = MLPClassifier((4,), activation="identity", solver="lbfgs", random_state=1).fit(X, y)
    assert linear.score(X, y) <= 0.75, "a stack of linear layers is linear"


def test_a_row_has_the_same_bits_alone_and_in_any_batch():
    X, y = load_digits(return_X_y=True)
    model = MLPClassifier((30, 17), random_state=0, max_iter=2, n_iter_no_change=1, tol=10.0).fit(X, y)
    for dtype in (np.float64, np.float32):
        whole = model.predict_proba(X.astype(dtype))
        for rows in ([5], range(3), range(8), range(9), range(100), [1700, 3, 5, 5]):
            assert_array_equal(model.predict_proba(X[list(rows)].astype(dtype)), whole[list(rows)])


def test_parameters_that_do_not_fit_are_refused():
    X, y, _ = problem("three classes")
    with pytest.raises(ParameterError, match=r"hidden_layer_sizes must be .*at least 1"):
        MLPClassifier((3, 0)).fit(X, y)
    with pytest.raises(DataError, match="validation set is too small"):
        MLPClassifier(early_stopping=True).fit(X[:4], y[:4] + [0, 1, 0, 1])
    with pytest.raises(DataError, match="X_val and y_val together"):
        MLPClassifier().fit(X, y, X_val=X)
    with pytest.raises(AttributeError, match="partial_fit"):
        _ = MLPClassifier(solver="lbfgs").partial_fit
    with pytest.raises(DataError, match="y >= 0"):
        MLPRegressor("poisson").fit(X, y - 1.0)
    with pytest.warns(UserWarning, match="batch_size=1000 is larger than the 150 training rows"):
        MLPClassifier((2,), batch_size=1000, n_iter_no_change=1, tol=10.0).fit(X, y)
