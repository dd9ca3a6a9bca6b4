"""Matrix factorisation: formulas, exact solutions, monotone objectives, the rank of planted ratings."""

from __future__ import annotations

import numpy as np
import pytest

import learnable
from learnable.recommend import (
    EASE,
    AlternatingLeastSquares,
    BaselineOnly,
    BayesianPersonalizedRanking,
    MatrixFactorization,
    Popularity,
    SVDpp,
    ranking_report,
)
from learnable.recommend._recommender_base import best_columns
from tests.recommend.films import FILMS, X_FILMS, Y_FILMS, dense, planted


def rmse(model, X, y) -> float:
    return float(np.sqrt(np.mean((model.predict(X) - y) ** 2)))


def test_affinity_is_an_inner_product():
    alice, titanic = np.array([0.15, 0.3]), np.array([0.2, 0.7])
    model = MatrixFactorization(2, biased=False, solver="als", random_state=0).fit([["alice", "titanic"]], [1.0])
    model.user_factors_[0], model.item_factors_[0] = alice, titanic
    assert model.predict([["alice", "titanic"]])[0] == pytest.approx(0.24)


def test_one_step_along_the_gradient():
    """U += rate E V and V += rate E'U at once, E over the observed entries."""
    X, y, _, _ = planted(users=6, items=5, seen=0.9)
    start = MatrixFactorization(2, solver="gd", biased=False, reg=0.0, learning_rate=1e-300, max_iter=1, random_state=3)
    U, V = start.fit(X, y).user_factors_, start.item_factors_
    R = dense(X, y, len(U), len(V))
    E = np.where(np.isnan(R), 0, R - U @ V.T)
    stepped = MatrixFactorization(2, solver="gd", biased=False, reg=0.0, learning_rate=0.01, max_iter=1, random_state=3)
    stepped.fit(X, y)
    np.testing.assert_allclose(stepped.user_factors_, U + 0.01 * E @ V, atol=1e-12)
    np.testing.assert_allclose(stepped.item_factors_, V + 0.01 * E.T @ U, atol=1e-12)


def test_alternating_least_squares_solves_each_user_and_never_raises_the_objective():
    X, y, _, _ = planted(seen=0.6)
    model = MatrixFactorization(3, solver="als", biased=False, reg=0.5, max_iter=30, random_state=0).fit(X, y)
    objective = model.trace_["objective"]
    assert (np.diff(objective) <= 1e-9 * objective[0]).all()
    R, P = dense(X, y), model.user_factors_
    for i in range(40):  # the items were solved last
        there = ~np.isnan(R[:, i])
        solution = np.linalg.solve(P[there].T @ P[there] + 0.5 * np.eye(3), P[there].T @ R[there, i])
        np.testing.assert_allclose(model.item_factors_[i], solution, atol=1e-9)


@pytest.mark.parametrize("solver", ["sgd", "als", "gd"])
def test_planted_factors_are_found(solver):
    X, y, hidden, truth = planted(users=150, items=80, seen=0.4)
    options = {
        "sgd": {"learning_rate": 0.02, "max_iter": 300},
        "als": {"max_iter": 50},
        "gd": {"learning_rate": 0.004, "max_iter": 1500},
    }
    reg = {"sgd": 0.01, "als": 0.3, "gd": 0.1}[solver]
    model = MatrixFactorization(3, solver=solver, reg=reg, random_state=0, **options[solver])
    assert rmse(model.fit(X, y), hidden, truth) < 0.25 * rmse(BaselineOnly(reg_u=1, reg_i=1).fit(X, y), hidden, truth)
    errors = model.trace_["rmse"]
    assert errors[-1] < errors[0] and len(errors) == model.n_iter_


def test_without_factors_it_is_the_baseline():
    X, y, hidden, _ = planted()
    zero = MatrixFactorization(0, solver="als", reg=2.0, max_iter=300, random_state=0).fit(X, y)
    np.testing.assert_allclose(
        zero.predict(hidden),
        BaselineOnly(reg_u=2, reg_i=2, tol=1e-13, max_iter=5000).fit(X, y).predict(hidden),
        atol=1e-6,
    )


