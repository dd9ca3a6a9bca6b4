"""Support vector machines say what they have proven and no more: each claim is computed again from its definition."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import sklearn.svm

import learnable
from learnable import ConvergenceWarning, DataError, ParameterError
from learnable.core import Trace
from learnable.engines.minimise.duality import gap_between
from learnable.engines.minimise.linear_svm.l1_squared_hinge import L1SquaredHinge
from learnable.svm import SVC, SVR, LinearSVC, NuSVC, NuSVR


def noisy(rows, columns=2, seed=0, noise=0.3):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, columns))
    return X, (X[:, 0] + noise * rng.standard_normal(rows) > 0).astype(int)


def violation_of(model, K, y, upper):
    """How much the decision values of rows that can rise exceed those of rows that can fall."""
    sign, b = np.where(y == 1, 1.0, -1.0), np.zeros(len(y))
    b[model.support_] = model.dual_coef_[0]
    steep, alpha = sign - K @ b, b * sign
    rise, fall = np.where(sign > 0, alpha < upper, alpha > 0), np.where(sign > 0, alpha > 0, alpha < upper)
    return steep[rise].max() - steep[fall].min()


def test_not_a_number_proves_nothing():
    assert np.isnan(gap_between(1.0, np.nan)) and gap_between(1.0, 1.5) == 0
    trace = Trace()
    trace.certify("gap", gap_between(np.nan, 0.0), 1.0, "nothing")
    assert not trace.certificate.holds


def test_equal_kernel_values_err_alike_in_single_precision():
    """Two points, each there many times, whose similarity lies halfway between two numbers of single precision."""
    half, C = 1500, 9.0
    similarity = 1 - 1 / (half * C * 0.98)
    similarity = 1 - (np.floor((1 - similarity) * 2**24) + 0.5) / 2**24
    X, y = np.zeros((2 * half, 1)), np.repeat([0, 1], half)
    X[half:] = np.sqrt(-np.log(similarity))
    model = SVC(gamma=1.0, C=C).fit(X, y)
    K = np.where(np.equal.outer(y, y), 1.0, np.exp(-(float(X[-1, 0]) ** 2)))
    assert violation_of(model, K, y, C) == pytest.approx(model.certificate_.value, abs=1e-9)
    assert model.certificate_.holds


@pytest.mark.parametrize("scale", [1e-3, 1.0])
def test_nu_svc_is_certified_in_units_of_its_margin(scale):
    X, y = noisy(1500)
    X *= scale
    model = NuSVC(kernel="linear", nu=0.4).fit(X, y)
    violation = violation_of(model, X @ X.T, y, np.abs(model.dual_coef_).max())
    assert violation <= 1e-3 + 1e-9 and model.certificate_.holds
    assert model.certificate_.value == pytest.approx(max(violation, 0.0), abs=1e-6)
    assert model.score(X, y) >= sklearn.svm.NuSVC(kernel="linear", nu=0.4).fit(X / scale, y).score(X / scale, y) - 0.01


def test_contradictory_rows_leave_no_margin_to_scale():
    with pytest.raises(DataError, match=r"margin has width zero.*no nu leaves one with this kernel"):
        NuSVC().fit([[0.0], [0.0], [1.0], [1.0]], [0, 1, 0, 1])


def test_a_row_without_cost_has_no_part_in_the_bound():
    X, y = noisy(200, 3)
    sign, counts = np.where(y == 1, 1.0, -1.0), np.arange(200) % 2 == 0
    methods = (
        L1SquaredHinge(X, sign, np.where(counts, 1.0, 0.0), 1e-6),
        L1SquaredHinge(X[counts], sign[counts], np.ones(100), 1e-6),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        states = [method.step(method.start()) for method in methods]
    assert states[0]["gap"] == pytest.approx(states[1]["gap"], abs=1e-9) and states[0]["gap"] > 0


@pytest.mark.parametrize("options", [{}, {"loss": "hinge"}, {"penalty": "l1"}])
def test_linear_machines_need_two_classes_with_a_weight(options):
    X, y = noisy(60)
    with pytest.raises(DataError, match=r"y holds one class, .*1.*, with a weight above zero"):
        LinearSVC(class_weight={0: 0.0}, **options).fit(X, y)
    with pytest.raises(DataError, match="y holds one class"):
        LinearSVC(**options).fit(X, y, np.where(y == 1, 1.0, 0.0))
    with pytest.raises(DataError, match="y holds one class"):
        SVC(class_weight={0: 0.0}, C=np.inf).fit(X, y)


@pytest.mark.parametrize("options", [{}, {"loss": "hinge"}, {"penalty": "l1"}, {"multi_class": "crammer_singer"}])
def test_one_class_of_three_may_have_no_weight(options):
    rng = np.random.default_rng(1)
    X, y = rng.standard_normal((90, 2)), np.arange(90) % 3
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        model = LinearSVC(class_weight={0: 0.0}, **options).fit(X, y)
    assert model.certificate_.holds and np.isfinite(model.coef_).all()


def test_balanced_classes_count_weights_as_copies():
    X, y = noisy(80)
    times = np.random.default_rng(2).integers(1, 4, 80)
    weighted = LinearSVC(class_weight="balanced", tol=1e-10).fit(X, y, times.astype(float))
    copied = LinearSVC(class_weight="balanced", tol=1e-10).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(weighted.coef_, copied.coef_, rtol=1e-6)


def separable(rows=500, columns=10, apart=0.02):
    rng = np.random.default_rng(5)
    X = rng.standard_normal((rows, columns))
    score = X @ rng.standard_normal(columns)
    far = np.abs(score) > apart
    return X[far], (score[far] > 0).astype(int)


def test_a_hard_margin_that_was_not_reached_is_not_said_to_be_impossible():
    X, y = separable()
    with pytest.warns(ConvergenceWarning):
        model = LinearSVC(C=np.inf, max_iter=2).fit(X, y)
    assert not model.certificate_.holds and np.isfinite(model.coef_).all()
    with learnable.watch(lambda event: True), pytest.warns(ConvergenceWarning, match="watcher"):
        assert not LinearSVC(C=np.inf).fit(X, y).certificate_.holds
    assert LinearSVC(C=np.inf).fit(X, y).score(X, y) == 1


def test_a_report_of_a_hard_margin_bounds_its_optimum():
    X, y = separable(1500, 3, 0.1)
    rough, fine = (SVC(C=np.inf, kernel="linear", tol=tol).fit(X, y) for tol in (1e-2, 1e-10))
    report, best = rough.kkt_report(X, y), fine.kkt_report(X, y)
    assert report.slack.max() > 0, "a rough solution has rows inside its margin"
    assert report.gap >= 0 and report.primal - report.gap <= best.primal * (1 + 1e-9) <= report.primal * (1 + 1e-9)
    assert best.gap <= 1e-6 * best.primal


def test_a_report_is_about_the_pairs_and_rows_of_the_fit():
    X, y = noisy(60)
    model = SVC().fit(X, y)
    for pair in ((1, 0), (0, 9), (0, 0)):
        with pytest.raises(ParameterError, match="pair must be"):
            model.kkt_report(X, y, pair=pair)
    with pytest.raises(DataError, match="changed class"):
        model.kkt_report(X, 1 - y)
    assert model.kkt_report(X, y, pair=[0, 1]).violation <= 1e-3


def test_probabilities_that_were_cut_short_are_not_called_converged():
    X, y = noisy(200, noise=2.0)
    alone, seen = SVC(C=100.0).fit(X, y).trace_.iterations, []

    def stop_among_the_folds(event):
        seen.append(event)
        return len(seen) > alone

    with learnable.watch(stop_among_the_folds), pytest.warns(ConvergenceWarning, match="watcher"):
        model = SVC(C=100.0, probability=True, random_state=0).fit(X, y)
    assert model.trace_.stopped == "interrupted" and not model.certificate_.holds


def test_the_limit_is_reported_in_its_own_unit():
    X, y = noisy(200, noise=2.0)
    with pytest.warns(ConvergenceWarning, match="after 7 steps"):
        SVC(C=1e4, max_iter=7).fit(X, y)


@pytest.mark.parametrize("far", [1e4, 1e5])
def test_a_hard_margin_far_smaller_than_the_data(far):
    model = SVC(C=np.inf, kernel="linear", tol=1e-8).fit([[0.0], [1.0], [far]], [0, 1, 1])
    np.testing.assert_allclose([model.coef_[0, 0], model.intercept_[0]], [2.0, -1.0], rtol=1e-3)


def test_nu_svr_needs_a_finite_C():
    with pytest.raises(ParameterError, match="C"):
        NuSVR(C=np.inf).fit([[0.0], [1.0]], [0.0, 1.0])


def test_a_tube_that_cannot_hold_all_rows_is_refused():
    X, y = noisy(60)
    with pytest.raises(DataError, match="within epsilon"):
        SVR(C=np.inf, kernel="linear", epsilon=0.01).fit(X, y + X[:, 1] ** 2)


@pytest.mark.parametrize("C", [1e20, 1e300])
@pytest.mark.parametrize("machine", [SVC, SVR])
def test_extreme_costs_terminate(machine, C):
    X, y = noisy(60, noise=2.0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = machine(kernel="linear", C=C).fit(X, y)
    assert all(issubclass(warning.category, ConvergenceWarning) for warning in caught)
    assert model.certificate_.holds or caught


@pytest.mark.parametrize("scale", [1e4, 1e60, 1e150])
def test_rows_without_measure_come_to_an_end(scale):
    X, y = noisy(60, noise=2.0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = SVC(kernel="linear").fit(X * scale, y)
    assert all(issubclass(warning.category, ConvergenceWarning) for warning in caught)
    assert model.certificate_.holds or caught


def test_few_columns_of_rows_without_measure_come_to_an_end():
    X, y = noisy(60, noise=2.0)
    with pytest.warns(ConvergenceWarning, match="rounding"):
        model = LinearSVC(penalty="l1").fit(X * 1e60, y)
    assert model.n_iter_ < 200 and not model.certificate_.holds


def test_few_rows_of_many_columns_reach_the_optimum_of_the_hinge():
    X = np.random.default_rng(0).standard_normal((50, 3000))
    y = np.arange(50) % 2
    newton, dual = (LinearSVC(loss="hinge", solver=solver).fit(X, y) for solver in ("auto", "dual"))
    assert newton.certificate_.holds
    np.testing.assert_allclose(newton.coef_, dual.coef_, atol=1e-3 * np.abs(dual.coef_).max())


def shared_letters(left, right):
    return np.array([[float(len(set(a) & set(b))) for b in right] for a in left])


def test_a_function_may_compare_texts():
    texts, y = ["spam", "maps", "eggs", "gegs"], [0, 0, 1, 1]
    model = SVC(kernel=shared_letters).fit(texts, y)
    assert model.predict(["pasm", "sgeg"]).tolist() == [0, 1]
    assert model.support_vectors_.shape[0] == len(model.support_)


def test_a_budget_ends_a_fit_inside_the_function_it_is_given():
    calls = []

    def similarity(left, right):
        calls.append(len(left))
        return left @ right.T

    X, y = noisy(3000)
    with pytest.raises(learnable.BudgetError), learnable.watch(lambda event: True), learnable.budget(seconds=1e-3):
        SVC(kernel=similarity).fit(X, y)
    assert sum(calls) <= 1024, "a part of the rows, if any"


def test_an_indefinite_kernel_bounds_nothing():
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(40, 3)), rng.integers(0, 2, 40)
    reports = []
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(40)
        model = SVC(kernel="sigmoid", gamma=1.0, tol=1e-9).fit(X[order], y[order])
        assert model.certificate_.holds and "sufficient only if the kernel is positive" in model.certificate_.sentence
        reports.append(model.kkt_report(X[order], y[order]))
    objectives = [report.primal for report in reports]
    assert max(objectives) - min(objectives) > 0.1, "the order of the rows decides where the fit ends"
    assert not any(report.convex or np.isfinite(report.gap) for report in reports)
    assert "not known" in str(reports[0]) and "not sufficient" in str(reports[0]) and "at most 0" not in str(reports[0])


@pytest.mark.parametrize("given", ["precomputed", "function"])
def test_a_kernel_matrix_without_negative_eigenvalues_bounds_as_ever(given):
    X, y = noisy(60)
    K, flat = X @ X.T, X[:, :1] @ X[:, :1].T - X[:, 1:] @ X[:, 1:].T

    def report_of(matrix, function):
        model = SVC(kernel="precomputed" if given == "precomputed" else function, C=0.1)
        table = matrix if given == "precomputed" else X
        return model.fit(table, y).kkt_report(table, y)

    report = report_of(K, lambda A, B: A @ B.T)
    assert report.convex and -1e-9 <= report.gap < 0.01 and "above the optimum" in str(report)
    assert report.gap == pytest.approx(SVC(kernel="linear", C=0.1).fit(X, y).kkt_report(X, y).gap, abs=1e-9)
    signs = np.array([1.0, -1.0])
    crooked = report_of(flat, lambda A, B: (A * signs) @ B.T)
    assert not crooked.convex and crooked.gap == np.inf


def test_a_margin_of_negative_squared_norm_has_no_width():
    report = SVC(kernel="precomputed").fit(-np.eye(4), [0, 0, 1, 1]).kkt_report(-np.eye(4), [0, 0, 1, 1])
    assert np.isnan(report.margin) and report.gap == np.inf
