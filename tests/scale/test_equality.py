"""A fit to a scan is the fit in memory: to rounding where it has a closed form, to the tolerance where it iterates."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pyarrow
import pytest

import learnable
from learnable import scale

from .data import assert_close, classification, regression, weights

REGRESSION, CLASSES = regression(2500), classification(2500)
BINARY = CLASSES[0], CLASSES[1] == "low"
COUNTS = np.abs(np.round(CLASSES[0])) % 4, CLASSES[1]
TARGETS = REGRESSION[0], np.column_stack([REGRESSION[1], REGRESSION[0][:, 0] - 3])
STANDARD = (CLASSES[0] - CLASSES[0].mean(axis=0)) / 3 + 0.5, CLASSES[1]
STANDARD_BINARY = STANDARD[0], BINARY[1]
RATES = (REGRESSION[0] - REGRESSION[0].mean(axis=0)) / 3, np.exp(0.3 * np.sin(REGRESSION[1])) + 0.5
MISSING = np.where(np.random.default_rng(3).random((2500, 5)) < 0.1, np.nan, REGRESSION[0]), None

CASES: list[tuple[Any, Any, float]] = [
    (learnable.LinearRegression(), REGRESSION, 1e-10),
    (learnable.LinearRegression(), TARGETS, 1e-10),
    (learnable.LinearRegression(fit_intercept=False), REGRESSION, 1e-10),
    (learnable.LinearRegression(positive=True), REGRESSION, 1e-9),
    (learnable.Ridge(alpha=10.0), REGRESSION, 1e-10),
    (learnable.Ridge(alpha=[1.0, 5.0]), TARGETS, 1e-10),
    (learnable.RidgeCV(alphas=[0.1, 10.0, 1000.0]), REGRESSION, 1e-9),
    (learnable.RidgeCV(alphas=[0.1, 10.0, 1000.0], cv=4), REGRESSION, 1e-9),
    (learnable.Lasso(alpha=0.1, tol=1e-12), REGRESSION, 1e-6),
    (learnable.ElasticNet(alpha=0.1, tol=1e-12), REGRESSION, 1e-6),
    (learnable.MultiTaskLasso(alpha=0.1, tol=1e-12), TARGETS, 1e-6),
    (learnable.LassoCV(alphas=20, cv=3, tol=1e-10), REGRESSION, 1e-5),
    (learnable.ElasticNetCV(alphas=20, cv=3, l1_ratio=[0.3, 0.9], tol=1e-10), REGRESSION, 1e-5),
    (learnable.OrthogonalMatchingPursuit(n_nonzero_coefs=3), REGRESSION, 1e-9),
    (learnable.BayesianRidge(), REGRESSION, 1e-7),
    (learnable.ARDRegression(), REGRESSION, 1e-7),
    (learnable.RidgeClassifier(), CLASSES, 1e-9),
    (learnable.RidgeClassifier(class_weight="balanced"), BINARY, 1e-9),
    (learnable.LeastSquaresClassifier(), CLASSES, 1e-9),
    (learnable.GaussianNB(), CLASSES, 1e-10),
    (learnable.MultinomialNB(), COUNTS, 1e-12),
    (learnable.ComplementNB(), COUNTS, 1e-12),
    (learnable.BernoulliNB(), COUNTS, 1e-12),
    (learnable.CategoricalNB(), COUNTS, 1e-12),
    (learnable.MixedNB(distributions="gaussian"), CLASSES, 1e-10),
    (learnable.LinearDiscriminantAnalysis(), CLASSES, 1e-8),
    (learnable.LinearDiscriminantAnalysis(solver="eigen", shrinkage=0.1), CLASSES, 1e-8),
    (learnable.QuadraticDiscriminantAnalysis(), CLASSES, 1e-8),
    (learnable.FisherDiscriminant(), CLASSES, 1e-8),
    (learnable.PCA(n_components=3), REGRESSION, 1e-9),
    (learnable.IncrementalPCA(n_components=3), REGRESSION, 1e-9),
    (learnable.StandardScaler(), MISSING, 1e-12),
    (learnable.MinMaxScaler(), MISSING, 0.0),
    (learnable.MaxAbsScaler(), MISSING, 0.0),
    (learnable.RobustScaler(), MISSING, 1e-12),
    (learnable.QuantileTransformer(n_quantiles=50), MISSING, 1e-12),
    (learnable.KBinsDiscretizer(strategy="uniform"), REGRESSION, 1e-12),
    (learnable.KBinsDiscretizer(strategy="quantile"), REGRESSION, 1e-12),
    (learnable.SimpleImputer(), MISSING, 1e-12),
    (learnable.SimpleImputer(strategy="median"), MISSING, 1e-12),
    (learnable.SimpleImputer(strategy="most_frequent"), MISSING, 0.0),
    (learnable.SimpleImputer(strategy="constant", fill_value=7.0), MISSING, 0.0),
    (learnable.OneHotEncoder(), COUNTS, 0.0),
    (learnable.OneHotEncoder(min_frequency=400, drop="first"), COUNTS, 0.0),
    (learnable.OrdinalEncoder(), COUNTS, 0.0),
    (learnable.LogisticRegression(tol=1e-6), BINARY, 1e-7),
    (learnable.LogisticRegression(tol=1e-6, C=0.01, class_weight="balanced"), BINARY, 1e-7),
    (learnable.LogisticRegression(tol=1e-6, fit_intercept=False), BINARY, 1e-7),
    (learnable.LogisticRegression(tol=1e-6, C=float("inf")), BINARY, 1e-6),
    (learnable.LogisticRegression(tol=1e-6, C=0.1), CLASSES, 1e-6),
    (learnable.LogisticRegression(tol=1e-6, C=0.1, strategy="ovr"), CLASSES, 1e-6),
    (learnable.PoissonRegressor(tol=1e-6, alpha=0.1), RATES, 1e-6),
    (learnable.GammaRegressor(tol=1e-6, alpha=0.1), RATES, 1e-6),
    (learnable.TweedieRegressor(tol=1e-6, power=1.5, alpha=0.1), RATES, 1e-6),
    (learnable.KMeans(n_clusters=4, random_state=0, tol=1e-10), REGRESSION, 1e-6),
    (learnable.KMeans(n_clusters=4, init=REGRESSION[0][:4].copy(), stop="objective"), REGRESSION, 1e-9),
    (learnable.GaussianMixture(n_components=2, random_state=0), REGRESSION, 1e-6),
    (learnable.GaussianMixture(n_components=2, random_state=0, covariance_type="diag"), REGRESSION, 1e-6),
    (learnable.TruncatedSVD(n_components=3, algorithm="arpack"), REGRESSION, 1e-7),
    (learnable.LinearSVC(tol=1e-12), STANDARD, 1e-5),
    (learnable.LinearSVC(tol=1e-12, C=0.1, class_weight="balanced"), STANDARD_BINARY, 1e-5),
    (learnable.Normalizer(), REGRESSION, 0.0),
    (learnable.PolynomialFeatures(), REGRESSION, 0.0),
    (learnable.RBFSampler(random_state=0), REGRESSION, 0.0),
    (learnable.PolynomialCountSketch(random_state=0), REGRESSION, 0.0),
    (learnable.SkewedChi2Sampler(random_state=0), COUNTS, 0.0),
    (learnable.AdditiveChi2Sampler(), COUNTS, 0.0),
    (learnable.Binarizer(), REGRESSION, 0.0),
    (learnable.MultiTaskElasticNet(alpha=0.1, tol=1e-12), TARGETS, 1e-6),
    (learnable.MultiTaskLassoCV(alphas=10, cv=3, tol=1e-10), TARGETS, 1e-5),
    (learnable.MultiTaskElasticNetCV(alphas=10, cv=3, tol=1e-10), TARGETS, 1e-5),
]
UNSTABLE = {
    "labels_",
    "statistics_",
    "certificate_",
    "trace_",
    "summary_",
    "n_iter_",
    "dual_gap_",
    "products_",
    "scores_",
}


def learned_arrays(model):
    for name, value in sorted(vars(model).items()):
        if name.endswith("_") and name not in UNSTABLE:
            values = value if isinstance(value, list) else [value]
            for one in values:
                if isinstance(one, (float, int)) or (isinstance(one, np.ndarray) and one.dtype.kind in "fi"):
                    yield name, np.asarray(one, dtype=np.float64)


def check_case(model, data, tolerance, weighted):
    X, y = data
    s = weights(len(X)) if weighted else None
    more = {"sample_weight": s} if weighted else {}
    if weighted and not model.traits.weights:
        with pytest.raises((learnable.DataError, TypeError)):
            learnable.clone(model).fit(scale.scan(X, target=y, weight=s))
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", learnable.ConvergenceWarning)
        expected = learnable.clone(model).fit(X, y, **more)
        found = learnable.clone(model).fit(scale.scan(X, target=y, weight=s, block_rows=300))
    assert found.certificate_.kind == expected.certificate_.kind
    assert found.certificate_.holds == expected.certificate_.holds
    for (name, one), (other, two) in zip(learned_arrays(found), learned_arrays(expected), strict=True):
        assert name == other
        np.testing.assert_array_equal(np.isnan(one), np.isnan(two))
        assert_close(np.nan_to_num(one), np.nan_to_num(two), tolerance, name)


@pytest.mark.parametrize("weighted", [False, True], ids=["rows", "weighted"])
@pytest.mark.parametrize(("model", "data", "tolerance"), CASES, ids=lambda value: type(value).__name__)
def test_a_scan_gives_the_fit_in_memory(model, data, tolerance, weighted):
    check_case(model, data, tolerance, weighted)


FRAME = pd.DataFrame(
    {
        "town": np.random.default_rng(1).choice(["Ulm", "Bonn", "Kiel"], 2500),
        "size": np.where(np.random.default_rng(2).random(2500) < 0.1, np.nan, REGRESSION[0][:, 0]),
        "age": np.round(REGRESSION[0][:, 1]),
        "y": REGRESSION[1],
    }
)
FRAME.loc[2499, "town"] = "Jena"  # which occurs in one block alone


def table_pipeline(final):
    columns = learnable.ColumnTransformer(
        [
            ("town", learnable.OneHotEncoder(handle_unknown="ignore"), ["town"]),
            ("size", learnable.make_pipeline(learnable.SimpleImputer(), learnable.StandardScaler()), ["size"]),
        ],
        remainder="passthrough",
    )
    return learnable.make_pipeline(columns, final)


@pytest.mark.parametrize("kind", ["pandas", "arrow", "parquet"])
def test_pipelines_of_columns_learn_from_scans(kind, tmp_path):
    expected = table_pipeline(learnable.Ridge()).fit(FRAME.drop(columns="y"), FRAME["y"])
    FRAME.to_parquet(tmp_path / "a.parquet", row_group_size=700)
    source = {"pandas": FRAME, "arrow": pyarrow.table(FRAME), "parquet": tmp_path / "a.parquet"}[kind]
    rows = scale.scan(source, target="y", block_rows=300)
    found = table_pipeline(learnable.Ridge()).fit(rows)
    assert found[0].get_feature_names_out().tolist() == expected[0].get_feature_names_out().tolist()
    assert_close(found[-1].coef_, expected[-1].coef_, 1e-10)
    assert_close(found.predict(rows).collect(), expected.predict(FRAME.drop(columns="y")), 1e-10)
    assert found.score(rows) == pytest.approx(expected.score(FRAME.drop(columns="y"), FRAME["y"]), rel=1e-10)


def test_quantiles_come_from_a_sample_that_depends_on_numbers_alone():
    X = np.random.default_rng(0).normal(size=(20_000, 2))
    model = learnable.KBinsDiscretizer(subsample=2000)

    def inner_edges(fitted):
        return np.array([edges[1:-1] for edges in fitted.edges_])

    found = [inner_edges(learnable.clone(model).fit(scale.scan(X, block_rows=rows))) for rows in (700, 20_000)]
    np.testing.assert_array_equal(*found)
    whole = inner_edges(learnable.clone(model).set_params(subsample=None).fit(X))
    assert 0 < np.abs(found[0] - whole).max() < 0.1


def test_cross_validation_on_scans():
    X, y = REGRESSION
    rows = scale.scan(X, target=y, block_rows=300)
    found = learnable.cross_validate(learnable.Ridge(), rows, cv=4, return_train_score=True, return_estimator=True)
    expected = learnable.cross_validate(learnable.Ridge(), X, y, cv=4, return_train_score=True)
    for name in ("test_score", "train_score"):
        assert_close(found[name], expected[name], 1e-10)
    assert len(found["estimator"]) == 4
    assert found.summary(method="corrected")["score"].mean == pytest.approx(expected["test_score"].mean(), rel=1e-10)
    with pytest.raises(learnable.ParameterError, match="a number of folds"):
        learnable.cross_validate(learnable.Ridge(), rows, cv=[(0, 1)])


def test_plans_say_what_a_fit_takes():
    rows = scale.scan(REGRESSION[0], target=REGRESSION[1], block_rows=300)
    one, many = rows.estimate(learnable.Ridge()), rows.estimate(learnable.KMeans())
    assert (one.passes, one.bytes_up) == (1, 8 * 6**2)
    assert many.passes > 5
    assert one.seconds > 0
    assert one.memory > 0
    with pytest.raises(learnable.DataError, match="needs all rows in memory"):
        rows.estimate(learnable.KNeighborsRegressor())
