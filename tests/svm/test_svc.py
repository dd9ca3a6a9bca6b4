"""Support vector classifiers against LIBSVM, against the definitions, and on odd data."""

from __future__ import annotations

import warnings
from itertools import combinations
from math import comb

import numpy as np
import pytest
import sklearn.svm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import load_iris, make_circles

import learnable
from learnable.parts.kernels import Gaussian, Linear, Precomputed
from learnable.svm import SVC, NuSVC, primal_or_dual
from learnable.svm._one_vs_one import coupled_probabilities

X, Y = load_iris(return_X_y=True)
KERNELS = [
    {},
    {"kernel": "linear"},
    {"kernel": "poly", "degree": 2, "coef0": 1.0},
    {"kernel": "sigmoid", "gamma": 0.01},
    {"class_weight": "balanced", "C": 0.1},
    {"class_weight": {0: 5.0}},
    {"gamma": "auto", "C": 30.0},
]


def overlapping(seed, rows=120):
    rng = np.random.default_rng(seed)
    points = rng.standard_normal((rows, 2))
    return points, (points[:, 0] * points[:, 1] + 0.7 * rng.standard_normal(rows) > 0).astype(int)


@pytest.mark.parametrize("options", KERNELS)
@pytest.mark.parametrize("classes", [2, 3])
def test_the_model_is_that_of_libsvm(options, classes):
    y = np.minimum(Y[::-1], classes - 1)
    ours, theirs = (cls(tol=1e-9, **options).fit(X, y) for cls in (SVC, sklearn.svm.SVC))
    for name in ("support_", "n_support_", "class_weight_", "shape_fit_", "fit_status_"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name), err_msg=name)
    np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, atol=1e-3 * np.abs(theirs.dual_coef_).max())
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-3)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), rtol=1e-4, atol=1e-3)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    pairwise = ours.set_params(decision_function_shape="ovo").decision_function(X)
    np.testing.assert_allclose(
        pairwise, theirs.set_params(decision_function_shape="ovo").decision_function(X), rtol=1e-4, atol=1e-3
    )
    if options.get("kernel") == "linear":
        np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-3)
    else:
        assert not hasattr(ours, "coef_")


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 1000), st.sampled_from([0.1, 1.0, 20.0]), st.sampled_from([0.05, 0.5, 5.0]))
def test_the_report_says_what_the_definitions_say(seed, C, gamma):
    points, y = overlapping(seed)
    weight = np.random.default_rng(seed).uniform(0, 2, len(y))
    model = SVC(C=C, gamma=gamma).fit(points, y, weight)
    report = model.kkt_report(points, y, weight)
    K = np.exp(-gamma * ((points[:, None] - points) ** 2).sum(axis=2))
    sign = np.where(y == 1, 1.0, -1.0)
    b = np.zeros(len(y))
    b[model.support_] = model.dual_coef_[0]
    f = K @ b
    slack = np.maximum(0, 1 - sign * (f + model.intercept_[0]))
    primal, dual = b @ f / 2 + C * weight @ slack, np.abs(b).sum() - b @ f / 2
    assert ((b * sign >= 0) & (b * sign <= C * weight * (1 + 1e-12))).all() and abs(b.sum()) < 1e-9 * max(1, C)
    assert (report.primal, report.dual) == (pytest.approx(primal, rel=1e-9), pytest.approx(dual, rel=1e-9))
    assert report.gap >= -1e-9 * primal and report.gap <= 2e-3 * C * weight.sum()
    rise, fall = np.where(sign > 0, b < C * weight, b < 0), np.where(sign > 0, b > 0, b > -C * weight)
    violation = (sign - f)[rise].max() - (sign - f)[fall].min()
    assert report.violation == pytest.approx(max(violation, 0), abs=1e-9)
    assert violation <= 1e-3 and model.certificate_.holds
    np.testing.assert_allclose(report.slack, slack, atol=1e-9)
    theirs = sklearn.svm.SVC(C=C, gamma=gamma).fit(points, y, weight)
    c = np.zeros(len(y))
    c[theirs.support_] = theirs.dual_coef_[0]
    assert dual >= np.abs(c).sum() - c @ K @ c / 2 - 1e-9 * dual, "LIBSVM's dual is better at the same tolerance"


