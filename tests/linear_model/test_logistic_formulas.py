"""What a course says of logistic regression, computed by hand beside the estimator."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit

from learnable import FixedThresholdClassifier, KBinsDiscretizer, LogisticRegression, OneVsRestClassifier, log_loss
from learnable.core import ParameterError, Trace
from learnable.engines.minimise.smooth_solver import certify_gradient
from learnable.pipeline import make_pipeline
from learnable.preprocessing import PolynomialFeatures


def draw(seed=0, n=200):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return X, (rng.random(n) < expit(X @ [1.0, -0.7] + 0.3)).astype(int)


def wide(X):
    return np.column_stack([np.ones(len(X)), X])


def together(model):
    return np.append(model.intercept_, model.coef_)


def test_a_weight_is_the_change_of_the_log_odds():
    """CLS-05, E-070: the log-odds are linear with a constant; one more of a column multiplies the odds by exp(w)."""
    X, y = draw()
    model = LogisticRegression(C=np.inf).fit(X, y)
    p = model.predict_proba(X)[:, 1]
    assert_allclose(np.log(p / (1 - p)), wide(X) @ together(model), atol=1e-10)
    moved = model.predict_proba(X + [0.0, 1.0])[:, 1]
    assert_allclose((moved / (1 - moved)) / (p / (1 - p)), np.exp(model.coef_[0, 1]))
    assert_array_equal(model.predict(X), (wide(X) @ together(model) > 0).astype(int))


@pytest.mark.parametrize("form", ["zero-one", "signs"])
def test_gradient_descent_by_hand_ends_at_the_same_weights(form):
    """CLS-06: X'(p - y) / m for labels 0 and 1, and the gradient of the mean of log(1 + exp(-y z)) for -1 and 1."""
    X, y = draw(1)
    Z, w, sign = wide(X), np.zeros(3), np.where(y == 1, 1.0, -1.0)
    for _ in range(2000):
        z = Z @ w
        by_penalty = expit(z) - y if form == "zero-one" else -sign * expit(-sign * z)
        w -= Z.T @ by_penalty / len(y)
    assert_allclose(w, together(LogisticRegression(C=np.inf, tol=1e-8).fit(X, y)), atol=1e-6)


def test_newton_steps_are_weighted_least_squares():
    """CLS-07, E-072: beta - H^-1 g with H = -X'WX is (X'WX)^-1 X'W z; p and W are new in every pass."""
    X, y = draw(2)
    Z, beta = wide(X), np.zeros(3)
    for _ in range(10):
        p = expit(Z @ beta)
        W = p * (1 - p)
        newton = beta + np.linalg.solve(Z.T @ (W[:, None] * Z), Z.T @ (y - p))
        beta = np.linalg.solve(Z.T @ (W[:, None] * Z), Z.T @ (W * (Z @ beta + (y - p) / W)))
        assert_allclose(beta, newton, rtol=1e-9)
    assert_allclose(beta, together(LogisticRegression(C=np.inf, tol=1e-8).fit(X, y)), atol=1e-8)


@pytest.mark.parametrize("strength", [0.05, 1.0, 30.0])
def test_the_penalised_gradient_vanishes_and_the_intercept_is_not_penalised(strength):
    """CLS-08, E-074: of l - s b'b the gradient is g - 2 s b, without a term for the constant; C = 1 / (2 s)."""
    X, y = draw(3)
    model = LogisticRegression(C=1 / (2 * strength), tol=1e-8).fit(X, y)
    g = wide(X).T @ (y - model.predict_proba(X)[:, 1])
    assert_allclose(g - 2 * strength * np.append(0.0, model.coef_), 0, atol=1e-5)


