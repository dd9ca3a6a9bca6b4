"""SISA: forgetting rows gives the bits of a fit that never saw them."""

from __future__ import annotations

import numpy as np
import pytest

import learnable
from learnable import DecisionTreeClassifier, RandomForestClassifier, Ridge
from learnable.ensemble import ShardedEstimator

rng = np.random.default_rng(0)
X = rng.standard_normal((300, 4))
y = (X[:, 0] + X[:, 1] ** 2 > 0.5).astype(int)


@pytest.mark.parametrize("estimator", [DecisionTreeClassifier(), RandomForestClassifier(5, random_state=0), Ridge()])
def test_a_model_that_forgets_is_one_that_never_knew(estimator):
    target = y if hasattr(estimator, "predict_proba") else X @ [1.0, 2.0, 3.0, 4.0]
    model = ShardedEstimator(estimator, n_shards=6, random_state=1).fit(X, target)
    before = model.predict(X)
    gone = [3, 77, 200]
    model.forget(gone)
    never = ShardedEstimator(estimator, n_shards=6, random_state=1).fit(X, target, without=gone)
    assert (model.predict(X) == never.predict(X)).all()
    for one, other in zip(model.estimators_, never.estimators_, strict=True):
        assert (one.predict(X) == other.predict(X)).all()
    assert model.n_refitted_ == len(set(model.shard_[gone])) < 6
    changed = X.copy()
    changed[gone] = 1e6  # what they were decides nothing
    poisoned = ShardedEstimator(estimator, n_shards=6, random_state=1).fit(changed, target, without=gone)
    assert (poisoned.predict(X) == model.predict(X)).all()
    assert before.shape == (300,) and model.forget(gone).n_refitted_ == 0


def test_shards_and_scores():
    model = ShardedEstimator(DecisionTreeClassifier(), n_shards=5, random_state=0).fit(X, y)
    assert np.bincount(model.shard_).tolist() == [60] * 5
    votes = np.mean([one.predict(X) for one in model.estimators_], axis=0)
    assert (model.predict(X) == (votes > 0.5)).all()
    assert model.score(X, y) == (model.predict(X) == y).mean() > 0.9
    model.forget(np.flatnonzero(model.shard_ == 2))
    assert model.estimators_[2] is None and model.score(X, y) > 0.8
    with pytest.raises(learnable.DataError, match=r"indices 0\.\.299"):
        model.forget([300])
    with pytest.raises(learnable.NotFittedError):
        ShardedEstimator(Ridge()).predict(X)


def test_rows_that_could_not_be_forgotten_are_not_called_forgotten():
    rows, labels = np.arange(12.0)[:, None], np.tile([0, 1], 6)
    model = ShardedEstimator(learnable.LogisticRegression(), n_shards=2, random_state=1).fit(rows, labels)
    gone = np.flatnonzero((model.shard_ == 0) & (labels == 0))  # then the shard holds one class
    before = model.predict(rows)
    for _ in range(2):  # the second call must not pass in silence either
        with pytest.raises(learnable.DataError, match="one class"):
            model.forget(gone)
        assert not model.forgotten_.any()
    assert (model.predict(rows) == before).all()


def test_forgotten_rows_are_not_kept_and_the_caller_cannot_change_the_others():
    rows = X.copy()
    model = ShardedEstimator(DecisionTreeClassifier(), n_shards=3).fit(rows, y)
    never = ShardedEstimator(DecisionTreeClassifier(), n_shards=3).fit(X, y, without=[5, 6])
    secret = rows[5].copy()
    rows[:] = 0.0
    model.forget([5]).forget([6])
    assert (model.predict(X) == never.predict(X)).all()
    kept = [value for value in vars(model).values() if isinstance(value, np.ndarray) and value.ndim == 2]
    assert kept and not any((value == secret).all(axis=1).any() for value in kept)


def test_a_row_must_be_left():
    for estimator in (DecisionTreeClassifier(), Ridge()):
        model = ShardedEstimator(estimator, n_shards=2).fit(X, y)
        with pytest.raises(learnable.DataError, match="no row is left"):
            model.forget(np.arange(len(X)))
        assert np.isfinite(model.predict(X)).all()
        with pytest.raises(learnable.DataError, match="no row is left"):
            ShardedEstimator(estimator, n_shards=2).fit(X, y, without=np.arange(len(X)))
