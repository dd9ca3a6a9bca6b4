"""Neural networks among the models that a study compares: less simple than boosted trees, and slower."""

from __future__ import annotations

from typing import Any

from ..task import Question
from .model_candidate import ModelCandidate
from .settings import StudySettings

NETWORK, MEAN = "neural network", "mean of boosted trees and neural network"
MAX_ROWS = 200_000


def networks(question: Question, settings: StudySettings) -> list[ModelCandidate]:
    """A pre-tuned network from standard effort on, and in a thorough study its mean with boosted trees too."""
    thorough = settings.effort == "thorough"
    members = 4 if thorough else 2
    network = ModelCandidate(
        NETWORK, lambda seed: _network(question, seed, members), {}, {"learning_rate_init": [0.002, 0.004, 0.008]},
        most_rows=MAX_ROWS,
    )  # fmt: skip
    mean = ModelCandidate(MEAN, lambda seed: _mean(question, seed, members), most_rows=MAX_ROWS)
    shown = {NETWORK: settings.effort != "quick", MEAN: thorough}
    return [one for one in (network, mean) if shown[one.name] or one.name in settings.models]


def _network(question: Question, seed: int, members: int) -> Any:
    import learnable as L

    cls = L.TabularNetworkClassifier if question.classifies else L.TabularNetworkRegressor
    return cls(members=members, random_state=seed)


def _mean(question: Question, seed: int, members: int) -> Any:
    import learnable as L

    network = _network(question, seed, members)
    if question.classifies:
        trees = L.HistGradientBoostingClassifier(random_state=seed)
        return L.VotingClassifier([("trees", trees), ("network", network)], voting="soft")
    return L.VotingRegressor([("trees", L.HistGradientBoostingRegressor(random_state=seed)), ("network", network)])
