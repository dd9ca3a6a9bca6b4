"""Contributions to predictions against all orders of the columns, for every kind of model."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pandas
import polars
import pytest

import learnable as L
from learnable.core import DataError
from learnable.inspection import contributions, interactions

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 4))
Y = X[:, 0] * X[:, 1] + 2 * X[:, 2] + 0.1 * RNG.normal(size=120)
CLASSES = np.array(["no", "perhaps", "yes"])[np.digitize(Y, [-1, 1])]
BACKGROUND = X[20:29]


def brute(value, x, background):
    """The mean over all orders of the columns of the change that each makes, and the mean of the background."""
    found, orders = np.zeros(len(x)), list(permutations(range(len(x))))
    for order in orders:
        rows = np.array(background)
        last = value(rows).mean()
        for j in order:
            rows[:, j] = x[j]
            now = value(rows).mean()
            found[j] += (now - last) / len(orders)
            last = now
    return found, value(np.array(background)).mean()


CASES = [
    (L.Ridge().fit(X, Y), "predict", "prediction", "exact: linear model"),
    (L.make_pipeline(L.StandardScaler(), L.Lasso(0.01)).fit(X, Y), "predict", "prediction", "exact: linear model"),
    (L.DecisionTreeRegressor(max_depth=4).fit(X, Y), "predict", "prediction", "exact: trees"),
    (L.RandomForestRegressor(n_estimators=5, random_state=0).fit(X, Y), "predict", "prediction", "exact: trees"),
    (L.HistGradientBoostingRegressor(max_iter=10).fit(X, Y), "predict", "prediction", "exact: trees"),
    (L.ExtraTreesClassifier(5, random_state=0).fit(X, CLASSES), "predict_proba", "probability", "exact: trees"),
    (L.HistGradientBoostingClassifier(max_iter=5).fit(X, CLASSES), "decision_function", "log-odds", "exact: trees"),
    (L.HistGradientBoostingClassifier(max_iter=5).fit(X, Y > 0), "decision_function", "log-odds", "exact: trees"),
    (L.LogisticRegression().fit(X, CLASSES), "decision_function", "log-odds", "exact: linear model"),
    (L.LogisticRegression().fit(X, Y > 0), "decision_function", "log-odds", "exact: linear model"),
    (L.KNeighborsRegressor(5).fit(X, Y), "predict", "prediction", "exact: all sets of columns"),
    (L.PoissonRegressor().fit(X, np.abs(Y)), "predict", "prediction", "exact: all sets of columns"),
    (L.GaussianNB().fit(X, CLASSES), "predict_proba", "probability", "exact: all sets of columns"),
    (L.SVR().fit(X, Y), "predict", "prediction", "exact: all sets of columns"),
]  # fmt: skip


@pytest.mark.parametrize(("model", "response", "unit", "method"), CASES, ids=lambda one: type(one).__name__)
def test_values_are_those_of_all_orders(model, response, unit, method):
    outputs = list(model.classes_) if hasattr(model, "classes_") else [None]
    for k, output in enumerate(outputs):

        def value(rows, k=k):
            found = getattr(model, response)(rows)
            if found.ndim == 1 and response == "decision_function":
                return found if k else -found
            return found if found.ndim == 1 else found[:, k]

        found = contributions(model, X[:2], BACKGROUND, output=output)
        assert (found.unit, found.method, found.output) == (unit, method, output)
        assert np.array_equal(found.low, found.values) and found.exact
        for row in range(2):
            right, mean = brute(value, X[row], BACKGROUND)
            assert np.allclose(found.values[row], right, atol=1e-10)
            assert found.base[row] == pytest.approx(mean, abs=1e-10)
        assert np.allclose(found.values.sum(axis=1) + found.base, value(X[:2]), atol=1e-10)


def test_sampled_values_have_intervals_that_hold_the_truth(monkeypatch):
    model = L.KNeighborsRegressor(5).fit(X, Y)
    exact = contributions(model, X[:20], BACKGROUND)
    monkeypatch.setattr("learnable.inspection.explanation.MAX_PREDICTED", 0)
    found = contributions(model, X[:20], BACKGROUND, n_permutations=72)
    assert not found.exact and found.method.startswith("sampled: 72 orders")
    inside = (found.low <= exact.values) & (exact.values <= found.high)
    assert 0.88 <= inside.mean() <= 1.0 and (found.high - found.low).max() > 0
    assert np.allclose(found.values.sum(axis=1) + found.base, model.predict(X[:20]), atol=1e-10)
    again = contributions(model, X[:20], BACKGROUND, n_permutations=72)
    assert np.array_equal(found.values, again.values)


def mixed():
    town = np.array(["Oslo", "Rome", "Bonn", None], dtype=object)[RNG.integers(0, 4, 120)]
    frame = pandas.DataFrame({"a": X[:, 0], "town": town, "b": X[:, 1]})
    frame.loc[3, "a"] = np.nan
    return frame, Y + (town == "Rome") * 2


@pytest.mark.parametrize("model", [L.Ridge(), L.RandomForestRegressor(n_estimators=5, random_state=0), L.SVR()])
def test_columns_of_a_mixed_table_add_up(model):
    frame, y = mixed()
    pipeline = L.make_pipeline(L.TableVectorizer(random_state=0), model).fit(frame, y)
    found = contributions(pipeline, frame.head(5), frame.tail(30))
    assert found.names == ["a", "town", "b"] and found.values.shape == (5, 3)
    assert np.allclose(found.values.sum(axis=1) + found.base, pipeline.predict(frame.head(5)), atol=1e-9)
    assert found.base[0] == pytest.approx(pipeline.predict(frame.tail(30)).mean())
    summed = "summed over the columns of a category" in found.method
    assert summed == isinstance(model, L.RandomForestRegressor)
    other = contributions(pipeline, polars.from_pandas(frame.head(5)), polars.from_pandas(frame.tail(30)))
    assert np.allclose(other.values, found.values, atol=1e-12)


def test_a_linear_model_of_categories_is_exact():
    frame, y = mixed()
    pipeline = L.make_pipeline(L.TableVectorizer(random_state=0), L.Ridge()).fit(frame, y)
    found = contributions(pipeline, frame.head(3), frame.tail(9))
    frozen = L.make_pipeline(L.TableVectorizer(random_state=0), L.SVR(kernel="linear")).fit(frame, y)
    assert found.method == "exact: linear model"
    rows = frame.tail(9)
    for j, name in enumerate(frame):
        changed = rows.copy()
        changed[name] = [frame[name].iloc[0]] * 9
        effect = pipeline.predict(changed).mean() - pipeline.predict(rows).mean()  # no interactions: any order
        assert found.values[0, j] == pytest.approx(effect, abs=1e-10)
    assert contributions(frozen, frame.head(1), rows).exact


def test_bad_arguments_are_refused():
    model = L.LogisticRegression().fit(X, CLASSES)
    with pytest.raises(DataError, match="output 'maybe' is not a class"):
        contributions(model, X[:1], X, output="maybe")
    with pytest.raises(DataError, match="the background must have rows with the 4 columns of X"):
        contributions(model, X[:1], X[:, :3])
    with pytest.raises(DataError, match="interactions: X has no rows"):
        interactions(model, X[:0])
    pair = X[:, :2]
    for several in (L.LinearRegression(), L.RandomForestRegressor(3), L.KNeighborsRegressor()):
        with pytest.raises(DataError, match=r"contributions: .* predicts 2 numbers for each row"):
            contributions(several.fit(X, pair), X[:1], X)
        with pytest.raises(DataError, match=r"interactions: .* predicts 2 numbers for each row"):
            interactions(several, X)
    broken = np.where(np.arange(4) == 2, np.nan, X[:1])
    for fitted in (model, L.LinearRegression().fit(X, Y), L.make_pipeline(L.StandardScaler(), L.Ridge()).fit(X, Y)):
        with pytest.raises(DataError, match="NaN in column 2, row 0"):
            contributions(fitted, broken, X)


def test_interactions_are_those_of_the_function():
    """H of a product of independent columns is near 1, of a sum it is 0; by the definition on a full grid."""
    axis = np.array([-1.0, 1.0])
    grid = np.array([[a, b, c] for a in axis for b in axis for c in axis])
    tree = L.DecisionTreeRegressor().fit(grid, grid[:, 0] * grid[:, 1] + 3 * grid[:, 2])
    found = {one.features: one for one in interactions(tree, grid)}
    assert found["x0", "x1"].h == pytest.approx(1) and found["x0", "x1"].size == pytest.approx(1)
    assert found["x0", "x2"].h == found["x1", "x2"].h == pytest.approx(0, abs=1e-12)
    mixed_effect = L.DecisionTreeRegressor().fit(grid, grid[:, 0] * grid[:, 1] + 2 * grid[:, 0])
    one = interactions(mixed_effect, grid, ["x1", 0])[0]
    assert one.features == ("x1", "x0") and one.h == pytest.approx(np.sqrt(1 / 5))
    with pytest.raises(DataError, match="two features or more"):
        interactions(tree, grid, [1])
