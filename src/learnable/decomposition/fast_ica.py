"""Independent component analysis by FastICA."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..core import Array, Data, DataError, ParameterError, RandomState, Trace, Traits, estimator, learned, param
from ..core.declare.checked_functions import Rows, checked
from ..core.errors import warn
from ..core.numeric import EPSILON
from ..core.runtime.context import give_way
from ..core.runtime.random import stream
from ..engines import matrix_products
from ..engines.algebra.singular_vectors import CentredRows, column_spectrum, turned, whole_spectrum
from ..engines.iterate import Progress, State, iterate
from ._projection_base import LinearProjection

Shape = Callable[[Array], tuple[Array, Array]]

PATIENCE = 50  # iterations without a smaller change after which the step size is halved


@estimator
class FastICA(LinearProjection):
    """Independent component analysis (FastICA): unmixes sources by maximal non-Gaussianity.

    maximise over w, |w| = 1    (E G(w'z) - E G(normal))^2,    z the whitened rows, G = log cosh, -exp(-u^2/2) or u^4/4

    Fixed-point iterations w <- E z g(w'z) - E g'(w'z) w, for all components in parallel or one by one (deflation). If
    they do not converge, as for nearly normal rows, the step size is reduced. Order and sign of the sources are not
    determined. [Hyvärinen, 1999]

    >>> import numpy as np
    >>> t = np.linspace(0, 8, 400)
    >>> sources = np.column_stack([np.sin(3 * t), np.sign(np.cos(5 * t))])
    >>> mixed = sources @ np.array([[1.0, 0.5], [0.7, 1.0]])
    >>> found = FastICA(random_state=0).fit_transform(mixed)
    >>> np.abs(np.corrcoef(found.T, sources.T)[:2, 2:]).max(axis=0).round(2)
    array([1., 1.])
    """

    n_components: int | None = param(
        None, "number of components; None: all", kw_only=False, at_least=1, tune=(2, 5, 10, 20), simpler="smaller"
    )
    algorithm: Literal["parallel", "deflation"] = param("parallel", "all components in parallel, or one by one")
    whiten: Literal["unit-variance", "arbitrary-variance", False] = param(
        "unit-variance", "whitening: scale of the sources, or False for whitened rows"
    )
    fun: Literal["logcosh", "exp", "cube"] | Callable[..., Any] = param(
        "logcosh", "contrast: name of G, or a function that returns g = G' and the mean of g'"
    )
    fun_args: dict[str, Any] | None = param(None, "keyword arguments of fun; alpha between 1 and 2 for logcosh")
    max_iter: int = param(200, "maximum number of iterations", at_least=1)
    tol: float = param(1e-4, "convergence threshold: change of the directions", at_least=0)
    w_init: Array | None = param(None, "initial unmixing matrix; None: random")
    whiten_solver: Literal["eigh", "svd"] = param("svd", "solver of the whitening")
    random_state: RandomState = param(None, "seed of the initial unmixing matrix")
    mixing_: Array = learned("mixing matrix", shape="features components")
    mean_: Array = learned("mean of each column", shape="features", optional=True)
    whitening_: Array = learned("whitening matrix", shape="components features", optional=True)
    n_iter_: int = learned("number of iterations")

    traits = Traits(stochastic=True)
    title = "independent component analysis"
    reference = "Hyvärinen, Fast and robust fixed-point algorithms for independent component analysis, 1999"

    def _fit(self, data: Data, trace: Trace) -> None:
        X, weight = matrix_products.rows_that_count(data.X, data.weight)
        if len(X) < 2:
            raise DataError("FastICA: Found array with 1 sample(s) while a minimum of 2 is required; give more rows")
        fractions = np.full(len(X), 1 / len(X)) if weight is None else weight / weight.sum()
        white, whitening, mean = self._whitened(X, weight, fractions)
        count = white.shape[1]
        initial = (
            stream(self.random_state).normal(size=(count, count)) if self.w_init is None else np.asarray(self.w_init)
        )
        if initial.shape != (count, count):
            raise ParameterError(f"FastICA: w_init must be a matrix of {(count, count)}; got {initial.shape}")
        W = self._directions(white, fractions, initial.astype(np.float64), trace)
        if self.whiten == "unit-variance":
            sources = white @ W.T
            W = W / np.sqrt(fractions @ (sources - fractions @ sources) ** 2)[:, None]
        if self.whiten == "arbitrary-variance":
            W = W / np.sqrt(data.total_weight)  # sources of length one, as in scikit-learn
        directions = W if whitening is None else W @ whitening
        self.components_ = directions.astype(data.X.dtype)
        self.mixing_ = np.linalg.pinv(directions).astype(data.X.dtype)
        if whitening is not None:
            self.whitening_ = (whitening / np.sqrt(data.total_weight)).astype(data.X.dtype)
            self.mean_ = mean.astype(data.X.dtype)

    def _whitened(self, X: Array, weight: Array | None, fractions: Array) -> tuple[Array, Array | None, Array]:
        """Whitened rows, the whitening matrix, and the mean of the columns."""
        if not self.whiten:
            if self.n_components is not None:
                warn("Ignoring n_components with whiten=False.", UserWarning)
            return X.astype(np.float64), None, np.zeros(X.shape[1])
        rows = CentredRows.of(X.astype(np.float64), weight, summed=self.whiten_solver == "eigh")
        found = whole_spectrum(rows) if rows.summed is None else column_spectrum(rows.summed, X.shape[1])
        kept = found.values > max(rows.shape) * EPSILON * found.values.max(initial=0.0)
        rank = int(np.count_nonzero(kept))
        if rank == 0:
            raise DataError("FastICA: all columns of X are constant; give rows that differ")
        count = rank if self.n_components is None else self.n_components
        if count > rank:
            warn(f"FastICA: the rank of X is {rank}; n_components is reduced to that", UserWarning)
            count = rank
        axes = found.vectors[:count] * turned(found.vectors[:count, :1])
        total = 1.0 / float(fractions[0]) if weight is None else float(weight.sum())
        whitening = axes / found.values[:count, None] * np.sqrt(total)
        centred = rows.X - rows.mean
        return centred @ whitening.T, whitening * rows.unit, rows.mean / rows.unit

    def _directions(self, white: Array, fractions: Array, initial: Array, trace: Trace) -> Array:
        shape = self._shape()
        if self.algorithm == "parallel":
            state = iterate(_Parallel(white, fractions, shape, initial, self.tol), self.max_iter, trace)
            self.n_iter_ = trace.iterations
            W: Array = state["W"]
        else:
            W, steps = np.zeros((0, initial.shape[1])), []
            for row in initial:
                first = len(trace.rows)
                state = iterate(_Deflation(white, fractions, shape, row, W, self.tol), self.max_iter, trace)
                steps.append(len(trace.rows) - first)
                W = np.vstack([W, state["W"]])
            self.n_iter_ = max(steps)
        last = trace.rows[-1]["criterion"]
        trace.certify("change", last, self.tol, "largest change of a direction in the last iteration")
        return W

    def _shape(self) -> Shape:
        """The derivative g of the contrast and its mean derivative, for each component a row of projections."""
        options = self.fun_args or {}
        alpha = options.get("alpha", 1.0)
        if not 1 <= alpha <= 2:
            raise ParameterError(f"FastICA: fun_args: alpha must be in [1,2]; got {alpha!r}")
        if callable(self.fun):
            function = self.fun
            return lambda u: function(u, **options)
        return {"logcosh": lambda u: _logcosh(u, alpha), "exp": _exponential, "cube": _cube}[self.fun]

    def _mean(self) -> Array | None:
        return self.mean_ if self.whiten else None

    def transform(self, X: Any, copy: bool = True) -> Any:
        """The sources of the rows of `X`; `copy` is accepted for compatibility with scikit-learn."""
        return super().transform(X)

    def inverse_transform(self, X: Any, copy: bool = True) -> Any:
        """Rows reconstructed from sources; `copy` is accepted for compatibility with scikit-learn."""
        return super().inverse_transform(X)

    def _inverse(self, X: Array) -> Array:
        mixed = X @ self.mixing_.T
        return np.asarray(mixed + self.mean_ if self.whiten else mixed).astype(X.dtype)


@dataclass(frozen=True)
class _Parallel:
    """Parallel iterations of all directions, orthogonalised by (WW')^(-1/2) W."""

    white: Array
    fractions: Array
    shape: Shape
    initial: Array
    tolerance: float

    def start(self) -> State:
        return _initial_state(_orthogonalise(self.initial))

    def step(self, state: State) -> State:
        give_way()
        W = state["W"]
        pushed, derivative = _steps(self.white, self.fractions, self.shape, W)
        after = _orthogonalise(pushed - derivative[:, None] * W)
        if state["stride"] < 1:
            after = _orthogonalise(_partial_step(W, after, state["stride"]))
        return _advance(state, after)

    def progress(self, state: State) -> Progress:
        return Progress(state["change"], state["change"], self.tolerance)


@dataclass(frozen=True)
class _Deflation:
    """Iterations of one direction, orthogonal to the previous ones."""

    white: Array
    fractions: Array
    shape: Shape
    initial: Array
    before: Array
    tolerance: float

    def start(self) -> State:
        return _initial_state((self.initial / np.linalg.norm(self.initial))[None])

    def step(self, state: State) -> State:
        give_way()
        W = state["W"]
        pushed, derivative = _steps(self.white, self.fractions, self.shape, W)
        after = pushed - derivative[:, None] * W
        after = after - after @ self.before.T @ self.before
        after = after / np.linalg.norm(after)
        if state["stride"] < 1:
            after = _partial_step(W, after, state["stride"])
            after = after / np.linalg.norm(after)
        return _advance(state, after)

    def progress(self, state: State) -> Progress:
        return Progress(state["change"], state["change"], self.tolerance)


def _initial_state(W: Array) -> State:
    return {"W": W, "change": np.inf, "stride": 1.0, "least": np.inf, "waited": 0}


def _partial_step(W: Array, after: Array, stride: float) -> Array:
    """W + stride (after - W), with signs of the directions aligned."""
    same = np.where(np.einsum("ij,ij->i", after, W) < 0, -1.0, 1.0)[:, None]
    return W + stride * (same * after - W)


def _advance(state: State, after: Array) -> State:
    """The state after an iteration; the step size is halved if the change has not decreased for a while."""
    change = float(np.abs(np.abs(np.einsum("ij,ij->i", after, state["W"])) - 1).max())
    if change < state["least"]:
        return state | {"W": after, "change": change, "least": change, "waited": 0}
    if state["waited"] + 1 < PATIENCE:
        return state | {"W": after, "change": change, "waited": state["waited"] + 1}
    return {"W": after, "change": change, "stride": state["stride"] / 2, "least": change, "waited": 0}


def _steps(white: Array, fractions: Array, shape: Shape, W: Array) -> tuple[Array, Array]:
    """E z g(w'z) and E g'(w'z) for each direction."""
    g, derivative = shape(W @ white.T)
    derivative = derivative @ fractions if derivative.ndim == 2 else derivative
    return (g * fractions) @ white, derivative


def _orthogonalise(W: Array) -> Array:
    values, vectors = np.linalg.eigh(W @ W.T)
    return np.asarray((vectors / np.sqrt(np.maximum(values, np.finfo(float).tiny))) @ vectors.T @ W)


def _logcosh(u: Array, alpha: float) -> tuple[Array, Array]:
    g = np.tanh(alpha * u)
    return g, alpha * (1 - g**2)


def _exponential(u: Array) -> tuple[Array, Array]:
    bell = np.exp(-(u**2) / 2)
    return u * bell, (1 - u**2) * bell


def _cube(u: Array) -> tuple[Array, Array]:
    return u**3, 3 * u**2


@checked()
def fastica(
    X: Rows,
    n_components: int | None = None,
    *,
    algorithm: Any = "parallel",
    whiten: Any = "unit-variance",
    fun: Any = "logcosh",
    fun_args: dict[str, Any] | None = None,
    max_iter: int = 200,
    tol: float = 1e-4,
    w_init: Rows | None = None,
    whiten_solver: Any = "svd",
    random_state: RandomState = None,
    return_X_mean: bool = False,
    compute_sources: bool = True,
    return_n_iter: bool = False,
) -> tuple[Any, ...]:
    """FastICA as a function: whitening matrix K, unmixing matrix W of whitened rows, and sources S.

    S = (X - mean) K' W'

    K is None without whitening, S without `compute_sources`; with `return_X_mean` and `return_n_iter` the mean of the
    columns and the number of iterations follow.

    >>> import numpy as np
    >>> X = np.random.default_rng(0).laplace(size=(200, 2)) @ [[1.0, 0.5], [0.7, 1.0]]
    >>> K, W, S = fastica(X, random_state=0)
    >>> bool(np.allclose((X - X.mean(axis=0)) @ K.T @ W.T, S))
    True
    """
    model = FastICA(
        n_components,
        algorithm=algorithm,
        whiten=whiten,
        fun=fun,
        fun_args=fun_args,
        max_iter=max_iter,
        tol=tol,
        w_init=w_init,
        whiten_solver=whiten_solver,
        random_state=random_state,
    ).fit(X)
    whitening, mean = (model.whitening_, model.mean_) if whiten else (None, None)
    unmixing: Array = model.components_ if whitening is None else model.components_ @ np.linalg.pinv(whitening)
    found: list[Any] = [whitening, unmixing, model.transform(X) if compute_sources else None]
    return (*found, *[mean] * return_X_mean, *[model.n_iter_] * return_n_iter)