def test_svdpp_learns_from_what_was_rated():
    """Which items a user rated depends on the user's taste; then SVD++ is better than factors alone."""
    rng = np.random.default_rng(0)
    taste = rng.standard_normal((200, 1))
    kind = rng.standard_normal((60, 1))
    full = 3 + taste @ kind.T + 0.3 * rng.standard_normal((200, 60))
    mask = rng.random(full.shape) < 0.02 + 0.3 * (taste @ kind.T > 0.5)
    mask[:, 0] = True
    X, y = np.argwhere(mask), full[mask]
    test = rng.random(len(y)) < 0.3
    options = {"reg": 0.05, "random_state": 0, "max_iter": 40}
    plus = rmse(SVDpp(2, learning_rate=0.01, **options).fit(X[~test], y[~test]), X[test], y[test])
    plain = rmse(MatrixFactorization(2, learning_rate=0.01, **options).fit(X[~test], y[~test]), X[test], y[test])
    assert plus < plain


def test_implicit_feedback_is_the_weighted_least_squares_solution():
    X, y, _, _ = planted(users=30, items=20, seen=0.3)
    y = np.abs(y)
    model = AlternatingLeastSquares(4, reg=0.3, alpha=2.0, max_iter=10, random_state=0).fit(X, y)
    assert (np.diff(model.trace_["objective"]) <= 1e-9).all()
    R = model.ratings_.toarray()
    P, C = model.user_factors_, 1 + 2.0 * R
    for i in range(R.shape[1]):
        solution = np.linalg.solve((P.T * C[:, i]) @ P + 0.3 * np.eye(4), P.T @ (C[:, i] * (R[:, i] > 0)))
        np.testing.assert_allclose(model.item_factors_[i], solution, atol=1e-9)
    product = P @ model.item_factors_.T
    size = 0.3 * ((P**2).sum() + (model.item_factors_**2).sum())
    assert model.trace_["objective"][-1] == pytest.approx((C * ((R > 0) - product) ** 2).sum() + size)
    steps = AlternatingLeastSquares(4, reg=0.3, alpha=2.0, max_iter=60, solver="cg", random_state=0).fit(X, y)
    exact = AlternatingLeastSquares(4, reg=0.3, alpha=2.0, max_iter=60, random_state=0).fit(X, y)
    assert steps.trace_["objective"][-1] == pytest.approx(exact.trace_["objective"][-1], rel=1e-2)
    assert model.explain(3, int(X[0, 1])).prediction == pytest.approx(model.predict([[3, X[0, 1]]])[0])


def blocks():
    """Users of two tastes, each choosing among the items of theirs; one hidden item each."""
    rng = np.random.default_rng(0)
    pairs, hidden = [], []
    for user in range(80):
        items = rng.permutation(np.arange(20) + 20 * (user % 2))[:9]
        pairs += [[user, item] for item in items[1:]]
        hidden.append([user, items[0]])
    return np.array(pairs), np.array(hidden)


@pytest.mark.parametrize(
    "model",
    [
        AlternatingLeastSquares(2, reg=1.0, random_state=0),
        BayesianPersonalizedRanking(8, reg=0.1, random_state=0),
        EASE(reg=10.0),
    ],
    ids=lambda model: type(model).__name__,
)
def test_hidden_choices_are_ranked_high(model):
    pairs, hidden = blocks()
    report = ranking_report(model.fit(pairs), hidden, n=12)
    popular = ranking_report(Popularity().fit(pairs), hidden, n=12)
    assert report.means["recall"] > 0.9 > popular.means["recall"]
    assert report.intervals["recall"][0] > popular.intervals["recall"][1]


def test_ease_is_a_ridge_regression_of_each_item_on_the_others():
    pairs, _ = blocks()
    model = EASE(reg=3.0).fit(pairs)
    R = model.ratings_.toarray()
    for j in (0, 7):
        others = np.delete(R, j, axis=1)
        solution = np.linalg.solve(others.T @ others + 3.0 * np.eye(39), others.T @ R[:, j])
        np.testing.assert_allclose(np.delete(model.weights_[:, j], j), solution, atol=1e-10)
        assert model.weights_[j, j] == 0


