"""What happens to distances, and to models that trust them, in many dimensions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from ..core import Array, RandomState, generator, seed_of
from ..core.declare.checked_functions import Model, checked, limits, not_empty
from .error_curves import ErrorCurve, Loss, squared_error
from .problems import RULES, Generate, fitted


@checked(**RULES)
def distance_contrast(
    dimensions: Iterable[int], *, n: int = 200, repeats: int = 20, random_state: RandomState = None
) -> Array:
    """Curse of dimensionality: the ratio of the largest to the smallest distance of n uniform points, by dimension.

    contrast = mean (largest - smallest distance) / smallest distance

    It goes to 0: in many dimensions all points are about equally far, and "nearest" means little. [Beyer et al., 1999]

    >>> few, many = distance_contrast([2, 500], random_state=0)
    >>> bool(few > 10 and many < 0.5)
    True
    """
    seed, found = seed_of(random_state), []
    for place, p in enumerate(dimensions):
        contrasts = []
        for draw in range(repeats):
            points = generator(seed, place, draw).random((n + 1, p))
            distance = np.linalg.norm(points[1:] - points[0], axis=1)
            contrasts.append((distance.max() - distance.min()) / distance.min())
        found.append(np.mean(contrasts))
    return np.array(found)


@checked(**RULES, counts=limits(at_least=0, accepts=not_empty, says="not empty"))
def error_by_irrelevant_columns(
    estimator: Model,
    generate: Generate,
    counts: Sequence[int],
    *,
    n: int,
    loss: Loss = squared_error,
    repeats: int = 20,
    n_test: int = 500,
    random_state: RandomState = None,
) -> ErrorCurve:
    """Errors of an estimator as irrelevant noise columns are added.

    What was near in the columns that matter is no longer near in all of them: methods that rest on distances lose most.

    >>> from learnable.linear_model import LinearRegression
    >>> from learnable.theory import NoisyFunction
    >>> line = NoisyFunction(lambda X: X[:, 0], noise=0.3)
    >>> curve = error_by_irrelevant_columns(LinearRegression(), line, [0, 20], n=40, random_state=0)
    >>> bool(curve.test_error[1] > curve.test_error[0])
    True
    """
    seed, values = seed_of(random_state), np.array(list(counts))
    train, test = np.empty((len(values), repeats)), np.empty((len(values), repeats))
    for draw in range(repeats):
        X, y = generate(generator(seed, draw, 0), n)
        new, predictions = generate(generator(seed, draw, 1), n_test)
        noise = [
            generator(seed, draw, 2, k).standard_normal((len(rows), values.max())) for k, rows in enumerate((X, new))
        ]
        for place, count in enumerate(values):
            seen, unseen = (np.column_stack([t, z[:, :count]]) for t, z in zip((X, new), noise, strict=True))
            model = fitted(estimator, seen, y)
            train[place, draw] = loss(y, np.asarray(model.predict(seen)))
            test[place, draw] = loss(predictions, np.asarray(model.predict(unseen)))
    return ErrorCurve("irrelevant columns", values, train, test)
