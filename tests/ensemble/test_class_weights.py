"""Class weights and sample weights together: a row of weight 3 is three rows, whatever the weight of its class."""

import numpy as np
import pytest

from learnable.ensemble import (
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    RegularizedBoostingClassifier,
    RegularizedBoostingRegressor,
)

MODELS = [
    HistGradientBoostingClassifier(max_iter=5, random_state=0),
    RandomForestClassifier(5, random_state=0),
    RegularizedBoostingClassifier(n_estimators=5, min_samples_leaf=10, random_state=0),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("class_weight", ["balanced", {0: 0.3, 1: 1.7}, {0: 2, 1: 5}])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_rows_are_counted_without_class_weights(model, class_weight, kind):
    rng = np.random.default_rng(0)
    X, copies = rng.normal(size=(120, 4)).astype(kind), rng.integers(0, 4, 120)
    y = (X[:, 0] + 0.3 * rng.normal(size=120) > 0).astype(int)
    weighted, repeated = (model.clone().set_params(class_weight=class_weight) for _ in range(2))
    weighted.fit(X, y, copies.astype(kind))
    repeated.fit(np.repeat(X, copies, axis=0), np.repeat(y, copies))
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-9)


@pytest.mark.parametrize("seed", [0, 2])
def test_a_hessian_limit_that_is_just_reached_does_not_depend_on_rounding(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(150, 4)).round(2)
    X[:, 3] = rng.integers(0, 6, 150)
    X[rng.random(X.shape) < 0.1] = np.nan
    y = np.nansum(X, axis=1) + rng.normal(size=150)
    copies = rng.integers(0, 3, 150)
    model = RegularizedBoostingRegressor(
        loss="huber", n_estimators=6, random_state=1
    )  # small residuals have a Hessian of one
    weighted = model.clone().fit(X, y, copies.astype(float)).predict(X)
    repeated = model.clone().fit(np.repeat(X, copies, axis=0), np.repeat(y, copies)).predict(X)
    np.testing.assert_allclose(weighted, repeated, atol=1e-9)
