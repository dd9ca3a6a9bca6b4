"""Coefficients of scaled columns for the columns as they were given."""

from __future__ import annotations

import numpy as np
import pytest

import learnable
from learnable import (
    Lasso,
    LogisticRegression,
    MaxAbsScaler,
    MinMaxScaler,
    Pipeline,
    Ridge,
    RobustScaler,
    StandardScaler,
    TransformedTargetRegressor,
    make_pipeline,
)
from learnable.linear_model import unscaled_coefficients

RNG = np.random.default_rng(0)
X = RNG.standard_normal((60, 3)) * [1, 20, 0.05] + [5, -100, 0]
Y = X @ [1.0, 0.1, -8.0] + 3 + RNG.standard_normal(60)
SCALERS = {
    "standard": [StandardScaler()],
    "without mean": [StandardScaler(with_mean=False)],
    "without scale": [StandardScaler(with_std=False)],
    "range": [MinMaxScaler((-1, 3))],
    "largest": [MaxAbsScaler()],
    "quantiles": [RobustScaler()],
    "two": [RobustScaler(scale="mad"), MinMaxScaler()],
}


@pytest.mark.parametrize("name", SCALERS)
@pytest.mark.parametrize("model", [Ridge(3.0), Lasso(0.1), Ridge(0.0)], ids=["ridge", "lasso", "least squares"])
def test_the_same_predictions_for_the_given_columns(name, model):
    """PRE-10: centre and scale X, shrink, and map the coefficients back."""
    pipeline = make_pipeline(*SCALERS[name], model).fit(X, Y)
    coef, intercept = unscaled_coefficients(pipeline)
    np.testing.assert_allclose(X @ coef + intercept, pipeline.predict(X), rtol=1e-9)
    if isinstance(model, Ridge) and model.alpha == 0:
        plain = Ridge(0.0).fit(X, Y)
        np.testing.assert_allclose(coef, plain.coef_, rtol=1e-8)
        assert intercept == pytest.approx(plain.intercept_)


def test_classes_targets_and_models_without_scalers():
    y = np.digitize(Y, np.quantile(Y, [0.3, 0.6]))
    pipeline = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)
    coef, intercept = unscaled_coefficients(pipeline)
    np.testing.assert_allclose(X @ coef.T + intercept, pipeline.decision_function(X), rtol=1e-9)
    scaled = TransformedTargetRegressor(make_pipeline(StandardScaler(), Ridge(2.0)), transformer=StandardScaler())
    coef, intercept = unscaled_coefficients(scaled.fit(X, Y))
    np.testing.assert_allclose(X @ coef + intercept, scaled.predict(X), rtol=1e-9)
    ridge = Ridge(2.0).fit(X, Y)
    assert unscaled_coefficients(ridge)[0].tolist() == ridge.coef_.tolist()
    skipped = Pipeline([("scale", "passthrough"), ("model", Ridge(2.0))]).fit(X, Y)
    np.testing.assert_allclose(unscaled_coefficients(skipped)[0], ridge.coef_)


def test_steps_that_mix_columns_are_refused():
    with pytest.raises(learnable.DataError, match="PCA does not shift and scale single columns"):
        unscaled_coefficients(make_pipeline(learnable.PCA(2), Ridge()).fit(X, Y))
    with pytest.raises(learnable.DataError, match="has no coef_"):
        unscaled_coefficients(make_pipeline(StandardScaler(), learnable.DecisionTreeRegressor()).fit(X, Y))
