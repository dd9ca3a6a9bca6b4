"""Small estimators that keep every promise: closed, iterative, classifying, transforming, nesting."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnable.core import (
    Array,
    Data,
    Estimator,
    Matrix,
    ProbabilisticClassifier,
    Regressor,
    Trace,
    Transformer,
    estimator,
    learned,
    param,
)
from learnable.engines.iterate import Progress, iterate


def _scaled_gram(data: Data) -> tuple[Array, Array, Array, Array, float]:
    """Column scales, weighted means and the normal equations of scaled, centred data in double precision."""
    weight = np.ones(data.n) if data.weight is None else data.weight
    weight = weight / weight.sum()
    X = np.asarray(data.X, dtype=np.float64)
    scale = np.abs(X[weight > 0]).max(axis=0)
    scale[scale == 0] = 1.0
    y_scale = float(np.abs(data.y[weight > 0]).max()) or 1.0
    X, y = X / scale, np.asarray(data.y, dtype=np.float64) / y_scale
    mean, y_mean = weight @ X, weight @ y
    centred = (X - mean) * np.sqrt(weight)[:, None]
    gram = centred.T @ centred
    cross = centred.T @ ((y - y_mean) * np.sqrt(weight))
    return scale, mean, gram, cross, y_scale, y_mean


@estimator
class ToyRidge(Regressor):
    """Ridge regression with a little shrinkage on columns scaled to size one.

    minimise over w, b    mean (y - Zw - b)^2 + alpha |w|^2,    Z the columns of X divided by their largest entry

    Normal equations; costs n p^2. [Hoerl and Kennard, 1970]

    >>> ToyRidge(alpha=0.0).fit([[0.0], [1.0]], [1.0, 3.0]).predict([[2.0]]).round(6)
    array([5.])
    """

    title = "ridge regression"
    reference = "Hoerl and Kennard, 1970"

    alpha: float = param(1e-6, "strength of the shrinkage", at_least=0, kw_only=False)

    coef_: Array = learned("weight of each column", shape="features")
    intercept_: float = learned("constant term")

    def _fit(self, data: Data, trace: Trace) -> None:
        scale, mean, gram, cross, y_scale, y_mean = _scaled_gram(data)
        inside = gram + self.alpha * np.eye(data.p)
        w = np.linalg.lstsq(inside, cross, rcond=None)[0]
        _keep(self, data, w, scale, mean, y_scale, y_mean)
        trace.record(float(w @ gram @ w - 2 * cross @ w + self.alpha * w @ w))
        trace.stopped = "exact"
        trace.certify("normal equations", float(np.abs(inside @ w - cross).max()), 1e-8, "the equations are solved")

    def _predict(self, X: Matrix) -> Array:
        return _linear(X, self.coef_, self.intercept_)


def _keep(model: Any, data: Data, w: Array, scale: Array, mean: Array, y_scale: float, y_mean: float) -> None:
    with np.errstate(over="ignore", under="ignore"):
        model.coef_ = (w / scale * y_scale).astype(data.X.dtype)
    model.intercept_ = float((y_mean - w @ mean) * y_scale)


def _linear(X: Array, coef: Array, intercept: float) -> Array:
    """Xw + b, the same bits for a row in any batch."""
    return (X * coef).sum(axis=1) + X.dtype.type(intercept)


@dataclass(frozen=True)
class _Descent:
    """Conjugate gradients on gram w = cross, one direction a step."""

    gram: Array
    cross: Array
    tolerance: float

    def start(self) -> dict[str, Any]:
        return {"w": np.zeros_like(self.cross), "residual": self.cross.copy(), "direction": self.cross.copy()}

    def step(self, state: dict[str, Any]) -> dict[str, Any]:
        w, residual, direction = state["w"], state["residual"], state["direction"]
        curvature = direction @ self.gram @ direction
        if curvature <= 0:
            return state
        size = (residual @ residual) / curvature
        moved = residual - size * (self.gram @ direction)
        ahead = moved + (moved @ moved) / (residual @ residual) * direction
        return {"w": w + size * direction, "residual": moved, "direction": ahead}

    def progress(self, state: dict[str, Any]) -> Progress:
        w, residual = state["w"], state["residual"]
        return Progress(float(-w @ (residual + self.cross)), float(np.abs(residual).max()), self.tolerance)


@estimator
class ToyDescent(Regressor):
    """Ridge regression by conjugate gradients.

    minimise over w, b    mean (y - Zw - b)^2 + alpha |w|^2,    Z the columns of X divided by their largest entry

    One product with the Gram matrix a step. [Hestenes and Stiefel, 1952]

    >>> ToyDescent(alpha=0.0).fit([[0.0], [1.0]], [1.0, 3.0]).predict([[2.0]]).round(6)
    array([5.])
    """

    title = "ridge regression"
    reference = "Hestenes and Stiefel, 1952"

    alpha: float = param(1e-3, "strength of the shrinkage", at_least=0)
    tol: float = param(1e-10, "largest entry of the gradient that ends the fit", at_least=0)
    max_iter: int = param(1000, "most steps", at_least=1)

    coef_: Array = learned("weight of each column", shape="features")
    intercept_: float = learned("constant term")
    n_iter_: int = learned("steps done")

    def _fit(self, data: Data, trace: Trace) -> None:
        scale, mean, gram, cross, y_scale, y_mean = _scaled_gram(data)
        method = _Descent(gram + self.alpha * np.eye(data.p), cross, self.tol)
        state = iterate(method, self.max_iter, trace)
        _keep(self, data, state["w"], scale, mean, y_scale, y_mean)
        self.n_iter_ = trace.iterations
        trace.certify("gradient", method.progress(state).criterion, self.tol, "no weight can move and gain")

    def _predict(self, X: Matrix) -> Array:
        return _linear(X, self.coef_, self.intercept_)


@estimator
class ToyMeans(ProbabilisticClassifier):
    """Nearest centroid classification in columns scaled to size one.

    choose the class k with the largest p_k = softmax of -sharpness |z - m_k|^2

    One pass over the rows. [Anon., 1900]

    >>> ToyMeans().fit([[0.0], [1.0], [2.0]], ["no", "yes", "yes"]).predict([[9.0]])
    array(['yes'], dtype='<U3')
    """

    title = "nearest centroid"
    reference = "Anon., 1900"

    sharpness: float = param(9.0, "how fast the probability falls with the distance", above=0)

    classes_: Array = learned("the labels, sorted", shape="classes")
    scale_: Array = learned("largest absolute value of each column", shape="features")
    means_: Array = learned("mean of each class in scaled columns", shape="classes features")

    def _fit(self, data: Data, trace: Trace) -> None:
        weight = np.ones(data.n) if data.weight is None else data.weight
        scale = np.abs(data.X[weight > 0]).max(axis=0)
        self.scale_ = np.where(scale == 0, 1, scale).astype(data.X.dtype)
        member = (data.y == np.arange(len(self.classes_))[:, None]) * weight
        total = np.maximum(member.sum(axis=1, keepdims=True), 1e-300)
        self.means_ = ((member @ (data.X / self.scale_)) / total).astype(data.X.dtype)
        self.means_[member.sum(axis=1) == 0] = np.finfo(data.X.dtype).max ** 0.25  # an empty class is far away
        trace.exact("the means are those of the training rows")

    def _probabilities(self, X: Matrix) -> Array:
        distances = (((X / self.scale_)[:, None, :] - self.means_) ** 2).sum(axis=2)
        probabilities = np.exp(
            -self.sharpness * np.minimum(distances - distances.min(axis=1, keepdims=True), 80 / self.sharpness)
        )
        return probabilities / probabilities.sum(axis=1, keepdims=True)


@estimator
class ToyScaler(Transformer):
    """Max-abs scaling: columns divided by their largest absolute value.

    z_ij = x_ij / max_i |x_ij|

    One pass. [Anon., 1900]

    >>> ToyScaler().fit_transform([[1.0], [2.0]])
    array([[0.5],
           [1. ]])
    """

    title = "max-abs scaling"
    reference = "Anon., 1900"

    floor: float = param(0.0, "smallest scale", at_least=0)

    scale_: Array = learned("largest absolute value of each column", shape="features")

    def _fit(self, data: Data, trace: Trace) -> None:
        rows = data.X if data.weight is None else data.X[data.weight > 0]
        scale = np.maximum(np.abs(rows).max(axis=0), data.X.dtype.type(self.floor))
        self.scale_ = np.where(scale == 0, 1, scale).astype(data.X.dtype)
        trace.record(float(scale.max()))
        trace.stopped = "exact"
        trace.certify("exact", 0.0, 0.0, "each scale is the maximum of its column")

    def _transform(self, X: Matrix) -> Matrix:
        return X / self.scale_

    def _names_out(self, names: list[str]) -> list[str]:
        return names


@estimator
class ToyOuter(Regressor):
    """A meta-estimator: the regression of an estimator given as a parameter.

    minimise what `inner` minimises

    Fits `inner` once. [Anon., 1900]

    >>> ToyOuter(inner=ToyRidge(0.0)).fit([[0.0], [1.0]], [1.0, 3.0]).predict([[2.0]]).round(6)
    array([5.])
    """

    title = "meta-estimator"
    reference = "Anon., 1900"

    inner: Estimator | None = param(None, "who does the work (None: a ToyDescent)")

    inner_: Estimator = learned("the fitted estimator")

    def _fit(self, data: Data, trace: Trace) -> None:
        self.inner_ = (self.inner or ToyDescent()).clone().fit(data.X, data.y, data.weight)
        trace.record(self.inner_.trace_.rows[-1]["objective"])
        trace.stopped = self.inner_.trace_.stopped
        proof = self.inner_.certificate_
        trace.certificate = proof

    def _predict(self, X: Matrix) -> Array:
        return self.inner_.predict(X)


TOYS = {cls.__name__: cls for cls in (ToyDescent, ToyMeans, ToyOuter, ToyRidge, ToyScaler)}
