"""Successive halving over every combination of parameters."""

from __future__ import annotations

from typing import Any

from ..core import estimator, param
from ..core.declare.params import REQUIRED
from ._halving_base import HalvingSearchCV
from ._search_runner import Params
from .parameter_grid import ParameterGrid, are_spaces


@estimator
class HalvingGridSearchCV(HalvingSearchCV):
    """Successive halving grid search: all candidates on few rows, the best third on three times as many, and so on.

    theta = argmax over the last round of   CV(theta) = 1/K sum_k score of f_theta,-k on fold k

    Costs about as much as the last round times the number of rounds. [Karnin, Koren and Somekh, 2013]

    >>> from learnable import Ridge
    >>> X = [[float(i)] for i in range(20)]
    >>> y = [2.0 * i + i % 2 for i in range(20)]
    >>> grid = {"alpha": [0.01, 1.0, 1e4]}
    >>> HalvingGridSearchCV(Ridge(), grid, cv=2, random_state=0).fit(X, y).n_resources_
    [6, 18]
    """

    param_grid: Any = param(
        REQUIRED, "values to try by parameter, or a list of such dictionaries", kw_only=False,
        accepts=are_spaces, says="a dictionary, or several",
    )  # fmt: skip
    min_resources: int | str = param(
        "exhaust", 'resource of the first round; "exhaust": such that the last round uses all'
    )

    title = "successive halving grid search"
    reference = "Karnin, Koren and Somekh, Almost optimal exploration in multi-armed bandits, ICML, 2013"

    def _first(self, most: int, least: int) -> list[Params]:
        return list(ParameterGrid(self.param_grid))
