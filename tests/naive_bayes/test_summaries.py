"""Rows in parts, rows taken out again, models merged: each is the model of the rows that are in it."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import learnable
from learnable.core import DataError

NAMES = ["GaussianNB", "BernoulliNB", "MultinomialNB", "ComplementNB", "CategoricalNB", "MixedNB"]


def draw(name, rows=80, seed=0, missing=False):
    rng = np.random.default_rng(seed)
    y = np.concatenate([[0, 1, 2], rng.integers(0, 3, rows - 3)])
    X = rng.poisson(2.0 + y[:, None], (rows, 4)).astype(float)
    if name == "GaussianNB":
        X = X * np.array([1.0, 1e-3, 1e4, 1.0]) + rng.normal(size=X.shape)
    if missing:
        X[rng.random(X.shape) < 0.2] = np.nan
    return X, y, rng.integers(0, 4, rows).astype(float)


def make(name):
    parameters = {"distributions": ["gaussian", "poisson", "categorical", "exponential"]} if name == "MixedNB" else {}
    return getattr(learnable, name)(**parameters)


def assert_same(one, other, X):
    np.testing.assert_array_equal(one.classes_, other.classes_)
    np.testing.assert_allclose(one.class_count_, other.class_count_, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(one.predict_joint_log_proba(X), other.predict_joint_log_proba(X), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 1000), cut=st.integers(5, 75), weighted=st.booleans())
def test_parts_are_the_whole(name, seed, cut, weighted):
    X, y, weight = draw(name, seed=seed)
    weight = weight + 1 if weighted else None
    part = (lambda rows: None) if weight is None else (lambda rows: weight[rows])
    model = make(name)
    for rows in (slice(0, cut), slice(cut, None)):
        model.partial_fit(X[rows], y[rows], sample_weight=part(rows))
    assert_same(model, make(name).fit(X, y, sample_weight=weight), X)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 1000), cut=st.integers(10, 70))
def test_rows_that_go_leave_no_trace(name, seed, cut):
    X, y, weight = draw(name, seed=seed)
    weight = weight + 1
    first, later = slice(0, cut), slice(cut, None)
    model = make(name).fit(X[first], y[first], sample_weight=weight[first])
    alone = make(name).fit(X[first], y[first], sample_weight=weight[first])
    model.partial_fit(X[later], y[later], sample_weight=weight[later])
    model.unlearn(X[later], y[later], sample_weight=weight[later])
    assert_same(model, alone, X[first])


@pytest.mark.parametrize("name", NAMES)
def test_merged_models_are_the_model_of_all_rows(name):
    X, y, _ = draw(name)
    one, other = make(name).fit(X[:30], y[:30]), make(name).fit(X[30:], y[30:])
    assert_same(one.merge(other), make(name).fit(X, y), X)


@pytest.mark.parametrize("name", ["GaussianNB", "BernoulliNB", "CategoricalNB", "MixedNB"])
def test_missing_values_are_stored(name):
    X, y, _ = draw(name, missing=True)
    model = make(name).fit(X[:40], y[:40]).partial_fit(X[40:], y[40:])
    assert_same(model, make(name).fit(X, y), X)
    assert_same(model.unlearn(X[40:], y[40:]), make(name).fit(X[:40], y[:40]), X[:40])


@pytest.mark.parametrize("name", NAMES)
def test_classes_may_come_later(name):
    X, y, _ = draw(name)
    model = make(name).partial_fit(X[y < 2], y[y < 2]).partial_fit(X[y == 2], y[y == 2])
    order = np.argsort(y == 2, kind="stable")
    assert_same(model, make(name).fit(X[order], y[order]), X)


@pytest.mark.parametrize("name", NAMES)
def test_rows_that_were_not_learned_cannot_be_removed(name):
    X, y, _ = draw(name)
    model = make(name).fit(X[y < 2], y[y < 2])
    with pytest.raises(ValueError, match="never learned"):
        model.unlearn(X[:3], y[:3])
    with pytest.raises(ValueError, match="no rows would remain"):
        model.unlearn(X[y < 2], y[y < 2])
    with pytest.raises(ValueError, match="can be merged"):
        model.merge(make("GaussianNB" if name != "GaussianNB" else "BernoulliNB").fit(X, y))
    with pytest.raises(ValueError, match="not fitted"):
        make(name).unlearn(X, y)


def test_a_class_without_rows_is_never_predicted():
    model = learnable.GaussianNB().partial_fit([[0.0], [1.0]], ["a", "a"], classes=["a", "b"])
    assert model.predict([[0.5]]).tolist() == ["a"]
    np.testing.assert_array_equal(model.predict_proba([[0.5]]), [[1.0, 0.0]])


def test_numbers_and_texts_are_not_mixed():
    model = learnable.GaussianNB().partial_fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match="make them all text"):
        model.partial_fit([[2.0]], ["two"])
    assert model.classes_.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (learnable.MixedNB(distributions="bernoulli"), learnable.MixedNB(distributions="poisson")),
        (learnable.BernoulliNB(binarize=0.0), learnable.BernoulliNB(binarize=0.5)),
    ],
)
def test_sums_of_other_things_are_not_merged(one, other):
    X, y = [[0.0], [1.0]], [0, 1]
    with pytest.raises(DataError, match=r"equal columns can be merged; (distributions|binarize) is"):
        one.fit(X, y).merge(other.fit(X, y))


def test_columns_of_other_names_are_not_merged():
    X, y = np.array([[0.0, 1.0], [1.0, 0.0]]), [0, 1]
    one, other = (learnable.GaussianNB().fit(pd.DataFrame(X, columns=names), y) for names in (["a", "b"], ["b", "a"]))
    with pytest.raises(DataError, match="equal columns can be merged; this one's are"):
        one.merge(other)


@pytest.mark.parametrize("later", [[2.0, 3.0], [0.5, 7.0], list(np.arange(25.0))])  # to categories, and to numbers
def test_kinds_that_were_not_given_are_those_of_all_rows(later):
    X, y = np.array([0.0, 1.0, 1.0, 0.0, *later])[:, None], np.arange(4 + len(later)) % 2
    whole = learnable.MixedNB().fit(X, y)
    parts = learnable.MixedNB().partial_fit(X[:4], y[:4]).partial_fit(X[4:], y[4:])
    assert parts.distributions_ == whole.distributions_ != ["bernoulli"]
    assert_same(parts, whole, X)
    assert_same(learnable.MixedNB().fit(X[:4], y[:4]).merge(learnable.MixedNB().fit(X[4:], y[4:])), whole, X)


@pytest.mark.parametrize("kind", [*NAMES, "kde"])
def test_rows_that_were_never_learned_cannot_go(kind):
    X, y, _ = draw("MultinomialNB")
    model = learnable.MixedNB(distributions="kde") if kind == "kde" else make(kind)
    model.fit(X, y)
    before, strange = model.predict_joint_log_proba(X), X[:4] * 50
    with pytest.raises(DataError, match=f"{type(model).__name__}: these rows.*never learned"):
        model.unlearn(np.tile(strange, (40, 1)), np.tile(y[:4], 40))
    assert np.array_equal(model.predict_joint_log_proba(X), before)
    assert model.certificate_.holds


@pytest.mark.parametrize("name", ["GaussianNB", "MixedNB"])
def test_an_outlier_that_hides_the_others_cannot_be_removed(name):
    X, y, _ = draw("GaussianNB")
    far = np.full((1, 4), 1e12)
    model = getattr(learnable, name)(**({"distributions": "gaussian"} if name == "MixedNB" else {}))
    model.fit(np.vstack([X, far]), [*y, 0])
    before = model.predict_joint_log_proba(X)
    with pytest.raises(DataError, match="only rounding errors of a variance would remain"):
        model.unlearn(far, [0])
    assert np.array_equal(model.predict_joint_log_proba(X), before)


def test_a_column_may_become_constant_when_rows_go():
    X, y = np.array([[0.0, 1.0], [0.0, 2.0], [5.0, 4.0], [3.0, 1.5], [4.0, 7.0]]), [0, 0, 0, 1, 1]
    left = learnable.GaussianNB().fit(X, y).unlearn(X[2:3], y[2:3])
    assert_same(left, learnable.GaussianNB().fit(np.delete(X, 2, axis=0), np.delete(y, 2)), X[:2])
