"""Learning curves of query strategies against random sampling."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import Array, DataError, ParameterError, RandomState, generator, seed_of
from ..core.declare.checked_functions import Column, Model, Rows, checked, limits
from ..core.validate.mixed_table import is_missing
from ..parts.confidence_intervals import mean_intervals
from .active_learner import ActiveLearner
from .strategies import random_sampling

SOME = limits(at_least=1)


@dataclass(frozen=True)
class LabelCurves:
    """Test scores by the number of labelled rows: for each strategy a row for each run."""

    n_labels: Array
    scores: dict[str, Array]
    confidence: float = 0.95

    def interval(self, strategy: str) -> tuple[Array, Array]:
        """Confidence interval of the mean score at each number of labels, by Student's t."""
        return mean_intervals(self.scores[strategy], self.confidence)

    def gain(self, strategy: str) -> tuple[float, float, float]:
        """The mean score over the curve minus that of random sampling on the same runs, with its interval."""
        apart = (self.scores[strategy] - self.scores["random"])[:, 1:].mean(axis=1)
        low, high = mean_intervals(apart[:, None], self.confidence)
        return float(apart.mean()), float(low[0]), float(high[0])


@checked(n_queries=SOME, n_instances=SOME, n_initial=SOME, n_runs=SOME, confidence=limits(above=0, below=1))
def active_learning_curves(
    estimator: Model,
    X: Rows,
    y: Column,
    strategies: Mapping[str, Any],
    *,
    n_initial: int = 10,
    n_queries: int = 20,
    n_instances: int = 1,
    n_runs: int = 10,
    confidence: float = 0.95,
    random_state: RandomState = None,
) -> LabelCurves:
    """Learning curves of active learning: test scores as labels are requested, against random sampling.

    In each run half of the rows are the pool and half the test set; all strategies begin with the same labelled rows,
    of which every class has one. `random` is always among the strategies.

    >>> from learnable import LogisticRegression
    >>> from learnable.active import margin_sampling
    >>> from learnable.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> curves = active_learning_curves(
    ...     LogisticRegression(), X, y, {"margin": margin_sampling}, n_queries=3, n_runs=2, random_state=0
    ... )
    >>> curves.n_labels.tolist(), sorted(curves.scores)
    ([10, 11, 12, 13], ['margin', 'random'])
    """
    rows, labels = np.asarray(X), np.asarray(y)
    if "random" in strategies:
        raise ParameterError('active_learning_curves: "random" is the name of random sampling; choose another name')
    if is_missing(labels).any():
        raise DataError(
            f"active_learning_curves: y is missing in row {int(is_missing(labels).argmax())}; leave such rows out"
        )
    if len(rows) != len(labels) or len(rows) < 2 * (n_initial + n_queries * n_instances):
        raise DataError(
            "active_learning_curves: X and y must have equal lengths, and half of the rows must suffice for n_initial "
            f"+ n_queries * n_instances = {n_initial + n_queries * n_instances} labels; got {len(rows)} rows and "
            f"{len(labels)} labels"
        )
    seed, every = seed_of(random_state), {**strategies, "random": random_sampling}
    scores = {name: np.empty((n_runs, n_queries + 1)) for name in every}
    for run in range(n_runs):
        pool, test, first = _parts(labels, n_initial, generator(seed, run))
        for name, strategy in every.items():
            chosen, left = list(first), [i for i in pool if i not in set(first)]
            learner = ActiveLearner(estimator, strategy, rows[chosen], labels[chosen])
            scores[name][run, 0] = learner.score(rows[test], labels[test])
            for query in range(n_queries):
                options = {"random_state": generator(seed, run, query)} if name == "random" else {}
                indices, _ = learner.query(rows[left], n_instances, **options)
                new = [left[i] for i in indices.tolist()]
                learner.teach(rows[new], labels[new])
                left = [i for i in left if i not in set(new)]
                scores[name][run, query + 1] = learner.score(rows[test], labels[test])
    return LabelCurves(n_initial + n_instances * np.arange(n_queries + 1), scores, confidence)


def _parts(labels: Array, n_initial: int, rng: np.random.Generator) -> tuple[list[int], Array, list[int]]:
    """The pool, the test rows and the first labelled rows, with one of each class."""
    order = rng.permutation(len(labels))
    classes = np.unique(labels)
    one = [int(order[np.flatnonzero(labels[order] == label)[0]]) for label in classes]
    rest = [int(i) for i in order if int(i) not in set(one)]
    half = len(labels) // 2
    if n_initial < len(one):
        raise DataError(f"active_learning_curves: n_initial must be at least {len(one)}, one row of each class")
    pool = one + rest[: half - len(one)]
    return pool, np.array(rest[half - len(one) :]), pool[:n_initial]
