"""Logistic regression against scikit-learn, statsmodels, and the conditions of an optimum computed from scratch."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from scipy.special import log_softmax, softmax, xlogy
from sklearn.linear_model import LogisticRegression as Reference

from learnable import LogisticRegression, watch
from learnable.core.errors import ConvergenceWarning, DataError, ParameterError


def two_classes(n=200, p=6, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) * rng.uniform(0.5, 2, p) + rng.normal(size=p)
    probability = 1 / (1 + np.exp(-(X @ rng.normal(size=p) - 0.5)))
    return X, np.where(rng.random(n) < probability, "yes", "no"), rng.integers(1, 4, n).astype(float)


def several_classes(n=300, p=5, classes=4, seed=1):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    z = X @ rng.normal(size=(p, classes)) + rng.gumbel(size=(n, classes))
    return X, z.argmax(axis=1), rng.integers(1, 4, n).astype(float)


def derivative(model, X, y, weight, C, l2):
    """The gradient of the objective, from the definition: a row per class, the constant last."""
    code = np.searchsorted(model.classes_, y)
    z = X @ model.coef_.T + model.intercept_
    z = np.hstack([0 * z, z]) if z.shape[1] == 1 else z
    apart = softmax(z, axis=1) - np.eye(z.shape[1])[code]
    apart = apart[:, 1:] if len(model.coef_) == 1 else apart
    row_gradient = C * (weight[:, None] * apart).T
    return row_gradient @ X + l2 * model.coef_, row_gradient.sum(axis=1)


@pytest.mark.parametrize("C", [1e-8, 1e-3, 1.0, 1e3, 1e8])
@pytest.mark.parametrize("problem", [two_classes, several_classes])
def test_the_gradient_vanishes_at_the_solution(problem, C):
    X, y, weight = problem()
    model = LogisticRegression(C=C, max_iter=500).fit(X, y, sample_weight=weight)
    by_coef, by_constant = derivative(model, X, y, weight, C, 1.0)
    scale = C * weight.sum() * np.abs(X).mean() + np.abs(model.coef_).max()
    assert np.abs(by_coef).max() < 1e-7 * scale
    assert np.abs(by_constant).max() < 1e-7 * scale
    assert model.certificate_.kind == "gradient norm"
    assert model.certificate_.holds


@pytest.mark.parametrize("problem", [two_classes, several_classes])
@pytest.mark.parametrize("options", [{}, {"C": 0.1, "class_weight": "balanced"}, {"fit_intercept": False, "C": 20.0}])
def test_solutions_are_those_of_scikit_learn(problem, options):
    X, y, weight = problem()
    ours = LogisticRegression(**options).fit(X, y, sample_weight=weight)
    theirs = Reference(**options, solver="newton-cholesky", tol=1e-12).fit(X, y, sample_weight=weight)
    assert_allclose(ours.coef_, theirs.coef_, rtol=1e-6, atol=1e-7)
    assert_allclose(ours.decision_function(X), theirs.decision_function(X), rtol=1e-6, atol=1e-6)
    assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-7)
    assert_allclose(ours.predict_log_proba(X), theirs.predict_log_proba(X), atol=1e-6)
    assert (ours.predict(X) == theirs.predict(X)).all()


@pytest.mark.parametrize("l1_ratio", [1.0, 0.4])
@pytest.mark.parametrize("C", [0.01, 0.3, 50.0])
def test_the_duality_gap_is_recomputed_from_scratch(l1_ratio, C):
    X, y, weight = two_classes()
    model = LogisticRegression(C=C, l1_ratio=l1_ratio).fit(X, y, sample_weight=weight)
    w, b, total = model.coef_[0], model.intercept_[0], C * weight.sum()
    l1, l2 = l1_ratio / total, (1 - l1_ratio) / total
    label, share = (y == "yes").astype(float), weight / weight.sum()
    z = X @ w + b
    primal = share @ (np.logaddexp(0, z) - label * z) + l1 * np.abs(w).sum() + l2 / 2 * w @ w
    pull = share * (label - 1 / (1 + np.exp(-z)))
    up, down = pull[pull > 0].sum(), -pull[pull < 0].sum()
    pull = np.where(pull > 0, pull / up, pull / down) * min(up, down)
    against = X.T @ pull
    if l2 == 0:
        pull, excess = pull * min(1, l1 / np.abs(against).max()), 0.0
    else:
        excess = np.sum(np.maximum(np.abs(against) - l1, 0) ** 2) / (2 * l2)
    p = label - pull / share
    dual = -share @ (xlogy(p, p) + xlogy(1 - p, 1 - p)) - excess
    assert dual <= primal + 1e-15
    assert primal - dual <= 2 * model.certificate_.tolerance
    assert model.certificate_.kind == "duality gap"
    assert model.certificate_.holds


@pytest.mark.parametrize("seed", [3, 15])
@pytest.mark.parametrize("tol", [1e-5, 1e-7])
def test_the_gap_closes_below_the_rounding_of_the_objective(seed, tol):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((60, 4))
    y = X @ [1.0, -1.0, 0.5, 0.0] + rng.standard_normal(60) > 0
    for C in (0.3, 2.0, 1000.0):
        model = LogisticRegression(C=C, l1_ratio=1.0, tol=tol).fit(X, y)
        assert model.certificate_.holds and model.trace_.stopped == "converged"


@pytest.mark.parametrize("l1_ratio", [1.0, 0.4])
def test_several_classes_with_an_l1_penalty_meet_the_optimality_conditions(l1_ratio):
    X, y, weight = several_classes()
    model = LogisticRegression(C=0.05, l1_ratio=l1_ratio).fit(X, y, sample_weight=weight)
    by_coef, by_constant = derivative(model, X, y, weight, 0.05, 1 - l1_ratio)
    zero = model.coef_ == 0
    assert zero.any()
    assert np.abs(by_coef[zero]).max() <= l1_ratio + 1e-5
    assert_allclose(by_coef[~zero], -l1_ratio * np.sign(model.coef_[~zero]), atol=1e-5)
    assert_allclose(by_constant, 0, atol=1e-5)
    assert model.certificate_.holds


@pytest.mark.parametrize("l1_ratio", [1.0, 0.5])
def test_several_classes_with_hardly_any_penalty_need_few_steps(l1_ratio):
    X, y, _ = several_classes(classes=3)
    X = np.column_stack([X, X[:, :2] @ [1.0, -1.0] + 0.01 * X[:, 2]])
    for store in (np.asarray, sparse.csr_array):
        model = LogisticRegression(C=1000.0, l1_ratio=l1_ratio).fit(store(X), y)
        assert model.certificate_.holds and model.n_iter_[0] < 30


def test_l1_penalty_gives_the_zeros_of_liblinear():
    X, y, _ = two_classes(p=12)
    ours = LogisticRegression(C=0.05, l1_ratio=1.0, solver="liblinear").fit(X, y)
    theirs = Reference(C=0.05, l1_ratio=1.0, solver="liblinear", tol=1e-9, max_iter=100_000, random_state=0).fit(X, y)
    assert ((ours.coef_ == 0) == (theirs.coef_ == 0)).all()
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)
    assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-5)


def test_liblinear_penalises_the_intercept_as_in_scikit_learn():
    X, y, _ = two_classes()
    options = {"solver": "liblinear", "intercept_scaling": 3.0, "C": 0.02}
    ours = LogisticRegression(**options).fit(X, y)
    theirs = Reference(**options, tol=1e-9, random_state=0).fit(X, y)
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-6)
    assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-6)


def test_one_versus_rest_is_a_fit_of_each_class():
    X, y, _ = several_classes()
    model = LogisticRegression(strategy="ovr").fit(X, y)
    alone = [LogisticRegression().fit(X, y == k) for k in range(4)]
    assert_allclose(model.coef_, np.vstack([fit.coef_ for fit in alone]), atol=1e-9)
    probability = np.stack([fit.predict_proba(X)[:, 1] for fit in alone], axis=1)
    assert_allclose(model.predict_proba(X), probability / probability.sum(axis=1, keepdims=True), atol=1e-9)
    assert (model.predict(X) == probability.argmax(axis=1)).all()


@pytest.mark.parametrize("options", [{}, {"l1_ratio": 1.0}, {"l1_ratio": 0.5}, {"C": np.inf}])
@pytest.mark.parametrize("problem", [two_classes, several_classes])
def test_weights_are_copies_and_sparse_rows_are_rows(problem, options):
    X, y, weight = problem()
    weight[::5] = 0
    model = LogisticRegression(**options).fit(X, y, sample_weight=weight)
    copies = np.repeat(np.arange(len(y)), weight.astype(int))
    copied = LogisticRegression(**options).fit(X[copies], y[copies])
    as_sparse = LogisticRegression(**options).fit(sparse.csr_array(X), y, sample_weight=weight)
    for other in (copied, as_sparse):
        assert_allclose(other.predict_proba(X), model.predict_proba(X), atol=1e-5)


@pytest.mark.parametrize("l1_ratio", [0.0, 1.0])
@pytest.mark.parametrize("problem", [two_classes, several_classes])
def test_many_more_columns_than_rows(problem, l1_ratio):
    X, y, weight = problem(n=40, p=300)
    model = LogisticRegression(C=0.1, l1_ratio=l1_ratio).fit(X, y, sample_weight=weight)
    by_coef, _ = derivative(model, X, y, weight, 0.1, 1 - l1_ratio)
    if l1_ratio == 0:
        assert np.abs(by_coef).max() < 1e-6
    else:
        assert np.abs(by_coef).max() < 1 + 1e-5
        assert np.count_nonzero(model.coef_) < 150
    assert model.certificate_.holds


@pytest.mark.parametrize("l1_ratio", [0.0, 1.0])
def test_constant_and_repeated_columns(l1_ratio):
    X, y, _ = two_classes()
    wider = np.hstack([X, np.full((len(y), 1), 7.0), X[:, :1]])
    model = LogisticRegression(l1_ratio=l1_ratio).fit(wider, y)
    assert model.certificate_.holds
    assert model.coef_[0, 6] == pytest.approx(0, abs=1e-9)
    if l1_ratio == 0:
        assert model.coef_[0, 0] == pytest.approx(model.coef_[0, 7], rel=1e-6)


@pytest.mark.parametrize("size", [1e-150, 1e150])
@pytest.mark.parametrize("problem", [two_classes, several_classes])
@pytest.mark.parametrize("l1_ratio", [0.0, 1.0])
def test_units_do_not_matter(problem, size, l1_ratio):
    X, y, _ = problem()
    penalised = l1_ratio == 1  # a squared penalty in the same units is out of range
    model = LogisticRegression(C=0.5 / size if penalised else np.inf, l1_ratio=l1_ratio).fit(X * size, y)
    plain = LogisticRegression(C=0.5 if penalised else np.inf, l1_ratio=l1_ratio).fit(X, y)
    assert_allclose(model.predict_proba(X * size), plain.predict_proba(X), atol=1e-5)


def test_single_precision_data_give_single_precision_coefficients():
    X, y, _ = two_classes()
    model = LogisticRegression().fit(X.astype(np.float32), y)
    assert model.coef_.dtype == np.float32
    assert model.certificate_.holds
    assert_allclose(model.coef_, LogisticRegression().fit(X, y).coef_, rtol=1e-4)


def test_starting_warm_ends_at_once():
    X, y, _ = several_classes()
    model = LogisticRegression(warm_start=True).fit(X, y)
    before = model.coef_.copy()
    assert model.fit(X, y).n_iter_[0] == 1
    assert_allclose(model.coef_, before, atol=1e-9)


def test_separable_classes_are_reported():
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    with pytest.warns(ConvergenceWarning, match="separate the classes"):
        model = LogisticRegression(C=np.inf).fit(X, [0, 0, 1, 1])
    assert (
        "that of the row gradients; but the columns" in model.certificate_.sentence
        and "no maximum" in model.certificate_.sentence
    )
    assert model.score(X, [0, 0, 1, 1]) == 1
    assert "separate" not in LogisticRegression().fit(X, [0, 0, 1, 1]).certificate_.sentence


def test_separation_with_rows_on_the_border_and_of_one_class_of_three():
    x = np.array([[0.0], [1.0], [2.0], [2.0], [3.0], [4.0]])
    with pytest.warns(ConvergenceWarning, match="separate the classes"):
        LogisticRegression(C=np.inf).fit(x, [0, 0, 0, 1, 1, 1])
    with pytest.warns(ConvergenceWarning, match="separate the classes"):
        LogisticRegression(C=np.inf).fit([[0.0], [1.0], [5.0], [6.0], [5.5], [5.2]], [0, 0, 1, 2, 1, 2])


def test_classes_that_overlap_are_not_called_separable():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for problem in (two_classes, several_classes):
            X, y, _ = problem()
            LogisticRegression(C=np.inf).fit(X, y)


def test_one_class_is_refused():
    with pytest.raises(DataError, match="y holds one class, 'a'"):
        LogisticRegression().fit([[0.0], [1.0]], ["a", "a"])
    with pytest.raises(DataError, match="y holds one class"):
        LogisticRegression().fit([[0.0], [1.0]], ["a", "b"], sample_weight=[1.0, 0.0])


def test_a_class_without_weight_is_never_predicted():
    X, y, _ = several_classes()
    weight = (y != 2).astype(float)
    model = LogisticRegression().fit(X, y, sample_weight=weight)
    rest = LogisticRegression().fit(X[y != 2], y[y != 2])
    assert_allclose(np.delete(model.predict_proba(X), 2, axis=1), rest.predict_proba(X), atol=1e-9)
    assert 2 not in model.predict(X)


def test_deprecated_penalty_parameters_still_work():
    X, y, _ = two_classes()
    for former, current in (
        ({"penalty": "l1", "l1_ratio": 1.0}, {"l1_ratio": 1.0}),
        ({"penalty": "l2"}, {}),
        ({"penalty": "elasticnet", "l1_ratio": 0.3}, {"l1_ratio": 0.3}),
        ({"penalty": None}, {"C": np.inf}),
    ):
        with pytest.warns(FutureWarning, match="penalty is deprecated"):
            old = LogisticRegression(**former).fit(X, y)
        assert_allclose(old.coef_, LogisticRegression(**current).fit(X, y).coef_)


def test_liblinear_refuses_several_classes():
    X, y, _ = several_classes()
    with pytest.raises(ParameterError, match="fits two classes"):
        LogisticRegression(solver="liblinear").fit(X, y)
    assert LogisticRegression(solver="liblinear", strategy="ovr").fit(X, y).coef_.shape == (4, 5)


def test_coefficients_can_be_stored_sparsely():
    X, y, _ = two_classes()
    model = LogisticRegression(C=0.02, l1_ratio=1.0).fit(X, y)
    before = model.predict_proba(X)
    assert sparse.issparse(model.sparsify().coef_)
    assert_allclose(model.predict_proba(X), before)
    assert isinstance(model.densify().coef_, np.ndarray)


def test_maximum_likelihood_matches_statistics_of_statsmodels():
    import statsmodels.api as sm

    X, y, _ = two_classes()
    table = LogisticRegression(C=np.inf, tol=1e-8).fit(X, y).summary()
    reference = sm.Logit((y == "yes").astype(float), sm.add_constant(X)).fit(disp=0)
    assert_allclose(table.table["coef"], reference.params, rtol=1e-6)
    assert_allclose(table.table["std_err"], reference.bse, rtol=1e-6)
    assert_allclose(table.table["z"], reference.tvalues, rtol=1e-6)
    assert_allclose(table.table["p"], reference.pvalues, rtol=1e-5, atol=1e-12)
    assert_allclose(np.stack([table.table["low"], table.table["high"]], axis=1), reference.conf_int(), rtol=1e-5)
    assert_allclose(table.table["odds_ratio"], np.exp(reference.params), rtol=1e-6)
    assert table.log_likelihood == pytest.approx(reference.llf, rel=1e-10)
    assert table.pseudo_r_squared == pytest.approx(reference.prsquared, rel=1e-8)
    assert table.aic == pytest.approx(reference.aic, rel=1e-10)
    assert table.bic == pytest.approx(reference.bic, rel=1e-10)
    assert "odds ratio" in str(table)


def test_the_table_of_a_shrunk_model_says_why_it_has_no_p_values():
    X, y, _ = two_classes()
    table = LogisticRegression().fit(X, y).summary()
    assert "p" not in table.table
    assert "shrunk" in str(table)


def test_several_classes_maximise_the_likelihood_of_statsmodels():
    import statsmodels.api as sm

    X, y, _ = several_classes(classes=3)
    model = LogisticRegression(C=np.inf, tol=1e-8).fit(X, y)
    reference = sm.MNLogit(y, sm.add_constant(X)).fit(disp=0)
    scores = X @ model.coef_.T + model.intercept_
    assert log_softmax(scores, axis=1)[np.arange(len(y)), y].sum() == pytest.approx(reference.llf, rel=1e-10)
    apart = np.column_stack([model.intercept_, model.coef_])
    assert_allclose((apart[1:] - apart[0]).T, reference.params, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("order", ["C", "F"])
def test_many_rows_that_start_from_a_sample_reach_the_optimum(order):
    rng = np.random.default_rng(3)
    X = np.asarray(rng.normal(size=(100_001, 4)) + 2, order=order)
    y = (rng.random(len(X)) < 1 / (1 + np.exp(-X @ [1.0, -1.0, 0.5, 0.0]))).astype(int)
    model = LogisticRegression(C=0.1).fit(X, y)
    probability = model.predict_proba(X)[:, 1]
    assert_allclose((probability - y) @ X + model.coef_[0] / 0.1, 0, atol=1e-8 * len(X))
    assert model.certificate_.holds
    assert model.n_iter_[0] <= 4


def test_a_sample_of_one_class_does_no_harm():
    y = (np.arange(40_000) % 7 > 0).astype(int)  # a sample of every seventh row has one class
    X = np.random.default_rng(0).normal(size=(40_000, 2)) + y[:, None]
    model = LogisticRegression(tol=1e-5).fit(X, y)
    peer = Reference(solver="newton-cholesky", tol=1e-10).fit(X, y)
    assert_allclose(model.coef_, peer.coef_, rtol=1e-6)


def test_a_watched_search_gives_the_same_bits():
    X, y = np.random.default_rng(0).normal(size=(200, 3)), np.arange(200) % 2
    seen: list[float] = []
    with watch(lambda event: seen.append(event.objective)):
        watched = LogisticRegression().fit(X, y)
    alone = LogisticRegression().fit(X, y)
    np.testing.assert_array_equal(watched.coef_, alone.coef_)
    assert seen == alone.trace_["objective"].tolist()


@pytest.mark.parametrize("problem", [two_classes, several_classes])
@pytest.mark.parametrize("l1_ratio", [0.0, 0.5])
@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
def test_stochastic_epochs_lead_to_the_same_optimum(problem, l1_ratio, store):
    X, y, weight = problem()
    exact = LogisticRegression(C=0.1, l1_ratio=l1_ratio).fit(store(X), y, weight)
    model = LogisticRegression(C=0.1, l1_ratio=l1_ratio, solver="saga", random_state=0).fit(store(X), y, weight)
    assert_allclose(model.coef_, exact.coef_, atol=1e-3)
    assert model.solver_ == f"saga, then {exact.solver_}"
    assert model.certificate_.holds
    assert model.trace_.iterations > exact.trace_.iterations
    again = LogisticRegression(C=0.1, l1_ratio=l1_ratio, solver="saga", random_state=0).fit(store(X), y, weight)
    np.testing.assert_array_equal(again.coef_, model.coef_)


def test_stochastic_epochs_that_a_watcher_stops_are_certified_as_unfinished():
    X, y, _ = two_classes()
    with pytest.warns(ConvergenceWarning), watch(lambda event: event.iteration == 2):
        model = LogisticRegression(solver="sag", random_state=0).fit(X, y)
    assert model.trace_.iterations == 2
    assert not model.certificate_.holds


def test_a_large_table_of_mostly_zeros_gives_what_its_sparse_storage_gives():
    rng = np.random.default_rng(5)
    X = np.where(rng.random((8000, 130)) < 0.1, rng.normal(size=(8000, 130)), 0.0)
    y = (X[:, :3] + rng.gumbel(size=(8000, 3))).argmax(axis=1)
    dense, stored = (LogisticRegression(C=0.1).fit(table, y) for table in (X, sparse.csr_array(X)))
    np.testing.assert_array_equal(dense.coef_, stored.coef_)
    assert dense.certificate_.holds


@pytest.mark.parametrize("distance", [1e3, 1e6, 1e9])
def test_columns_far_from_zero_have_the_coefficients_and_standard_errors_of_near_ones(distance):
    rng = np.random.default_rng(8)
    X = np.round(rng.normal(size=(300, 3)) * 2**20) / 2**20
    y = X @ [1.0, -1.0, 0.5] + rng.logistic(size=300) > 0
    near, far = (LogisticRegression(C=np.inf).fit(table, y) for table in (X, X + distance))
    np.testing.assert_allclose(far.coef_, near.coef_, rtol=1e-7)
    np.testing.assert_allclose(far.statistics_["root_inverse"], near.statistics_["root_inverse"], rtol=1e-5)
    assert far.certificate_.holds and far.trace_.iterations == near.trace_.iterations
