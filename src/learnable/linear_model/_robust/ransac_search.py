"""The RANSAC search for the model with the most inliers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...core.runtime.context import reason_to_stop
from ...engines.iterate import Progress, State
from ...engines.sampling.weighted_sampling import Population
from ...parts.ransac_trials import probability_of_no_clean_sample
from .ransac_models import Nearness, RansacTrial, Trials

MIN_SCORED = 2  # rows; a score on fewer is undefined


@dataclass(frozen=True, slots=True)
class StoppingRule:
    """The stopping rule of a search: weight of inliers, score, failure probability, and limits of trials and skips."""

    inliers: float
    score: float
    probability: float
    trials: float
    skips: float


@dataclass(frozen=True, slots=True)
class RansacSearch:
    """A step tries a batch of samples; the best consensus has the largest weight, among equals the best score."""

    trials: Trials
    near: Nearness
    population: Population
    total: float
    size: int
    seed: int
    rule: StoppingRule

    def start(self) -> State:
        """The state before the first sample."""
        skips = {"invalid_data": 0, "invalid_model": 0, "no_inliers": 0}
        return {"seed": self.seed, "trials": 0, "inliers": 0.0, "score": -np.inf, "best": np.zeros(0, bool), **skips}

    def step(self, state: State) -> State:
        """Try the next samples until the stopping rule is met, or time is up with a consensus found."""
        after = state.copy()
        count = int(min(self.rule.trials - state["trials"], self.trials.batch))
        units = range(state["trials"], state["trials"] + count)
        for trial in self.trials.run(self.population.samples(state["seed"], units, self.size)):
            after["trials"] += 1
            self._update(after, trial)
            here = self.progress(after)
            if here.criterion <= here.tolerance or here.stalled or (len(after["best"]) and reason_to_stop()):
                break
        return after

    def _update(self, state: State, trial: RansacTrial) -> None:
        """Take the consensus of a trial if it is better than the best so far."""
        if trial.refused is not None:
            state[trial.refused] += 1
            return
        if trial.weight == 0 or trial.weight < state["inliers"]:
            state["no_inliers"] += 1
            return
        mask = trial.inliers()
        inliers = self.near.weight(mask)  # it may differ by rounding from that of the batch
        score = trial.score(mask) if np.count_nonzero(mask) >= MIN_SCORED else -np.inf
        if inliers > state["inliers"] or (inliers == state["inliers"] > 0 and not score < state["score"]):
            state.update(inliers=inliers, score=score, best=mask)

    def probability(self, state: State) -> float:
        """The probability that none of the samples was clean, if the best consensus are the clean rows."""
        tried = state["trials"] - state["invalid_data"] - state["invalid_model"]
        return probability_of_no_clean_sample(state["inliers"] / self.total, self.size, tried)

    def progress(self, state: State) -> Progress:
        """The weight of the rows left out, and the probability that a better model was missed."""
        found = bool(len(state["best"]))
        good_enough = found and (state["inliers"] >= self.rule.inliers or state["score"] >= self.rule.score)
        criterion = 0.0 if good_enough else self.probability(state) if found else np.inf
        skips = state["invalid_data"] + state["invalid_model"] + state["no_inliers"]
        more = {"inliers": state["inliers"], "trials": float(state["trials"])}
        outside = self.total - state["inliers"]
        return Progress(outside, criterion, self.rule.probability, more, stalled=skips > self.rule.skips)
