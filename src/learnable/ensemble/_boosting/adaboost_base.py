"""What the two kinds of AdaBoost share: a base learner that is told what to look at, round by round."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core import Array, Data, RandomState, cloned, declaring, generator, learned, param
from ...core.errors import not_fitted
from ...core.files.learned_limits import flaw_of_members
from ...core.runtime.random import seed_of
from ...engines.iterate import Progress, State
from ...engines.sampling.canonical_order import RowSampler, counts_copies
from ...pipeline._steps import takes_weights
from .._passthrough_input import AnyRows


def can_fit(value: Any) -> bool:
    """Whether it is an estimator, or None for the usual one."""
    return value is None or (hasattr(value, "fit") and not isinstance(value, type))


@declaring
class BoostedRounds(AnyRows):
    """Models fitted one after the other, each to weights that the ones before it left."""

    estimator: Any = param(
        None, "the base learner (None: a small tree)", kw_only=False, accepts=can_fit, says="an estimator or None"
    )
    n_estimators: int = param(50, "most rounds", at_least=1, tune=(25, 50, 100, 200), simpler="smaller")
    learning_rate: float = param(
        1.0, "factor of the vote of each round", above=0, tune=(0.1, 0.3, 1.0), simpler="smaller"
    )
    random_state: RandomState = param(None, "seed of what is drawn in each round")
    estimators_: list[Any] = learned("the fitted base learners", counts="rounds")
    estimator_weights_: Array = learned("the vote of each", shape="rounds")
    estimator_errors_: Array = learned("the error of each on the weights that it was fitted to", shape="rounds")

    missing = "native"  # what the base learner does with missing entries, it says itself
    stochastic = True
    parametric = False

    def _unsound(self) -> str:
        return flaw_of_members(self.estimators_, self.n_features_in_)

    @property
    def feature_importances_(self) -> Array:
        """The importances of the columns for the base learners, by the votes of these."""
        if "estimators_" not in self.__dict__:
            raise not_fitted(self)
        found = [model.feature_importances_ for model in self.estimators_]
        return np.average(found, axis=0, weights=self.estimator_weights_[: len(found)])

    def __len__(self) -> int:
        return len(self.estimators_)

    @property
    def estimator_(self) -> Any:
        """The base learner."""
        return self._base()

    @abstractmethod
    def _base(self) -> Any: ...

    def _seed(self) -> int:
        return seed_of(self.random_state)

    def _learner(self, data: Data, y: Array, weight: Array) -> Learner:
        """The base learner before rows that have these weights; rows are drawn where it must be so."""
        base, resample = self._base(), self._resamples()
        urn = RowSampler.of(data.X, weight, data.y) if resample or not takes_weights(base) else None
        return Learner(base, data.X, y, as_rows(weight), urn)

    @abstractmethod
    def _resamples(self) -> bool:
        """Whether rows are drawn by weight even where the base learner takes weights."""


def seeded(model: Any, seed: Callable[[], int]) -> Any:
    """The model, with a seed for what it draws, and for what each of its parts does."""
    for name in model.get_params():
        if name == "random_state" or name.endswith("__random_state"):
            model.set_params(**{name: seed()})
    return model


def as_rows(weight: Array) -> float:
    """How many rows weights stand for: what whole ones add up to, else how many are not zero."""
    return float(weight.sum()) if counts_copies(weight) else float(np.count_nonzero(weight))


@dataclass(frozen=True)
class Learner:
    """A base learner, and what copies of it are fitted to.

    The weights of each round add up to `rows`, as some learners read them as numbers of rows; with an urn, rows are
    drawn by weight instead.
    """

    base: Any
    X: Any
    y: Array
    rows: float
    urn: RowSampler | None

    def fitted(self, weight: Array, draws: np.random.Generator) -> Any:
        """A copy, fitted to rows by their weights."""
        model = seeded(cloned(self.base), lambda: int(draws.integers(2**31 - 1)))
        if self.urn is None:
            return model.fit(self.X, self.y, sample_weight=weight * (self.rows / weight.sum()))
        if self.urn.has_many_copies and takes_weights(self.base):
            return model.fit(self.X, self.y, sample_weight=self.urn.count_weighted_draws(draws, weight))
        rows = self.urn.draw_weighted(draws, weight)
        return model.fit(self.X[rows], self.y[rows])


@dataclass(frozen=True)
class Rounds:
    """Boosting as a loop: `play` turns weights into a model, its vote and error, and the weights of the next round.

    It is told whether there is no model yet.
    """

    weight: Array
    play: Callable[[Array, np.random.Generator, bool], tuple[Any, float, float, Array, bool]]
    judge: Callable[[State], float]
    seed: int

    def start(self) -> State:
        """Nothing fitted yet."""
        return {"weight": self.weight / self.weight.sum(), "models": [], "votes": [], "errors": [], "over": False}

    def step(self, state: State) -> State:
        """One more round; none if the model has nothing left to learn, or is no better than a guess."""
        draws = generator(self.seed, len(state["models"]))
        model, vote, error, weight, over = self.play(state["weight"], draws, not state["models"])
        if model is None:
            return {**state, "over": True}
        return {
            "weight": weight,
            "models": [*state["models"], model],
            "votes": [*state["votes"], vote],
            "errors": [*state["errors"], error],
            "over": over,
        }

    def progress(self, state: State) -> Progress:
        """How much is lost so far."""
        return Progress(self.judge(state), 0.0 if state["over"] else 1.0, 0.0)


def running(parts: Iterator[Array]) -> Iterator[Array]:
    """Running sums."""
    total: Array | float = 0.0
    for part in parts:
        total = total + part
        yield np.asarray(total)
