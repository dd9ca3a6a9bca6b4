"""How much a model rests on a column: what it loses when the column is shuffled."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, ParameterError
from ..core.numeric import is_fraction
from ..core.sklearn_api.bunch import Bunch
from ..core.validate.sparse_input import checks_sparse
from ..engines.parallel import each
from ..metrics import check_scoring
from ._perturbed_tables import as_table, names_of, rows, shuffled, width

LEVEL = 0.95


@checks_sparse
def permutation_importance(
    estimator: Any, X: Any, y: Any, *, scoring: Any = None, n_repeats: int = 5, n_jobs: int | None = None,
    random_state: Any = None, sample_weight: Any = None, max_samples: int | float = 1.0,
) -> Any:  # fmt: skip
    """Permutation importance.

    The decrease of a fitted model's score when the entries of a column are shuffled, for each column.

    importance_j = score(X, y) - mean over shuffles of score(X with column j shuffled, y)

    `importances` has all of them, `importances_mean` and `importances_std` sum them up, and `low` and `high` are the
    ends of a 95% interval for the mean over shuffles (Student's t). With rows that the model has not seen it shows what
    generalises. Columns that stand in for each other share their worth: shuffling one hurts little. A dictionary by
    name if there are several scorings. [Breiman, 2001]

    >>> from learnable import LinearRegression
    >>> X, y = [[1.0, 5.0], [2.0, 1.0], [3.0, 4.0], [4.0, 2.0]], [1.0, 2.0, 3.0, 4.0]
    >>> found = permutation_importance(LinearRegression().fit(X, y), X, y, random_state=0)
    >>> bool(found.importances_mean[0] > 0.5), bool(abs(found.importances_mean[1]) < 1e-9)
    (True, True)
    """
    if n_repeats < 1:
        raise ParameterError(f"permutation_importance: n_repeats must be at least 1; got {n_repeats!r}")
    X = as_table(X)
    scorer = check_scoring(estimator, scoring=scoring)
    work = _Shuffling(estimator, X, y, sample_weight, scorer, n_repeats, _seed(random_state))
    work.few = _sample(max_samples, len(X))
    baseline = work.score(X, y, sample_weight)
    found = dict(each(work, (), range(width(X)), n_jobs))
    scores = [found[j] for j in range(width(X))]
    names = names_of(X)
    if isinstance(baseline, dict):
        return {name: _summed(baseline[name], [[s[name] for s in of] for of in scores], names) for name in baseline}
    return _summed(baseline, scores, names)


class _Shuffling:
    """The scores of a model on a table whose columns are shuffled one at a time."""

    def __init__(self, model: Any, X: Any, y: Any, weight: Any, scorer: Any, repeats: int, seed: int) -> None:
        self.model, self.X, self.y, self.weight = model, X, np.asarray(y), weight
        self.scorer, self.repeats, self.seed = scorer, repeats, seed
        self.few: int | None = None

    def score(self, X: Any, y: Any, weight: Any) -> Any:
        """The score, with weights where there are any."""
        return self.scorer(self.model, X, y) if weight is None else self.scorer(self.model, X, y, sample_weight=weight)

    def __call__(self, j: int) -> list[Any]:
        """The scores with column j shuffled; the shuffles are the same for all columns."""
        draws = np.random.RandomState(self.seed)
        X, y, weight = self.X, self.y, self.weight
        if self.few is not None:
            chosen = draws.permutation(len(X))[: self.few]
            X, y = rows(X, chosen), y[chosen]
            weight = None if weight is None else np.asarray(weight)[chosen]
        order, scores, changed = np.arange(len(X)), [], X
        for _ in range(self.repeats):
            draws.shuffle(order)
            changed = shuffled(changed, j, order)
            scores.append(self.score(changed, y, weight))
        return scores


def _seed(random_state: Any) -> int:
    """One seed for all columns, drawn as scikit-learn draws it."""
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(np.iinfo(np.int32).max + 1))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31))
    return int(np.random.RandomState(random_state).randint(np.iinfo(np.int32).max + 1))


def _sample(requested: int | float, n: int) -> int | None:
    """The number of rows used; None for all."""
    few = int(requested * n) if is_fraction(requested) else int(requested)
    if not 0 < few <= n:
        raise ParameterError(f"permutation_importance: max_samples must be <= n_samples, {n}; got {requested!r}")
    return None if few == n else few


def _summed(baseline: float, scores: Any, names: list[str]) -> Bunch:
    lost = baseline - np.array(scores, dtype=np.float64)
    mean, spread = lost.mean(axis=1), lost.std(axis=1)
    low, high = _interval(lost)
    return Bunch(importances_mean=mean, importances_std=spread, importances=lost, low=low, high=high, names=names)


def _interval(lost: Array) -> tuple[Array, Array]:
    """The ends of Student's interval for the mean of each row."""
    repeats = lost.shape[1]
    if repeats == 1:
        return lost[:, 0], lost[:, 0]
    from scipy.special import stdtrit

    reach = stdtrit(repeats - 1, (1 + LEVEL) / 2) * lost.std(axis=1, ddof=1) / np.sqrt(repeats)
    mean = lost.mean(axis=1)
    return mean - reach, mean + reach
