"""Evaluation of recommendations: ranking metrics with confidence intervals over users."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import Array, DataError
from ..core.declare.checked_functions import Model, checked, limits
from ..core.errors import not_fitted
from ._ratings import as_rated_pairs, codes, pairs_of
from ._recommender_base import BLOCK, Recommender, best_columns

METRICS = ("precision", "recall", "ndcg", "average_precision", "reciprocal_rank", "hit_rate")


@dataclass(frozen=True)
class RankingReport:
    """Ranking metrics of recommendations: means over users with intervals, and the values of each user.

    `coverage` is the fraction of all items that are recommended to someone, `novelty` the mean of -log2 of the
    fraction of users who rated an item that is recommended.
    """

    n: int
    means: dict[str, float]
    intervals: dict[str, tuple[float, float]]
    per_user: dict[str, Array]
    users: Array
    coverage: float
    novelty: float

    def __str__(self) -> str:
        lines = [f"top {self.n} of {len(self.users)} users"]
        for name, mean in self.means.items():
            low, high = self.intervals[name]
            lines.append(f"{name:>18} {mean:.4f}  [{low:.4f}, {high:.4f}]")
        return "\n".join([*lines, f"{'coverage':>18} {self.coverage:.4f}", f"{'novelty':>18} {self.novelty:.4f}"])


@checked(n=limits(at_least=1), confidence=limits(above=0, below=1))
def ranking_report(
    model: Model, X: Any, y: Any = None, *, n: int = 10, relevant: float | None = None, confidence: float = 0.95
) -> RankingReport:
    """Evaluate the `n` best items that a fitted recommender gives each user on held-out ratings.

    ndcg = sum over hits of 1 / log2(rank + 1), relative to its maximum;  intervals: mean +- t s / sqrt(users)

    Held-out items with a rating of at least `relevant` (None: all) are relevant; items of the training ratings are not
    recommended. Users without a relevant item, or without training ratings, do not count. Intervals are over users.
    [Järvelin and Kekäläinen, 2002]

    >>> from learnable.recommend import Popularity
    >>> model = Popularity().fit([["a", 1], ["b", 1], ["b", 2], ["c", 2], ["c", 3]])
    >>> ranking_report(model, [["a", 2], ["b", 3]], n=1).means["precision"]
    1.0
    """
    if not isinstance(model, Recommender):
        raise DataError(f"ranking_report: model must be a recommender such as Popularity(); got {type(model).__name__}")
    if not model.__sklearn_is_fitted__():
        raise not_fitted(model)
    pairs, ratings = as_rated_pairs("ranking_report", X, y)
    table, _ = pairs_of("ranking_report", pairs)
    user, item = codes(table, 0, model.users_), codes(table, 1, model.items_)
    good = np.ones(len(user), dtype=bool) if relevant is None else np.asarray(ratings, dtype=float) >= relevant
    users = np.unique(user[good & (user >= 0)])
    if not len(users):
        raise DataError("ranking_report: no user of X has training ratings and a relevant item")
    number = {name: np.empty(len(users)) for name in METRICS}
    shown = np.zeros(len(model.items_))
    each = max(BLOCK // len(model.items_), 1)
    for begin in range(0, len(users), each):
        part = users[begin : begin + each]
        ranked = _ranked(model, part, min(n, len(model.items_)), shown)
        for k, u in enumerate(part):
            mine = item[good & (user == u)]
            count = len(np.unique(mine[mine >= 0])) + int((mine < 0).sum())  # those without training ratings are missed
            values = _metrics(ranked[k], set(mine.tolist()), count, n)
            for name, value in zip(METRICS, values, strict=True):
                number[name][begin + k] = value
    means = {name: float(values.mean()) for name, values in number.items()}
    intervals = {name: _interval(values, confidence) for name, values in number.items()}
    chosen = np.diff(model.ratings_.tocsc().indptr) / len(model.users_)
    rarity = -np.log2(np.maximum(chosen, 1 / (len(model.users_) + 1)))
    novelty = float((shown * rarity).sum() / max(shown.sum(), 1))
    return RankingReport(n, means, intervals, number, model.users_[users], float((shown > 0).mean()), novelty)


def _ranked(model: Recommender, users: Array, n: int, shown: Array) -> list[Array]:
    """The best items of some users without those that they rated; counts in `shown` what is recommended."""
    scores = model._scores(users).astype(np.float64)
    seen = model.ratings_[users].tocoo()
    scores[seen.row, seen.col] = -np.inf
    best = best_columns(scores, n)
    found = [row[np.isfinite(scores[k, row])] for k, row in enumerate(best)]
    for row in found:
        shown[row] += 1
    return found


def _metrics(ranked: Array, relevant: set[int], count: int, n: int) -> tuple[float, ...]:
    """Precision, recall, NDCG, average precision, reciprocal rank and hit rate of one user."""
    hits = np.array([code in relevant for code in ranked.tolist()], dtype=float)
    ranks = np.arange(1, len(hits) + 1)
    discount = 1 / np.log2(np.arange(2, min(count, n) + 2))
    gain = float((hits / np.log2(ranks + 1)).sum() / discount.sum())
    precision = np.cumsum(hits) / np.maximum(ranks, 1)
    average = float((precision * hits).sum() / min(count, n))
    first = float(1 / ranks[hits > 0][0]) if hits.any() else 0.0
    return float(hits.sum() / n), float(hits.sum() / count), gain, average, first, float(hits.any())


def _interval(values: Array, confidence: float) -> tuple[float, float]:
    from scipy.stats import t

    if len(values) < 2:
        return float("-inf"), float("inf")
    half = float(t.ppf(0.5 + confidence / 2, len(values) - 1) * values.std(ddof=1) / np.sqrt(len(values)))
    return float(values.mean()) - half, float(values.mean()) + half
