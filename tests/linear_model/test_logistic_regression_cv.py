"""The chosen penalty against scikit-learn and against fits fold by fold."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import LogisticRegressionCV as Reference
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold

from learnable import LogisticRegression, LogisticRegressionCV, watch
from learnable.core.errors import ConvergenceWarning, ParameterError

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning")

CURRENT = {"l1_ratios": (0.0,), "scoring": "neg_log_loss", "use_legacy_attributes": False}


def classes(count, n=90, p=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    y = (X @ rng.normal(size=(p, count)) + rng.gumbel(size=(n, count))).argmax(axis=1)
    return X, np.array(["a", "b", "c"])[y], rng.integers(1, 4, n).astype(float)


@pytest.mark.parametrize("count", [2, 3])
@pytest.mark.parametrize("options", [CURRENT, CURRENT | {"class_weight": "balanced"}, {}, {"refit": False}])
def test_it_is_that_of_scikit_learn(count, options):
    X, y, _ = classes(count)
    ours = LogisticRegressionCV(**options, Cs=[0.01, 1.0, 100.0], cv=3).fit(X, y)
    theirs = Reference(**options, Cs=[0.01, 1.0, 100.0], cv=3, solver="newton-cholesky", tol=1e-10).fit(X, y)
    assert_allclose(ours.C_, theirs.C_)
    assert np.shape(ours.C_) == np.shape(theirs.C_)
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-6)
    assert ours.score(X, y) == pytest.approx(theirs.score(X, y), rel=1e-6)
    assert ours.n_iter_.shape == theirs.n_iter_.shape
    for name in ("scores_", "coefs_paths_"):
        our, their = getattr(ours, name), getattr(theirs, name)
        if isinstance(their, dict):
            assert list(our) == list(their)
            our, their = np.array(list(our.values())), np.array(list(their.values()))
        assert_allclose(our, their, atol=1e-5)


def test_scores_are_those_of_models_fitted_to_the_other_folds():
    X, y, weight = classes(3)
    parts = list(StratifiedKFold(4).split(X, y))
    options = CURRENT | {"l1_ratios": (0.0, 0.5), "Cs": [0.1, 3.0], "cv": parts}
    model = LogisticRegressionCV(**options).fit(X, y, sample_weight=weight)
    for f, (train, test) in enumerate(parts):
        for r, ratio in enumerate((0.0, 0.5)):
            for c, C in enumerate((0.1, 3.0)):
                alone = LogisticRegression(C=C, l1_ratio=ratio).fit(X[train], y[train], sample_weight=weight[train])
                loss = log_loss(y[test], alone.predict_proba(X[test]), sample_weight=weight[test])
                assert model.scores_[f, r, c] == pytest.approx(-loss, abs=1e-5)


def test_one_standard_error_prefers_the_stronger_penalty():
    X, y, _ = classes(2)
    best = LogisticRegressionCV(**CURRENT, Cs=12).fit(X, y)
    simple = LogisticRegressionCV(**CURRENT, Cs=best.Cs_[::-1], rule="one_se").fit(X, y)
    mean = best.scores_.mean(axis=0)[0]
    error = best.scores_[:, 0, mean.argmax()].std(ddof=1) / np.sqrt(5)
    within = best.Cs_[mean >= mean.max() - error]
    assert within.min() == simple.C_
    assert simple.C_ < best.C_


def test_the_last_fit_is_that_of_all_rows():
    X, y, weight = classes(2)
    model = LogisticRegressionCV(**CURRENT).fit(X, y, sample_weight=weight)
    alone = LogisticRegression(C=model.C_).fit(X, y, sample_weight=weight)
    assert_allclose(model.coef_, alone.coef_, atol=1e-7)
    assert model.certificate_.holds


def test_one_versus_rest_and_liblinear():
    X, y, _ = classes(3)
    model = LogisticRegressionCV(**CURRENT, strategy="ovr", solver="liblinear", Cs=[0.1, 1.0]).fit(X, y)
    alone = LogisticRegression(C=model.C_, strategy="ovr", solver="liblinear").fit(X, y)
    assert_allclose(model.predict_proba(X), alone.predict_proba(X), atol=1e-7)


def test_l1_ratios_outside_their_range_are_refused():
    X, y, _ = classes(2)
    with pytest.raises(ParameterError, match="between 0 and 1"):
        LogisticRegressionCV(l1_ratios=(0.0, 2.0)).fit(X, y)


def test_a_search_that_was_cut_short_is_reported():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 5))
    y = (X[:, 0] + rng.normal(size=300) > 0).astype(int)
    model = LogisticRegressionCV(Cs=[1e-3, 1, 10], l1_ratios=[1.0], use_legacy_attributes=False, scoring="neg_log_loss")
    with watch(lambda event: True), pytest.warns(ConvergenceWarning, match="a watcher"):
        model.fit(X, y)
    assert np.isnan(model.scores_).any()
    assert model.trace_.stopped == "interrupted" and not model.certificate_.holds
