"""Rows that go back through a transformer must be such that it could have given."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from learnable import (
    ColumnTransformer,
    DataError,
    KBinsDiscretizer,
    KNNImputer,
    MissingIndicator,
    OneHotEncoder,
    OrdinalEncoder,
    ParameterError,
    Pipeline,
    SimpleImputer,
    SplineTransformer,
    StandardScaler,
    TargetEncoder,
)

X = np.arange(24.0).reshape(8, 3) % 5
WITH_MISSING = np.where(X == 0, np.nan, X)
FITTED = [
    KBinsDiscretizer(n_bins=2, encode="ordinal").fit(X),
    OneHotEncoder().fit(X),
    OrdinalEncoder().fit(X),
    SimpleImputer(add_indicator=True).fit(WITH_MISSING),
]
NO_ROWS: list[Any] = [None, "text", 3, [], np.ones(3), np.ones((2, 2)), np.ones((2, 2, 2)), [[1], [1, 2]], {"a": [1]}]


@pytest.mark.parametrize("fitted", FITTED, ids=lambda fitted: type(fitted).__name__)
def test_rows_of_another_shape_are_refused(fitted: Any) -> None:
    back = fitted.inverse_transform(fitted.transform(WITH_MISSING if isinstance(fitted, SimpleImputer) else X))
    assert back.shape == X.shape
    for rows in [*NO_ROWS, sparse.csr_matrix(np.ones((2, 2)))]:
        with pytest.raises(DataError, match=f"{type(fitted).__name__}: "):
            fitted.inverse_transform(rows)


def test_bins_that_are_not_there_are_named() -> None:
    for wrong in (np.nan, np.inf, -1, 2):
        with pytest.raises(
            DataError, match=r"KBinsDiscretizer: column 1 of X holds .* in row 0; it has the bins 0 to 1"
        ):
            FITTED[0].inverse_transform([[0, wrong, 1]])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: OrdinalEncoder().fit(X).inverse_transform([["a", "b", "c"]]),
            "OrdinalEncoder: inverse_transform takes",
        ),
        (lambda: OneHotEncoder(drop=[]).fit(X), "OneHotEncoder: drop"),
        (lambda: SplineTransformer(knots={"a": 1}).fit(X), "SplineTransformer: knots must be a table of numbers"),
        (lambda: KNNImputer(weights=np.ones(2)).fit(X), "KNNImputer: weights must be"),
        (lambda: MissingIndicator(sparse=np.ones(2)).fit(X), "MissingIndicator: sparse must be"),
        (lambda: TargetEncoder(cv=0).fit_transform(X, np.arange(8) % 2), "TargetEncoder: at least 2 folds"),
        (
            lambda: SimpleImputer(strategy=lambda x: x).fit(WITH_MISSING),
            "SimpleImputer: strategy must return one number",
        ),
        (lambda: StandardScaler().fit(X).get_feature_names_out(3), "StandardScaler: input_features must be a list"),
        (lambda: StandardScaler().fit(X).get_feature_names_out(["a"]), "StandardScaler: input_features must name each"),
        (
            lambda: ColumnTransformer([("a", StandardScaler(), [0, 2])]).fit(X).get_feature_names_out(["a"]),
            "ColumnTransformer: input_features must name each",
        ),
        (lambda: Pipeline(None).fit(X), "Pipeline: steps must be list"),
    ],
)
def test_messages_name_the_transformer_and_the_value(call: Callable[[], Any], words: str) -> None:
    with pytest.raises((DataError, ParameterError), match=words):
        call()
