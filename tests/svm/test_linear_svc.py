"""Linear support vector classification against a general quadratic programme, scikit-learn, and itself."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import sparse
from scipy.optimize import LinearConstraint, linprog, minimize
from sklearn.datasets import load_iris
from sklearn.svm import LinearSVC as TheirSVC

import learnable
from learnable.core import ConvergenceWarning, DataError, ParameterError
from learnable.svm import LinearSVC

TIGHT = {"tol": 1e-10, "max_iter": 100_000}


def problem(seed=0, n=80, p=5, noise=1.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) * rng.uniform(0.5, 2.0, p)
    return X, np.where(X @ rng.normal(size=p) + noise * rng.normal(size=n) + 0.3 > 0, 1, -1)


def objective(model, X, y, C, loss, scaling=1.0, weight=1.0):
    """|w|^2 / 2 + (b / s)^2 / 2 + sum of costs, from the learned weights alone."""
    w, b = model.coef_[0], model.intercept_[0]
    lack = np.maximum(0, 1 - y * (X @ w + b))
    return w @ w / 2 + (b / scaling) ** 2 / 2 + np.sum(C * weight * lack ** (2 if loss == "squared_hinge" else 1))


def programme(X, y, C, loss):
    """The least objective, by a general solver on weights and slacks."""
    n, p = X.shape
    A = y[:, None] * np.column_stack([X, np.ones(n)])
    q = p + 1
    power = 2 if loss == "squared_hinge" else 1

    def value(v):
        return v[:q] @ v[:q] / 2 + C * np.sum(v[q:] ** power)

    def gradient(v):
        return np.concatenate([v[:q], C * power * v[q:] ** (power - 1)])

    rows = LinearConstraint(np.column_stack([A, np.eye(n)]), 1, np.inf)
    start = np.concatenate([np.zeros(q), np.full(n, 1.0)])
    bounds = [(None, None)] * q + [(0, None)] * n
    found = minimize(
        value,
        start,
        jac=gradient,
        method="SLSQP",
        constraints=rows,
        bounds=bounds,
        options={"ftol": 1e-12, "maxiter": 500},
    )
    return found.fun


def gap_from_scratch(X, y, w, b, C, loss):
    """The duality gap of w and b at the best dual variables that its margins suggest, by nothing of ours."""
    A = np.column_stack([X, np.ones(len(X))]) * y[:, None]
    lack = 1 - y * (X @ w + b)
    cost = C * np.maximum(0, lack) ** (2 if loss == "squared_hinge" else 1)
    primal = (w @ w + b * b) / 2 + cost.sum()
    if loss == "squared_hinge":
        dual = 2 * C * np.maximum(0, lack)
        return primal - (dual.sum() - dual @ dual / (4 * C) - np.sum((A.T @ dual) ** 2) / 2)
    # rows off the margin are at a bound; those on it are free: the best of them is a small bounded least squares
    from scipy.optimize import lsq_linear

    near = np.abs(lack) < 1e-6
    dual = np.where(lack > 0, C, 0.0)
    if near.any():
        rest = np.append(w, b) - A[~near].T @ dual[~near]
        dual[near] = lsq_linear(A[near].T, rest, (0, C), tol=1e-14).x
    return primal - (dual.sum() - np.sum((A.T @ dual) ** 2) / 2)


@pytest.mark.parametrize("solver", ["newton", "dual"])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("C", [0.01, 1.0, 30.0])
def test_the_optimum_is_that_of_a_general_quadratic_programme(loss, C, solver):
    X, y = problem(n=40, p=3)
    model = LinearSVC(loss=loss, C=C, solver=solver, random_state=0, **TIGHT).fit(X, y)
    assert_allclose(objective(model, X, y, C, loss), programme(X, y, C, loss), rtol=1e-6)
    assert model.certificate_.holds and model.certificate_.value <= 1e-10


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@settings(max_examples=15)
@given(seed=st.integers(0, 10**6), power=st.integers(-3, 3), noise=st.floats(0.0, 3.0))
def test_the_gap_is_what_the_certificate_says(loss, seed, power, noise):
    X, y = problem(seed, noise=noise)
    if len(np.unique(y)) < 2:
        return
    C = 10.0**power
    model = LinearSVC(loss=loss, C=C, **TIGHT).fit(X, y)
    gap = gap_from_scratch(X, y, model.coef_[0], model.intercept_[0], C, loss)
    assert -1e-9 * objective(model, X, y, C, loss) <= gap <= 1e-8 * objective(model, X, y, C, loss)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("shape", [(200, 4), (30, 60), (50, 1)])
def test_at_least_as_good_as_scikit_learn(loss, shape):
    X, y = problem(1, *shape)
    ours = LinearSVC(loss=loss, **TIGHT).fit(X, y)
    theirs = TheirSVC(loss=loss, dual=True, tol=1e-10, max_iter=1_000_000, random_state=0).fit(X, y)
    assert objective(ours, X, y, 1, loss) <= objective(theirs, X, y, 1, loss) * (1 + 1e-9)
    assert_allclose(ours.coef_, theirs.coef_, rtol=1e-4, atol=1e-5)
    assert_allclose(ours.decision_function(X), theirs.decision_function(X), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("C", [1e-8, 1e-4, 1e4, 1e8])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_extreme_values_of_C_converge(loss, C):
    X, y = problem(2)
    model = LinearSVC(loss=loss, C=C, tol=1e-6).fit(X, y)
    assert model.certificate_.holds and model.trace_.stopped == "converged"
    if C == 1e-8:  # every row is inside its margin: w is the sum of all y x
        factor = 2 if loss == "squared_hinge" else 1
        assert_allclose(model.coef_[0], factor * C * (y @ X), rtol=1e-4)


@pytest.mark.parametrize("shape", [(30, 200), (60, 500), (100, 1000)])
@pytest.mark.parametrize("C", [1e6, 1e8])
def test_a_large_C_finds_the_hard_margin_among_many_columns(shape, C):
    draws = np.random.default_rng(shape[0])
    X = draws.normal(size=shape)
    y = (X[:, 0] + draws.normal(size=shape[0]) > 0).astype(int)
    model, hard = LinearSVC(loss="hinge", C=C).fit(X, y), LinearSVC(loss="hinge", C=np.inf).fit(X, y)
    assert model.certificate_.holds and model.trace_.stopped == "converged"
    assert_allclose(model.coef_, hard.coef_, rtol=1e-6, atol=1e-9)
    missed = np.maximum(0, 1 - np.where(y == 1, 1, -1) * model.decision_function(X)).sum()
    assert C * missed < 1e-4 * np.square(model.coef_).sum()


def test_a_hard_margin_is_the_widest():
    rng = np.random.default_rng(3)
    X = np.vstack([rng.normal(size=(20, 2)) + 3, rng.normal(size=(20, 2)) - 3])
    y = np.repeat([1, -1], 20)
    scaling = 1e3
    for loss in ("hinge", "squared_hinge"):
        model = LinearSVC(loss=loss, C=np.inf, intercept_scaling=scaling, tol=1e-9).fit(X, y)
        margins = y * (X @ model.coef_[0] + model.intercept_[0])
        assert_allclose(margins.min(), 1.0, rtol=1e-6)
        soft = LinearSVC(loss="hinge", C=1e3, intercept_scaling=scaling, tol=1e-8).fit(X, y)
        assert_allclose(model.coef_, soft.coef_, rtol=1e-4)
        assert (margins < 1 + 1e-6).sum() <= 3


@pytest.mark.parametrize("far", [1e7, 1e9, 1e12])
def test_rows_far_away_do_not_hide_a_hard_margin(far):
    for X, coef in (([[0.0], [1.0], [far]], 2.0), ([[0.0], [far], [far + 1]], 2 / far)):
        model = LinearSVC(C=np.inf).fit(X, [0, 1, 1])
        assert model.certificate_.holds
        assert_allclose([model.coef_[0, 0], model.intercept_[0]], [coef, -1.0], rtol=1e-6)


@settings(max_examples=25)
@given(seed=st.integers(0, 10**6), separable=st.booleans())
def test_a_hard_margin_that_cannot_be_is_refused(seed, separable):
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, size=(12, 2)).astype(float)
    y = np.where(X @ [1, 2] > 0.5, 1, -1) if separable else rng.choice([-1, 1], 12)
    if len(np.unique(y)) < 2:
        return
    A = y[:, None] * np.column_stack([X, np.ones(12)])
    feasible = linprog(np.zeros(3), -A, -np.ones(12), bounds=(None, None)).status == 0
    model = LinearSVC(C=np.inf, tol=1e-6)
    if feasible:
        assert (model.fit(X, y).predict(X) == y).all()
    else:
        with pytest.raises(DataError, match="no plane separates the classes"):
            model.fit(X, y)


@pytest.mark.parametrize("multi_class", ["ovr", "crammer_singer"])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("weights", [None, "balanced", {0: 3.0}])
def test_several_classes_agree_with_scikit_learn(multi_class, loss, weights):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(120, 4))
    y = np.digitize(X[:, 0] + 0.5 * rng.normal(size=120), [-0.7, 0.4])
    options = {"loss": loss, "multi_class": multi_class, "class_weight": weights, "random_state": 0}
    ours = LinearSVC(**options, **TIGHT).fit(X, y)
    theirs = TheirSVC(**options, tol=1e-10, max_iter=1_000_000, dual=True).fit(X, y)
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)
    assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-3)


def test_two_classes_at_once_have_one_plane():
    X, y = problem(5)
    options = {"multi_class": "crammer_singer", "random_state": 0}
    ours = LinearSVC(**options, **TIGHT).fit(X, y)
    theirs = TheirSVC(**options, tol=1e-10, max_iter=1_000_000).fit(X, y)
    assert ours.coef_.shape == (1, 5)
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)
    assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-5)


@pytest.mark.parametrize("C", [0.02, 0.3, 5.0])
@pytest.mark.parametrize("as_matrix", [np.asarray, sparse.csr_array])
def test_the_absolute_penalty_agrees_with_scikit_learn_and_has_zeros(C, as_matrix):
    X, y = problem(6, n=150, p=20)
    ours = LinearSVC(penalty="l1", C=C, **TIGHT).fit(as_matrix(X), y)
    theirs = TheirSVC(penalty="l1", dual=False, C=C, tol=1e-8, max_iter=100_000, random_state=0).fit(X, y)

    def value(model):
        lack = np.maximum(0, 1 - y * (X @ model.coef_[0] + model.intercept_[0]))
        return np.abs(model.coef_).sum() + abs(model.intercept_[0]) + C * np.sum(lack**2)

    assert value(ours) <= value(theirs) * (1 + 1e-9)
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)
    assert (ours.coef_ == 0).sum() >= (np.abs(theirs.coef_) < 1e-9).sum()
    assert C > 1 or (ours.coef_ == 0).any()


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("solver", ["newton", "dual"])
def test_weights_count_copies(loss, solver):
    X, y = problem(7, n=40)
    count = np.random.default_rng(7).integers(0, 4, 40)
    options = {"loss": loss, "solver": solver, "random_state": 0, **TIGHT}
    weighted = LinearSVC(**options).fit(X, y, sample_weight=count)
    copied = LinearSVC(**options).fit(np.repeat(X, count, axis=0), np.repeat(y, count))
    within = 1e-7 if solver == "newton" else 1e-5  # of coordinate descent the gap is known, whose root is the distance
    assert_allclose(weighted.coef_, copied.coef_, atol=within)
    assert_allclose(weighted.intercept_, copied.intercept_, atol=within)


@pytest.mark.parametrize("solver", ["newton", "dual"])
@pytest.mark.parametrize("intercept", [{"intercept_scaling": 10.0}, {"fit_intercept": False}])
def test_sparse_and_dense_agree(solver, intercept):
    X, y = problem(8, n=100, p=8)
    X[np.abs(X) < 0.7] = 0
    options = {"solver": solver, "random_state": 0, **intercept, **TIGHT}
    dense, thin = LinearSVC(**options).fit(X, y), LinearSVC(**options).fit(sparse.csr_array(X), y)
    assert_allclose(dense.coef_, thin.coef_, atol=1e-5)
    assert_allclose(dense.decision_function(X), thin.decision_function(sparse.csr_array(X)), atol=1e-5)


def test_more_columns_than_rows_give_the_same_solution_in_primal_and_dual():
    X, y = problem(9, n=25, p=300)
    for loss in ("hinge", "squared_hinge"):
        ways = [LinearSVC(loss=loss, solver=solver, random_state=0, **TIGHT).fit(X, y) for solver in ("newton", "dual")]
        assert_allclose(ways[0].coef_, ways[1].coef_, atol=1e-5)


def test_scores_do_not_depend_on_units():
    X, y = problem(10)
    plain = LinearSVC(loss="hinge", fit_intercept=False, C=1.0, tol=1e-8).fit(X, y)
    for unit in (2.0**-40, 2.0**40):
        scaled = LinearSVC(loss="hinge", fit_intercept=False, C=unit**-2, tol=1e-8).fit(X * unit, y)
        assert_allclose(scaled.decision_function(X * unit), plain.decision_function(X), rtol=1e-3, atol=1e-4)


def test_one_class_is_refused_by_name():
    with pytest.raises(DataError, match="y holds one class"):
        LinearSVC().fit([[0.0], [1.0]], [1, 1])


def test_combinations_that_make_no_sense_are_refused():
    X, y = problem(11)
    for wrong in ({"loss": "hinge"}, {"dual": True}, {"C": np.inf}):
        with pytest.raises(ParameterError, match='penalty="l1" is for'):
            LinearSVC(penalty="l1", **wrong).fit(X, y)
    with pytest.raises(ParameterError, match="C must be finite"):
        LinearSVC(multi_class="crammer_singer", C=np.inf).fit(X, y)


def test_an_early_end_is_reported():
    X, y = problem(12)
    with pytest.warns(ConvergenceWarning, match="relative duality gap"):
        LinearSVC(loss="hinge", C=100.0, solver="dual", max_iter=1, random_state=0).fit(X, y)


def test_the_dual_solution_depends_on_the_seed_only_up_to_the_gap():
    X, y = problem(13)
    found = [LinearSVC(loss="hinge", solver="dual", random_state=seed, **TIGHT).fit(X, y).coef_ for seed in (0, 1)]
    assert_allclose(found[0], found[1], atol=1e-5)


@pytest.mark.parametrize(("solver", "draws"), [("newton", False), ("dual", True)])
def test_a_generator_is_drawn_from_only_where_an_order_is_random(solver, draws):
    given, fresh = np.random.default_rng(5), np.random.default_rng(5)
    LinearSVC(solver=solver, random_state=given).fit(*problem())
    assert (given.integers(2**62) != fresh.integers(2**62)) == draws


def test_sparsified_weights_predict_the_same():
    X, y = problem(14)
    model = LinearSVC(penalty="l1", C=0.05).fit(X, y)
    before = model.decision_function(X)
    assert_allclose(model.sparsify().decision_function(X), before)
    assert_allclose(model.densify().decision_function(X), before)


def test_it_is_found_under_its_name():
    assert learnable.LinearSVC is LinearSVC


@pytest.mark.parametrize("C", [1e-8, 1e-3, 1.0, 1e3, 1e8])
def test_crammer_singer_is_learned_at_any_C(C):
    X, y = load_iris(return_X_y=True)
    model = LinearSVC(multi_class="crammer_singer", C=C).fit(X, y)
    W, wide = np.column_stack([model.coef_, model.intercept_]), np.column_stack([X, np.ones(len(X))])

    def value(weights):
        scores = wide @ weights.T
        lead = scores - scores[np.arange(len(y)), y][:, None] + (np.arange(3) != y[:, None])
        return (weights * weights).sum() / 2 + C * lead.max(axis=1).sum()

    assert model.certificate_.holds and model.trace_.stopped == "converged"
    for step in np.random.default_rng(0).normal(size=(200, *W.shape)):
        assert value(W + 1e-3 * np.abs(W).max() * step) >= value(W) * (1 - 1e-4)


def test_both_ways_to_all_classes_at_once_agree():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(120, 4))
    y = np.digitize(X[:, 0] + 0.5 * rng.normal(size=120), [-0.7, 0.4])
    options = {"multi_class": "crammer_singer", "class_weight": {0: 3.0}, "random_state": 0}
    inside, along = (LinearSVC(solver=solver, **options, **TIGHT).fit(X, y) for solver in ("newton", "dual"))
    assert_allclose(inside.coef_, along.coef_, atol=1e-5)
    silent = LinearSVC(multi_class="crammer_singer", class_weight={0: 0.0}, **TIGHT).fit(X, y)
    rest = LinearSVC(multi_class="crammer_singer", **TIGHT).fit(X[y > 0], y[y > 0])
    assert_allclose(silent.coef_[2] - silent.coef_[1], rest.coef_[0], atol=1e-5)
