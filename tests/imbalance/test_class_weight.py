import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.class_weight import compute_class_weight as their_class_weight
from sklearn.utils.class_weight import compute_sample_weight as their_sample_weight

from learnable import RandomOverSampler, Ridge, compute_class_weight, compute_sample_weight

labels = st.lists(st.sampled_from(["a", "b", "c"]), min_size=1, max_size=30)


@given(y=labels, given=st.sampled_from(["balanced", None, {"a": 3.0, "b": 0.5, "c": 1.0}]))
def test_weights_are_those_of_scikit_learn(y, given):
    classes = np.unique(y)
    given = {label: given[label] for label in classes} if isinstance(given, dict) else given
    ours = compute_class_weight(given, classes=classes, y=y)
    np.testing.assert_allclose(ours, their_class_weight(given, classes=classes, y=y))
    np.testing.assert_allclose(compute_sample_weight(given, y), their_sample_weight(given, y))


def test_balanced_means_n_over_k_n_c():
    weight = compute_class_weight("balanced", classes=["no", "yes"], y=["no"] * 90 + ["yes"] * 10)
    np.testing.assert_allclose(weight, [100 / (2 * 90), 100 / (2 * 10)])
    rows = compute_sample_weight("balanced", ["no"] * 90 + ["yes"] * 10)
    assert rows[:90].sum() == pytest.approx(rows[90:].sum()) == pytest.approx(50)


def test_weights_of_rows_count_as_copies():
    y, weight = np.array([0, 0, 1, 2]), np.array([1.0, 2.0, 4.0, 0.5])
    ours = compute_class_weight("balanced", classes=[0, 1, 2], y=y, sample_weight=weight)
    np.testing.assert_allclose(ours, their_class_weight("balanced", classes=np.arange(3), y=y, sample_weight=weight))
    np.testing.assert_allclose(ours[:2], 7.5 / (3 * np.array([3.0, 4.0])))


def test_several_targets_and_parts():
    rng = np.random.default_rng(0)
    Y = rng.integers(0, 3, (40, 2))
    np.testing.assert_allclose(compute_sample_weight("balanced", Y), their_sample_weight("balanced", Y))
    given = [{0: 1.0, 1: 2.0, 2: 3.0}, {0: 2.0, 1: 0.5, 2: 1.0}]
    np.testing.assert_allclose(compute_sample_weight(given, Y), their_sample_weight(given, Y))
    indices = rng.integers(0, 40, 30)
    ours = compute_sample_weight("balanced", Y[:, 0], indices=indices)
    np.testing.assert_allclose(ours, their_sample_weight("balanced", Y[:, 0], indices=indices))


def test_words_of_refusal():
    with pytest.raises(ValueError, match="which occur in y"):
        compute_class_weight("balanced", classes=[0], y=[0, 1])
    with pytest.raises(ValueError, match="class_weight must be"):
        compute_class_weight("even", classes=[0, 1], y=[0, 1])
    with pytest.raises(ValueError, match="balanced"):
        compute_sample_weight({0: 1.0}, [0, 1], indices=[0])
    with pytest.raises(ValueError, match="one per column"):
        compute_sample_weight([{0: 1.0}], [[0, 1], [1, 0]])


@pytest.mark.parametrize(
    "model", [LogisticRegression(tol=1e-12, max_iter=10_000), DecisionTreeClassifier(random_state=0), Ridge()], ids=repr
)
def test_whole_weights_are_copies(model):
    rng = np.random.default_rng(0)
    X, weight = rng.normal(size=(60, 3)), rng.integers(0, 4, 60)
    y = (X[:, 0] + 0.3 * rng.normal(size=60) > 0.5).astype(int)
    rows = np.repeat(np.arange(60), weight)
    weighted = model.fit(X, y, sample_weight=weight).predict(X)
    copied = type(model)(**model.get_params()).fit(X[rows], y[rows]).predict(X)
    np.testing.assert_allclose(weighted, copied, atol=1e-6)


def test_balanced_weights_and_oversampling_say_the_same():
    """One row in three, copied to balance exactly, or weighted by its class: the same least squares."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [60, 20])
    X = rng.normal(size=(80, 2)) + y[:, None]
    weighted = Ridge(alpha=0.0).fit(X, y, sample_weight=compute_sample_weight("balanced", y))
    rows = np.concatenate([np.arange(80), np.tile(np.arange(60, 80), 2)])
    copied = Ridge(alpha=0.0).fit(X[rows], y[rows])
    np.testing.assert_allclose(weighted.coef_, copied.coef_, rtol=1e-9)
    assert np.bincount(RandomOverSampler().fit_resample(X, y)[1]).tolist() == np.bincount(y[rows]).tolist()
