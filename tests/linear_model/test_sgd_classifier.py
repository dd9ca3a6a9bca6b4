"""Linear classifiers that learn from one row at a time, against scikit-learn and against the optimum."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn import linear_model as theirs
from sklearn.datasets import load_breast_cancer, make_classification

from learnable.core import ConvergenceWarning, DataError, ParameterError
from learnable.linear_model import PassiveAggressiveClassifier, PassiveAggressiveRegressor, SGDClassifier
from learnable.parts import losses

MARGIN_LOSSES = ["hinge", "log_loss", "modified_huber", "squared_hinge", "perceptron", "exponential"]
NUMBER_LOSSES = ["squared_error", "huber", "epsilon_insensitive", "squared_epsilon_insensitive"]
FIXED = {"shuffle": False, "max_iter": 3, "tol": None, "learning_rate": "constant", "eta0": 0.01}


def problem(seed=0, n=200, p=4, classes=2):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    score = X @ rng.normal(size=p) + 0.5 * rng.normal(size=n)
    return X, np.digitize(score, np.quantile(score, np.arange(1, classes) / classes))


@pytest.mark.parametrize("loss", [loss for loss in MARGIN_LOSSES if loss != "exponential"] + NUMBER_LOSSES)
@pytest.mark.parametrize("penalty", ["l2", "l1", "elasticnet", None])
def test_epochs_in_a_fixed_order_are_those_of_scikit_learn(loss, penalty):
    X, y = problem(classes=3)
    options = {"loss": loss, "penalty": penalty, "alpha": 0.01, **FIXED}
    ours, other = SGDClassifier(**options).fit(X, y), theirs.SGDClassifier(**options).fit(X, y)
    assert_allclose(ours.coef_, other.coef_, rtol=1e-9, atol=1e-10)
    assert_allclose(ours.intercept_, other.intercept_, rtol=1e-9, atol=1e-10)
    assert_allclose(ours.decision_function(X), other.decision_function(X), rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("average", [True, 100])
@pytest.mark.parametrize("weights", [None, {0: 2.0}, "balanced"])
def test_averages_and_weights_are_those_of_scikit_learn(average, weights):
    X, y = problem(1)
    s = np.random.default_rng(1).uniform(0.1, 2.0, len(y))
    options = {"loss": "log_loss", "average": average, "class_weight": weights, **FIXED}
    ours = SGDClassifier(**options).fit(X, y, sample_weight=s)
    other = theirs.SGDClassifier(**options).fit(X, y, sample_weight=s)
    assert_allclose(ours.coef_, other.coef_, rtol=1e-9)
    assert_allclose(ours.predict_proba(X), other.predict_proba(X), rtol=1e-9)


def test_parts_of_the_data_one_after_the_other_are_those_of_scikit_learn():
    X, y = problem(2, classes=3)
    options = {"loss": "hinge", "shuffle": False, "alpha": 0.01}
    ours, other = SGDClassifier(**options), theirs.SGDClassifier(**options)
    for part in np.array_split(np.arange(len(y)), 4):
        ours.partial_fit(X[part], y[part], classes=[0, 1, 2])
        other.partial_fit(X[part], y[part], classes=[0, 1, 2])
    assert_allclose(ours.coef_, other.coef_, rtol=1e-9)
    assert ours.t_ == other.t_


@pytest.mark.parametrize("loss", ["log_loss", "modified_huber"])
@pytest.mark.parametrize("classes", [2, 3])
def test_probabilities_are_those_of_scikit_learn(loss, classes):
    X, y = problem(3, classes=classes)
    options = {"loss": loss, **FIXED}
    ours, other = SGDClassifier(**options).fit(X, y), theirs.SGDClassifier(**options).fit(X, y)
    assert_allclose(ours.predict_proba(X), other.predict_proba(X), rtol=1e-8, atol=1e-12)
    with np.errstate(divide="ignore"):
        assert_allclose(ours.predict_log_proba(X), np.log(ours.predict_proba(X)))


def test_probabilities_are_missing_where_the_loss_has_none():
    assert not hasattr(SGDClassifier(loss="hinge"), "predict_proba")
    assert hasattr(SGDClassifier(loss="exponential"), "predict_proba")


@pytest.mark.parametrize(
    ("name", "part"),
    [("hinge", losses.Hinge()), ("squared_hinge", losses.SquaredHinge()), ("exponential", losses.Exponential())],
)
def test_the_optimum_is_reached(name, part):
    X, y = problem(4, n=300, p=2)
    sign, alpha = np.where(y == 1, 1.0, -1.0), 0.1
    model = SGDClassifier(
        loss=name,
        alpha=alpha,
        average=True,
        max_iter=400,
        tol=None,
        learning_rate="invscaling",
        eta0=0.1,
        random_state=0,
    ).fit(X, y)

    def value(w, b):
        return np.mean(part.value(sign, X @ w + b)) + alpha * w @ w / 2

    from scipy.optimize import minimize

    best = minimize(lambda v: value(v[:2], v[2]), np.zeros(3), method="Nelder-Mead", options={"xatol": 1e-8}).fun
    assert best <= value(model.coef_[0], model.intercept_[0]) <= best + 2e-3


def test_early_stopping_watches_rows_of_every_class():
    X, y = problem(5, n=300, classes=3)
    model = SGDClassifier(early_stopping=True, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.6 and "validation" in model.trace_.rows[0]
    with pytest.raises(ParameterError, match="early_stopping must be False with partial_fit"):
        SGDClassifier(early_stopping=True).partial_fit(X, y, classes=[0, 1, 2])


def test_a_warm_start_goes_on_and_a_start_is_taken():
    X, y = problem(6)
    options = {"learning_rate": "constant", "shuffle": False, "tol": None}
    whole = SGDClassifier(max_iter=4, **options).fit(X, y)
    half = SGDClassifier(max_iter=2, warm_start=True, **options).fit(X, y)
    assert_allclose(half.fit(X, y).coef_, whole.coef_, rtol=1e-12)
    first = SGDClassifier(max_iter=2, **options).fit(X, y)
    warned = SGDClassifier(max_iter=2, **options).fit(X, y, coef_init=first.coef_, intercept_init=first.intercept_)
    assert_allclose(warned.coef_, whole.coef_, rtol=1e-12)
    with pytest.raises(DataError, match=r"coef_init must hold finite numbers in the shape \(1, 4\); got .* \(3, 4\)"):
        SGDClassifier().fit(X, y, coef_init=np.zeros((3, 4)))


def test_misuse_is_refused_with_a_message():
    X, y = problem(7)
    with pytest.raises(DataError, match="y holds one class"):
        SGDClassifier().fit(X, np.zeros(len(X), dtype=int))
    with pytest.raises(DataError, match="partial_fit needs classes"):
        SGDClassifier().partial_fit(X, y)
    with pytest.raises(DataError, match="y holds 7"):
        SGDClassifier().partial_fit(X, y, classes=[0, 1]).partial_fit(X, np.full(len(y), 7))
    with pytest.raises(DataError, match="the first call to partial_fit named"):
        SGDClassifier().partial_fit(X, y, classes=[0, 1]).partial_fit(X, y, classes=[0, 1, 2])
    with pytest.raises(ParameterError, match="cannot balance classes"):
        SGDClassifier(class_weight="balanced").partial_fit(X, y, classes=[0, 1])
    with pytest.raises(ParameterError, match='learning_rate="pa1" needs loss="hinge"'):
        SGDClassifier(loss="log_loss", learning_rate="pa1").fit(X, y)
    with pytest.raises(ParameterError, match="alpha must be above 0"):
        SGDClassifier(alpha=0).fit(X, y)


def test_divergence_is_reported():
    X, y = problem(8)
    with pytest.warns(ConvergenceWarning, match="the weights diverged"):
        SGDClassifier(loss="squared_error", learning_rate="constant", eta0=1e3, random_state=0).fit(X * 1e3, y)


def test_losses_far_above_that_of_zero_weights_are_reported_as_divergence():
    X, y = make_classification(300, 8, n_informative=4, random_state=1)
    with pytest.warns(ConvergenceWarning, match=r"diverged.*learning_rate='optimal'.*raise alpha") as warned:
        model = SGDClassifier(loss="squared_hinge", random_state=0).fit(X, y)
    assert losses.SquaredHinge().value(2.0 * y - 1, model.decision_function(X)).mean() > 100, (
        "where weights of zero lose 1"
    )
    assert not model.certificate_.holds and model.trace_.stopped == "diverged"
    assert "scale y" not in str(warned[0].message) + model.certificate_.sentence
    calm = SGDClassifier(loss="squared_hinge", learning_rate="adaptive", eta0=1e-3, random_state=0).fit(X, y)
    assert calm.certificate_.holds and calm.trace_["objective"][-1] < 1


@pytest.mark.parametrize("loss", ["hinge", "log_loss", "modified_huber", "perceptron", "exponential"])
def test_default_steps_on_scaled_columns_do_not_diverge(loss):
    X, y = load_breast_cancer(return_X_y=True)
    model = SGDClassifier(loss=loss, random_state=0).fit((X - X.mean(axis=0)) / X.std(axis=0), y)
    assert model.certificate_.holds and model.trace_.stopped == "converged"


def test_sparse_rows_are_the_same_rows_when_there_is_no_intercept():
    X, y = problem(9)
    X[np.abs(X) < 0.8] = 0
    options = {"fit_intercept": False, **FIXED}
    dense = SGDClassifier(**options).fit(X, y)
    thin = SGDClassifier(**options).fit(sparse.csr_array(X), y)
    assert_allclose(dense.coef_, thin.coef_, rtol=1e-12)
    assert_allclose(thin.sparsify().decision_function(X), dense.decision_function(X), rtol=1e-12)


@pytest.mark.filterwarnings("ignore::FutureWarning")  # scikit-learn is about to drop its own
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_passive_aggressive_classification_is_that_of_scikit_learn(loss):
    X, y = problem(10, classes=3)
    options = {"loss": loss, "C": 0.1, "shuffle": False, "max_iter": 3, "tol": None}
    ours = PassiveAggressiveClassifier(**options).fit(X, y)
    other = theirs.PassiveAggressiveClassifier(**options).fit(X, y)
    assert_allclose(ours.coef_, other.coef_, rtol=1e-9)
    assert_array_equal(ours.predict(X), other.predict(X))


@pytest.mark.filterwarnings("ignore::FutureWarning")  # scikit-learn is about to drop its own
@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
def test_passive_aggressive_regression_is_that_of_scikit_learn(loss):
    X, _ = problem(11)
    y = X @ [1.0, -2.0, 0.5, 0.0] + 1
    options = {"loss": loss, "C": 0.1, "shuffle": False, "max_iter": 3, "tol": None}
    ours = PassiveAggressiveRegressor(**options).fit(X, y)
    other = theirs.PassiveAggressiveRegressor(**options).fit(X, y)
    assert_allclose(ours.coef_, other.coef_, rtol=1e-9)
    assert_allclose(ours.predict(X), other.predict(X), rtol=1e-9)


def test_the_limit_of_epochs_is_reported():
    X, y = problem(12)
    with pytest.warns(ConvergenceWarning, match="iteration limit after 2"):
        SGDClassifier(max_iter=2, random_state=0).fit(X, y)


@pytest.mark.parametrize("seed", range(3))
def test_the_exponential_loss_keeps_weights(seed):
    X, y = load_breast_cancer(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    model = SGDClassifier(loss="exponential", random_state=seed).fit(X, y)
    assert model.score(X, y) > 0.93 and np.isfinite(model.trace_["objective"]).all()
    draws = np.random.default_rng(seed)
    SGDClassifier(loss="exponential", random_state=seed).fit(draws.normal(size=(150, 4)), np.arange(150) % 2)


@pytest.mark.parametrize("unit", [0.1, 1.0, 10.0, 100.0])
@pytest.mark.parametrize("seed", range(4))
def test_the_exponential_loss_stays_small_on_classes_that_overlap(seed, unit):
    draws = np.random.default_rng(seed)
    X = unit * draws.normal(size=(300, 5))
    y = (X[:, 0] / unit + draws.normal(size=300) > 0).astype(int)
    model = SGDClassifier(loss="exponential", random_state=seed).fit(X, y)
    assert model.trace_.stopped == "converged"
    assert np.exp(-np.where(y == 1, 1, -1) * model.decision_function(X)).mean() < 5
