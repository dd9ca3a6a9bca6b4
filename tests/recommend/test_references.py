"""Predictions of Surprise and implicit, kept by tests/references/recommender_reference.py."""

from __future__ import annotations

import json

import numpy as np
import pytest

from learnable.recommend import (
    AlternatingLeastSquares,
    BaselineOnly,
    ItemKNN,
    MatrixFactorization,
    SVDpp,
    UserKNN,
)
from tests.recommend.films import planted
from tests.references.recommender_reference import (
    EPOCHS,
    FACTORS,
    PLACE,
    SEEDS,
    SHOWN,
    implicit_objective,
    pattern_of,
    rmse,
)

KEPT = json.loads(PLACE.read_text(encoding="utf-8"))
EXACT = {"baseline": BaselineOnly(tol=1e-12), "user_knn": UserKNN(10), "item_knn": ItemKNN(10, centre="mean")}


@pytest.mark.parametrize("name", EXACT)
def test_predictions_are_those_of_surprise(name):
    X, y, hidden, _ = planted()
    options = {"similarity": "pearson"} if name.endswith("knn") else {}
    model = EXACT[name].clone().set_params(**options).fit(X, y)
    np.testing.assert_allclose(model.predict(hidden[:SHOWN]), KEPT["predictions"][name], rtol=1e-9)


@pytest.mark.parametrize(("name", "model"), [("svd", MatrixFactorization), ("svdpp", SVDpp)])
def test_hidden_ratings_are_predicted_as_well_as_by_surprise(name, model):
    X, y, hidden, y_hidden = planted()
    errors = [
        rmse(model(FACTORS, reg=0.02, max_iter=EPOCHS, random_state=seed).fit(X, y).predict(hidden), y_hidden)
        for seed in range(SEEDS)
    ]
    theirs = KEPT["rmse"][name]
    standard_error = np.sqrt((np.var(errors) + np.var(theirs)) / SEEDS)
    assert np.mean(errors) < np.mean(theirs) + 3 * standard_error


@pytest.mark.parametrize("solver", ["cholesky", "cg"])
def test_implicit_feedback_reaches_the_objective_of_implicit(solver):
    X, _, _, _ = planted()
    pattern = pattern_of(X)
    models = [
        AlternatingLeastSquares(FACTORS, reg=0.1, solver=solver, max_iter=100, random_state=seed).fit(pattern)
        for seed in range(5)
    ]
    objectives = [implicit_objective(model.user_factors_, model.item_factors_, pattern, 0.1) for model in models]
    assert min(objectives) < KEPT["implicit_objective"] * (1 + 1e-4)