@pytest.mark.parametrize("strength", [2.0, 12.0])
def test_the_l1_penalty_has_a_subgradient(strength):
    """CLS-09, E-075: g = s sign(b) where a weight is not zero, |g| <= s where it is."""
    X, y = draw(4)
    X = np.column_stack([X, np.random.default_rng(0).normal(size=(len(X), 3))])
    model = LogisticRegression(C=1 / strength, l1_ratio=1.0, tol=1e-8).fit(X, y)
    g, w = X.T @ (y - model.predict_proba(X)[:, 1]), model.coef_[0]
    assert (w == 0).any() and (w != 0).any()
    assert_allclose(g[w != 0], strength * np.sign(w[w != 0]), atol=1e-3)
    assert (np.abs(g[w == 0]) <= strength + 1e-3).all()


def test_standard_errors_are_roots_of_the_inverse_curvature():
    """CLS-10: sqrt of the diagonal of (X'WX)^-1, z = coef / error, odds ratio exp(coef)."""
    X, y = draw(5)
    model = LogisticRegression(C=np.inf).fit(X, y)
    table, p = model.summary().table, model.predict_proba(X)[:, 1]
    error = np.sqrt(np.diag(np.linalg.inv(wide(X).T @ ((p * (1 - p))[:, None] * wide(X)))))
    assert_allclose(table["std_err"], error, rtol=1e-5)
    assert_allclose(table["z"], together(model) / error, rtol=1e-5)
    assert_allclose(table["odds_ratio"], np.exp(together(model)))


def test_odds_ratios_that_are_small_keep_their_digits():
    X, y = draw(5)
    model = LogisticRegression(C=np.inf).fit(X / 40, y)  # so that a unit of each matters very much
    table, shown = model.summary().table, str(model.summary())
    for name in ("odds_ratio", "odds_low", "odds_high"):
        for value in table[name]:
            assert (f"{value:.3e}" if value < 0.0005 or value >= 1e9 else f"{value:.3f}") in shown
    assert min(table["odds_ratio"]) < 0.0005


def test_the_gradient_of_several_classes_is_a_sum_of_products():
    """CLS-12, E-078: sum of (mu_i - y_i) x_i is the gradient of minus the log-likelihood, so that it vanishes."""
    X, _ = draw(6)
    y = np.random.default_rng(6).integers(0, 3, len(X))
    for C in (np.inf, 0.5):
        model = LogisticRegression(C=C, tol=1e-8).fit(X, y)
        by_penalty = (model.predict_proba(X) - np.eye(3)[y]).T @ wide(X)
        assert_allclose(by_penalty[:, 1:] + (0 if np.isinf(C) else model.coef_ / C), 0, atol=1e-4)
        assert_allclose(by_penalty[:, 0], 0, atol=1e-4)


def test_weights_of_classes_are_weights_of_their_rows():
    """CLS-13: also of "balanced", n / (K n_k)."""
    X, y = draw(7)
    y[:120] = 0
    each = np.where(y == 1, 3.0, 0.5)
    named = LogisticRegression(class_weight={0: 0.5, 1: 3.0}).fit(X, y)
    assert_allclose(together(named), together(LogisticRegression().fit(X, y, each)), rtol=1e-10)
    even = len(y) / (2 * np.bincount(y))
    balanced = LogisticRegression(class_weight="balanced").fit(X, y)
    assert_allclose(together(balanced), together(LogisticRegression().fit(X, y, even[y])), rtol=1e-8)


def test_bins_and_interactions_make_the_boundary_nonlinear():
    """CLS-14: levels of binned columns, and products of them."""
    rng = np.random.default_rng(8)
    X = rng.uniform(-1, 1, size=(400, 2))
    y = X[:, 0] * X[:, 1] > 0
    assert LogisticRegression().fit(X, y).score(X, y) < 0.7
    bins = KBinsDiscretizer(4, strategy="uniform")
    model = make_pipeline(bins, PolynomialFeatures(2, interaction_only=True), LogisticRegression())
    assert model.fit(X, y).score(X, y) > 0.97