def test_roles_of_rows_at_the_margin():
    """By symmetry f(x) = w x, and w = 1/4 solves w = sum a_i |x_i| signed with the rows within 4 at their bound."""
    points = np.array([-9.0, -4.0, -1.0, -0.2, 1.5, -1.5, 0.2, 1.0, 4.0, 9.0])[:, None]
    y = np.repeat([0, 1], 5)
    model = SVC(kernel="linear", C=0.2).fit(points, y)
    report = model.kkt_report(points, y)
    left = ["outside", "margin", "inside", "inside", "wrong"]
    assert report.roles.tolist() == left + left[::-1]
    np.testing.assert_allclose(report.slack, [0, 0, 0.75, 0.95, 1.375, 1.375, 0.95, 0.75, 0, 0], atol=1e-9)
    free = (0.25 - 0.2 * 2 * (1 + 0.2 - 1.5)) / 8
    np.testing.assert_allclose(report.alpha[:5], [0, free, 0.2, 0.2, 0.2], atol=1e-9)
    assert report.margin == pytest.approx(8.0) and report.gap == pytest.approx(0, abs=1e-9)
    assert report.counts == {"outside": 2, "margin": 2, "inside": 4, "wrong": 2} and "2 outside" in str(report)
    with pytest.raises(ValueError, match="data of the fit"):
        model.kkt_report(points[:-1], y[:-1])


def test_the_hard_margin_of_two_points_and_of_a_square():
    model = SVC(kernel="linear", C=np.inf, tol=1e-10).fit([[0.0, 0.0], [2.0, 0.0], [3.0, 1.0]], [0, 1, 1])
    np.testing.assert_allclose(model.coef_, [[1.0, 0.0]], atol=1e-8)
    np.testing.assert_allclose(model.intercept_, [-1.0], atol=1e-8)
    assert model.kkt_report([[0.0, 0.0], [2.0, 0.0], [3.0, 1.0]], [0, 1, 1]).margin == pytest.approx(2.0)
    corners, xor = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]), [0, 0, 1, 1]
    assert SVC(kernel="poly", degree=2, coef0=1.0, gamma=1.0, C=np.inf).fit(corners, xor).score(corners, xor) == 1


def test_a_hard_margin_that_does_not_exist_is_refused():
    corners, xor = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]), [0, 0, 1, 1]
    with pytest.raises(learnable.DataError, match=r"not separable.*C must be finite"):
        SVC(kernel="linear", C=np.inf).fit(corners, xor)
    points, y = overlapping(0)
    with pytest.raises(learnable.DataError, match="not separable"):
        SVC(kernel="linear", C=np.inf).fit(points, y)
    with pytest.raises(learnable.DataError, match="not separable"):
        SVC(C=np.inf).fit([[0.0], [0.0], [1.0]], [0, 1, 1])


@pytest.mark.parametrize("far", [1e6, 1e9, 1e12])
def test_a_hard_margin_between_neighbours_is_found_however_far_a_third_row_is(far):
    model = SVC(kernel="linear", C=np.inf).fit([[0.0], [1.0], [far]], [0, 1, 1])
    np.testing.assert_allclose(model.coef_, [[2.0]])
    np.testing.assert_allclose(model.intercept_, [-1.0])
    assert model.certificate_.holds


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("C", [1e8, 1e10])
def test_an_extreme_C_does_not_iterate_forever(C, kernel):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2))
    y = (X[:, 0] + 0.7 * rng.normal(size=120) > 0).astype(int)
    model = SVC(kernel=kernel, C=C).fit(X, y)
    report = model.kkt_report(X, y)
    assert model.certificate_.holds and report.violation <= model.tol
    assert report.gap <= 1e-3 * report.primal
    assert model.n_iter_[0] < 500_000


