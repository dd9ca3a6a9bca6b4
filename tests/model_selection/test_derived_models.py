"""Searches over classes that users derived from ours."""

import numpy as np
import pytest

import learnable
from learnable import GridSearchCV, clone, cross_val_score


class _Doubled(learnable.Ridge):
    """A model derived from one with a shortcut, with other predictions."""

    def predict(self, X):
        return 2.0 * super().predict(X)


class _ScoredRidge(learnable.Ridge):
    def score(self, X, y, sample_weight=None):
        return float(np.shape(X)[1]) + self.alpha


class _DoubledChain(learnable.Pipeline):
    def predict(self, X, **arguments):
        return 2.0 * super().predict(X, **arguments)


def _chain_of(kind, *, last):
    return kind([("scale", learnable.StandardScaler()), ("last", last)])


@pytest.mark.parametrize(
    ("model", "grid"),
    [
        (_Doubled(), {"alpha": [0.1, 10.0]}),
        (_ScoredRidge(), {"alpha": [0.1, 10.0]}),
        (_chain_of(learnable.Pipeline, last=_Doubled()), {"last__alpha": [0.1, 10.0]}),
        (_chain_of(_DoubledChain, last=learnable.Ridge()), {"last__alpha": [0.1, 10.0]}),
        (_chain_of(_DoubledChain, last=learnable.Ridge()), {"last__fit_intercept": [True, False]}),
    ],
    ids=["predict", "score", "last step", "chain", "chain without a shortcut"],
)
def test_derived_models_use_their_own_methods(model, grid):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = X[:, 0] + rng.normal(size=60)
    search = GridSearchCV(model, grid, cv=3).fit(X, y)
    plain = [cross_val_score(clone(model).set_params(**one), X, y, cv=3).mean() for one in search.cv_results_["params"]]
    assert search.cv_results_["mean_test_score"] == pytest.approx(plain)
