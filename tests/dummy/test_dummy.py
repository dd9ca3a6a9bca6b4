import numpy as np
import pandas
import pytest
import sklearn.dummy as theirs
from hypothesis import given
from hypothesis import strategies as st

from learnable import DummyClassifier, DummyRegressor
from learnable.core import DataError

RNG = np.random.default_rng(0)
X, Y = RNG.standard_normal((50, 2)), RNG.standard_normal(50)
LABELS = np.array(["b", "a", "c"])[RNG.integers(3, size=50)]
WEIGHT = RNG.integers(1, 4, size=50)
NUMBERS = [
    {},
    {"strategy": "median"},
    {"strategy": "quantile", "quantile": 0.3},
    {"strategy": "constant", "constant": 2.5},
]


@pytest.mark.parametrize("options", NUMBERS)
@pytest.mark.parametrize("several", [False, True])
def test_numbers_are_those_of_scikit_learn(options, several):
    y = np.column_stack([Y, 2 * Y]) if several else Y
    if several and "constant" in options:
        options = {**options, "constant": [2.5, 3.5]}
    ours, other = DummyRegressor(**options).fit(X, y), theirs.DummyRegressor(**options).fit(X, y)
    np.testing.assert_allclose(ours.predict(X), other.predict(X))
    np.testing.assert_allclose(ours.constant_, other.constant_)
    assert ours.n_outputs_ == other.n_outputs_


@pytest.mark.parametrize("options", NUMBERS)
def test_a_weight_of_three_is_three_rows(options):
    rows = np.repeat(np.arange(50), WEIGHT)
    weighted = DummyRegressor(**options).fit(X, Y, sample_weight=WEIGHT)
    assert weighted.constant_ == pytest.approx(DummyRegressor(**options).fit(X[rows], Y[rows]).constant_)


@given(share=st.floats(0, 1), n=st.integers(1, 20), seed=st.integers(0, 100))
def test_quantiles(share, n, seed):
    from learnable.dummy.dummy_regressor import weighted_quantile

    rng = np.random.default_rng(seed)
    values, weight = rng.integers(-5, 5, size=n) / 2, rng.integers(1, 4, size=n)
    expected = np.quantile(np.repeat(values, weight), share)
    assert weighted_quantile(values, weight.astype(float), share) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("strategy", ["most_frequent", "prior", "stratified", "uniform", "constant"])
def test_classes_are_those_of_scikit_learn(strategy):
    options = {"strategy": strategy, "random_state": 3, "constant": "c" if strategy == "constant" else None}
    for weight in (None, WEIGHT):
        ours = DummyClassifier(**options).fit(X, LABELS, sample_weight=weight)
        other = theirs.DummyClassifier(**options).fit(X, LABELS, sample_weight=weight)
        np.testing.assert_array_equal(ours.predict(X), other.predict(X))
        np.testing.assert_allclose(ours.predict_proba(X), other.predict_proba(X))
        np.testing.assert_allclose(ours.class_prior_, other.class_prior_)
        assert ours.score(X, LABELS) == other.score(X, LABELS)


@pytest.mark.parametrize("strategy", ["prior", "most_frequent", "stratified", "uniform", "constant"])
def test_several_targets_are_predicted_as_by_scikit_learn(strategy):
    y = np.column_stack([RNG.integers(0, 3, 50), RNG.integers(0, 2, 50)])
    options = {"strategy": strategy, "random_state": 3, "constant": [2, 1] if strategy == "constant" else None}
    ours = DummyClassifier(**options).fit(X, y, WEIGHT)
    other = theirs.DummyClassifier(**options).fit(X, y, WEIGHT)
    np.testing.assert_array_equal(ours.predict(X), other.predict(X))
    for mine, reference in zip(ours.predict_proba(X), other.predict_proba(X), strict=True):
        np.testing.assert_allclose(mine, reference)
    np.testing.assert_allclose(np.exp(ours.predict_log_proba(X)[1]), ours.predict_proba(X)[1])
    assert ours.n_classes_ == other.n_classes_
    assert ours.n_outputs_ == 2
    assert ours.score(X, y) == np.mean((ours.predict(X) == y).all(axis=1))


def test_any_table_will_do():
    table = pandas.DataFrame({"text": ["x", None, "y"], "number": [1.0, np.nan, 2.0]})
    assert DummyRegressor().fit(table, [1.0, 2.0, 3.0]).predict(table).tolist() == [2.0] * 3
    assert DummyClassifier().fit(table, ["a", "b", "b"]).predict(table).tolist() == ["b"] * 3


def test_refusals():
    with pytest.raises(ValueError, match="quantile"):
        DummyRegressor(strategy="quantile").fit(X, Y)
    with pytest.raises(TypeError, match="needs the parameter"):
        DummyRegressor(strategy="constant").fit(X, Y)
    with pytest.raises(DataError, match="does not occur in y"):
        DummyClassifier(strategy="constant", constant="z").fit(X, LABELS)
