"""Pre-tuned networks for tables: categories, missing values, members, and what they are compared with."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_diabetes
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import learnable
from learnable.core.validate.features import FeatureValidator
from learnable.neural_network import TabularNetworkClassifier, TabularNetworkRegressor
from learnable.neural_network._table_encoder import TableEncoder
from learnable.neural_network._tabular_network import folds_of_content
from learnable.neural_network.tabular_network_classifier import best_temperature

QUICK = {"members": 2, "hidden_layer_sizes": (32, 32), "max_iter": 15, "random_state": 0}


def encoder(rows, chosen, bins=4, most=2, weight=None):
    table, _ = FeatureValidator("test", missing="native").table(rows)
    weight = np.ones(len(rows)) if weight is None else weight
    made = TableEncoder.of(table, np.array(chosen), weight, bins, most, "test")
    return made, made.encode(table, "test")


def test_numbers_become_a_scaled_value_bins_and_an_indicator():
    column = [[float(k)] for k in range(9)] + [[float("nan")]]
    made, inputs = encoder(column, [False])
    assert made.centre[0] == 4 and made.scale[0] == 4 and inputs.shape == (10, 6)
    scaled = (np.arange(9) - 4) / 4
    np.testing.assert_allclose(inputs[:9, 0], scaled / np.sqrt(1 + (scaled / 3) ** 2), rtol=1e-6)
    np.testing.assert_allclose(inputs[3, 1:5], [1, 0.5, 0, 0])  # edges 0, 2, 4, 6, 8
    np.testing.assert_allclose(inputs[9], [0, 1, 1, 0, 0, 1])
    assert inputs[:9, 5].max() == 0


def test_categories_become_indicators_of_frequent_values():
    made, inputs = encoder([["a"], ["b"], ["a"], ["c"], [None]], [True])
    np.testing.assert_array_equal(inputs, [[1, 0], [0, 1], [1, 0], [0, 0], [0, 0]])
    table, _ = FeatureValidator("test", missing="native").table([["z"], ["b"]])
    np.testing.assert_array_equal(made.encode(table, "test"), [[0, 0], [0, 1]])


def test_extreme_numbers_give_finite_inputs():
    _, inputs = encoder([[1e300], [-1e300], [0.0], [1.0], [2.0], [3.0]], [False])
    assert np.isfinite(inputs).all() and np.abs(inputs[:, 0]).max() <= 3
    _, inputs = encoder([[5.0], [5.0]], [False])
    assert inputs.shape == (2, 1) and not inputs.any()


def test_copies_share_a_fold_and_classes_stay_in_training():
    draws = np.random.default_rng(0)
    X, y = draws.normal(size=(60, 2)), np.repeat([0, 1, 2], [40, 19, 1])
    fold = folds_of_content(X, y, y)
    assert fold[59] == -1 and set(fold[:40]) == set(range(5)) and np.ptp(np.bincount(fold[:40])) <= 1
    order = draws.permutation(120) % 60
    np.testing.assert_array_equal(folds_of_content(X[order], y[order], y[order])[:20], fold[order][:20])
    assert (folds_of_content(X[:6], y[:6], y[:6]) == -1).all()


def test_mixed_columns_with_missing_values_are_learned():
    draws = np.random.default_rng(0)
    colour, size = draws.choice(["red", "green", "blue"], size=300), draws.normal(size=300)
    y = np.where(np.where(colour == "red", 1.0, -0.5) + size > 0, "yes", "no")
    rows = [
        [c if draws.random() < 0.9 else None, s if draws.random() < 0.9 else np.nan]
        for c, s in zip(colour, size, strict=True)
    ]
    model = TabularNetworkClassifier(**(QUICK | {"max_iter": 30})).fit(rows[:200], y[:200])
    complete = [c is not None and s == s for c, s in rows]
    unseen = [k for k in range(200, 300) if complete[k]]
    assert np.mean(model.predict([rows[k] for k in unseen]) == y[unseen]) > 0.9
    assert model.predict_proba([["violet", np.nan]]).sum() == pytest.approx(1)


def test_members_differ_and_their_mean_is_better_than_they_are():
    X, y = load_diabetes(return_X_y=True)
    odd = np.arange(len(y)) % 3 == 0
    model = TabularNetworkRegressor(**(QUICK | {"members": 5})).fit(X[~odd], y[~odd])
    inputs = model._inputs(model._read(X[odd]))
    alone = [
        np.mean((model.target_mean_ + model.target_scale_ * one.predict(inputs) - y[odd]) ** 2)
        for one in model.estimators_
    ]
    assert len({one.weights_.tobytes() for one in model.estimators_}) == 5
    assert np.mean((model.predict(X[odd]) - y[odd]) ** 2) < np.mean(alone)
    assert model.score(X[odd], y[odd]) > 0.4
    low, high = y[~odd].min(), y[~odd].max()
    assert low <= model.predict(1e6 * X).min() and model.predict(1e6 * X).max() <= high


def test_it_is_better_than_a_scaled_network_of_scikit_learn():
    """On steps and corners, which are common in tables."""
    draws = np.random.default_rng(0)
    X = draws.normal(size=(600, 4))
    y = 3 * (X[:, 0] > 0) + 2 * np.abs(X[:, 1]) + np.floor(X[:, 2]) + 0.3 * draws.normal(size=600)
    peer = make_pipeline(StandardScaler(), MLPRegressor(max_iter=3000, random_state=0)).fit(X[:400], y[:400])
    ours = TabularNetworkRegressor(random_state=0).fit(X[:400], y[:400])
    errors = [np.mean((model.predict(X[400:]) - y[400:]) ** 2) for model in (ours, peer)]
    assert errors[0] < 0.9 * errors[1]


def test_temperatures_are_those_of_the_held_out_rows():
    """Probabilities that are too extreme by a factor 2 in their logarithms get the temperature 2."""
    draws = np.random.default_rng(0)
    scores = draws.normal(size=20_000)
    codes = (draws.random(20_000) < 1 / (1 + np.exp(-scores))).astype(int)
    extreme = 1 / (1 + np.exp(-2 * scores))
    found = best_temperature(np.column_stack([1 - extreme, extreme]), codes, np.ones(20_000))
    assert found == pytest.approx(2, abs=0.1)


def test_class_weights_count_in_training_and_in_validation():
    draws = np.random.default_rng(0)
    X, y = draws.normal(size=(200, 2)), (draws.random(200) < 0.2).astype(int)
    plain = TabularNetworkClassifier(**QUICK).fit(X, y)
    balanced = TabularNetworkClassifier(class_weight="balanced", **QUICK).fit(X, y)
    assert plain.predict_proba(X)[:, 1].mean() < 0.35 < 0.4 < balanced.predict_proba(X)[:, 1].mean()


def test_classes_of_two_rows_each_are_learned():
    """Some members then hold nothing out."""
    X, y = np.arange(12.0)[:, None], np.repeat(list("abcdef"), 2)
    model = TabularNetworkClassifier(**(QUICK | {"members": 5})).fit(X, y)
    assert len(model.temperatures_) == 5 and model.temperatures_[2] == 1.0
    assert model.predict_proba(X).shape == (12, 6)


def test_models_go_through_files(tmp_path):
    rows, y = [["a", 1.0], ["b", np.nan], ["c", 3.0]] * 10, np.arange(30.0)
    model = TabularNetworkRegressor(**QUICK).fit(rows, y)
    learnable.save(model, tmp_path / "model.lrn")
    np.testing.assert_array_equal(learnable.load(tmp_path / "model.lrn").predict(rows), model.predict(rows))
