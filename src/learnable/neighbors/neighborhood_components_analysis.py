"""Neighbourhood components analysis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

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
    UnweightedTransformer,
    estimator,
    generator,
    learned,
    param,
    seed_of,
)
from ..core.scaling import unit_of
from ..engines.iterate import Method, Progress, State, iterate
from ..engines.minimise.orthant_lbfgs import OrthantLBFGS
from ._neighbourhood_components import NeighbourhoodAccuracy, discriminant_directions, principal_directions

INITS = ("auto", "pca", "lda", "identity", "random")
MEMORY, MAX_TRIALS = 10, 20  # of L-BFGS


def is_transformation(value: Any) -> bool:
    """Whether it names an initial transformation, or is one."""
    return value in INITS if isinstance(value, str) else getattr(value, "ndim", 0) == 2


@estimator
class NeighborhoodComponentsAnalysis(UnweightedTransformer):
    """Neighbourhood components analysis (NCA): a linear map after which nearest neighbours have the same class.

    maximise over A    sum_i p_i,    p_i = sum of p_ij over j of the class of i,    p_ij ~ exp(-|A x_i - A x_j|^2)

    p_i is the probability that a random neighbour of row i, drawn with p_ij, is of its class: a smooth form of the
    leave-one-out accuracy of a nearest neighbour classifier. By L-BFGS, to a local maximum; n^2 per iteration.
    [Goldberger, Roweis, Hinton and Salakhutdinov, 2004]

    >>> X = [[0.0, 1.0], [1.0, 0.9], [0.1, 5.0], [1.1, 5.1]]  # the second column tells the classes
    >>> A = NeighborhoodComponentsAnalysis(random_state=0).fit(X, [0, 0, 1, 1]).components_
    >>> bool(np.abs(A[:, 1]).max() > np.abs(A[:, 0]).max())
    True
    """

    n_components: int | None = param(None, "number of rows of A; None: n_features", at_least=1, kw_only=False)
    init: Any = param(
        "auto", "initial A", accepts=is_transformation, says="auto, pca, lda, identity, random, or a matrix A"
    )
    warm_start: bool = param(False, "whether to start from the A of the last fit")
    max_iter: int = param(50, "maximum number of iterations", at_least=1)
    tol: float = param(1e-5, "relative gain of an iteration at which the fit ends", at_least=0)
    callback: Callable[[Array, int], Any] | None = param(
        None, "called with A, as one vector, and the number of the iteration",
        accepts=lambda value: value is None or callable(value), says="a function or None",
    )  # fmt: skip
    verbose: int = param(0, "accepted for compatibility; use learnable.progress", at_least=0)
    random_state: RandomState = param(None, "seed of a random A")

    components_: Array = learned("the linear map A", shape="components features")
    n_iter_: int = learned("number of iterations")

    traits = Traits(uses_target="always", class_target=True, stochastic=True)
    title = "neighbourhood components analysis"
    reference = "Goldberger, Roweis, Hinton and Salakhutdinov, Neighbourhood components analysis, 2004"

    def _fit(self, data: Data, trace: Trace) -> None:
        if data.n < 2:
            raise DataError("NeighborhoodComponentsAnalysis: n_samples = 1, but a row without others has no neighbour")
        codes = self._validator.classes(data.y, data.n)[1]
        unit = unit_of(data.X)
        rows = np.asarray(data.X, dtype=np.float64) * unit
        start = self._initial(rows, codes, unit)
        objective = NeighbourhoodAccuracy(rows, codes)
        search = OrthantLBFGS(objective, start.ravel(), 0.0, MEMORY, 0.0, 1, self.tol, MAX_TRIALS)
        method: Method = search if self.callback is None else Called(search, self.callback)
        first = objective(start.ravel())[0]
        state = iterate(method, self.max_iter, trace)
        self.components_ = (state["x"].reshape(start.shape) * unit).astype(data.X.dtype)
        self.n_iter_ = len(trace.rows)
        values = [first, *(row["objective"] for row in trace.rows)]
        gain = (values[-2] - values[-1]) / max(abs(values[-1]), 1e-300)
        trace.certify("gain", max(gain, 0.0), self.tol, "relative gain of the mean p_i in the last iteration")

    def _initial(self, X: Array, codes: Array, unit: float) -> Array:
        columns = X.shape[1]
        if self.n_components is not None and self.n_components > columns:
            raise ParameterError(
                f"NeighborhoodComponentsAnalysis: n_components={self.n_components} is above the number of columns, "
                f"{columns}"
            )
        if self.warm_start and "components_" in self.__dict__:
            return self._given(np.asarray(self.components_, dtype=np.float64), columns) / unit
        if not isinstance(self.init, str):
            return self._given(np.asarray(self.init, dtype=np.float64), columns) / unit
        count = columns if self.n_components is None else self.n_components
        name = self.init if self.init != "auto" else chosen_init(count, X.shape, int(codes.max()) + 1)
        if name == "identity":
            return np.eye(count, columns)
        if name == "random":
            return np.asarray(generator(seed_of(self.random_state), 0).standard_normal((count, columns)))
        found = principal_directions(X, count) if name == "pca" else discriminant_directions(X, codes, count)
        start = np.zeros((count, columns))
        start[: len(found)] = found
        return start

    def _given(self, A: Array, columns: int) -> Array:
        if A.shape[1] != columns or A.shape[0] > columns or self.n_components not in (None, A.shape[0]):
            raise ParameterError(
                f"NeighborhoodComponentsAnalysis: the initial A has the shape {A.shape}; it must have {columns} "
                f"columns, and {'at most as many' if self.n_components is None else self.n_components} rows"
            )
        return A

    def _transform(self, X: Matrix) -> Array:
        return np.asarray(X @ self.components_.T)

    def _names_out(self, names: list[str]) -> list[str]:
        return [f"neighborhoodcomponentsanalysis{k}" for k in range(len(self.components_))]


class Called:
    """A method whose steps are reported to a function."""

    def __init__(self, method: Method, callback: Callable[[Array, int], Any]) -> None:
        self.method, self.callback, self.count = method, callback, 0

    def start(self) -> State:
        """The state before the first step."""
        return self.method.start()

    def step(self, state: State) -> State:
        """One step of the method, then the function is called."""
        after = self.method.step(state)
        self.callback(after["x"], self.count)
        self.count += 1
        return after

    def progress(self, state: State) -> Progress:
        """That of the method."""
        return self.method.progress(state)


def chosen_init(count: int, shape: tuple[int, ...], classes: int) -> str:
    """The initialisation for `count` components: by the classes if they have enough directions."""
    rows, columns = shape
    if count <= min(columns, classes - 1):
        return "lda"
    return "pca" if count < min(columns, rows) else "identity"