def test_new_users_and_items_are_folded_in():
    X, y, _, _ = planted(seen=0.7)
    model = MatrixFactorization(3, solver="als", reg=0.2, max_iter=60, random_state=0).fit(X, y)
    before = model.item_factors_.copy()
    mine = X[:, 0] == 5
    model.fold_in(np.column_stack([np.full(mine.sum(), 1000), X[mine, 1]]), y[mine])
    assert model.users_[-1] == 1000 and len(model.user_factors_) == 61
    np.testing.assert_array_equal(model.item_factors_, before)
    same = [[u, i] for u in (5, 1000) for i in range(40)]
    twins = model.predict(same).reshape(2, 40)
    np.testing.assert_allclose(twins[1], twins[0], atol=0.05)
    model.partial_fit([[5, 777], [7, 777]], [4.0, 2.0])
    assert 777 in model.items_ and np.isfinite(model.predict([[9, 777]])).all()
    implicit = AlternatingLeastSquares(4, random_state=0).fit(X)
    implicit.fold_in([[2000, 3], [2000, 4]])
    assert len(implicit.recommend([2000], 5).items[0]) == 5


def test_the_film_table_is_completed_by_factors():
    model = MatrixFactorization(2, solver="als", reg=0.1, max_iter=200, random_state=0).fit(X_FILMS, Y_FILMS)
    table = [[user, film] for user in FILMS for film in ("SW1", "SW2", "BM", "TW", "HP1", "HP2")]
    assert np.isfinite(model.predict(table)).all()
    assert rmse(model, X_FILMS, Y_FILMS) < 0.3
    users, items = model.map_2d()
    np.testing.assert_allclose(users @ items.T, model.user_factors_ @ model.item_factors_.T, atol=1e-9)
    found = model.recommend(n=2)
    for user, films in zip(model.users_, found.items, strict=True):
        assert not set(films) & set(FILMS[user])


@pytest.mark.parametrize(
    "model",
    [
        MatrixFactorization(8, random_state=0, max_iter=3),
        SVDpp(4, random_state=0, max_iter=2),
        AlternatingLeastSquares(8, random_state=0, max_iter=2),
        BayesianPersonalizedRanking(8, random_state=0, max_iter=2),
    ],
    ids=lambda model: type(model).__name__,
)
def test_bits_do_not_depend_on_threads_or_the_order_of_the_ratings(model):
    X, y, _, _ = planted(users=400, items=200)
    y = np.abs(y)
    order = np.random.default_rng(5).permutation(len(y))
    seen = set()
    for count in (1, 2, 3, 8):
        with learnable.threads(count):
            seen.add(model.fit(X, y).item_factors_.tobytes())
    seen.add(model.fit(X[order], y[order]).item_factors_.tobytes())
    assert len(seen) == 1


def test_weights_are_copies_of_ratings():
    X, y, hidden, _ = planted()
    weight = np.random.default_rng(1).integers(1, 4, len(y))
    copies = np.repeat(np.arange(len(y)), weight)
    for model in (
        MatrixFactorization(2, solver="als", random_state=0),
        MatrixFactorization(2, solver="gd", random_state=0),
    ):
        weighted = model.fit(X, y, sample_weight=weight).predict(hidden)
        np.testing.assert_allclose(model.fit(X[copies], y[copies]).predict(hidden), weighted, atol=1e-9)


def test_searches_and_cross_validation_work_unchanged():
    from learnable.model_selection import GridSearchCV, KFold, cross_val_score

    X, y, _, _ = planted(seen=0.7)
    model = MatrixFactorization(3, solver="als", reg=1.0, random_state=0)
    scores = cross_val_score(model, X, y, cv=KFold(3, shuffle=True, random_state=0))
    assert (scores > 0.5).all()
    search = GridSearchCV(model, {"reg": [1.0, 1000.0]}, cv=KFold(3, shuffle=True, random_state=0)).fit(X, y)
    assert search.best_params_ == {"reg": 1.0}


@pytest.mark.parametrize("n", [1, 3, 40, 100])
def test_the_best_columns_are_the_largest_entries_and_of_equal_ones_the_first(n):
    scores = np.random.default_rng(0).integers(0, 30, (50, 100)).astype(float)
    scores[3] = -np.inf
    scores[4, 10:90] = -np.inf
    np.testing.assert_array_equal(best_columns(scores, n), np.argsort(-scores, axis=1, kind="stable")[:, :n])
