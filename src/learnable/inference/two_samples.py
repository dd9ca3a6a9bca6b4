"""Whether two tables come from the same distribution."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, DataError, RandomState, generator, seed_of
from ..core.declare.checked_functions import Model, Rows, checked
from ..core.roles.estimator import cloned
from .finding import SHARE, Finding
from .ranks import rank_sum


@checked(confidence=SHARE)
def classifier_two_sample_test(
    first: Rows, second: Rows, estimator: Model, *, random_state: RandomState = 0, confidence: float = 0.95
) -> Finding:
    """Classifier two-sample test: whether training data and new data come from the same distribution.

    A classifier learns from half of the rows of each table to which table a row belongs. On the other halves its
    probabilities are compared by the rank-sum test: without a difference no classifier can be better than chance. It
    finds the differences that the classifier can express. [Lopez-Paz and Oquab, Revisiting classifier two-sample
    tests, 2017]

    >>> from learnable import LogisticRegression
    >>> rng = np.random.default_rng(0)
    >>> found = classifier_two_sample_test(rng.normal(size=(80, 2)), rng.normal(1, 1, (80, 2)), LogisticRegression())
    >>> found.significant
    True
    """
    one, two = (np.asarray(rows) for rows in (first, second))
    if one.ndim != 2 or two.ndim != 2 or one.shape[1] != two.shape[1] or min(len(one), len(two)) < 4:
        raise DataError(
            "classifier_two_sample_test: first and second must be tables with the same columns and at least four rows; "
            f"got {one.shape} and {two.shape}"
        )
    seed = seed_of(random_state)
    halves = [_halves(rows, generator(seed, i)) for i, rows in enumerate((one, two))]
    model: Any = cloned(estimator).fit(
        np.vstack([train for train, _ in halves]), np.repeat([0, 1], [len(train) for train, _ in halves])
    )
    if not hasattr(model, "predict_proba"):
        raise DataError(f"classifier_two_sample_test: estimator must have predict_proba; got {estimator!r:.40}")
    scores = [np.asarray(model.predict_proba(test))[:, 1] for _, test in halves]
    return rank_sum(scores[1], scores[0], confidence=confidence)


def _halves(rows: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    order = rng.permutation(len(rows))
    return rows[order[: len(rows) // 2]], rows[order[len(rows) // 2 :]]
