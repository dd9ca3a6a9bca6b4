"""Principal component regression."""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, Literal

import numpy as np

from ..core import Array, Data, Matrix, ParameterError, Regressor, Trace, Traits, estimator, learned, param
from ..core.numeric import EPSILON, TINY
from ..core.runtime.context import give_way
from ..engines import matrix_products
from ..engines.algebra.interruptible_lapack import interruptibly
from ..engines.folds import folds, is_splitting
from ..engines.standardised import Centred

WELL_CONDITIONED = 1e-8  # smallest relative eigenvalue at which the Gram matrix gives accurate directions


def _is_count_or_fraction(value: Any) -> bool:
    if value is None or value == "cv":
        return True
    return int(value) >= 1 if isinstance(value, Integral) else 0 < value < 1


@estimator
class PrincipalComponentRegression(Regressor):
    """Principal component regression: least squares on the leading principal components.

    minimise over w, b    |y - Xw - b|^2    with w in the span of the first d principal components of X

    All numbers of components come from one singular value decomposition; with "cv" the number is that with the smallest
    squared error on held-out rows (zero included). Components depend on the variance of the columns alone, so set
    `scale` where columns have different units. Cost n p min(n, p). [Massy, 1965]

    >>> X, y = [[1.0, 1.1], [2.0, 1.9], [3.0, 3.1], [4.0, 3.9]], [1.0, 2.0, 3.0, 4.0]
    >>> PrincipalComponentRegression(1).fit(X, y).coef_.round(2)
    array([0.52, 0.5 ])
    """

    n_components: int | float | Literal["cv"] | None = param(
        None, 'number of components, fraction of the variance to explain, "cv" for cross-validation, None for all',
        kw_only=False, accepts=_is_count_or_fraction, says='an integer from 1, a fraction in (0, 1), "cv" or None',
        tune=(2, 5, 10, 20), simpler="smaller"
    )  # fmt: skip
    scale: bool = param(False, "whether to standardise the columns first")
    fit_intercept: bool = param(True, "whether to centre the data and fit an intercept")
    cv: Any = param(
        None, "cross-validation folds: None for 5, a number, a splitter, or (train, test) pairs",
        accepts=is_splitting, says="None, a number of folds, a splitter, or (train, test) pairs",
    )  # fmt: skip
    coef_: Array = learned("coefficient of each column", shape="targets? features")
    intercept_: float | Array = learned("intercept of the model", shape="targets?")
    n_components_: int = learned("number of components used")
    components_: Array = learned("principal axes in the space of the columns", shape="components features")
    score_coef_: Array = learned("coefficient of each component", shape="targets? components")
    explained_variance_: Array = learned("variance along each component", shape="components")
    explained_variance_ratio_: Array = learned(
        "fraction of the total variance explained by each component", shape="components"
    )
    mse_path_: Array = learned(
        "mean squared error with 0, 1, ... components on each fold", shape="counts folds", optional=True
    )

    traits = Traits(multi_target=True)
    title = "principal component regression"
    reference = "Massy, Principal components regression in exploratory statistical research, JASA 60, 1965"

    def _fit(self, data: Data, trace: Trace) -> None:
        whole = Components.of(data, self.fit_intercept, self.scale)
        count = self.n_components_ = self._count(whole, data)
        units, dtype = whole.ready.units, data.X.dtype
        final = whole.coef(count)
        coef, intercept = units.stored(final, dtype)
        weights = (whole.along[:count] / whole.spread[:count, None]).T * (units.scale_x / units.scale_y)
        several = data.y.ndim == 2
        self.coef_, self.intercept_ = (coef, intercept) if several else (coef[0], intercept[0])
        self.score_coef_ = weights.astype(dtype) if several else weights[0].astype(dtype)
        self.components_ = whole.directions[:, :count].T.astype(dtype)
        variance = whole.spread**2 / max(units.weight - self.fit_intercept, 1.0)
        self.explained_variance_ = (variance[:count] / units.scale_x / units.scale_x).astype(dtype)
        self.explained_variance_ratio_ = (variance[:count] / max(variance.sum(), TINY)).astype(dtype)
        self._certify(whole, final, float(np.finfo(dtype).eps), trace)

    def _count(self, whole: Components, data: Data) -> int:
        """The number of components."""
        n_components = self.n_components
        if n_components is None:
            return len(whole.spread)
        if n_components == "cv":
            return self._best_count(data)
        if isinstance(n_components, Integral):
            if int(n_components) > data.p:
                raise ParameterError(
                    f"PrincipalComponentRegression: n_components must be at most the number of columns, {data.p}; "
                    f"got {n_components!r}"
                )
            return min(int(n_components), len(whole.spread))
        explained = np.cumsum(whole.spread**2) / max(float((whole.spread**2).sum()), TINY)
        return min(int(np.searchsorted(explained, float(n_components) * (1 - 4 * EPSILON))) + 1, len(whole.spread))

    def _best_count(self, data: Data) -> int:
        pairs = folds(self.cv, data.n, data.y, "PrincipalComponentRegression")
        paths = [path for train, test in pairs if (path := self._errors(data, train, test)) is not None]
        self.mse_path_ = np.column_stack([path[: min(map(len, paths))] for path in paths])
        return int(self.mse_path_.mean(axis=1).argmin())

    def _errors(self, data: Data, train: Array, test: Array) -> Array | None:
        """Mean squared errors on the rows `test` with 0, 1, ... components of the rows `train`."""
        weight = np.ones(data.n) if data.weight is None else data.weight
        if not (weight[train].any() and weight[test].any()):
            return None
        rows = replace(data, X=data.X[train], y=data.y[train], weight=None if data.weight is None else weight[train])
        part = Components.of(rows, self.fit_intercept, self.scale)
        return interruptibly(part.errors, data.X[test], data.y[test], weight[test])

    def _certify(self, whole: Components, coef: Array, rounding: float, trace: Trace) -> None:
        residual = whole.ready.targets - coef @ whole.ready.columns
        trace.record(0.5 * float((residual**2).sum()) / whole.ready.units.weight)
        trace.stopped = "exact"
        products = (residual @ whole.ready.columns.T * whole.per_spread) @ whole.directions[:, : self.n_components_]
        largest = whole.spread.max(initial=0.0)
        size = np.linalg.norm(whole.ready.targets, axis=1) + largest * np.linalg.norm(
            coef / whole.per_spread_or_one, axis=1
        )
        lengths = np.broadcast_to(size[:, None] * largest, products.shape)
        off = np.divide(np.abs(products), lengths, where=lengths > 0, out=np.zeros(products.shape))
        trace.certify(
            "backward error", float(off.max(initial=0.0)) + rounding, max(1e-9, 64 * rounding),
            "the weights of the components are exact for data changed by at most this relative amount.",
        )  # fmt: skip

    def _predict(self, X: Matrix) -> Array:
        return matrix_products.scores(X, self.coef_, self.intercept_)


