"""Selection of the number of mixture components."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from ..core import Array, ParameterError, RandomState, generator, seed_of
from ..core.declare.checked_functions import Model, checked, limits
from ..core.validate.rows import row_count, take_rows
from ._mixture_base import Mixture


class ComponentChoice(NamedTuple):
    """Scores of numbers of components (lower is better), the selected number, its mixture fitted to all rows, and the
    criterion: "bic", "aic" or "held-out".
    """

    counts: Array
    scores: Array
    best: int
    model: Mixture
    criterion: str


@checked(cv=limits(at_least=2))
def choose_components(
    mixture: Model,
    X: Any,
    counts: Sequence[int] = (1, 2, 3, 4, 5),
    *,
    criterion: Literal["bic", "aic", "held-out"] = "bic",
    cv: int = 5,
    random_state: RandomState = None,
) -> ComponentChoice:
    """Selection of the number of components by minimal BIC or AIC, or by held-out log likelihood.

    BIC = -2 log L + P log n,   AIC = -2 log L + 2 P,   held-out = minus the mean log density of held-out folds

    `mixture` has all parameters but the number of components; P is the number of free parameters.

    >>> import numpy as np
    >>> from learnable import GaussianMixture
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(-4, 1, (100, 1)), rng.normal(4, 1, (100, 1))])
    >>> choose_components(GaussianMixture(random_state=0), X, range(1, 5)).best
    2
    """
    tried = np.array(list(counts))
    if not len(tried) or tried.dtype.kind not in "iu" or tried.min() < 1:
        raise ParameterError(f"choose_components: counts must be integers from 1; got {counts!r:.60}")
    if not isinstance(mixture, Mixture):
        raise ParameterError(
            f"choose_components: mixture must be a mixture such as GaussianMixture(); got {mixture!r:.60}"
        )
    rows = row_count(X, "choose_components: X")
    if criterion == "held-out" and cv > rows:
        raise ParameterError(f"choose_components: cv must be from 2 to the {rows} rows; got {cv!r}")
    folds = np.array_split(generator(seed_of(random_state)).permutation(rows), cv)
    scores = np.array([_score(_with(mixture, int(count)), X, criterion, folds) for count in tried])
    best = int(tried[scores.argmin()])
    return ComponentChoice(tried, scores, best, _with(mixture, best).fit(X), criterion)


def _with(mixture: Mixture, count: int) -> Mixture:
    return mixture.clone().set_params(n_components=count)


def _score(mixture: Mixture, X: Any, criterion: str, folds: list[Array]) -> float:
    if criterion != "held-out":
        return float(getattr(mixture.fit(X), criterion)(X))
    rest = [np.sort(np.concatenate([*folds[:k], *folds[k + 1 :]])) for k in range(len(folds))]
    logs = [
        mixture.fit(take_rows(X, others)).score_samples(take_rows(X, fold))
        for others, fold in zip(rest, folds, strict=True)
    ]
    return -float(np.concatenate(logs).mean())
