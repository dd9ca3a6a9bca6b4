"""Base class of AdaBoost: copies of a base estimator fitted to reweighted rows, one per iteration."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core import Array, Data, RandomState, Traits, cloned, declaring, fitted_estimator, generator, learned, param
from ...core.errors import not_fitted
from ...core.files.learned_limits import flaw_of_members
from ...core.runtime.random import seed_of
from ...core.sklearn_api.estimator_type import is_estimator
from ...engines.iterate import Progress, State
from ...engines.sampling.canonical_order import RowSampler, counts_copies
from ...pipeline._steps import takes_weights
from .._base_estimator_input import BaseEstimatorInput


def is_estimator_or_none(value: Any) -> bool:
    """Whether a value is an estimator, or None for the default one."""
    return value is None or is_estimator(value)


@declaring
class AdaBoostBase(BaseEstimatorInput):
    """Base class of AdaBoost: estimators fitted one after the other, each to the weights left by its predecessors."""

    estimator: Any = param(
        None,
        "base estimator; None for a small decision tree",
        kw_only=False,
        accepts=is_estimator_or_none,
        says="an estimator or None",
    )
    n_estimators: int = param(
        50, "maximum number of boosting iterations", at_least=1, tune=(25, 50, 100, 200), simpler="smaller"
    )
    learning_rate: float = param(
        1.0, "learning rate: factor of the weight of each estimator", above=0, tune=(0.1, 0.3, 1.0), simpler="smaller"
    )
    random_state: RandomState = param(None, "seed of the draws of each iteration")
    estimators_: list[Any] = learned("the fitted base estimators", counts="rounds")
    estimator_weights_: Array = learned("weight of each estimator in the vote", shape="rounds")
    estimator_errors_: Array = learned("weighted training error of each estimator", shape="rounds")

    traits = Traits(
        missing="native",  # checked by the base estimator
        stochastic=True,
        parametric=False,
    )

    def _unsound(self) -> str:
        return flaw_of_members(self.estimators_, self.__dict__.get("n_features_in_"))

    @property
    def feature_importances_(self) -> Array:
        """Mean feature importances of the base estimators, weighted by their votes."""
        if "estimators_" not in self.__dict__:
            raise not_fitted(self)
        found = [model.feature_importances_ for model in self.estimators_]
        return np.average(found, axis=0, weights=self.estimator_weights_[: len(found)])

    def __len__(self) -> int:
        return len(self.estimators_)

    def __getitem__(self, index: int) -> Any:
        return self.estimators_[index]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.estimators_)

    @property
    def estimator_(self) -> Any:
        """The base estimator."""
        return self._base()

    @abstractmethod
    def _base(self) -> Any: ...

    def _seed(self) -> int:
        return seed_of(self.random_state)

    def _weighted_fit(self, data: Data, y: Array, weight: Array) -> WeightedFit:
        """Fits of the base estimator to reweighted rows; by resampling if it does not accept weights."""
        base, resample = self._base(), self._resamples()
        sampler = RowSampler.of(data.X, weight, data.y) if resample or not takes_weights(base) else None
        return WeightedFit(base, data.X, y, row_count_of_weights(weight), sampler)

    @abstractmethod
    def _resamples(self) -> bool:
        """Whether rows are resampled by weight even if the base estimator accepts weights."""


def set_seeds(model: Any, seed: Callable[[], int]) -> Any:
    """Sets every random_state parameter of a model and of its components; returns the model."""
    for name in model.get_params():
        if name == "random_state" or name.endswith("__random_state"):
            model.set_params(**{name: seed()})
    return model


def row_count_of_weights(weight: Array) -> float:
    """Number of rows that weights stand for: the sum of integer weights, else the number of nonzero weights."""
    return float(weight.sum()) if counts_copies(weight) else float(np.count_nonzero(weight))


@dataclass(frozen=True)
class WeightedFit:
    """Fits clones of a base estimator to reweighted rows.

    The weights of each iteration sum to `rows`, as some estimators count rows by them; with `sampler`, rows are
    resampled by weight instead.
    """

    base: Any
    X: Any
    y: Array
    rows: float
    sampler: RowSampler | None

    def fit(self, weight: Array, draws: np.random.Generator) -> Any:
        """A clone, fitted to rows by their weights."""
        model = set_seeds(cloned(self.base), lambda: int(draws.integers(2**31 - 1)))
        if self.sampler is None:
            return fitted_estimator(model, self.X, self.y, sample_weight=weight * (self.rows / weight.sum()))
        if self.sampler.has_many_copies and takes_weights(self.base):
            return fitted_estimator(
                model, self.X, self.y, sample_weight=self.sampler.count_weighted_draws(draws, weight)
            )
        rows = self.sampler.draw_weighted(draws, weight)
        return fitted_estimator(model, self.X[rows], self.y[rows])


@dataclass(frozen=True)
class AdaBoostIterations:
    """AdaBoost as a method of the common loop.

    `boost` maps weights, draws and whether it is the first iteration to a model, its vote and error, the weights of the
    next iteration and whether boosting ends.
    """

    weight: Array
    boost: Callable[[Array, np.random.Generator, bool], tuple[Any, float, float, Array, bool]]
    loss: Callable[[State], float]
    seed: int

    def start(self) -> State:
        """The initial weights and no models."""
        return {"weight": self.weight / self.weight.sum(), "models": [], "votes": [], "errors": [], "ended": False}

    def step(self, state: State) -> State:
        """One more iteration; the end if the model has no error, or is no better than random guessing."""
        draws = generator(self.seed, len(state["models"]))
        model, vote, error, weight, ended = self.boost(state["weight"], draws, not state["models"])
        if model is None:
            return {**state, "ended": True}
        return {
            "weight": weight,
            "models": [*state["models"], model],
            "votes": [*state["votes"], vote],
            "errors": [*state["errors"], error],
            "ended": ended,
        }

    def progress(self, state: State) -> Progress:
        """The loss so far."""
        return Progress(self.loss(state), 0.0 if state["ended"] else 1.0, 0.0)


def cumulative_sums(terms: Iterator[Array]) -> Iterator[Array]:
    """Cumulative sums."""
    total: Array | float = 0.0
    for term in terms:
        total = total + term
        yield np.asarray(total)