@dataclass(frozen=True, slots=True)
class Components:
    """The singular value decomposition of prepared data: columns over their spread = directions diag(spread) U'.

    `along` is U'y, a column for each target; directions without variance are left out.
    """

    ready: Centred
    per_spread: Array
    directions: Array
    spread: Array
    along: Array

    @classmethod
    def of(cls, data: Data, centre: bool, scale: bool) -> Components:
        """Decompose the centred, weighted columns, brought to equal spread if `scale`."""
        give_way()
        ready = interruptibly(Centred.of, data.X, data.y, data.weight, centre)
        per_spread, columns = np.ones(len(ready.columns)), ready.columns
        if scale:
            lengths = np.sqrt(np.einsum("ij,ij->i", columns, columns) / ready.units.weight)
            per_spread = np.divide(1.0, lengths, where=lengths > 0, out=np.zeros(len(lengths)))
            columns = columns * per_spread[:, None]
        directions, spread, along = _decompose(columns, ready.targets.T)
        kept = spread > max(ready.columns.shape) * EPSILON * spread.max(initial=0.0)
        largest = np.abs(directions).argmax(axis=0)
        sign = np.where(directions[largest, np.arange(len(spread))] < 0, -1.0, 1.0)
        return cls(ready, per_spread, (directions * sign)[:, kept], spread[kept], (along * sign[:, None])[kept])

    @property
    def per_spread_or_one(self) -> Array:
        """`per_spread`, with one for columns that do not spread."""
        return np.where(self.per_spread > 0, self.per_spread, 1.0)

    def coef(self, count: int) -> Array:
        """Coefficients (targets, features) of the first `count` components."""
        weights = self.along[:count] / self.spread[:count, None]
        return (self.directions[:, :count] @ weights).T * self.per_spread

    def errors(self, X: Array, y: Array, weight: Array) -> Array:
        """The weighted mean of the squared errors on other rows with 0, 1, ... components."""
        units = self.ready.units
        scores = ((X * units.scale_x - units.mean_x) * self.per_spread) @ self.directions
        steps = scores[:, None, :] * (self.along / self.spread[:, None]).T
        predicted = np.concatenate([np.zeros_like(steps[:, :, :1]), steps.cumsum(axis=2)], axis=2) / units.scale_y
        truth = y.reshape(len(y), -1) - units.mean_y / units.scale_y
        squares = ((truth[:, :, None] - predicted) ** 2).mean(axis=1)
        return np.asarray((weight / weight.sum()) @ squares)


def _decompose(columns: Array, targets: Array) -> tuple[Array, Array, Array]:
    """V, s and U'y of columns = V diag(s) U': by the Gram matrix if there are many rows and it is well conditioned."""
    if columns.shape[1] > 2 * columns.shape[0]:
        squares, directions = interruptibly(np.linalg.eigh, interruptibly(np.matmul, columns, columns.T))
        if squares[0] > WELL_CONDITIONED * squares[-1]:
            spread = np.sqrt(squares[::-1])
            directions = directions[:, ::-1]
            return directions, spread, directions.T @ (columns @ targets) / spread[:, None]
    directions, spread, rows = interruptibly(np.linalg.svd, columns, full_matrices=False)
    return directions, spread, rows @ targets
