"""Evolutionary searches of hyperparameters and of features against all candidates."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import loguniform, randint

import learnable
from learnable import DecisionTreeClassifier, ExhaustiveFeatureSelector, GridSearchCV, LinearRegression
from learnable.datasets import load_breast_cancer
from learnable.feature_selection import GeneticSelection
from learnable.model_selection import EvolutionSearchCV

X, y = load_breast_cancer(return_X_y=True)
X, y = X[:200], y[:200]
SPACE = {"max_depth": [1, 2, 3, 4, 5, 6], "min_samples_leaf": [1, 2, 4, 8, 16], "max_features": [2, 5, 10, 30]}


def test_the_best_of_a_grid_with_fewer_fits():
    tree = DecisionTreeClassifier(random_state=0)
    grid = GridSearchCV(tree, SPACE, cv=3).fit(X, y)
    search = EvolutionSearchCV(tree, SPACE, cv=3, population_size=12, n_generations=12, random_state=0).fit(X, y)
    tried = [tuple(sorted(candidate.items())) for candidate in search.candidates_]
    assert len(set(tried)) == len(tried) < 0.7 * len(grid.candidates_)
    assert search.best_score_ >= grid.best_score_ - 0.01
    scores = {tuple(sorted(c.items())): m for c, m in zip(grid.candidates_, grid.test_scores_["score"], strict=True)}
    for candidate, found in zip(tried, search.test_scores_["score"], strict=True):
        assert (scores[candidate] == found).all()
    assert set(search.cv_results_["generation"]) <= set(range(13))
    assert search.best_index_ == search.test_scores_["score"].mean(axis=1).argmax()


def test_distributions_are_searched_by_their_quantiles():
    space = {"max_depth": randint(1, 9), "ccp_alpha": loguniform(1e-5, 1e-1)}
    search = EvolutionSearchCV(
        DecisionTreeClassifier(random_state=0), space, cv=3, population_size=6, n_generations=3, random_state=1
    ).fit(X, y)
    for candidate in search.candidates_:
        assert 1 <= candidate["max_depth"] <= 8 and 1e-5 <= candidate["ccp_alpha"] <= 1e-1
    again = learnable.clone(search).set_params(n_jobs=2).fit(X, y)
    assert again.candidates_ == search.candidates_


def test_later_generations_are_better():
    space = {"alpha": loguniform(1e-6, 1e6)}
    search = EvolutionSearchCV(
        learnable.Ridge(), space, cv=3, population_size=8, n_generations=8, patience=None, random_state=0
    ).fit(X, y)
    means, generation = search.test_scores_["score"].mean(axis=1), search.stages_["generation"]
    assert means[generation > 4].mean() > means[generation == 0].mean()


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_best_subset_of_all(seed):
    rows = np.random.default_rng(seed).standard_normal((80, 8))
    target = rows[:, 1] - rows[:, 4] + 0.5 * rows[:, 6] + np.random.default_rng(9).standard_normal(80)
    every = ExhaustiveFeatureSelector(LinearRegression(), cv=3).fit(rows, target)
    found = GeneticSelection(LinearRegression(), cv=3, random_state=seed).fit(rows, target)
    assert found.score_ == pytest.approx(every.score_, abs=1e-12)
    assert (found.support_ == every.support_).all() and found.certificate_.holds
    few = GeneticSelection(LinearRegression(), cv=3, max_features=2, random_state=seed).fit(rows, target)
    two = ExhaustiveFeatureSelector(LinearRegression(), cv=3, max_features=2).fit(rows, target)
    assert few.support_.sum() <= 2 and few.score_ == pytest.approx(two.score_, abs=1e-12)
