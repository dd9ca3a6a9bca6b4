"""Crosses of bins, landmarks, basis functions, outliers: against products by hand, closed forms and SciPy."""

from __future__ import annotations

import numpy as np
import pandas
import polars
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.spatial.distance import cdist

import learnable
from learnable import DataError, LinearRegression, make_pipeline
from learnable import preprocessing as ours

RNG = np.random.default_rng(0)
X = RNG.standard_normal((60, 3))
COUNTS = RNG.integers(0, 4, len(X))


def test_crosses_are_products_of_indicators():
    crossed = ours.FeatureCrosser(3, degree=3, sparse_output=False).fit(X)
    found, names = crossed.transform(X), list(crossed.get_feature_names_out())
    bins = ours.KBinsDiscretizer(3, encode="onehot-dense").fit_transform(X)
    np.testing.assert_array_equal(found[:, :9], bins)
    assert found.shape[1] == 9 + 3 * 9 + 27 and len(set(names)) == len(names)
    place = {name: k for k, name in enumerate(names)}
    for name, k in place.items():
        product = np.prod([found[:, place[part]] for part in name.split()], axis=0)
        np.testing.assert_array_equal(found[:, k], product, err_msg=name)
    np.testing.assert_array_equal(ours.FeatureCrosser(3, degree=3).fit_transform(X).toarray(), found)
    assert ours.FeatureCrosser(3, include_bins=False).fit_transform(X).shape[1] == 27


def test_a_linear_model_of_crosses_learns_an_exclusive_or():
    points = RNG.uniform(-1, 1, (400, 2))
    y = ((points[:, 0] > 0) != (points[:, 1] > 0)).astype(float)
    plain = LinearRegression().fit(points, y).score(points, y)
    crossed = make_pipeline(ours.FeatureCrosser(2, strategy="uniform", include_bins=False), LinearRegression()).fit(
        points, y
    )
    assert plain < 0.05 and crossed.score(points, y) > 0.8


def test_landmarks_are_gaussian_likenesses():
    model = ours.LandmarkFeatures(sigma=0.7).fit(X)
    np.testing.assert_allclose(
        model.transform(X[:5]), np.exp(-(cdist(X[:5], np.unique(X, axis=0)) ** 2) / (2 * 0.49)), atol=1e-12
    )
    some = ours.LandmarkFeatures(n_landmarks=7, random_state=0).fit(X)
    assert some.landmarks_.shape == (7, 3) and all(any((row == X).all(axis=1)) for row in some.landmarks_)
    with pytest.raises(ValueError, match=r"LandmarkFeatures: landmarks must have the shape \(any, 3\)"):
        ours.LandmarkFeatures([[1.0]]).fit(X)


NAMED = {"log": np.log, "exp": np.exp, "sqrt": np.sqrt, "logit": lambda x: np.log(x / (1 - x)), "log1p": np.log1p}


@pytest.mark.parametrize("name", [*NAMED, "reciprocal", "identity", ("power", 3), ("power", 0.5), ("power", -1)])
def test_named_transforms_go_back(name):
    table = RNG.uniform(0.1, 0.9, (20, 2))
    model = ours.BasisExpansion([name]).fit(table)
    np.testing.assert_allclose(model.inverse_transform(model.transform(table)), table, rtol=1e-12)
    if name in NAMED:
        np.testing.assert_allclose(model.transform(table), NAMED[name](table), rtol=1e-14)


@pytest.mark.parametrize(
    ("function", "bad"),
    [("log", 0.0), ("logit", 1.0), ("sqrt", -1.0), ("reciprocal", 0.0), (("power", 0.5), -2.0), ("exp", 1e4)],
)
def test_numbers_outside_a_domain_are_named(function, bad):
    table = pandas.DataFrame({"a": [0.5, 0.5], "b": [0.5, bad]})
    with pytest.raises(DataError, match=r"BasisExpansion: .*column 'b' holds .* in row 1"):
        ours.BasisExpansion([function]).fit(table)


