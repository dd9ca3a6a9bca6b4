"""A frozen fitted model inside meta-estimators: it is never refitted."""

import numpy as np
import pytest

import learnable
from learnable import CalibratedClassifierCV, FrozenEstimator, LogisticRegression, NotFittedError, Ridge

RNG = np.random.default_rng(0)
X = RNG.normal(size=(200, 3))
Y = (X[:, 0] + RNG.normal(size=200) > 0).astype(int)


def test_nothing_is_learned():
    model = LogisticRegression().fit(X[:100], Y[:100])
    frozen = FrozenEstimator(model).fit(X[100:], Y[100:], sample_weight=np.ones(100))
    np.testing.assert_array_equal(frozen.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(frozen.coef_, model.coef_)
    assert frozen.classes_ is model.classes_ and frozen.score(X, Y) == model.score(X, Y)
    assert learnable.clone(frozen) is frozen and not hasattr(frozen, "fit_predict")


def test_what_is_not_fitted_is_refused():
    with pytest.raises(NotFittedError, match="Ridge"):
        FrozenEstimator(Ridge()).fit(X, Y)
    with pytest.raises(ValueError, match="only estimator can be set"):
        FrozenEstimator(Ridge().fit(X, Y)).set_params(alpha=2.0)


@pytest.mark.parametrize("method", ["sigmoid", "isotonic", "temperature"])
def test_a_model_that_exists_is_calibrated_as_by_scikit_learn(method):
    import sklearn.calibration
    import sklearn.frozen

    model = LogisticRegression().fit(X[:100], Y[:100])
    ours = CalibratedClassifierCV(FrozenEstimator(model), method=method).fit(X[100:], Y[100:])
    theirs = sklearn.calibration.CalibratedClassifierCV(sklearn.frozen.FrozenEstimator(model), method=method)
    theirs.fit(X[100:], Y[100:])
    assert len(ours.estimators_) == 1
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-3)


def test_files_hold_it(tmp_path):
    model = CalibratedClassifierCV(FrozenEstimator(LogisticRegression().fit(X, Y))).fit(X, Y)
    learnable.save(model, tmp_path / "model.learn")
    again = learnable.load(tmp_path / "model.learn")
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert type(again.estimator) is FrozenEstimator


def test_scikit_learn_takes_it():
    import sklearn.model_selection

    frozen = FrozenEstimator(LogisticRegression().fit(X, Y))
    scores = sklearn.model_selection.cross_val_score(frozen, X, Y, cv=4)
    np.testing.assert_allclose(scores.mean(), frozen.score(X, Y))
    assert sklearn.base.is_classifier(frozen) and sklearn.base.clone(frozen) is frozen
