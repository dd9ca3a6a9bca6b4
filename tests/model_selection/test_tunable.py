"""What there is to tune: declared by every model that has it, with values that it takes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from learnable import (
    DecisionTreeClassifier,
    GridSearchCV,
    KNeighborsClassifier,
    ParameterError,
    SelectKBest,
    load_breast_cancer,
    tunable_parameters,
)
from learnable.core.declare import params, registry

SIDES = {
    "DecisionTreeClassifier": {"max_depth": "smaller", "min_samples_leaf": "larger", "ccp_alpha": "larger"},
    "RandomForestRegressor": {"max_depth": "smaller", "max_features": ""},
    "GradientBoostingClassifier": {"max_depth": "smaller", "n_estimators": "smaller", "learning_rate": "smaller"},
    "HistGradientBoostingRegressor": {"max_iter": "smaller", "l2_regularization": "larger"},
    "AdaBoostClassifier": {"n_estimators": "smaller"},
    "KNeighborsClassifier": {"n_neighbors": "larger"},
    "KNeighborsRegressor": {"n_neighbors": "larger"},
    "NearestCentroid": {"shrink_threshold": "larger"},
    "LinearSVC": {"C": "smaller"},
    "SGDClassifier": {"alpha": "larger"},
    "PoissonRegressor": {"alpha": "larger"},
    "PCA": {"n_components": "smaller"},
    "PolynomialFeatures": {"degree": "smaller"},
    "SelectKBest": {"k": "smaller"},
}


@pytest.mark.parametrize("name", SIDES)
def test_families_say_what_there_is_to_tune(name: str) -> None:
    tunable = tunable_parameters(registry.find(name))
    assert {key: tunable[key].simpler for key in SIDES[name]} == SIDES[name]


def test_usual_values_are_allowed() -> None:
    for cls in map(registry.find, registry.all_estimators()):
        for key, tunable in tunable_parameters(cls).items():
            field = params.parameters(cls)[key]
            holds, rule, _ = params.check_of(key, params.hints(cls)[key], field.metadata["rule"], field.default)
            assert all(holds(value) and rule.holds(value) for value in tunable.values), (cls.__name__, key)


@pytest.mark.parametrize(
    ("model", "grid", "simplest"),
    [
        (DecisionTreeClassifier(random_state=0), {"max_depth": [None, 8, 3, 1]}, None),
        (DecisionTreeClassifier(random_state=0), {"max_depth": [None, 8, 3, 1]}, "-max_depth"),
        (KNeighborsClassifier(), {"n_neighbors": [1, 5, 25]}, None),
    ],
)
def test_one_standard_error_for_trees_and_neighbours(model: Any, grid: dict[str, list[Any]], simplest: Any) -> None:
    X, y = load_breast_cancer(return_X_y=True)
    search = GridSearchCV(model, grid, rule="one_se", simplest=simplest, cv=5).fit(X[::2], y[::2])
    (name, values), scores = next(iter(grid.items())), search.test_scores_["score"]
    best = scores.mean(axis=1).argmax()
    limit = scores[best].mean() - scores[best].std(ddof=1) / np.sqrt(5)
    allowed = [value for value, row in zip(values, scores, strict=True) if row.mean() >= limit]
    by_complexity = [1, 3, 8, None] if name == "max_depth" else [25, 5, 1]
    assert search.best_params_[name] == min(allowed, key=by_complexity.index)


def test_no_limit_is_the_most_complex() -> None:
    from learnable.model_selection.model_complexity import complexities

    candidates = [{"max_depth": depth} for depth in (None, 8, 1)]
    assert complexities(DecisionTreeClassifier(), candidates, None, "search").tolist() == [2, 1, 0]
    with pytest.raises(ParameterError, match=r"which must be a number, or None for no limit, .* got 'all'"):
        complexities(SelectKBest(), [{"k": 1}, {"k": "all"}], None, "search")