def test_a_basis_of_functions_is_fitted_by_the_normal_equations():
    """The weights of a basis are those of (H'H)^-1 H'y, and the functions behind the data are found."""
    x = np.linspace(0.1, 3, 50)[:, None]
    y = 2 * np.sin(x[:, 0]) - 3 * np.log(x[:, 0]) + 1
    basis = ours.BasisExpansion([np.sin, "log", lambda X: X[:, 0] ** 2])
    H = np.column_stack([np.ones(50), basis.fit_transform(x)])
    model = make_pipeline(basis, LinearRegression()).fit(x, y)
    found = model["linearregression"]
    np.testing.assert_allclose([found.intercept_, *found.coef_], np.linalg.solve(H.T @ H, H.T @ y), atol=1e-8)
    np.testing.assert_allclose([found.intercept_, *found.coef_], [1, 2, -3, 0], atol=1e-8)
    assert list(basis.fit(x).get_feature_names_out(["t"])) == ["sin(t)", "log(t)", "function2(t)"]


RULES = {
    "z-score": lambda x: (x.mean() - 3 * x.std(), x.mean() + 3 * x.std()),
    "iqr": lambda x: tuple(np.quantile(x, [0.25, 0.75]) + np.array([-1.5, 1.5]) * stats.iqr(x)),
    "mad": lambda x: tuple(np.median(x) + np.array([-3.5, 3.5]) * stats.median_abs_deviation(x, scale="normal")),
}


@pytest.mark.parametrize("rule", RULES)
def test_ordinary_ranges(rule):
    table = X.copy()
    table[7, 1] = 50.0
    clipper, remover = ours.OutlierClipper(rule).fit(table), ours.OutlierRemover(rule).fit(table)
    for j in range(3):
        np.testing.assert_allclose((clipper.low_[j], clipper.high_[j]), RULES[rule](table[:, j]), rtol=1e-12)
    clipped = clipper.transform(table)
    assert clipped[7, 1] == clipper.high_[1] and (clipped >= clipper.low_).all()
    inside = ((table >= clipper.low_) & (table <= clipper.high_)).all(axis=1)
    np.testing.assert_array_equal(remover.kept_rows(table), inside)
    assert not inside[7]
    weighted = ours.OutlierClipper(rule).fit(table, sample_weight=COUNTS)
    copied = ours.OutlierClipper(rule).fit(np.repeat(table, COUNTS, axis=0))
    np.testing.assert_allclose(weighted.low_, copied.low_, rtol=1e-12)


@pytest.mark.parametrize("wrap", [np.asarray, pandas.DataFrame, lambda t: polars.DataFrame(t, schema=["a", "b", "c"])])
def test_rows_leave_with_their_targets_and_weights(wrap):
    table = X.copy()
    table[[3, 9]] = 100.0
    kept, y, weight = ours.OutlierRemover().fit_resample(wrap(table), np.arange(60), np.ones(60))
    assert type(kept) is type(wrap(table)) and len(kept) == len(y) == len(weight)
    assert not {3, 9} & set(np.asarray(y).tolist())


def test_outliers_are_removed_in_training_only():
    table, y = np.vstack([X, [[100.0, 0, 0]]]), np.append(X[:, 0], -1e4)
    model = make_pipeline(ours.OutlierRemover("mad"), LinearRegression()).fit(table, y)
    assert len(model.predict(table)) == 61
    np.testing.assert_allclose(model["linearregression"].coef_, [1, 0, 0], atol=1e-8)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(list(RULES)), st.floats(0.5, 4))
def test_clipping_twice_at_given_edges_changes_nothing(seed, rule, threshold):
    table = np.random.default_rng(seed).standard_t(2, (30, 2))
    clipper = ours.OutlierClipper(rule, threshold=threshold).fit(table)
    once = clipper.transform(table)
    np.testing.assert_array_equal(clipper.transform(once), once)


def test_model_files_hold_all_of_them(tmp_path):
    for name in ("FeatureCrosser", "LandmarkFeatures", "OutlierClipper"):
        model = getattr(learnable, name)().fit(X)
        learnable.save(model, tmp_path / name)
        said, again = (part.transform(X) for part in (model, learnable.load(tmp_path / name)))
        assert abs(said - again).max() == 0
