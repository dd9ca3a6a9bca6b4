"""Random combinations of parameters tried on every fold."""

from __future__ import annotations

from typing import Any

from ..core import RandomState, Traits, estimator, param
from ..core.declare.params import REQUIRED
from ..engines.folds import Fold
from ._search_base import Found, SearchCV
from ._search_runner import SearchRunner
from .parameter_grid import are_spaces
from .parameter_sampler import ParameterSampler


@estimator
class RandomizedSearchCV(SearchCV):
    """Randomised search: the best of `n_iter` random combinations of hyperparameters by cross-validation.

    theta = argmax over the draws of   CV(theta) = 1/K sum_k score of f_theta,-k on fold k

    Where few of many parameters matter, it finds good values sooner than a grid. With a `journal` a search that was
    killed goes on, if `random_state` is a number. [Bergstra and Bengio, 2012]

    >>> from learnable import Ridge
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0]], [0.0, 1.1, 1.9, 3.1, 3.9]
    >>> search = RandomizedSearchCV(Ridge(), {"alpha": [0.01, 100.0]}, n_iter=2, cv=2, random_state=0)
    >>> search.set_params(scoring="neg_max_error").fit(X, y).best_params_
    {'alpha': 0.01}
    """

    param_distributions: Any = param(
        REQUIRED, "lists of values or distributions by parameter, or a list of such dictionaries", kw_only=False,
        accepts=are_spaces, says="a dictionary, or several",
    )  # fmt: skip
    n_iter: int = param(10, "number of sampled candidates", at_least=1)
    random_state: RandomState = param(None, "seed of the draws")
    pre_dispatch: int | str | None = param("2*n_jobs", "accepted for compatibility")

    title = "randomised search"
    reference = "Bergstra and Bengio, Random search for hyper-parameter optimization, JMLR 13, 2012"
    traits = Traits(stochastic=True)

    def _search(self, runner: SearchRunner, parts: list[Fold], found: Found) -> None:
        draws = ParameterSampler(self.param_distributions, self.n_iter, random_state=self.random_state)
        candidates = list(draws)
        found.add(candidates, runner.tried(candidates, parts))
