"""The search for the model that most rows agree with: random samples, the models they give, and who is near."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, Protocol

import numpy as np

from ..core import Array, Data
from ..core.estimator import cloned, r_squared
from ..engines import design
from ..engines.draws import Population
from ..engines.iterate import Progress, State
from ..parts.trials import chance_of_no_clean_sample
from .subset_fits import subset_fits

MOST_RESIDUALS, MOST_WORK = 1 << 20, 3e7  # of a batch: residuals held at once, multiplications to find its models
NOT_ENOUGH_ROWS = 2  # rows below which no score is defined

Loss = Literal["absolute_error", "squared_error"] | Callable[[Array, Array], Array]
Skip = Literal["invalid_data", "invalid_model"]


@dataclass(frozen=True, slots=True)
class Trial:
    """What came of one sample: which rows are near its model, and the score of the model on them."""

    inliers: Array
    score: Callable[[], float]


class Trials(Protocol):
    """A way to make models of samples, several in one go."""

    @property
    def batch(self) -> int:
        """How many samples to try in one go."""
        ...

    def run(self, samples: Array) -> Iterator[Trial | Skip]:
        """What comes of each sample, in order."""
        ...


@dataclass(frozen=True, slots=True)
class Nearness:
    """Which rows count as near a prediction: those whose loss is at most their `bound`."""

    data: Data
    loss: Loss
    bound: float | Array

    @classmethod
    def of(cls, data: Data, loss: Loss, threshold: float) -> Nearness:
        """Within `threshold`, and for the losses that are known by name within rounding of the target as well."""
        if callable(loss):
            return cls(data, loss, threshold)
        rounding = 4 * np.finfo(data.y.dtype).eps * _summed(np.abs(data.y))
        if loss == "absolute_error":
            return cls(data, loss, threshold + rounding)
        return cls(data, loss, (np.sqrt(threshold) + rounding) ** 2)

    def inliers(self, prediction: Array) -> Array:
        """For predictions (samples, targets?) whether each row is near."""
        y, loss = self.data.y, self.loss
        if callable(loss):
            return np.asarray(loss(y, prediction)) <= self.bound
        apart = np.abs(y - prediction)
        with np.errstate(over="ignore", under="ignore"):
            return _summed(apart if loss == "absolute_error" else apart**2) <= self.bound


def _summed(values: Array) -> Array:
    """The sum over targets, if there are several."""
    return values if values.ndim == 1 else values.sum(axis=1)


@dataclass(frozen=True, slots=True)
class LinearTrials:
    """Least squares on every sample of a batch at once."""

    near: Nearness
    intercept: bool
    size: int
    is_data_valid: Callable[[Any, Any], bool] | None

    @property
    def batch(self) -> int:
        """As many as keep the residuals small and the wait short."""
        data = self.near.data
        work = self.size * data.p**2
        return int(np.clip(min(MOST_RESIDUALS // data.y.size, MOST_WORK // work), 1, 100))

    def run(self, samples: Array) -> Iterator[Trial | Skip]:
        """Fit the valid samples together, then look at one after the other."""
        data, check = self.near.data, self.is_data_valid
        valid = np.array([check is None or bool(check(data.X[rows], data.y[rows])) for rows in samples])
        predictions = iter(self._predictions(samples[valid]) if valid.any() else ())
        for sound in valid:
            if not sound:
                yield "invalid_data"
                continue
            prediction: Array = next(predictions)
            inliers = self.near.inliers(prediction)
            yield Trial(inliers, partial(_score, data, prediction, inliers))

    def _predictions(self, samples: Array) -> Array:
        """What the model of each sample says of all rows: (samples, rows, targets?)."""
        data = self.near.data
        coef, constant = subset_fits(data.X, data.y, samples, self.intercept)
        flat = design.scores(data.X, coef.reshape(-1, data.p), constant.ravel())
        return np.ascontiguousarray(flat.T.reshape(len(samples), -1, data.n).transpose(0, 2, 1)).reshape(
            len(samples), *data.y.shape
        )


def _score(data: Data, prediction: Array, inliers: Array) -> float:
    weight = None if data.weight is None else data.weight[inliers]
    return r_squared(data.y[inliers], prediction[inliers], weight)


@dataclass(frozen=True, slots=True)
class FittedTrials:
    """Any estimator, ours or not, fitted to one sample after the other."""

    near: Nearness
    base: Any
    is_data_valid: Callable[[Any, Any], bool] | None
    is_model_valid: Callable[[Any, Any, Any], bool] | None

    batch = 1

    def run(self, samples: Array) -> Iterator[Trial | Skip]:
        """Fit a new copy of the estimator to each valid sample."""
        X, y = self.near.data.X, self.near.data.y
        for rows in samples:
            if self.is_data_valid is not None and not self.is_data_valid(X[rows], y[rows]):
                yield "invalid_data"
                continue
            model = cloned(self.base).fit(X[rows], y[rows])
            if self.is_model_valid is not None and not self.is_model_valid(model, X[rows], y[rows]):
                yield "invalid_model"
                continue
            inliers = self.near.inliers(np.asarray(model.predict(X)))
            yield Trial(inliers, partial(self._score, model, inliers))

    def _score(self, model: Any, inliers: Array) -> float:
        data = self.near.data
        weighted = data.weight is not None and takes_weights(model.score)
        options = {"sample_weight": data.weight[inliers]} if weighted and data.weight is not None else {}
        return float(model.score(data.X[inliers], data.y[inliers], **options))


def takes_weights(method: Callable[..., Any]) -> bool:
    """Whether a method has an argument for weights."""
    return "sample_weight" in inspect.signature(method).parameters


@dataclass(frozen=True, slots=True)
class Enough:
    """When to end a search: a consensus this heavy, a score this good, a chance this small, too many skips."""

    inliers: float
    score: float
    chance: float
    trials: float
    skips: float


@dataclass(frozen=True, slots=True)
class Search:
    """One step tries a batch of samples; the best consensus is the heaviest, of equals the one with the best score."""

    trials: Trials
    population: Population
    weight: Array
    size: int
    seed: int
    enough: Enough

    def start(self) -> State:
        """Nothing is known."""
        skips = {"invalid_data": 0, "invalid_model": 0, "no_inliers": 0}
        return {"seed": self.seed, "trials": 0, "inliers": 0.0, "score": -np.inf, "best": np.zeros(0, bool), **skips}

    def step(self, state: State) -> State:
        """Try the next samples until one of them is enough."""
        after = state.copy()
        left = min(self.enough.trials - state["trials"], self.trials.batch)
        units = range(state["trials"], state["trials"] + int(left))
        for trial in self.trials.run(self.population.samples(state["seed"], units, self.size)):
            after["trials"] += 1
            self._judge(after, trial)
            if self._ended(after):
                break
        return after

    def _judge(self, state: State, trial: Trial | Skip) -> None:
        """Take the consensus of a trial if it is better than the best so far."""
        if not isinstance(trial, Trial):
            state[trial] += 1
            return
        inliers = float(self.weight[trial.inliers].sum())
        if inliers < state["inliers"] or inliers == 0:
            state["no_inliers"] += 1
            return
        score = trial.score() if np.count_nonzero(trial.inliers) >= NOT_ENOUGH_ROWS else -np.inf
        if inliers > state["inliers"] or not score < state["score"]:
            state.update(inliers=inliers, score=score, best=trial.inliers)

    def _ended(self, state: State) -> bool:
        here = self.progress(state)
        return here.criterion <= here.tolerance or here.stalled

    def chance(self, state: State) -> float:
        """The probability that none of the samples was clean, if the best consensus are the clean rows."""
        tried = state["trials"] - state["invalid_data"] - state["invalid_model"]
        return chance_of_no_clean_sample(state["inliers"] / float(self.weight.sum()), self.size, tried)

    def progress(self, state: State) -> Progress:
        """The weight of the rows left out, which is to be small, and the chance that a better model was missed."""
        found = bool(len(state["best"]))
        enough = found and (state["inliers"] >= self.enough.inliers or state["score"] >= self.enough.score)
        criterion = 0.0 if enough else self.chance(state) if found else np.inf
        skips = state["invalid_data"] + state["invalid_model"] + state["no_inliers"]
        more = {"inliers": state["inliers"], "trials": float(state["trials"])}
        outside = float(self.weight.sum()) - state["inliers"]
        return Progress(outside, criterion, self.enough.chance, more, stalled=skips > self.enough.skips)
