"""Base classes of projections of two tables."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from ..core import (
    Array,
    Data,
    DataError,
    Matrix,
    ParameterError,
    Regressor,
    Trace,
    Traits,
    WithContainers,
    declaring,
    learned,
    param,
)
from ..core.sklearn_api.output_containers import wrapped
from ._latent_pairs import CentredTable, find_components


@declaring
class PairProjection(WithContainers):
    """Base class of estimators that project rows of X, and of y, on pairs of directions."""

    n_components: int = param(2, "number of pairs of directions", kw_only=False, at_least=1, tune=(1, 2, 3, 5))
    scale: bool = param(True, "whether columns are divided by their standard deviations")
    x_weights_: Array = learned("directions in X", shape="features components")
    y_weights_: Array = learned("directions in y", shape="targets components")
    x_mean_: Array = learned("mean of each column of X", shape="features")
    y_mean_: Array = learned("mean of each target", shape="targets")
    x_std_: Array = learned("what each column of X is divided by", shape="features")
    y_std_: Array = learned("what each target is divided by", shape="targets")

    def _centred(self, data: Data, most: int) -> tuple[CentredTable, CentredTable, Array]:
        """Both tables, centred and scaled, and the weights of their rows."""
        if self.n_components > most:
            raise ParameterError(
                f"{type(self).__name__}: n_components={self.n_components} is too large: `n_components` upper bound is "
                f"{most} for X of shape {data.X.shape} and {data.y.reshape(data.n, -1).shape[1]} target(s)"
            )
        if data.n < 2:
            raise DataError(f"{type(self).__name__}: a minimum of 2 rows is required to covary; n_samples = {data.n}")
        weight = np.ones(data.n) if data.weight is None else data.weight.astype(np.float64)
        x, y = (
            CentredTable.of(np.asarray(table, dtype=np.float64), weight, self.scale)
            for table in (data.X, data.y.reshape(data.n, -1))
        )
        for name, value in (("x_mean_", x.mean), ("x_std_", x.std), ("y_mean_", y.mean), ("y_std_", y.std)):
            self.__dict__[name] = value.astype(data.X.dtype)
        return x, y, weight

    def _projected(self, X: Any, y: Any) -> Any:
        """Scores of the rows of `X`, and with `y` those of their targets too."""
        rows = self._read(X)
        shown = wrapped(_scores(rows, self.x_mean_, self.x_std_, self._x_directions(), rows.dtype), X, self)
        if y is None:
            return shown
        target = self._validator.target(y, len(rows), np.float64, True).reshape(len(rows), -1)
        if target.shape[1] != len(self.y_mean_):
            raise DataError(f"{type(self).__name__}: y has {target.shape[1]} target(s); fit saw {len(self.y_mean_)}")
        return shown, _scores(target, self.y_mean_, self.y_std_, self._y_directions(), rows.dtype)

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """The names of the columns that `transform` returns: class name in lower case and a number."""
        self._require_fit()
        return np.array([f"{type(self).__name__.lower()}{j}" for j in range(self.x_weights_.shape[1])], dtype=object)

    def _x_directions(self) -> Array:
        return self.x_weights_

    def _y_directions(self) -> Array:
        return self.y_weights_


def _scores(table: Array, mean: Array, std: Array, directions: Array, dtype: Any) -> Array:
    wide = (values.astype(np.float64, copy=False) for values in (table, mean, std, directions))
    table, mean, std, directions = wide
    return np.asarray((table - mean) / std @ directions).astype(dtype, copy=False)


@declaring
class PartialLeastSquares(PairProjection, Regressor):
    """Base class of partial least squares and canonical correlation: pairs of directions one after the other."""

    max_iter: int = param(500, "accepted for compatibility; directions are singular vectors", at_least=1)
    tol: float = param(1e-6, "accepted for compatibility; directions are exact", at_least=0)
    copy: bool = param(True, "accepted for compatibility; data are never changed")
    x_loadings_: Array = learned("regression of X on its scores", shape="features components")
    y_loadings_: Array = learned("regression of y on the scores", shape="targets components")
    x_rotations_: Array = learned("directions in X as it was, for transform", shape="features components")
    y_rotations_: Array = learned("directions in y as it was, for transform", shape="targets components")
    coef_: Array = learned("coefficients of each target", shape="targets features")
    intercept_: Array = learned("prediction at the mean of X", shape="targets")
    n_iter_: list[int] = learned("number of iterations of each pair: one decomposition")

    traits = Traits(multi_target=True)
    correlate = False
    regress = False

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find directions of `X` and the targets `y`; a weight of 3 counts a row as three copies."""
        return super().fit(X, y, sample_weight)

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """`fit(X, y).transform(X, y)`."""
        return self.fit(X, y, sample_weight).transform(X, y)

    def _fit(self, data: Data, trace: Trace) -> None:
        bounds = (data.n, data.p) if self.regress else (data.n, data.p, data.y.reshape(data.n, -1).shape[1])
        x, y, weight = self._centred(data, min(bounds))
        found = find_components(
            x.rows, y.rows, weight, self.n_components, correlate=self.correlate, regress=self.regress
        )
        x_rotations, y_rotations = found.rotations()
        coef = (x_rotations @ found.y_loadings.T / x.std[:, None]).T * y.std[:, None]
        learnt = {
            "x_weights_": found.x_weights, "y_weights_": found.y_weights, "x_loadings_": found.x_loadings,
            "y_loadings_": found.y_loadings, "x_rotations_": x_rotations, "y_rotations_": y_rotations, "coef_": coef,
            "intercept_": y.mean,
        }  # fmt: skip
        if self.regress:
            learnt |= {"x_scores_": found.x_scores, "y_scores_": found.y_scores}
        self.__dict__.update({name: value.astype(data.X.dtype) for name, value in learnt.items()})
        self.n_iter_ = [1] * found.count
        trace.exact(f"singular vectors of {found.count} cross-covariances, one after the other")

    def predict(self, X: Any, copy: bool = True) -> Array:
        """Predicted targets for the rows of `X`."""
        return super().predict(X)

    def _predict(self, X: Matrix) -> Array:
        found = _scores(X, self.x_mean_, np.ones(1), self.coef_.T, np.float64) + self.intercept_
        return (found[:, 0] if len(self.intercept_) == 1 else found).astype(X.dtype, copy=False)

    def transform(self, X: Any, y: Any = None, copy: bool = True) -> Any:
        """Scores of the rows of `X`, and with `y` those of their targets too."""
        return self._projected(X, y)

    def inverse_transform(self, X: Any, y: Any = None) -> Any:
        """Rows from their scores, as far as the directions go; with scores `y` the targets too."""
        self._require_fit()
        scores, _ = self._validator.matrix(X)
        rows = self._back(scores, self.x_loadings_, self.x_mean_, self.x_std_)
        if y is None:
            return rows
        return rows, self._back(self._validator.matrix(y)[0], self.y_loadings_, self.y_mean_, self.y_std_)

    def _back(self, scores: Array, loadings: Array, mean: Array, std: Array) -> Array:
        if scores.shape[1] != loadings.shape[1]:
            raise DataError(
                f"{type(self).__name__}: scores have {loadings.shape[1]} columns here; got {scores.shape[1]}"
            )
        return (scores @ loadings.T * std + mean).astype(scores.dtype, copy=False)

    def _x_directions(self) -> Array:
        return self.x_rotations_

    def _y_directions(self) -> Array:
        return self.y_rotations_
