"""Recommendations by similar users and items, against the formulas and the numbers of the course."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import learnable
from learnable.recommend import BaselineOnly, ContentRecommender, ItemKNN, Popularity, SlopeOne, UserKNN
from tests.recommend.films import FILMS, X_FILMS, Y_FILMS, dense, planted


def similarity(kind: str) -> dict[str, float]:
    model = UserKNN(similarity=kind).fit(X_FILMS, Y_FILMS)
    S = model.similarities(np.arange(5))
    return {f"{a}{b}": S[i, j] for i, a in enumerate("ABCDE") for j, b in enumerate("ABCDE") if i < j}


def test_similarities_of_the_five_users():
    jaccard, cosine, pearson = similarity("jaccard"), similarity("cosine"), similarity("pearson")
    assert jaccard["AB"] == pytest.approx(1 / 4)
    for pair, expected in {"AB": 0.408, "AD": 0.707, "BC": 0.451, "CE": 0.361, "BE": 0.333}.items():
        assert cosine[pair] == pytest.approx(expected, abs=5e-4)
    assert all(value == 0 for value in pearson.values()), "one shared film is 0 / 0, which counts as no similarity"
    shared = {pair for pair in cosine if set(FILMS[pair[0]]) & set(FILMS[pair[1]])}
    assert {pair for pair, value in jaccard.items() if value} == shared


def test_the_film_table_is_completed_by_neighbours():
    model = UserKNN(similarity="cosine").fit(X_FILMS, Y_FILMS)
    table = model.predict([[user, film] for user in FILMS for film in ("SW1", "SW2", "BM", "TW", "HP1", "HP2")])
    assert np.isfinite(table).all()
    b_of_sw1 = 5 - 5.0  # B's rating of SW1 less B's mean: A alone is like D, and B is not
    assert model.predict([["D", "SW1"]])[0] == pytest.approx(5 + (4 - 4) + b_of_sw1)
    found = model.recommend(["A"], n=10)
    assert set(found.items[0]) - {None} == {"SW2", "BM", "HP1", "HP2"}
    assert not set(FILMS["A"]) & set(found.items[0])
    likes_jaccard = UserKNN(similarity="jaccard", centre="none").fit(X_FILMS, Y_FILMS).recommend(["D"], 1)
    assert likes_jaccard.items[0, 0] == "SW1", "A is the only user like D"


def naive_pearson(R: np.ndarray, a: int, b: int) -> float:
    both = ~np.isnan(R[a]) & ~np.isnan(R[b])
    x, y = R[a, both], R[b, both]
    if both.sum() < 5 or x.std() == 0 or y.std() == 0:
        return 0.0
    return float(
        ((x - x.mean()) * (y - y.mean())).sum() / np.sqrt(((x - x.mean()) ** 2).sum() * ((y - y.mean()) ** 2).sum())
    )


@pytest.mark.parametrize("k", [3, 20])
def test_pearson_predictions_are_the_formula(k):
    X, y, hidden, _ = planted()
    R = dense(X, y)
    model = UserKNN(k, min_similarity=-1, min_support=5).fit(X, y)
    S = np.array([[naive_pearson(R, a, b) if a != b else 0.0 for b in range(60)] for a in range(60)])
    np.testing.assert_allclose(model.similarities(np.arange(60)), S, atol=1e-10)
    means = np.nanmean(R, axis=1)
    for (u, i), found in zip(hidden[:200], model.predict(hidden[:200]), strict=True):
        raters = np.flatnonzero(~np.isnan(R[:, i]) & (S[u] != 0))
        best = raters[np.argsort(-S[u, raters], kind="stable")][:k]
        weight = S[u, best]
        expected = means[u] + (weight @ (R[best, i] - means[best])) / np.abs(weight).sum() if len(best) else means[u]
        assert found == pytest.approx(expected, abs=1e-9)


def test_items_are_compared_by_adjusted_cosine():
    X, y, hidden, truth = planted(seen=0.6)
    R = dense(X, y)
    centred = R - np.nanmean(R, axis=1, keepdims=True)
    model = ItemKNN().fit(X, y)
    S = model.similarities(np.arange(40))
    for i, j in ((0, 1), (3, 7), (39, 2)):
        both = ~np.isnan(R[:, i]) & ~np.isnan(R[:, j])
        a, b = centred[both, i], centred[both, j]
        assert S[i, j] == pytest.approx(a @ b / np.sqrt((a @ a) * (b @ b)))
    error = np.sqrt(np.mean((model.predict(hidden) - truth) ** 2))
    base = np.sqrt(np.mean((BaselineOnly(reg_u=1, reg_i=1).fit(X, y).predict(hidden) - truth) ** 2))
    assert error < base


def test_explanations_add_up():
    X, y, _, _ = planted()
    for model in (UserKNN(), ItemKNN(), SlopeOne(), BaselineOnly()):
        model.fit(X, y)
        explained = model.explain(3, 5)
        assert explained.prediction == pytest.approx(model.predict([[3, 5]])[0])
        assert len(explained.terms) == len(explained.values)
    assert any(term.startswith("item ") for term in ItemKNN().fit(X, y).explain(3, 5).terms)


def test_weighted_differences_of_items_are_the_formula():
    X, y, hidden, _ = planted(users=20, items=12, seen=0.5)
    R = dense(X, y, 20, 12)
    for (u, i), found in zip(hidden, SlopeOne().fit(X, y).predict(hidden), strict=True):
        total, weight = 0.0, 0
        for j in np.flatnonzero(~np.isnan(R[u])):
            both = ~np.isnan(R[:, i]) & ~np.isnan(R[:, j])
            if j != i and both.any():
                total += both.sum() * (R[u, j] + (R[both, i] - R[both, j]).mean())
                weight += int(both.sum())
        assert found == pytest.approx(total / weight if weight else np.nanmean(R[u]))


def test_baselines_are_the_penalised_least_squares_solution():
    X, y, _, _ = planted(users=15, items=10, seen=0.7)
    weight = np.random.default_rng(1).integers(1, 4, len(y)).astype(float)
    model = BaselineOnly(reg_u=2.0, reg_i=3.0, tol=1e-12, max_iter=2000).fit(X, y, sample_weight=weight)
    D = np.zeros((len(y), 25))
    D[np.arange(len(y)), X[:, 0]] = D[np.arange(len(y)), 15 + X[:, 1]] = 1
    A = D.T @ (weight[:, None] * D) + np.diag([2.0] * 15 + [3.0] * 10)
    solution = np.linalg.solve(A, D.T @ (weight * (y - np.average(y, weights=weight))))
    np.testing.assert_allclose(np.concatenate([model.user_biases_, model.item_biases_]), solution, atol=1e-8)
    copies = np.repeat(np.arange(len(y)), weight.astype(int))
    again = BaselineOnly(reg_u=2.0, reg_i=3.0, tol=1e-12, max_iter=2000).fit(X[copies], y[copies])
    np.testing.assert_allclose(again.item_biases_, model.item_biases_, atol=1e-9)


def test_sparse_matrices_and_tables_are_the_same_ratings():
    import pandas as pd

    X, y, hidden, _ = planted()
    plain = UserKNN().fit(X, y).predict(hidden)
    matrix = sparse.csr_array((y, X.T), shape=(60, 40))
    np.testing.assert_array_equal(UserKNN().fit(matrix).predict(hidden), plain)
    frame = pd.DataFrame({"user": X[:, 0], "item": X[:, 1]})
    np.testing.assert_array_equal(
        UserKNN().fit(frame, y).predict(pd.DataFrame(hidden, columns=["user", "item"])), plain
    )


def test_unknown_users_and_items_duplicates_and_constant_users():
    model = UserKNN().fit([["a", 1], ["a", 1], ["b", 2]], [2.0, 4.0, 5.0])
    assert model.ratings_.toarray().tolist() == [[3.0, 0.0], [0.0, 5.0]]
    assert np.isfinite(model.predict([["new", 1], ["a", 99], ["new", 99]])).all()
    one = BaselineOnly().fit([["a", 1]], [3.0])
    assert one.predict([["a", 1], ["b", 2]]) == pytest.approx([3.0, 3.0])
    assert one.recommend().items.tolist() == [[None]]
    constant = UserKNN(min_similarity=-1).fit([[0, 0], [0, 1], [1, 0], [1, 1], [1, 2]], [3.0, 3.0, 1.0, 2.0, 5.0])
    assert constant.predict([[0, 2]]) == pytest.approx([3.0])
    with pytest.raises(ValueError, match=r"the user 'x' has no ratings"):
        BaselineOnly().fit([["a", 1]], [3.0]).recommend(["x"])
    with pytest.raises(ValueError, match="X must have two columns"):
        UserKNN().fit([[1, 2, 3]], [1.0])


@pytest.mark.parametrize("n", [0, -2, 1.5, True])
def test_numbers_of_recommendations_are_checked(n):
    model = BaselineOnly().fit(X_FILMS, Y_FILMS)
    with pytest.raises(learnable.DataError, match="n of recommend must be a whole number"):
        model.recommend(n=n)
    with pytest.raises(learnable.DataError, match="n of similar_items must be a whole number"):
        model.similar_items([X_FILMS[0][1]], n)


def test_usual_numbers_of_neighbours_are_tried():
    from learnable.core.declare.params import parameters

    tried = parameters(UserKNN)["k"].metadata["rule"].tune
    assert all(20 <= k <= 50 for k in tried) and 20 <= UserKNN().k <= 50


def test_popular_items():
    model = Popularity("mean", damping=0).fit([["a", 1], ["b", 1], ["c", 2]], [1.0, 2.0, 5.0])
    assert model.predict([["a", 1], ["a", 2]]) == pytest.approx([1.5, 5.0])


def test_content_profiles_are_cosines_of_tf_idf():
    from learnable.feature_extraction.text import TfidfVectorizer

    texts = ["space ship alien", "alien planet space", "love wedding", "wedding comedy love"]
    F = TfidfVectorizer().fit_transform(texts)
    model = ContentRecommender().fit([["u", 0], ["u", 2]], [5.0, 1.0], item_features=F, item_ids=[0, 1, 2, 3])
    assert model.recommend(["u"], 2).items.tolist() == [[1, 3]]
    dense_F = F.toarray()
    profile = 2 * dense_F[0] - 2 * dense_F[2]
    cosine = dense_F @ profile / np.linalg.norm(profile)
    np.testing.assert_allclose(model.predict([["u", k] for k in range(4)]), cosine)
    assert model.similar_items([0], 1).items.tolist() == [[1]]