def test_an_outlier_moves_the_hard_margin_more_than_the_soft_one():
    rng = np.random.default_rng(0)
    points = np.vstack([rng.normal(-3, 0.5, (20, 2)), rng.normal(3, 0.5, (20, 2))])
    y = np.repeat([0, 1], 20)
    moved = points.copy()
    moved[0] = [1.5, 1.5]
    shift = {}
    for C in (0.01, np.inf):
        before, after = (SVC(kernel="linear", C=C).fit(rows, y) for rows in (points, moved))
        shift[C] = np.abs(after.decision_function([[0.0, 0.0]]) - before.decision_function([[0.0, 0.0]]))[0]
    assert shift[np.inf] > 5 * shift[0.01]


def test_kernels_in_every_form_agree():
    plain = SVC(gamma=0.3, tol=1e-8).fit(X, Y)
    expected = plain.decision_function(X)

    def table(A, B):
        return np.exp(-0.3 * ((A[:, None] - B) ** 2).sum(axis=2))

    for model in (SVC(kernel=table, tol=1e-8), SVC(kernel=Gaussian(0.3), tol=1e-8)):
        np.testing.assert_allclose(model.fit(X, Y).decision_function(X), expected, atol=1e-5)
    given_matrix = SVC(kernel="precomputed", tol=1e-8).fit(table(X, X), Y)
    np.testing.assert_allclose(given_matrix.decision_function(table(X, X)), expected, atol=1e-5)
    assert given_matrix.support_vectors_.shape == (0, 0) and len(given_matrix.support_) == len(plain.support_)
    held = SVC(gamma=0.3, tol=1e-8).fit(sparse.csr_array(X), Y)
    np.testing.assert_allclose(held.decision_function(sparse.csr_array(X)), expected, atol=1e-5)
    np.testing.assert_allclose(held.decision_function(X), expected, atol=1e-5)
    assert sparse.issparse(held.dual_coef_) and sparse.issparse(held.support_vectors_)
    with pytest.raises(ValueError, match="one row and one column for each row"):
        SVC(kernel="precomputed").fit(X, Y)
    mixed = SVC(kernel=0.5 * Linear() + Gaussian(0.3)).fit(X, Y)
    assert mixed.score(X, Y) > 0.95


def test_probabilities_are_cross_fitted_and_repeatable():
    points, y = overlapping(1, 300)
    with_y = np.where(points[:, 0] > 1, 2, y)
    for target in (y, with_y):
        model = SVC(probability=True, random_state=3).fit(points, target)
        probabilities = model.predict_proba(points)
        np.testing.assert_allclose(probabilities.sum(axis=1), 1)
        again = SVC(probability=True, random_state=3).fit(points, target)
        assert again.predict_proba(points).tobytes() == probabilities.tobytes()
        other = SVC(probability=True, random_state=4).fit(points, target)
        assert other.predict_proba(points).tobytes() != probabilities.tobytes()
        np.testing.assert_allclose(np.exp(model.predict_log_proba(points)), probabilities)
        assert len(model.probA_) == len(model.probB_) == comb(len(model.classes_), 2) and (model.probA_ < 0).all()
    fresh, predictions = overlapping(2, 4000)
    said = SVC(probability=True, random_state=0).fit(points, y).predict_proba(fresh)[:, 1]
    for low in (0.1, 0.3, 0.5, 0.7):
        group = (said > low) & (said <= low + 0.2)
        assert abs(predictions[group].mean() - said[group].mean()) < 0.12, "probabilities are far from frequencies"
    assert not hasattr(SVC().fit(points, y), "predict_proba")


def test_coupling_gives_back_probabilities_that_fit_together():
    p = np.array([[0.5, 0.3, 0.15, 0.05], [0.25, 0.25, 0.25, 0.25]])
    pairwise = np.column_stack([p[:, i] / (p[:, i] + p[:, j]) for i, j in combinations(range(4), 2)])
    np.testing.assert_allclose(coupled_probabilities(pairwise, 4), p, atol=1e-12)


@pytest.mark.parametrize("C", [1e-8, 1e-3, 1e3, 1e8])
@pytest.mark.parametrize("gamma", [1e-12, 1e-3, 1e3, 1e12])
def test_extreme_costs_and_widths(C, gamma):
    points, y = overlapping(5, 40)
    points = np.vstack([points, points[:5]])
    y = np.concatenate([y, y[:5]])
    model = SVC(C=C, gamma=gamma, max_iter=200_000)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", learnable.ConvergenceWarning)  # flat kernels at enormous costs take very long
        model.fit(points, y)
    assert model.certificate_.holds or (C > 1e3 and gamma < 1)
    assert np.isfinite(model.decision_function(points)).all()
    if gamma >= 1e3 and C >= 1:
        assert model.score(points, y) == 1, "narrow bumps fit every row"


