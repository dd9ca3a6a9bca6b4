"""Every combination of parameters tried on every fold."""

from __future__ import annotations

from typing import Any

from ..core import estimator, param
from ..core.declare.params import REQUIRED
from ..engines.folds import Fold
from ._search_base import Found, SearchCV
from ._search_runner import SearchRunner
from .parameter_grid import ParameterGrid, are_spaces


@estimator
class GridSearchCV(SearchCV):
    """Grid search: the best of all combinations of hyperparameters by cross-validation, refitted to all rows.

    theta = argmax over the grid of   CV(theta) = 1/K sum_k score of f_theta,-k on fold k

    An estimator that offers a shortcut for a parameter (ridge and lasso for alpha) evaluates all its values at once;
    all else is one fit after the other. With a `journal` a killed search resumes, with the same result bit for bit.
    [Stone, 1974]

    >>> from learnable import Ridge
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0]], [0.0, 1.1, 1.9, 3.1, 3.9]
    >>> GridSearchCV(Ridge(), {"alpha": [0.01, 100.0]}, scoring="neg_max_error", cv=2).fit(X, y).best_params_
    {'alpha': 0.01}
    """

    param_grid: Any = param(
        REQUIRED, "values to try by parameter, or a list of such dictionaries", kw_only=False,
        accepts=are_spaces, says="a dictionary, or several",
    )  # fmt: skip
    pre_dispatch: int | str | None = param("2*n_jobs", "accepted for compatibility")

    title = "grid search"
    reference = "Stone, Cross-validatory choice and assessment of statistical predictions, JRSS B 36, 1974"

    def _search(self, runner: SearchRunner, parts: list[Fold], found: Found) -> None:
        candidates = list(ParameterGrid(self.param_grid))
        found.add(candidates, runner.tried(candidates, parts))
