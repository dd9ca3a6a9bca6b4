"""Theil-Sen regression."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import Any, Self

import numpy as np

from ..core import (
    Array,
    Data,
    DataError,
    Matrix,
    ParameterError,
    RandomState,
    Trace,
    Traits,
    estimator,
    learned,
    param,
    seed_of,
)
from ..core.roles.regressor import NumberPredictor
from ..engines import matrix_products
from ..engines.iterate import Progress, State, iterate
from ..engines.minimise.least_squares.solve import least_squares
from ..engines.sampling.weighted_sampling import combinations, distinct
from ._robust.spatial_median import SpatialMedian
from ._robust.subset_least_squares import subset_fits

MAX_WORK = 2e7  # multiplications of a step
MAX_TOGETHER = 20_000  # subsets of a step
MIN_TOLERANCE = 1e-13  # unit vectors cannot be summed more accurately


@estimator
class TheilSenRegressor(NumberPredictor):
    """Theil-Sen regression: the spatial median of least-squares fits to many small subsets.

    minimise over (b, w)    mean over subsets S of |(b, w) - (b_S, w_S)|,    (b_S, w_S) the least squares fit to S

    All subsets of `n_subsamples` rows if there are no more than `max_subpopulation`, else that many random ones. A
    fraction of up to `breakdown_` of the rows may be outliers. The distance sums squares of coefficients, so columns
    should have similar units. Cost: max_subpopulation solutions of small systems. [Dang, Peng, Wang and Zhang, 2008]

    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]], [1.0, 3.0, 5.0, 70.0, 9.0, 11.0]
    >>> model = TheilSenRegressor(random_state=0).fit(X, y)
    >>> model.coef_.round(3), round(model.intercept_, 3)
    (array([2.]), 1.0)
    """

    fit_intercept: bool = param(True, "whether to fit an intercept")
    max_subpopulation: float = param(1e4, "maximum number of subsets", at_least=1, infinite=True)
    n_subsamples: int | None = param(None, "rows per subset (None: as few as determine a fit, the most robust)")
    max_iter: int = param(300, "maximum number of iterations for the spatial median", at_least=0)
    tol: float = param(1e-3, "its square is the tolerance of the relative resultant at the spatial median", at_least=0)
    random_state: RandomState = param(None, "seed of the random samples")
    n_jobs: int | None = param(None, "accepted for compatibility; use learnable.threads(n)")
    verbose: int | bool = param(False, "accepted for compatibility; use learnable.progress()")
    coef_: Array = learned("coefficient of each column", shape="features")
    intercept_: float = learned("intercept of the model")
    breakdown_: float = learned("breakdown point: fraction of outliers above which the solution may be arbitrary")
    n_iter_: int = learned("number of iterations for the spatial median")
    n_subpopulation_: int = learned("number of subsets")

    traits = Traits(weights=False, stochastic=True)
    title = "Theil-Sen regression"
    reference = "Dang, Peng, Wang and Zhang, Theil-Sen estimators in a multiple linear regression model, 2008"

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from rows `X` and their targets `y`."""
        return self._fit_checked(X, y, None)

    def _fit(self, data: Data, trace: Trace) -> None:
        size = self._subset_size(data)
        fits = SubsetFits.of(data, self.fit_intercept, size, self.max_subpopulation, seed_of(self.random_state))
        state = iterate(fits, -(-fits.count // fits.batch), trace)
        cut_short, solved = trace.stopped, trace.iterations
        points = np.concatenate(state["parts"])
        median = SpatialMedian.of(points, max(self.tol**2, MIN_TOLERANCE))
        if cut_short == "budget":  # no time for an iteration
            state = median.start()
        else:
            state = iterate(median, max(self.max_iter, 1), trace)
        trace.stopped = trace.stopped if cut_short == "converged" else cut_short
        self._keep(median.point(state), data)
        self.n_iter_, self.n_subpopulation_ = trace.iterations - solved, len(points)
        self.breakdown_ = 1 - (0.5 ** (1 / size) * (data.n - size + 1) + size - 1) / data.n
        sentence = "the unit vectors from the median to the fits sum to at most this fraction of their lengths."
        trace.certify("pull left over", state["resultant"], median.tolerance, sentence)

    def _keep(self, point: Array, data: Data) -> None:
        self.intercept_ = float(point[0]) if self.fit_intercept else 0.0
        self.coef_ = point[int(self.fit_intercept) :].astype(data.X.dtype)

    def _predict(self, X: Matrix) -> Array:
        return matrix_products.scores(X, self.coef_, self.intercept_)

    def _subset_size(self, data: Data) -> int:
        unknowns, requested = data.p + int(self.fit_intercept), self.n_subsamples
        if requested is None:
            return min(unknowns, data.n)
        if requested > data.n:
            raise DataError(
                f"TheilSenRegressor: a subset has n_subsamples = {requested} rows, but the data have "
                f"n_samples = {data.n}"
            )
        if requested < min(unknowns, data.n):
            raise ParameterError(
                f"TheilSenRegressor: n_subsamples must be at least {min(unknowns, data.n)}, the number of unknowns "
                f"or of all rows; got {requested}"
            )
        return requested


@dataclass(frozen=True, slots=True)
class SubsetFits:
    """The fits to all or to `count` random subsets of `size` rows, a batch in each step."""

    data: Data
    fit_intercept: bool
    size: int
    count: int
    seed: int
    every: bool

    @classmethod
    def of(cls, data: Data, fit_intercept: bool, size: int, most: float, seed: int) -> SubsetFits:
        """All subsets if there are at most `most`."""
        count = comb(data.n, size)
        return cls(data, fit_intercept, size, int(min(count, most)), seed, count <= most)

    @property
    def batch(self) -> int:
        """The largest batch that keeps a step short."""
        work = self.size * (self.data.p + 4) ** 2
        return int(np.clip(MAX_WORK // work, 1, min(self.count, MAX_TOGETHER)))

    def start(self) -> State:
        """The state before the first subset."""
        return {"seed": self.seed, "done": 0, "parts": [], "spread": 0.0}

    def step(self, state: State) -> State:
        """The fits to the next subsets, a row for each: the intercept first, if there is one, then coefficients."""
        done = min(state["done"] + self.batch, self.count)
        units = range(state["done"], done)
        fits = self._fits(units, state["seed"])
        spread = float(np.abs(fits - np.median(fits, axis=0)).mean())
        return state | {"done": done, "parts": [*state["parts"], fits], "spread": spread}

    def _fits(self, units: range, seed: int) -> Array:
        data = self.data
        if self.size == data.n:
            whole = least_squares(data.X, data.y[:, None], None, self.fit_intercept)
            return np.concatenate([whole.intercept[:, None], whole.coef], axis=1)[:, 1 - int(self.fit_intercept) :]
        if self.every:
            subsets = combinations(data.n, self.size, units)
        else:
            subsets = distinct(data.n, None, seed, units, self.size)
        coef, intercept = subset_fits(data.X, data.y, subsets, self.fit_intercept)
        return np.concatenate([intercept[:, :, None], coef], axis=2)[:, 0, 1 - int(self.fit_intercept) :]

    def progress(self, state: State) -> Progress:
        """The spread of the last fits, and the number of subsets left."""
        return Progress(state["spread"], self.count - state["done"], 0, {"subsets": float(state["done"])})
