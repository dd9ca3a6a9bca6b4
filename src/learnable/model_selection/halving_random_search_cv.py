"""Successive halving over random combinations of parameters."""

from __future__ import annotations

from typing import Any

from ..core import ParameterError, estimator, param
from ..core.declare.params import REQUIRED
from ._halving_base import HalvingSearchCV
from ._search_runner import Params
from .parameter_grid import are_spaces
from .parameter_sampler import ParameterSampler


@estimator
class HalvingRandomSearchCV(HalvingSearchCV):
    """Successive halving random search: random candidates on few rows, the best third on three times as many.

    theta = argmax over the last round of   CV(theta) = 1/K sum_k score of f_theta,-k on fold k

    Costs about as much as the last round times the number of rounds. [Karnin, Koren and Somekh, 2013]

    >>> from learnable import Ridge
    >>> X = [[float(i)] for i in range(20)]
    >>> y = [2.0 * i + i % 2 for i in range(20)]
    >>> space = {"alpha": [0.01, 0.1, 1.0, 10.0, 1e4]}
    >>> HalvingRandomSearchCV(Ridge(), space, cv=2, random_state=0).fit(X, y).n_candidates_
    [5, 2]
    """

    param_distributions: Any = param(
        REQUIRED, "lists of values or distributions by parameter, or a list of such dictionaries", kw_only=False,
        accepts=are_spaces, says="a dictionary, or several",
    )  # fmt: skip
    n_candidates: int | str = param(
        "exhaust", 'candidates of the first round; "exhaust": so that the last uses all rows'
    )
    min_resources: int | str = param(
        "smallest", 'resource of the first round; "smallest" or "exhaust": determined automatically'
    )

    title = "successive halving random search"
    reference = "Karnin, Koren and Somekh, Almost optimal exploration in multi-armed bandits, ICML, 2013"

    def _first(self, most: int, least: int) -> list[Params]:
        if self.n_candidates == self.min_resources == "exhaust":
            raise ParameterError(
                "HalvingRandomSearchCV: n_candidates and min_resources are derived from each other; only one can be "
                "'exhaust'"
            )
        count = most // least if isinstance(self.n_candidates, str) else self.n_candidates
        return list(ParameterSampler(self.param_distributions, count, random_state=self.random_state))
