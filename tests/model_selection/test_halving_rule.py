"""The rule of one standard error among the candidates of the last round of a halving search."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import loguniform

import learnable
from learnable import GridSearchCV, HalvingGridSearchCV, HalvingRandomSearchCV, ParameterError, Ridge

RNG = np.random.default_rng(3)
X = RNG.standard_normal((300, 6))
Y = X @ [1.0, 0.5, 0.3, 0.2, 0.1, 0.1] + 0.2 * RNG.standard_normal(300)
ALPHAS = {"alpha": np.geomspace(1e-3, 1e1, 12).tolist()}


@pytest.mark.parametrize(
    ("kind", "space"), [(HalvingGridSearchCV, ALPHAS), (HalvingRandomSearchCV, {"alpha": loguniform(1e-3, 1e1)})]
)
@pytest.mark.parametrize("factor", [2, 3])
def test_the_simplest_of_the_last_round_within_one_standard_error_is_taken(kind, space, factor):
    options = {"factor": factor, "random_state": 3, "cv": 4, "min_resources": 50}
    plain = kind(Ridge(), space, **options).fit(X, Y)
    search = kind(Ridge(), space, rule="one_se", **options).fit(X, Y)
    scores, results = search.test_scores_["score"], search.cv_results_
    last = np.flatnonzero(results["iter"] == max(results["iter"]))
    best = last[scores[last].mean(axis=1).argmax()]
    assert len(last) > 1 and best == plain.best_index_
    limit = scores[best].mean() - scores[best].std(ddof=1) / np.sqrt(4)
    allowed = [place for place in last if scores[place].mean() >= limit]
    simplest = max(allowed, key=lambda place: results["params"][place]["alpha"])
    assert search.best_index_ == simplest and search.best_estimator_.alpha == results["params"][simplest]["alpha"]
    assert search.best_index_ != plain.best_index_


def test_the_order_of_complexity_must_be_known_or_given(tmp_path):
    options = {"rule": "one_se", "random_state": 0, "cv": 4, "factor": 2}
    with pytest.raises(ParameterError, match=r"HalvingGridSearchCV: .*'fit_intercept'"):
        HalvingGridSearchCV(Ridge(), {"fit_intercept": [True, False], "alpha": [1.0, 2.0]}, **options).fit(X, Y)
    search = HalvingGridSearchCV(Ridge(), ALPHAS, simplest="-alpha", min_resources=50, **options).fit(X, Y)
    last = search.cv_results_["iter"] == search.n_iterations_ - 1
    assert search.best_params_["alpha"] == min(a["alpha"] for a in np.array(search.candidates_)[last])
    learnable.save(search, tmp_path / "search.learn")
    assert learnable.load(tmp_path / "search.learn").best_params_ == search.best_params_


def test_one_candidate_is_the_simplest():
    for grid in ({"alpha": [2.0]}, {}):
        assert GridSearchCV(Ridge(), grid, rule="one_se").fit(X, Y).best_params_ == {k: v[0] for k, v in grid.items()}
