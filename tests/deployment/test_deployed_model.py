"""Models with what they expect, kept in files; intervals and sets hold the truth as often as they say."""

from __future__ import annotations

import numpy as np
import pytest

import learnable


def deployed_regression(rng, rows=4000):
    X = rng.normal(size=(rows, 2))
    y = X @ [1.0, -2.0] + rng.normal(size=rows)
    unseen = learnable.cross_val_predict(learnable.LinearRegression(), X, y, cv=5)
    columns = [learnable.ExpectedColumn.of(name, column) for name, column in zip("ab", X.T, strict=True)]
    return learnable.DeployedModel(
        learnable.LinearRegression().fit(X, y), "regression", "y", columns, np.abs(y - unseen), card={"rows": rows}
    )


def test_intervals_hold_the_truth_as_often_as_they_say():
    rng = np.random.default_rng(0)
    model = deployed_regression(rng)
    X = rng.normal(size=(20000, 2))
    y = X @ [1.0, -2.0] + rng.normal(size=20000)
    for share in (0.5, 0.9, 0.99):
        low, high = model.interval(X, share).T
        assert np.mean((low <= y) & (y <= high)) == pytest.approx(share, abs=0.025)


def test_sets_hold_the_truth_as_often_as_they_say_and_the_likeliest_class_always():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(21000, 2))
    y = np.where(X[:, 0] + rng.logistic(size=21000) > 0, "yes", "no")
    proba = learnable.cross_val_predict(learnable.LogisticRegression(), X[:1000], y[:1000], method="predict_proba")
    scores = 1 - proba[np.arange(1000), (y[:1000] == "yes").astype(int)]
    model = learnable.DeployedModel(
        learnable.LogisticRegression().fit(X[:1000], y[:1000]), "binary", "y", [], scores, positive="yes"
    )
    sets = model.sets(X[1000:], 0.9)
    held = sets[np.arange(20000), (y[1000:] == "yes").astype(int)]
    assert held.mean() == pytest.approx(0.9, abs=0.03)
    assert sets.any(axis=1).all()


def test_a_threshold_decides_for_the_positive_class():
    X, y = [[0.0], [1.0], [2.0], [3.0]], ["bad", "bad", "good", "good"]
    fitted = learnable.LogisticRegression().fit(X, y)
    probability = fitted.predict_proba(X)[:, 0]
    model = learnable.DeployedModel(fitted, "binary", "y", [], np.array([0.1]), "bad", threshold=probability[2])
    assert model.predict(X).tolist() == ["bad", "bad", "bad", "good"]


def test_few_unseen_rows_promise_nothing_beyond_their_number():
    model = learnable.DeployedModel(
        learnable.LinearRegression().fit([[0.0], [1.0]], [0.0, 1.0]), "regression", "y", [], np.array([0.1, 0.3])
    )
    assert model.interval([[0.0]], 0.6).tolist() == [[pytest.approx(-0.3), pytest.approx(0.3)]]
    assert np.isinf(model.interval([[0.0]], 0.9)).all()
    with pytest.raises(learnable.ParameterError, match="share"):
        model.interval([[0.0]], 1.0)


def test_what_is_strange_in_a_row():
    values = np.array(["red", "blue", None], dtype=object)
    colour = learnable.ExpectedColumn.of("colour", values)
    day = learnable.ExpectedColumn.of("day", np.array(["2024-01-01", "2024-02-01"], dtype="datetime64[us]"))
    assert colour.strange(np.array(["red", "green", None], dtype=object)).tolist() == [False, True, False]
    assert day.strange(np.array(["2024-01-15", "2025-01-01", "NaT"], dtype="datetime64[us]")).tolist() == [
        False, True, False,
    ]  # fmt: skip
    model = deployed_regression(np.random.default_rng(0))
    found = model.strange({"b": np.array([0.0, 99.0, np.nan]), "a": np.array([-50.0, 0.0, 0.0])})
    assert found.tolist() == [[True, False], [False, True], [False, False]]
    with pytest.raises(learnable.DataError, match="no column 'b'"):
        model.strange({"a": np.zeros(1)})


def test_a_file_gives_the_same_model_back(tmp_path):
    model = deployed_regression(np.random.default_rng(0))
    learnable.save(model, tmp_path / "model.learnable")
    again = learnable.load(tmp_path / "model.learnable")
    X = np.random.default_rng(2).normal(size=(5, 2))
    assert np.array_equal(again.interval(X), model.interval(X))
    assert again.columns == model.columns and again.card == model.card


def test_a_file_that_promises_the_impossible_is_refused(tmp_path):
    model = learnable.DeployedModel(
        learnable.LinearRegression().fit([[0.0], [1.0]], [0.0, 1.0]), "regression", "y", [], np.array([-1.0])
    )
    with pytest.raises(learnable.ModelFileError, match=r"which load would refuse: .*misses"):
        learnable.save(model, tmp_path / "model.learnable")


def test_new_rows_of_another_distribution_are_noticed(tmp_path):
    """Columns that have moved, widened, gone missing or have new categories; and none of them by chance."""
    rng = np.random.default_rng(3)
    kinds = np.array(["a", "b", "c"], dtype=object)
    columns = {"x": rng.normal(size=3000), "z": rng.normal(size=3000), "kind": rng.choice(kinds, 3000)}
    described = [learnable.ExpectedColumn.of(name, values) for name, values in columns.items()]
    model = learnable.DeployedModel(
        learnable.LinearRegression().fit([[0.0], [1.0]], [0, 1]), "regression", "y", described, np.empty(0)
    )
    learnable.save(model, tmp_path / "model.learnable")
    for one in (model, learnable.load(tmp_path / "model.learnable")):
        same = {"x": rng.normal(size=500), "z": rng.normal(size=500), "kind": rng.choice(kinds, 500)}
        assert one.drifted(same) == []
        assert one.drifted(same | {"x": same["x"] + 1.0}) == ["x"]
        assert one.drifted(same | {"x": 3 * same["x"], "z": same["z"] + 3}) == ["z", "x"]
        assert one.drifted(same | {"kind": rng.choice(kinds[:2], 500)}) == ["kind"]
        assert one.drifted(same | {"kind": np.where(rng.random(500) < 0.3, "new", same["kind"]).astype(object)}) == [
            "kind"
        ]
        assert one.drifted(same | {"x": np.where(rng.random(500) < 0.3, np.nan, same["x"])}) == ["x"]
        assert one.drifted({"z": same["z"][:10] + 9}) == []  # too few rows to say
    alarms = 0
    for _ in range(200):
        alarms += bool(
            model.drifted({"x": rng.normal(size=300), "z": rng.normal(size=300), "kind": rng.choice(kinds, 300)})
        )
    assert alarms <= 2  # 0.1 % are promised


def test_a_significant_difference_may_be_too_small_to_matter():
    histogram = learnable.ExpectedColumn.of("x", np.arange(100_000.0)).histogram
    shifted = histogram.counted(np.arange(100_000.0) + 2000)
    distance, p_value = histogram.compared(shifted)
    assert distance == pytest.approx(0.02, abs=0.001) and p_value < 1e-10
