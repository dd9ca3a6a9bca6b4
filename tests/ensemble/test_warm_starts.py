"""Warm starts keep the categories, scales, classes and scores of the first fit."""

import numpy as np
import pandas as pd
import pytest

from learnable.ensemble import (
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    RegularizedBoostingClassifier,
    RegularizedBoostingRegressor,
)

X = np.random.default_rng(0).normal(size=(120, 2))
BINNED = [(HistGradientBoostingRegressor, "max_iter"), (RegularizedBoostingRegressor, "n_estimators")]


@pytest.mark.parametrize(("maker", "stages"), BINNED)
def test_categories_keep_the_codes_of_the_first_fit(maker, stages):
    worth = {"a": 5.0, "b": 0.0, "c": -5.0, "d": 9.0}

    def rows(letters):
        words = np.resize(list(letters), 120)
        return pd.DataFrame({"word": pd.Categorical(words)}), np.array([worth[word] for word in words])

    model = maker(warm_start=True, min_samples_leaf=5, **{stages: 30}).fit(*rows("abc"))
    model.set_params(**{stages: 60}).fit(*rows("bcd"))
    known = pd.DataFrame({"word": pd.Categorical(["b", "c"])})
    np.testing.assert_allclose(model.predict(known), [0.0, -5.0], atol=0.1)


@pytest.mark.parametrize(("maker", "stages"), [*BINNED, (GradientBoostingRegressor, "n_estimators")])
def test_warm_starts_keep_the_scale_of_the_scores(maker, stages):
    model = maker(warm_start=True, **{stages: 30}).fit(X, 1e9 * X[:, 0])
    model.set_params(**{stages: 60}).fit(X, 1e11 * X[:, 0])
    assert model.score(X, 1e11 * X[:, 0]) > 0.9


@pytest.mark.parametrize(("maker", "stages"), BINNED)
@pytest.mark.parametrize("held_out", [None, 0.2])
def test_stage_scores_equal_those_of_a_single_fit(maker, stages, held_out):
    patience = (
        {"early_stopping": True, "n_iter_no_change": 50} if stages == "max_iter" else {"early_stopping_rounds": 50}
    )
    given = {"validation_fraction": held_out, "random_state": 0, **patience}
    whole = maker(**given, **{stages: 14}).fit(X, X[:, 0])
    parts = maker(**given, warm_start=True, **{stages: 6}).fit(X, X[:, 0])
    parts.set_params(**{stages: 14}).fit(X, X[:, 0])
    assert len(whole.train_score_) == whole.n_iter_ + 1
    np.testing.assert_array_equal(parts.train_score_, whole.train_score_)
    np.testing.assert_array_equal(parts.validation_score_, whole.validation_score_)


def test_scores_from_later_stages_belong_to_the_last_stages():
    model = RegularizedBoostingRegressor(n_estimators=6, warm_start=True, random_state=0, early_stopping_rounds=50)
    model.set_params(validation_fraction=None).fit(X, X[:, 0])
    model.set_params(validation_fraction=0.2, n_estimators=10).fit(X, X[:, 0])
    assert len(model.train_score_) == model.n_iter_ + 1
    assert 1 <= len(model.validation_score_) <= 5


ADDERS = [
    BaggingClassifier, ExtraTreesClassifier, GradientBoostingClassifier, HistGradientBoostingClassifier,
    RandomForestClassifier, RegularizedBoostingClassifier,
]  # fmt: skip


@pytest.mark.parametrize("maker", ADDERS)
@pytest.mark.parametrize("others", [["a", "c"], ["a", "b", "c"], ["a"]])
def test_other_classes_are_rejected(maker, others):
    model = maker(warm_start=True).set_params(**_few(maker, 2)).fit(X, np.resize(["a", "b"], 120))
    before = model.predict(X)
    with pytest.raises(ValueError, match=r"warm_start adds to what was learned of the classes \['a', 'b'\]"):
        model.set_params(**_few(maker, 4)).fit(X, np.resize(others, 120))
    np.testing.assert_array_equal(model.predict(X), before)


def test_another_number_of_targets_is_rejected():
    forest = RandomForestRegressor(2, warm_start=True).fit(X, X[:, 0])
    with pytest.raises(ValueError, match="adds to trees of 1 targets, but y has 2"):
        forest.set_params(n_estimators=4).fit(X, X)


def _few(maker, stages):
    return {"max_iter" if maker is HistGradientBoostingClassifier else "n_estimators": stages}
