"""Settings of the whole program under scikit-learn's names."""

from __future__ import annotations

import inspect

import numpy as np
import pandas
import polars
import pytest
import sklearn
from scipy import sparse

import learnable
from learnable import (
    PCA,
    ColumnTransformer,
    CountVectorizer,
    FeatureUnion,
    FunctionTransformer,
    GridSearchCV,
    OneHotEncoder,
    ParameterError,
    Ridge,
    StandardScaler,
    TableVectorizer,
    config_context,
    get_config,
    make_pipeline,
    set_config,
)
from learnable.base import BaseEstimator, TransformerMixin
from learnable.metrics import pairwise_distances_chunked

X = pandas.DataFrame({"a": [1.0, 2.0, 4.0], "b": [0.0, 5.0, 1.0]}, index=[7, 8, 9])


@pytest.fixture(autouse=True)
def as_before():
    with config_context():
        yield


def test_the_settings_are_those_of_scikit_learn():
    assert list(get_config()) == list(sklearn.get_config()) == list(inspect.signature(set_config).parameters)


def test_transformers_return_the_frame_that_is_set_unless_they_say_otherwise():
    set_config(transform_output="pandas")
    scaled = StandardScaler().fit_transform(X)
    assert isinstance(scaled, pandas.DataFrame) and list(scaled.index) == [7, 8, 9] and list(scaled) == ["a", "b"]
    assert isinstance(StandardScaler().set_output(transform="default").fit_transform(X), np.ndarray)
    with config_context(transform_output="polars"):
        assert isinstance(StandardScaler().fit_transform(X), polars.DataFrame)
    assert isinstance(PCA(1).fit_transform(X), pandas.DataFrame)
    set_config(transform_output="default")
    assert isinstance(PCA(1).fit_transform(X), np.ndarray)


@pytest.mark.parametrize(
    "model",
    [
        FeatureUnion([("s", StandardScaler()), ("p", PCA(1))]),
        ColumnTransformer([("s", StandardScaler(), ["a"])], remainder="passthrough"),
        make_pipeline(StandardScaler(), PCA(1)),
        FunctionTransformer(np.log1p, feature_names_out="one-to-one"),
        TableVectorizer(),
    ],
    ids=lambda model: type(model).__name__,
)
def test_composites_return_it_too(model):
    plain = model.fit_transform(X)
    with config_context(transform_output="pandas"):
        framed = model.fit_transform(X)
        assert isinstance(framed, pandas.DataFrame) and list(framed) == list(model.get_feature_names_out())
        np.testing.assert_allclose(framed.to_numpy(), plain)


def test_what_cannot_be_a_frame_stays_what_it_is():
    class Bare(TransformerMixin, BaseEstimator):
        def fit(self, X, y=None):
            return self

        def transform(self, X):
            return np.asarray(X) * 2

    set_config(transform_output="pandas")
    assert sparse.issparse(CountVectorizer().fit_transform(["one two", "two"]))
    assert sparse.issparse(OneHotEncoder().fit_transform([["x"], ["y"]]))
    assert isinstance(Bare().fit_transform(X), np.ndarray)


def test_searches_take_the_settings_to_their_threads():
    seen = []

    def noted(rows):
        seen.append(type(rows))
        return rows

    model = make_pipeline(StandardScaler(), FunctionTransformer(noted), Ridge())
    rows, target = np.arange(24.0).reshape(12, 2), np.arange(12.0)
    with config_context(transform_output="pandas"):
        GridSearchCV(model, {"ridge__alpha": [1.0], "standardscaler__with_std": [True, False]}, cv=2, n_jobs=2).fit(
            rows, target
        )
    assert set(seen) == {pandas.DataFrame}


def test_estimators_show_what_is_requested():
    assert repr(Ridge()) == "Ridge()" and Ridge()._repr_html_() is not None
    with config_context(print_changed_only=False, display="text"):
        assert repr(Ridge()).startswith("Ridge(alpha=1.0, fit_intercept=True,")
        assert Ridge()._repr_html_() is None


def test_chunks_take_the_memory_that_is_set():
    rows = np.zeros((512, 2))
    assert len(list(pairwise_distances_chunked(rows))) == 1
    with config_context(working_memory=1):
        assert len(list(pairwise_distances_chunked(rows))) == 2


def test_settings_end_with_their_block_even_by_an_error():
    before = get_config()
    with pytest.raises(ZeroDivisionError), config_context(assume_finite=True):
        assert get_config()["assume_finite"] is True
        raise ZeroDivisionError
    assert get_config() == before
    get_config()["display"] = "text"
    assert get_config() == before, "the dictionary is a copy"


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"transform_output": "numpy"}, 'transform_output must be "default", "pandas", "polars"'),
        ({"display": "html"}, "display must be"),
        ({"working_memory": -1}, "working_memory must be at least 0"),
        ({"array_api_dispatch": True}, "arrays are NumPy's here"),
    ],
)
def test_settings_that_make_no_sense_are_refused(wrong, words):
    with pytest.raises(ParameterError, match=words):
        set_config(**wrong)
    with pytest.raises(TypeError, match="no_such"), config_context(no_such=True):
        pass
    assert learnable.get_config()["display"] == "diagram"
