"""Weights of classes and of rows together: a row of weight 3 is three rows, whatever its class weighs."""

import numpy as np
import pytest

from learnable.ensemble import HistGradientBoostingClassifier, RandomForestClassifier, RegularizedBoostingClassifier

MODELS = [
    HistGradientBoostingClassifier(max_iter=5, random_state=0),
    RandomForestClassifier(5, random_state=0),
    RegularizedBoostingClassifier(n_estimators=5, min_samples_leaf=10, random_state=0),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("class_weight", ["balanced", {0: 0.3, 1: 1.7}, {0: 2, 1: 5}])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_rows_are_counted_without_their_classes(model, class_weight, kind):
    rng = np.random.default_rng(0)
    X, copies = rng.normal(size=(120, 4)).astype(kind), rng.integers(0, 4, 120)
    y = (X[:, 0] + 0.3 * rng.normal(size=120) > 0).astype(int)
    weighted, repeated = (model.clone().set_params(class_weight=class_weight) for _ in range(2))
    weighted.fit(X, y, copies.astype(kind))
    repeated.fit(np.repeat(X, copies, axis=0), np.repeat(y, copies))
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-9)
