"""What steps of a pipeline declare about their parameters is known to searches."""

from __future__ import annotations

import numpy as np

from learnable import GridSearchCV, Ridge, StandardScaler, make_pipeline
from learnable.model_selection import tunable_parameters


def test_the_parameters_of_steps_can_be_tuned_by_the_one_standard_error_rule():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 5))
    y = X[:, 0] + rng.standard_normal(60)
    model, grid = make_pipeline(StandardScaler(), Ridge()), {"ridge__alpha": [0.1, 10.0, 100.0]}
    assert tunable_parameters(model)["ridge__alpha"].simpler == "larger"
    best = GridSearchCV(model, grid, rule="min").fit(X, y).best_params_["ridge__alpha"]
    simple = GridSearchCV(model, grid, rule="one_se").fit(X, y).best_params_["ridge__alpha"]
    assert simple >= best