def test_classes_without_weight_and_one_class():
    with pytest.raises(ValueError, match="y holds one class"):
        SVC().fit([[0.0], [1.0]], [1, 1])
    with pytest.raises(ValueError, match="two classes or more"):
        SVC().fit([[0.0], [1.0]], [0, 1], [1, 0])
    weight = np.where(Y == 1, 0.0, 1.0)
    model = SVC().fit(X, Y, weight)
    assert set(model.predict(X)) <= {0, 2} and model.n_support_[1] == 0


def test_ties_are_broken_only_on_request():
    points, rings = make_circles(200, factor=0.3, noise=0.05, random_state=0)
    y = np.where(points[:, 0] > 0.8, 2, rings)
    model = SVC(break_ties=True).fit(points, y)
    np.testing.assert_array_equal(model.predict(points), model.classes_[model.decision_function(points).argmax(axis=1)])
    with pytest.raises(ValueError, match="break_ties=True needs"):
        SVC(break_ties=True, decision_function_shape="ovo").fit(points, y).predict(points)


def test_nu_bounds_fractions_of_rows():
    points, y = overlapping(3, 200)
    for nu in (0.2, 0.5, 0.7):
        model = NuSVC(nu=nu, gamma=20.0, tol=1e-6).fit(points, y)
        sign = np.where(y == 1, 1, -1)
        inside = (sign * model.decision_function(points) < 1 - 1e-4).mean()
        assert inside <= nu <= len(model.support_) / len(y) + 1e-9
    with pytest.raises(ValueError, match="nu is infeasible"):
        NuSVC(nu=0.9).fit(points[:50], np.arange(50) < 5)


def test_nu_and_c_parametrise_one_model():
    points, y = overlapping(4)
    by_nu = NuSVC(nu=0.4, gamma=0.5, tol=1e-10).fit(points, y)
    C = np.abs(by_nu.dual_coef_).max()
    by_c = SVC(C=C, gamma=0.5, tol=1e-10).fit(points, y)
    np.testing.assert_allclose(by_c.decision_function(points), by_nu.decision_function(points), atol=1e-5)


def test_searches_find_the_scores_of_the_plain_loop():
    from learnable.model_selection import GridSearchCV

    points, y = overlapping(6, 150)
    labels = np.array(["no", "yes", "perhaps"])[np.where(points[:, 0] > 1.2, 2, y)]
    grid = {"C": [0.1, 10.0, 1.0], "gamma": [0.1, 1.0]}
    for target, options in ((labels, {}), (labels == "yes", {"class_weight": "balanced"})):
        for gamma in (grid, {**grid, "gamma": ["scale", "auto"]}):
            fast = GridSearchCV(SVC(tol=1e-6, **options), gamma, cv=3, return_train_score=True).fit(points, target)
            slow = GridSearchCV(sklearn.svm.SVC(tol=1e-6, **options), gamma, cv=3, return_train_score=True)
            slow.fit(points, target)
            for column in ("mean_test_score", "mean_train_score"):
                np.testing.assert_allclose(fast.cv_results_[column], slow.cv_results_[column], atol=1e-12)


def test_all_folds_share_the_kernel_matrix_of_a_gamma(monkeypatch):
    from learnable.model_selection import GridSearchCV
    from learnable.svm import _cv_path

    made, table = [], _cv_path._table
    monkeypatch.setattr(_cv_path, "_table", lambda *of: made.append(of[0].gamma) or table(*of))
    points, y = overlapping(8, 150)
    grid = {"gamma": [0.1, 10.0, "auto"]}
    fast = GridSearchCV(SVC(C=3.0, tol=1e-6), grid, cv=3, return_train_score=True).fit(points, y)
    assert made == grid["gamma"]
    slow = GridSearchCV(sklearn.svm.SVC(C=3.0, tol=1e-6), grid, cv=3, return_train_score=True).fit(points, y)
    for column in ("mean_test_score", "mean_train_score"):
        np.testing.assert_allclose(fast.cv_results_[column], slow.cv_results_[column], atol=1e-12)
    assert fast.best_params_ == slow.best_params_


