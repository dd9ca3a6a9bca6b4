"""Stated complexities compared with measured growth: the exponent of the time in each size.

    python -m benchmarks.growth [--quick] [name ...]

The stated orders are O(n p^2) for least squares, O(N d) for a query of nearest neighbours, O(T N K d) for k-means,
O(N d H) for a tree of depth H, O(B N d H) for a forest of B trees, and O(K d N) for K boosted trees over bins, in which
sorting once takes O(d N log N). An exponent below the stated one says that a fixed cost still counts at these sizes, or
that bounds save work.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import learnable as L
from learnable.theory import GrowthOrder, measure_growth

RNG = np.random.default_rng(0)


@dataclass(frozen=True)
class Case:
    """A stated order in one size: the task for each size, the sizes, and the exponent that is stated."""

    task: Callable[[int], Callable[[], Any]]
    sizes: tuple[int, ...]
    stated: float
    tolerance: float = 0.35

    def measured(self, quick: bool = False) -> GrowthOrder:
        """The measured growth; `quick` takes small sizes, which measure nothing."""
        sizes = [max(size // 16, 4 * (k + 1)) for k, size in enumerate(self.sizes)] if quick else self.sizes
        return measure_growth(self.task, sizes, repeats=1 if quick else 3)


def least_squares(n: int = 4000, p: int = 300) -> Callable[[], Any]:
    """A regression on p columns."""
    X, y = RNG.standard_normal((n, p)), RNG.standard_normal(n)
    return lambda: L.LinearRegression().fit(X, y)


def query(n: int = 20_000, d: int = 40) -> Callable[[], Any]:
    """The neighbours of 60 rows, by brute force."""
    X = RNG.standard_normal((n, d))
    model = L.KNeighborsClassifier(algorithm="brute").fit(X, np.arange(n) % 2)
    return lambda: model.predict(X[:60])


def k_means(n: int = 20_000, k: int = 16, d: int = 20, t: int = 6) -> Callable[[], Any]:
    """Some iterations of Lloyd's algorithm without bounds."""
    X = RNG.standard_normal((n, d))

    def fit() -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # few iterations do not converge
            L.KMeans(k, init=X[:k], n_init=1, max_iter=t, tol=0, algorithm="plain").fit(X)

    return fit


def tree(n: int = 10_000, d: int = 20, depth: int = 8) -> Callable[[], Any]:
    """A tree of a given depth on a target of noise, so that every leaf is split."""
    X, y = RNG.standard_normal((n, d)), RNG.integers(0, 2, n)
    return lambda: L.DecisionTreeClassifier(max_depth=depth).fit(X, y)


def forest(trees: int = 16, n: int = 4000) -> Callable[[], Any]:
    """A forest."""
    X, y = RNG.standard_normal((n, 16)), RNG.integers(0, 2, n)
    return lambda: L.RandomForestClassifier(trees, max_depth=8, random_state=0).fit(X, y)


def boosted(rounds: int = 40, n: int = 20_000, d: int = 10) -> Callable[[], Any]:
    """Boosted trees over bins."""
    X, y = RNG.standard_normal((n, d)), RNG.standard_normal(n)
    settings = {"max_iter": rounds, "max_leaf_nodes": 31, "early_stopping": False}
    return lambda: L.HistGradientBoostingRegressor(**settings).fit(X, y)


CASES = {
    "least squares, rows": Case(lambda n: least_squares(n=n), (4000, 8000, 16_000), 1),
    "least squares, columns": Case(lambda p: least_squares(p=p), (250, 500, 1000), 2, 0.6),
    "nearest neighbours, rows": Case(lambda n: query(n=n), (20_000, 40_000, 80_000), 1),
    "nearest neighbours, columns": Case(lambda d: query(d=d), (100, 200, 400), 1),
    "k-means, rows": Case(lambda n: k_means(n=n), (20_000, 40_000, 80_000), 1),
    "k-means, clusters": Case(lambda k: k_means(k=k), (64, 128, 256), 1, 0.5),
    "k-means, columns": Case(lambda d: k_means(d=d), (40, 80, 160), 1),
    "k-means, iterations": Case(lambda t: k_means(t=t), (8, 16, 32), 1),
    "tree, rows": Case(lambda n: tree(n=n), (10_000, 20_000, 40_000), 1),
    "tree, columns": Case(lambda d: tree(d=d), (20, 40, 80), 1),
    "tree, depth": Case(lambda h: tree(depth=h), (3, 6, 12), 1, 0.5),
    "forest, trees": Case(lambda b: forest(trees=b), (16, 32, 64), 1),
    "forest, rows": Case(lambda n: forest(n=n), (4000, 8000, 16_000), 1),
    "boosted trees, rounds": Case(lambda k: boosted(rounds=k), (40, 80, 160), 1),
    "boosted trees, rows": Case(lambda n: boosted(n=n), (50_000, 100_000, 200_000), 1, 0.5),
    "boosted trees, columns": Case(lambda d: boosted(d=d), (16, 32, 64), 1, 0.5),
}


def main(arguments: list[str] | None = None) -> None:
    """Print the exponent of each case beside the stated one."""
    line = argparse.ArgumentParser(prog="python -m benchmarks.growth", description=__doc__)
    line.add_argument("names", nargs="*", help="cases, or prefixes of them; all when left out")
    line.add_argument("--quick", action="store_true", help="small sizes: checks that all works, measures nothing")
    options = line.parse_args(arguments)
    with L.threads(1):
        for name, case in CASES.items():
            if options.names and not name.startswith(tuple(options.names)):
                continue
            found = case.measured(options.quick)
            beside = "" if abs(found.exponent - case.stated) <= case.tolerance else "   NOT as stated"
            print(f"{name:<30} stated {case.stated:g}   {found}{beside}", flush=True)


if __name__ == "__main__":
    main()
