"""Splines and mean targets against scikit-learn's; weights as copies; no row sees its own target."""

from __future__ import annotations

import numpy as np
import pandas
import pytest
import sklearn.preprocessing as theirs
from sklearn.model_selection import KFold as TheirKFold

from learnable import DataError
from learnable import preprocessing as ours

RNG = np.random.default_rng(0)
X = RNG.standard_normal((50, 2)) * [1, 10]
SPLINES = [
    {},
    {"degree": 1, "n_knots": 3},
    {"knots": "quantile"},
    {"extrapolation": "linear"},
    {"extrapolation": "continue", "degree": 2},
    {"extrapolation": "periodic"},
    {"include_bias": False},
    {"sparse_output": True},
    {"handle_missing": "zeros"},
]


@pytest.mark.parametrize("options", SPLINES, ids=str)
def test_splines_are_those_of_scikit_learn(options):
    table = np.where(RNG.random(X.shape) < 0.1, np.nan, X) if "handle_missing" in options else X
    mine, other = ours.SplineTransformer(**options).fit(table), theirs.SplineTransformer(**options).fit(table)
    far = table * 1.3
    found, expected = mine.transform(far), other.transform(far)
    if options.get("sparse_output"):
        found, expected = found.toarray(), expected.toarray()
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-10)
    assert list(mine.get_feature_names_out()) == list(other.get_feature_names_out())
    assert mine.n_features_out_ == other.n_features_out_


def test_splines_by_given_knots_and_weights():
    knots = np.array([[-3.0, -30], [0, 0], [3, 30]])
    mine, other = ours.SplineTransformer(knots=knots), theirs.SplineTransformer(knots=knots)
    np.testing.assert_allclose(mine.fit_transform(X), other.fit_transform(X), atol=1e-12)
    counts = RNG.integers(0, 4, len(X))
    for kind in ("uniform", "quantile"):
        weighted = ours.SplineTransformer(knots=kind).fit(X, sample_weight=counts)
        copied = ours.SplineTransformer(knots=kind).fit(np.repeat(X, counts, axis=0))
        np.testing.assert_allclose(weighted.transform(X), copied.transform(X), atol=1e-12)


def test_splines_sum_to_one_between_the_knots():
    np.testing.assert_allclose(ours.SplineTransformer().fit_transform(X)[:, :7].sum(axis=1), 1, rtol=1e-12)
    steps = ours.SplineTransformer(degree=0, n_knots=4).fit_transform(X)
    assert set(np.unique(steps)) == {0.0, 1.0} and (steps.sum(axis=1) == 2).all()
    with pytest.raises(DataError, match=r"column 0 holds .* outside the knots"):
        ours.SplineTransformer(extrapolation="error").fit(X).transform(X * 2)


TABLE = pandas.DataFrame({"a": RNG.choice(["x", "y", "z", None], 120), "b": RNG.integers(0, 4, 120)})
TARGETS = {
    "continuous": RNG.standard_normal(120) + (TABLE["a"] == "x"),
    "binary": RNG.choice(["no", "yes"], 120),
    "multiclass": RNG.choice(["u", "v", "w"], 120),
}


@pytest.mark.parametrize("kind", TARGETS)
@pytest.mark.parametrize("smooth", ["auto", 0.0, 3.5])
def test_mean_targets_are_those_of_scikit_learn(kind, smooth):
    y = TARGETS[kind]
    mine, other = ours.TargetEncoder(smooth=smooth).fit(TABLE, y), theirs.TargetEncoder(smooth=smooth).fit(TABLE, y)
    strange = TABLE.assign(b=99)
    for table in (TABLE, strange):
        np.testing.assert_allclose(mine.transform(table), other.transform(table), rtol=1e-10)
    assert mine.target_type_ == other.target_type_ == kind
    np.testing.assert_allclose(mine.target_mean_, other.target_mean_)
    assert list(mine.get_feature_names_out()) == list(other.get_feature_names_out())
    folds = TheirKFold(4, shuffle=True, random_state=0)
    mine, other = ours.TargetEncoder(smooth=smooth, cv=folds), theirs.TargetEncoder(smooth=smooth, cv=folds)
    np.testing.assert_allclose(mine.fit_transform(TABLE, y), other.fit_transform(TABLE, y), rtol=1e-10)


def test_weights_of_mean_targets_are_copies():
    counts = RNG.integers(0, 4, 120)
    rows = np.repeat(np.arange(120), counts)
    for y in TARGETS.values():
        weighted = ours.TargetEncoder().fit(TABLE, np.asarray(y), sample_weight=counts)
        copied = ours.TargetEncoder().fit(TABLE.iloc[rows], np.asarray(y)[rows])
        np.testing.assert_allclose(weighted.transform(TABLE), copied.transform(TABLE), rtol=1e-10)


def test_no_row_is_encoded_by_its_own_target():
    """A category of its own for each row gives everything away if a row sees its own target, and nothing if not."""
    table, y = np.arange(200).astype(str)[:, None].astype(object), np.random.default_rng(0).standard_normal(200)
    leaking = ours.TargetEncoder(smooth=0.0).fit(table, y).transform(table).ravel()
    honest = ours.TargetEncoder(smooth=0.0, random_state=0).fit_transform(table, y).ravel()
    assert abs(np.corrcoef(leaking, y)[0, 1]) > 0.999
    assert abs(np.corrcoef(honest, y)[0, 1]) < 0.3


def test_folds_that_overlap_are_refused():
    pairs = [(np.arange(60), np.arange(60, 120)), (np.arange(60), np.arange(60, 120))]
    with pytest.raises(DataError, match="every row once"):
        ours.TargetEncoder(cv=pairs).fit_transform(TABLE, TARGETS["binary"])