def test_searches_with_weights_take_the_same_way():
    from learnable.model_selection import GridSearchCV

    points, y = overlapping(7, 100)
    weight = np.random.default_rng(0).uniform(0.5, 2, 100)
    fast = GridSearchCV(SVC(tol=1e-8), {"C": [0.1, 1.0, 10.0]}, cv=3, scoring="roc_auc")
    fast.fit(points, y, sample_weight=weight)
    one = [
        GridSearchCV(SVC(tol=1e-8), {"C": [C]}, cv=3, scoring="roc_auc").fit(points, y, sample_weight=weight)
        for C in (0.1, 1.0, 10.0)
    ]
    np.testing.assert_allclose(
        fast.cv_results_["mean_test_score"], [search.cv_results_["mean_test_score"][0] for search in one], atol=1e-9
    )


def test_the_form_to_solve():
    assert primal_or_dual(1000, 10).form == "primal" and primal_or_dual(10, 1000).form == "dual"
    assert primal_or_dual(1000, 10, "rbf").estimator == "SVC"
    for wrong in ((0, 1), (10, 5, "foo"), (10.5, 3), (10, float("nan"))):
        with pytest.raises(ValueError, match=r"primal_or_dual: (kernel|n_samples|n_features) must be"):
            primal_or_dual(*wrong)


def test_similarities_are_split_by_rows_and_columns():
    K = X @ X.T
    given = learnable.cross_val_score(SVC(kernel="precomputed"), K, Y, cv=3)
    np.testing.assert_allclose(given, learnable.cross_val_score(SVC(kernel="linear"), X, Y, cv=3))
    search = learnable.GridSearchCV(SVC(kernel="precomputed"), {"C": [0.1, 1.0]}, cv=3).fit(K, Y)
    assert search.cv_results_["mean_test_score"][1] == pytest.approx(given.mean())


@pytest.mark.parametrize(("seed", "gamma", "weight"), [(0, 0.01, None), (3, 0.1, "balanced"), (8, 0.1, "balanced")])
def test_the_score_of_a_C_does_not_depend_on_smaller_ones(seed, gamma, weight):
    """Where all variables are within rounding of their bounds, rounding must not choose among the constants."""
    from learnable.model_selection import GridSearchCV

    rng = np.random.default_rng(seed)
    points = rng.normal(size=(80 if weight else 200, 5))
    target = ((points @ np.arange(5) + rng.normal(size=len(points))) > 0)[:80] * 1
    for costs in ([0.01, 0.1], [0.1, 1.0]):
        alone, after = (
            GridSearchCV(SVC(class_weight=weight), {"C": some, "gamma": [gamma]}).fit(points[:80], target).cv_results_
            for some in (costs[1:], costs)
        )
        for split in range(5):
            assert alone[f"split{split}_test_score"][0] == after[f"split{split}_test_score"][1]


def test_the_smallest_nu_that_leaves_a_margin_is_reported_and_correct():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 2))
    y = (X[:, 0] + rng.normal(size=60) > 0).astype(int)
    with pytest.raises(learnable.DataError, match=r"nu must be above 0\.581 with this kernel"):
        NuSVC(nu=0.57, kernel="linear").fit(X, y)
    assert NuSVC(nu=0.59, kernel="linear").fit(X, y).certificate_.holds


def test_the_kernel_of_given_similarities_is_the_name_of_it(tmp_path):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 2)), np.repeat([0, 1, 2], 10)
    K, weight = X @ X.T, rng.integers(0, 3, 30)
    named, given = (SVC(kernel=kernel).fit(K, y, weight) for kernel in ("precomputed", Precomputed()))
    np.testing.assert_array_equal(given.decision_function(K), named.decision_function(K))
    learnable.save(given, tmp_path / "given.learnable")
    loaded = learnable.load(tmp_path / "given.learnable")
    np.testing.assert_array_equal(loaded.decision_function(K), named.decision_function(K))
