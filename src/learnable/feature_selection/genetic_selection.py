"""Sets of columns evolved by a genetic algorithm."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import Array, Data, ParameterError, RandomState, Trace, Traits, estimator, learned, param, seed_of
from ..engines.evolution.breeding import Breeding
from ..engines.evolution.generations import Generations
from ..engines.evolution.genes import Bits, Genome
from ..engines.evolution.row_draws import RowDraws
from ..engines.folds import is_splitting
from ..engines.iterate import Progress, State, iterate
from ._subset_scores import SubsetScores
from ._wrapper_base import Wrapper
from .rfecv import CV


@estimator
class GeneticSelection(Wrapper):
    """Genetic feature selection: subsets of the features evolved by a genetic algorithm on cross-validated scores.

    choose S = argmax of score(S) over the generations; then flip single features while that improves the score

    A subset is a bit string. Every subset is evaluated once, always on the same folds. At the end no single feature
    that is added or dropped gives a better score; other subsets may. The best of many scores is optimistic: evaluate
    the result on other rows. [Siedlecki and Sklansky, 1989]

    >>> import numpy as np
    >>> from learnable import Ridge
    >>> X = np.random.default_rng(0).normal(size=(60, 6))
    >>> selection = GeneticSelection(Ridge(), cv=3, random_state=0)
    >>> selection.fit(X, X[:, 0] - 2 * X[:, 3]).get_support(indices=True)
    array([0, 3])
    """

    title = "genetic feature selection"
    reference = "Siedlecki and Sklansky, 1989"
    traits = Traits(uses_target="if given", stochastic=True)

    max_features: int | None = param(None, "maximum number of selected columns (None: all)", at_least=1)
    population_size: int = param(20, "number of subsets of a generation", at_least=2)
    n_generations: int = param(20, "maximum number of generations", at_least=1)
    crossover_rate: float = param(0.8, "probability that a pair of subsets is crossed", at_least=0, at_most=1)
    mutation_rate: float | None = param(
        None, "probability that a column changes (None: 1 / number of columns)", at_least=0, at_most=1
    )
    patience: int = param(5, "generations without a better subset that end the search", at_least=1)
    scoring: str | Callable[..., Any] | None = param(
        None, "scoring by name or as a callable (None: the estimator's score)"
    )
    cv: Any = param(5, "cross-validation folds, as in cross_validate", accepts=is_splitting, says=CV)
    n_jobs: int | None = param(None, "number of parallel workers, as in joblib")
    random_state: RandomState = param(None, "seed of the search")

    support_: Array = learned("mask of the selected columns", shape="features")
    score_: float = learned("mean score of the selected columns")

    def _fit(self, data: Data, trace: Trace, groups: Any = None) -> None:
        most = min(self.max_features or data.p, data.p)
        seed = seed_of(self.random_state)
        known = _KnownScores(SubsetScores.of(self, data, groups), most, _order(seed, data.p), {})
        genome = Genome.of(Bits(data.p))
        breeding = Breeding.of(
            "GeneticSelection", genome, "tournament", "uniform", "auto", self.crossover_rate, self.mutation_rate
        )
        method = Generations(breeding, known.of_rows, seed, self.population_size, patience=self.patience)
        state = iterate(method, self.n_generations, trace)
        if not np.isfinite(state["best_fitness"]):
            raise ParameterError(
                "GeneticSelection: no subset of the columns has a finite score; see what the estimator and scoring say"
            )
        best = known.limited(state["best"].astype(bool))
        if trace.stopped not in ("budget", "interrupted"):
            found = iterate(_Climb(known, best), 2 * data.p + 1, trace)
            best, gain = found["mask"], found["gain"]
        else:
            gain = np.inf
        self.support_, self.score_ = best, known.of(best)
        trace.certify(
            "gain of a single change", 1.0 if gain == np.inf else max(gain, 0.0), 0.0,
            "no column that is added or dropped improves the score on the folds",
        )  # fmt: skip

    def _support(self) -> Array:
        return self.support_


def _order(seed: int, columns: int) -> Array:
    """A random order of the columns, in which those beyond the limit are left out."""
    order: Array = RowDraws(seed, 1, (1 << 20,)).permuted(columns, columns)[0]
    return order


@dataclass(frozen=True)
class _KnownScores:
    """Scores of subsets of at most `most` columns, each computed once."""

    subset_scores: SubsetScores
    most: int
    order: Array
    scores: dict[bytes, float]

    def limited(self, mask: Array) -> Array:
        """The subset without the columns that are too many."""
        chosen = self.order[mask[self.order]][: self.most]
        kept = np.zeros(len(mask), dtype=bool)
        kept[chosen] = True
        return kept

    def of(self, mask: Array) -> float:
        """The score of a subset; minus infinity of none."""
        key = np.packbits(mask).tobytes()
        if key not in self.scores:
            score = self.subset_scores.mean(np.flatnonzero(mask)) if mask.any() else -np.inf
            self.scores[key] = score if np.isfinite(score) else -np.inf
        return self.scores[key]

    def of_rows(self, rows: Array) -> Array:
        """The scores of subsets as rows of genes."""
        return np.array([self.of(self.limited(row)) for row in rows.astype(bool)])


@dataclass(frozen=True)
class _Climb:
    """The best single change of a subset, again and again; of equal scores the smaller subset."""

    known: _KnownScores
    mask: Array

    def start(self) -> State:
        """The best subset of all generations."""
        return {"mask": self.mask, "score": self.known.of(self.mask), "gain": np.inf}

    def step(self, state: State) -> State:
        """All subsets that differ in one column are evaluated; the best one is taken if it is better."""
        mask, score = state["mask"], state["score"]
        found = [(self.known.of(other), -int(other.sum()), other) for other in self._neighbours(mask)]
        best = max(found, key=lambda entry: entry[:2], default=(-np.inf, 0, mask))
        gain = best[0] - score
        if gain > 0 or (gain == 0 and -best[1] < mask.sum()):
            return {"mask": best[2], "score": best[0], "gain": np.inf}
        return {"mask": mask, "score": score, "gain": float(gain)}

    def progress(self, state: State) -> Progress:
        """The score; it has converged when no change improves it."""
        left = 1.0 if state["gain"] > 0 else 0.0
        return Progress(state["score"], left, 0.0, {"columns": float(state["mask"].sum())})

    def _neighbours(self, mask: Array) -> list[Array]:
        found = []
        for column in range(len(mask)):
            other = mask.copy()
            other[column] = not mask[column]
            if 0 < other.sum() <= self.known.most:
                found.append(other)
        return found
