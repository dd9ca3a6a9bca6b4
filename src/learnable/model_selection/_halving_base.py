"""Successive halving: many candidates on little, the best of them on more, until few are left."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from math import ceil, floor, log
from typing import Any

import numpy as np

from ..core import Array, DataError, ParameterError, RandomState, Traits, learned, param
from ..core.declare.params import declaring
from ..core.runtime.random import stream
from ..core.sklearn_api.estimator_type import is_classifier
from ..engines.folds import Fold
from ._evaluation import score_table
from ._search_base import Found, SearchCV
from ._search_runner import Params, SearchRunner, Table
from .model_complexity import complexities


@dataclass(frozen=True, slots=True)
class HalvingSchedule:
    """How much of the resource each round gets."""

    smallest: int
    largest: int
    required: int
    possible: int
    rounds: int
    factor: float
    eager: bool

    def resources(self, number: int) -> int:
        """Of one round."""
        power = max(0, number - self.required + self.possible) if self.eager else number
        return min(int(self.factor**power * self.smallest), self.largest)


@declaring
class HalvingSearchCV(SearchCV):
    """The base of searches by successive halving; `_first` says which candidates begin."""

    cv: Any = param(5, "folds: a number, a splitter that gives the same folds every time, or pairs of index arrays")
    return_train_score: bool = param(True, "whether to score training rows too")
    factor: float = param(
        3,
        "reduction factor: one in `factor` candidates is kept for the next iteration, with `factor` times the rows",
        above=1,
    )
    resource: str = param("n_samples", 'resource that grows: "n_samples", or a numeric parameter of the estimator')
    max_resources: int | str = param("auto", 'maximum resource of a candidate; "auto": all rows')
    aggressive_elimination: bool = param(False, "whether early rounds repeat until few enough candidates are left")
    random_state: RandomState = param(None, "seed of the rows, and of the candidates where they are drawn")
    n_resources_: list[int] = learned("resource of a candidate at each round")
    n_candidates_: list[int] = learned("how many candidates each round had")
    n_remaining_candidates_: int = learned("number of candidates left at each round")
    n_iterations_: int = learned("number of rounds")
    n_required_iterations_: int = learned("rounds until fewer than factor candidates are left")
    n_possible_iterations_: int = learned("number of rounds that the resource allows")
    min_resources_: int = learned("resource of a candidate in the first round")
    max_resources_: int = learned("maximum resource of a candidate")

    traits = Traits(stochastic=True)

    @abstractmethod
    def _first(self, most: int, least: int) -> list[Params]: ...

    def _smallest(self) -> Any:
        """What `min_resources` says."""
        return self.__dict__["min_resources"]

    def _search(self, runner: SearchRunner, parts: list[Fold], found: Found) -> None:
        if self._is_multimetric(runner):
            raise ParameterError(f"{type(self).__name__}: halving compares by one score; got scoring={self.scoring!r}")
        least, most = self._limits(runner, parts)
        candidates = self._first(most, least)
        if self.rule == "one_se":  # before work is done for nothing
            complexities(self.estimator, candidates, self.simplest, type(self).__name__)
        plan = self._plan(len(candidates), least, most)
        self.min_resources_, self.max_resources_ = plan.smallest, plan.largest
        self.n_resources_, self.n_candidates_ = [], []
        for number in range(plan.rounds):
            given = plan.resources(number)
            self.n_resources_.append(given)
            self.n_candidates_.append(len(candidates))
            candidates, rows = self._provided(candidates, parts, given, runner.sample.n)
            runner.rows = len(found.params)
            table = runner.tried(candidates, rows)
            found.add(candidates, table, iter=number, n_resources=given)
            if any(None in row for row in table):
                break
            candidates = _best(candidates, table, ceil(len(candidates) / self.factor), self.error_score)
        self.n_remaining_candidates_, self.n_iterations_ = len(candidates), plan.rounds
        self.n_required_iterations_, self.n_possible_iterations_ = plan.required, plan.possible

    def _is_multimetric(self, runner: SearchRunner) -> bool:
        """Whether several scores were requested."""
        return hasattr(runner.scorer, "scorers")

    def _limits(self, runner: SearchRunner, parts: list[Fold]) -> tuple[int, int]:
        """Least and most of the resource."""
        owner, sample = type(self).__name__, runner.sample
        if self.resource != "n_samples" and self.resource not in self.estimator.get_params():
            raise ParameterError(
                f"{owner}: resource={self.resource!r} is not a parameter of {type(self.estimator).__name__}; choose "
                "one of its own, or 'n_samples'"
            )
        least = self._smallest()
        if isinstance(least, str):
            least = 1
            if self.resource == "n_samples":
                least = 2 * len(parts) * (len(np.unique(np.asarray(sample.y))) if is_classifier(self.estimator) else 1)
        most = self.max_resources
        if most == "auto":
            if self.resource != "n_samples":
                raise ParameterError(f"{owner}: resource can only be 'n_samples' when max_resources='auto'")
            most = sample.n
        if least > int(most):
            raise DataError(
                f"{owner}: min_resources_={least} is greater than max_resources_={most}; give more rows, or set "
                "min_resources to fewer"
            )
        return int(least), int(most)

    def _plan(self, candidates: int, least: int, most: int) -> HalvingSchedule:
        required = 1 + floor(log(candidates, self.factor))
        if self._smallest() == "exhaust":
            least = max(least, int(most // self.factor ** (required - 1)))
        possible = 1 + floor(log(most // least, self.factor))
        rounds = required if self.aggressive_elimination else min(possible, required)
        return HalvingSchedule(least, most, required, possible, rounds, self.factor, self.aggressive_elimination)

    def _provided(
        self, candidates: list[Params], parts: list[Fold], given: int, n: int
    ) -> tuple[list[Params], list[Fold]]:
        """Candidates and folds of a round: with a share of the rows, or with a parameter set to what is given."""
        if self.resource == "n_samples":
            share = given / n
            rows = [tuple(_drawn(part, share, self.random_state) for part in pair) for pair in parts]
            return candidates, [(train, test) for train, test in rows]
        if any(self.resource in candidate for candidate in candidates if len(self.n_resources_) == 1):
            raise ParameterError(
                f"{type(self).__name__}: {self.resource} is searched over, and cannot be the resource at the same time"
            )
        return [{**candidate, self.resource: given} for candidate in candidates], parts

    def _best(self, scores: Array) -> int:
        """The one that the rule takes of the last round that is complete."""
        rounds = self.stages_["iter"]
        complete = rounds[~np.isnan(scores).any(axis=1)]
        last = np.flatnonzero(rounds == (complete.max() if len(complete) else rounds.max()))
        return int(last[self._by_rule(scores[last], [self.candidates_[place] for place in last])])


def _drawn(rows: Array, share: float, random_state: RandomState) -> Array:
    """A share of some rows, drawn without replacement."""
    order = np.arange(len(rows))
    stream(random_state).shuffle(order)
    return rows[order[: int(share * len(rows))]]


def _best(candidates: list[Params], table: Table, count: int, error_score: Any) -> list[Params]:
    """The `count` candidates with the best mean scores, worst first; those without a score are the worst."""
    flat = [outcome for row in table for outcome in row if outcome is not None]
    scores = next(iter(score_table(flat, error_score).values())).reshape(len(candidates), -1).mean(axis=1)
    order = np.roll(np.argsort(scores), int(np.isnan(scores).sum()))
    return [candidates[place] for place in order[-count:]]
