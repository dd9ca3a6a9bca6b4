"""Hyperparameters evolved by a genetic algorithm, each candidate tried on every fold."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core import Array, ParameterError, RandomState, Traits, estimator, param, seed_of
from ..core.declare.params import REQUIRED
from ..core.files.fingerprint import fingerprint
from ..core.runtime import context
from ..engines.evolution.breeding import Breeding
from ..engines.evolution.generations import Generations
from ..engines.evolution.genes import Genome, Integers, Reals
from ..engines.folds import Fold
from ._search_base import Found, SearchCV
from ._search_runner import Params, SearchRunner, outcome_score

INSIDE = 1e-9  # quantiles of distributions are taken between this and one minus this


def _is_space(value: Any) -> bool:
    """Whether it is a dictionary of lists and distributions with quantiles."""
    if not isinstance(value, dict) or not value:
        return False
    return all(
        hasattr(v, "ppf") or (hasattr(v, "__len__") and not isinstance(v, (str, dict)) and len(v))
        for v in value.values()
    )


@estimator
class EvolutionSearchCV(SearchCV):
    """Evolutionary search: hyperparameters evolved by a genetic algorithm on cross-validated scores.

    theta = argmax over all candidates of   CV(theta) = 1/K sum_k score of f_theta,-k on fold k

    A candidate is an individual, a hyperparameter a gene: the index in a list, or the quantile of a distribution that
    has `ppf`. Good candidates are crossed and mutated; none is evaluated twice. `cv_results_` has the generation of
    each. With a `journal` a search that was killed goes on, if `random_state` is a number. [Young et al.,
    Optimizing deep learning hyper-parameters through an evolutionary algorithm, 2015]

    >>> from learnable import Ridge
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0]], [0.0, 1.1, 1.9, 3.1, 3.9]
    >>> space = {"alpha": [0.01, 0.1, 1.0, 10.0, 100.0]}
    >>> search = EvolutionSearchCV(Ridge(), space, population_size=4, n_generations=4, cv=2, random_state=0)
    >>> search.set_params(scoring="neg_max_error").fit(X, y).best_params_
    {'alpha': 0.01}
    """

    param_distributions: Any = param(
        REQUIRED, "lists of values or distributions with `ppf`, by parameter", kw_only=False, accepts=_is_space,
        says="a dictionary of lists and distributions with ppf",
    )  # fmt: skip
    population_size: int = param(10, "number of candidates of a generation", at_least=2)
    n_generations: int = param(10, "number of generations after the first", at_least=0)
    selection: Literal["tournament", "roulette", "rank", "sus"] = param("tournament", "selection of parents")
    crossover_rate: float = param(0.8, "probability that a pair of parents is crossed", at_least=0, at_most=1)
    mutation_rate: float | None = param(
        None, "probability that a hyperparameter mutates (None: 1 / their number)", at_least=0, at_most=1
    )
    n_elite: int = param(1, "number of best candidates kept in the next generation", at_least=0)
    patience: int | None = param(5, "generations without a better candidate that end the search", at_least=1)
    random_state: RandomState = param(None, "seed of the search")

    title = "evolutionary search"
    reference = "Young et al., Optimizing deep learning hyper-parameters through an evolutionary algorithm, 2015"
    traits = Traits(stochastic=True)

    def _search(self, runner: SearchRunner, parts: list[Fold], found: Found) -> None:
        if self.n_elite >= self.population_size:
            raise ParameterError(
                f"EvolutionSearchCV: n_elite must be below population_size={self.population_size}; got {self.n_elite}"
            )
        names = sorted(self.param_distributions)
        genome = Genome.of([_gene(self.param_distributions[name]) for name in names])
        selection = "rank" if self.selection in ("roulette", "sus") else self.selection  # scores may be negative
        breeding = Breeding.of(
            "EvolutionSearchCV", genome, selection, "auto", "auto", self.crossover_rate, self.mutation_rate
        )
        known: dict[str, float] = {}

        def evaluate(rows: Array) -> Array:
            candidates = [self._candidate(names, row) for row in rows]
            keys = [fingerprint(candidate) for candidate in candidates]
            new = {key: one for key, one in zip(keys, candidates, strict=True) if key not in known}
            if new:
                known.update(zip(new, _scored(runner, parts, found, list(new.values())), strict=True))
            return np.array([known[key] for key in keys])

        method = Generations(
            breeding, evaluate, seed_of(self.random_state), self.population_size, self.n_elite, patience=self.patience
        )
        state = method.start()
        while state["generation"] < self.n_generations and not context.reason_to_stop():
            state = method.step(state)
            if method.progress(state).patience:
                break

    def _candidate(self, names: list[str], row: Array) -> Params:
        """The hyperparameters that a row of genes stands for."""
        found: Params = {}
        for name, gene in zip(names, row, strict=True):
            values = self.param_distributions[name]
            if hasattr(values, "ppf"):
                quantile = values.ppf(float(gene)).item()
                found[name] = int(quantile) if hasattr(values, "pmf") else quantile
            else:
                found[name] = values[int(gene)]
        return found


def _gene(values: Any) -> Integers | Reals:
    """The gene of a hyperparameter: an index, or a probability whose quantile is taken."""
    return Reals(INSIDE, 1 - INSIDE) if hasattr(values, "ppf") else Integers(0, len(values) - 1)


def _scored(runner: SearchRunner, parts: list[Fold], found: Found, candidates: list[Params]) -> list[float]:
    """The mean score of new candidates; minus infinity where a fit failed, or was left out."""
    runner.rows = len(found.params)
    table = runner.tried(candidates, parts)
    found.add(candidates, table, generation=max(found.more.get("generation", [-1])) + 1)
    means = [
        np.mean([np.nan if outcome is None else outcome_score(outcome, runner.metric) for outcome in row])
        for row in table
    ]
    return [float(mean) if np.isfinite(mean) else -np.inf for mean in means]
