"""Pipelines and unions of fitted estimators predict without another fit, as scikit-learn's do."""

from __future__ import annotations

import numpy as np
import pandas
import pytest
import sklearn.pipeline
import sklearn.preprocessing

import learnable
from learnable import (
    PCA,
    FeatureUnion,
    Normalizer,
    NotFittedError,
    Pipeline,
    Ridge,
    StandardScaler,
    make_pipeline,
    make_union,
)

RNG = np.random.default_rng(0)
X = pandas.DataFrame(RNG.standard_normal((40, 3)) + 5, columns=["a", "b", "c"])
Y = X["a"] - X["c"]


@pytest.mark.parametrize("scaler", [StandardScaler, sklearn.preprocessing.StandardScaler])
def test_a_pipeline_of_fitted_steps_predicts(scaler, tmp_path):
    first = scaler().fit(X)
    last = Ridge().fit(np.asarray(first.transform(X)), Y)
    model = Pipeline([("scaler", first), ("pass", "passthrough"), ("ridge", last)])
    expected = last.predict(np.asarray(first.transform(X)))
    np.testing.assert_array_equal(model.predict(X), expected)
    np.testing.assert_array_equal(sklearn.pipeline.Pipeline(model.steps).predict(X), expected)
    assert model.score(X, Y) > 0.9 and model[-1] is last and model.named_steps["ridge"] is last
    assert list(model[:2].get_feature_names_out()) == ["a", "b", "c"]
    np.testing.assert_allclose(model[:1].inverse_transform(model[:1].transform(X)), X)
    if scaler is StandardScaler:
        learnable.save(model, tmp_path / "model")
        np.testing.assert_array_equal(learnable.load(tmp_path / "model").predict(X), expected)
    again = model.fit(X + 1, Y)
    assert again[-1] is not last and not np.array_equal(again.predict(X), expected)


def test_a_union_of_fitted_transformers_transforms():
    union = FeatureUnion([("scaled", StandardScaler().fit(X)), ("all", "passthrough"), ("pca", PCA(2).fit(X))])
    assert union.transform(X).shape == (40, 8)
    assert union.set_params(all="drop").transform(X).shape == (40, 5)
    assert list(union.get_feature_names_out())[:1] == ["scaled__a"]


@pytest.mark.parametrize(
    "model",
    [
        make_pipeline(StandardScaler(), Ridge().fit(X, Y)),
        make_pipeline(StandardScaler().fit(X), Ridge()),
        make_union(StandardScaler().fit(X), PCA()),
        FeatureUnion([("scaled", StandardScaler()), ("all", "passthrough")]),
        make_pipeline(Normalizer(), Ridge()),
    ],
)
def test_one_that_is_not_fitted_is_enough_to_refuse(model):
    with pytest.raises(NotFittedError):
        (model.predict if hasattr(model, "predict") else model.transform)(X)