def test_a_threshold_decides_and_ties_go_to_the_first_class():
    """FRM-11: class 1 if p > T, one half if nothing is said."""
    X, y = draw(9)
    model = LogisticRegression().fit(X, y)
    p = model.predict_proba(X)[:, 1]
    assert_array_equal(model.predict(X), (p > 0.5).astype(int))
    for threshold in (0.2, 0.8):
        chosen = FixedThresholdClassifier(LogisticRegression(), threshold=threshold).fit(X, y)
        assert_array_equal(chosen.predict(X), (p >= threshold).astype(int))
    level = LogisticRegression(fit_intercept=False).fit([[-1.0], [1.0]], [0, 1])
    assert level.predict_proba([[0.0]])[0, 1] == 0.5 and level.predict([[0.0]])[0] == 0


def test_labels_of_their_own_have_a_cross_entropy_each():
    """LOS-11: one sigmoid and one cross-entropy for every label; their sum is lowest where each of them is."""
    X, first = draw(10)
    Y = np.column_stack([first, (X[:, 1] + 0.5 * np.random.default_rng(1).normal(size=len(X)) > 0)]).astype(int)
    model = OneVsRestClassifier(LogisticRegression(C=np.inf, tol=1e-8)).fit(X, Y)
    p = model.predict_proba(X)
    by_hand = -np.mean(Y * np.log(p) + (1 - Y) * np.log(1 - p), axis=0)
    assert_allclose(by_hand, [log_loss(Y[:, k], p[:, k]) for k in range(2)], rtol=1e-10)
    for k in range(2):
        assert_allclose(wide(X).T @ (p[:, k] - Y[:, k]), 0, atol=1e-4)


@pytest.mark.parametrize("weight", [{0: -1.0, 1: 1.0}, {0: np.inf, 1: 1.0}, {0: np.nan}])
def test_weights_of_classes_that_make_no_sense_are_refused(weight):
    with pytest.raises(ParameterError, match="weights in class_weight must be finite and not negative"):
        LogisticRegression(class_weight=weight).fit(*draw())


@pytest.mark.parametrize("tol", [1e-4, 1e-10])
@pytest.mark.parametrize("apart", [1e-10, 1e-12, 1e-13])
def test_columns_that_others_nearly_repeat_are_certified_by_what_cancels_in_the_penalty(apart, tol):
    """After the rotation the penalty sums large terms, whose rounding is not a gradient."""
    X, y = draw(6)
    X = np.column_stack([X, X[:, 0] + apart * np.random.default_rng(6).normal(size=len(X))])
    model = LogisticRegression(tol=tol).fit(X, y)
    row_gradient = model.predict_proba(X)[:, 1] - y
    by_penalty = together(model) * [0, 1, 1, 1]
    gradient, size = (
        by_penalty + wide(X).T @ row_gradient,
        np.abs(by_penalty) + np.abs(wide(X)).T @ np.abs(row_gradient),
    )
    assert np.abs(gradient / size).max() < 2 * max(tol * tol, 1e-10)
    assert model.certificate_.holds and model.certificate_.tolerance == max(tol * tol, 1e-10)


def test_a_gradient_that_rounding_keeps_from_the_square_of_tol_may_meet_tol_itself():
    trace = Trace(stopped="stalled")
    certify_gradient(1e-6, 1e-4, np.float64, trace)
    assert trace.stopped == "converged" and trace.certificate.holds and trace.certificate.tolerance == 1e-4
    trace.stopped = "stalled"
    certify_gradient(1e-3, 1e-4, np.float64, trace)
    assert trace.stopped == "stalled" and not trace.certificate.holds


def test_probabilities_of_several_classifiers_are_certified():
    """Those of a class that all of them know differ by nearly nothing."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 150)
    sure = (y == 0).astype(float)
    left = rng.beta(3, 1, 150) * np.where(y == 1, 1, 0.2)
    nearly = np.abs(sure - 1e-12 * rng.random(150))
    one = np.column_stack([sure, (1 - sure) * left, (1 - sure) * (1 - left)])
    two = np.column_stack([nearly, (1 - nearly) * left**2, (1 - nearly) * (1 - left**2)])
    model = LogisticRegression().fit(np.hstack([one, two]), y)
    assert model.certificate_.holds and model.certificate_.tolerance == 1e-8
