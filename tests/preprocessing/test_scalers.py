"""Scalers against scikit-learn: missing values, weights, sparse data, rows in parts; and the course's own formulas."""

from __future__ import annotations

import numpy as np
import pandas
import pytest
import sklearn.preprocessing as theirs
from scipy import sparse

from learnable import preprocessing as ours

RNG = np.random.default_rng(0)
X = RNG.standard_normal((60, 4)) * [1, 10, 0.1, 3] + [0, 5, -2, 1]
WITH_MISSING = np.where(RNG.random(X.shape) < 0.1, np.nan, X)
CASES = [
    ("StandardScaler", {}),
    ("StandardScaler", {"with_mean": False}),
    ("StandardScaler", {"with_std": False}),
    ("MinMaxScaler", {}),
    ("MinMaxScaler", {"feature_range": (-1, 2), "clip": True}),
    ("MaxAbsScaler", {}),
    ("RobustScaler", {}),
    ("RobustScaler", {"quantile_range": (10.0, 90.0), "unit_variance": True}),
    ("RobustScaler", {"with_centering": False}),
]


@pytest.mark.parametrize(("name", "options"), CASES)
@pytest.mark.parametrize("table", [X, WITH_MISSING], ids=["whole", "missing"])
def test_scalers_are_those_of_scikit_learn(name, options, table):
    mine, other = getattr(ours, name)(**options).fit(table), getattr(theirs, name)(**options).fit(table)
    np.testing.assert_allclose(mine.transform(X * 2), other.transform(X * 2), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(mine.inverse_transform(X), other.inverse_transform(X), rtol=1e-12, atol=1e-12)
    for attribute, value in vars(other).items():
        if attribute.endswith("_") and isinstance(value, np.ndarray) and value.dtype.kind == "f":
            np.testing.assert_allclose(getattr(mine, attribute), value, rtol=1e-12, atol=1e-14, err_msg=attribute)


@pytest.mark.parametrize("name", ["StandardScaler", "MinMaxScaler", "MaxAbsScaler"])
def test_rows_in_parts_are_rows_at_once(name):
    whole, parts = getattr(ours, name)().fit(WITH_MISSING), getattr(ours, name)()
    for rows in np.array_split(WITH_MISSING, 4):
        parts.partial_fit(rows)
    np.testing.assert_allclose(parts.transform(X), whole.transform(X), rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(parts.n_samples_seen_, whole.n_samples_seen_)


@pytest.mark.parametrize(("name", "option"), [("StandardScaler", "with_mean"), ("RobustScaler", "with_centering")])
def test_sparse_columns_are_scaled_but_never_shifted(name, option):
    table = sparse.csr_array(np.where(np.abs(X) < 1, 0, X))
    mine, other = getattr(ours, name)(**{option: False}), getattr(theirs, name)(**{option: False})
    result = mine.fit_transform(table)
    np.testing.assert_allclose(result.toarray(), other.fit_transform(table).toarray(), rtol=1e-12)
    with pytest.raises(ValueError, match=f"would fill it; set {option}=False"):
        getattr(ours, name)().fit(table)


def test_the_course_uses_n_minus_one():
    scaled = ours.StandardScaler(ddof=1).fit_transform(X)
    np.testing.assert_allclose(scaled.std(axis=0, ddof=1), 1, rtol=1e-12)
    np.testing.assert_allclose(scaled.mean(axis=0), 0, atol=1e-12)


def test_constant_columns_are_only_shifted():
    table = np.column_stack([np.full(30, 0.1), np.full(30, 1e9 + 0.1)])
    for name in ("StandardScaler", "MinMaxScaler", "RobustScaler"):
        assert (getattr(ours, name)().fit_transform(table) == 0).all(), name


@pytest.mark.parametrize("norm", ["l1", "l2", "max"])
@pytest.mark.parametrize("wrap", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_rows_have_length_one(norm, wrap):
    table = wrap(np.vstack([X, np.zeros(4)]))
    mine = ours.Normalizer(norm).fit_transform(table)
    other = theirs.Normalizer(norm).fit_transform(table)
    assert abs(mine - other).max() < 1e-14
    huge = ours.normalize(X[:3] * 1e300)
    np.testing.assert_allclose(huge, theirs.normalize(X[:3]), rtol=1e-12)


def test_functions_of_scikit_learn_agree():
    np.testing.assert_array_equal(ours.binarize(X, threshold=0.5), theirs.binarize(X, threshold=0.5))
    np.testing.assert_array_equal(ours.add_dummy_feature(X), theirs.add_dummy_feature(X))
    np.testing.assert_allclose(ours.normalize(X, axis=0), theirs.normalize(X, axis=0), rtol=1e-14)


def test_a_function_without_names_of_columns_gives_what_it_gives():
    step = ours.FunctionTransformer(lambda rows: np.asarray(rows) * 2)
    assert not hasattr(step, "get_feature_names_out")
    with pytest.warns(UserWarning, match="cannot be a pandas frame"):
        doubled = step.set_output(transform="pandas").fit_transform(pandas.DataFrame({"a": [1.0, 2.0]}))
    np.testing.assert_array_equal(doubled, [[2.0], [4.0]])


def test_transforms_by_functions_go_back_or_warn():
    table = np.abs(X)
    log = ours.FunctionTransformer(np.log1p, np.expm1, feature_names_out="one-to-one").fit(table)
    np.testing.assert_allclose(log.inverse_transform(log.transform(table)), table, rtol=1e-12)
    assert list(log.get_feature_names_out()) == ["x0", "x1", "x2", "x3"]
    with pytest.warns(UserWarning, match="does not undo"):
        ours.FunctionTransformer(np.log1p, np.exp).fit(table)


@pytest.mark.parametrize("weighted", [False, True])
def test_median_absolute_deviation(weighted):
    """PRE-04: the median and the MAD of scipy; an enormous outlier moves neither; normal data get variance one."""
    from scipy.stats import median_abs_deviation

    rng = np.random.default_rng(0)
    X = rng.normal(size=(201, 3)) * [1, 50, 0.01] + [0, 1e3, 5]
    count = rng.integers(0, 4, 201) if weighted else None
    copies = X if count is None else np.repeat(X, count, axis=0)
    model = ours.RobustScaler(scale="mad").fit(X, sample_weight=count)
    np.testing.assert_allclose(model.center_, np.median(copies, axis=0), rtol=1e-12)
    np.testing.assert_allclose(model.scale_, median_abs_deviation(copies), rtol=1e-12)
    normal = ours.RobustScaler(scale="mad", unit_variance=True).fit(X, sample_weight=count)
    np.testing.assert_allclose(normal.scale_, median_abs_deviation(copies, scale="normal"), rtol=1e-9)
    np.testing.assert_allclose(model.inverse_transform(model.transform(X)), X, rtol=1e-9, atol=1e-12)
    spoiled = X.copy()
    spoiled[:90] = 1e9  # less than half
    assert (ours.RobustScaler(scale="mad").fit(spoiled).scale_ < 10 * model.scale_).all()
    assert (ours.RobustScaler().fit(spoiled).scale_ > 1e6).all()
    incomplete = X.copy()
    incomplete[::3] = np.nan
    np.testing.assert_allclose(
        ours.RobustScaler(scale="mad").fit(incomplete).scale_,
        median_abs_deviation(incomplete, nan_policy="omit"),
        rtol=1e-12,
    )
