"""What classifiers in the space of a kernel share: how the kernel is said, and rows as what they are compared with."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Literal

import numpy as np

from ..core import Array, Classifier, DataError, Matrix, Traits, learned, param
from ..core.declare.params import declaring
from ..core.numeric import EPSILON
from ..core.runtime import context
from ..core.validate.range_errors import check_predictions
from ..engines.algebra.cholesky import cholesky
from ..engines.kernel_machines.kernel_estimator import WORDS, KernelEstimator
from ..engines.kernel_machines.kernel_matrix import ComparesObjects
from ..parts.kernels import Kernel

ENTRIES_AT_ONCE = 2**21  # of a kernel matrix: few milliseconds pass between checks of budget and interrupts


def blocks(n: int) -> Iterator[slice]:
    """Some rows of a square matrix after the other; between them a fit may be stopped."""
    height = max(1, ENTRIES_AT_ONCE // n)
    for top in range(0, n, height):
        context.give_way()
        yield slice(top, top + height)


def positive_part(K: Array) -> tuple[Array, Array | None]:
    """`K` without directions of negative squared length, and an orthonormal basis of the others; None if all are."""
    factor = K.copy()
    factor.flat[:: len(K) + 1] += len(K) * EPSILON * np.abs(K).max()
    try:
        cholesky(factor)
        return K, None
    except np.linalg.LinAlgError:
        values, vectors = np.linalg.eigh(K)
        basis = vectors[:, values > 0]
        return np.ascontiguousarray((basis * values[values > 0]) @ basis.T), basis


@declaring
class KernelClassifier(KernelEstimator, ComparesObjects, Classifier):
    """A classifier whose scores are sums over training rows, f_k(x) = sum_i c_ik k(x_i, x)."""

    kernel: str | Callable[..., Any] | Kernel = param("rbf", WORDS)
    gamma: float | Literal["scale", "auto"] = param(
        "scale",
        'kernel coefficient gamma; "scale": 1 / (n_features * X.var()), "auto": 1 / n_features',
        at_least=0,
        tune=("scale", 0.01, 0.1, 1.0),
    )
    classes_: Array = learned("the classes, sorted", shape="classes")
    dual_coef_: Array = learned("weight of each training row for each class", shape="samples scores")
    X_fit_: Any = learned("the training rows", shape="samples features", matrix=True)
    gamma_: float = learned("kernel coefficient gamma")

    traits = Traits(sparse=True, storage="csr", parametric=False)

    def _matrix(self, X: Matrix, weight: Array | None) -> Array:
        """The kernel of the training rows; the rate is learned."""
        owner = type(self).__name__
        if len(self.classes_) < 2:
            raise DataError(
                f"{owner}: at least two classes are needed; y holds only one class, {self.classes_.tolist()[0]!r}"
            )
        from ..parts.kernels import scale_of

        self.gamma_ = 1.0 if callable(self.kernel) else scale_of(X, self.gamma, weight)
        self.X_fit_ = X
        return self._computed(X)

    def _computed(self, X: Matrix) -> Array:
        """The kernel matrix; a large one block by block, so that a fit can be stopped and has taken no more memory."""
        kernel, n = self._kernel(), X.shape[0]
        if self.pairwise or n * n <= ENTRIES_AT_ONCE:
            return self._gram(kernel, X)
        found = np.empty((n, n))
        for rows in blocks(n):
            found[rows] = kernel(X[rows], X)
            self._refuse_infinite(found[rows])
        found.flat[:: n + 1] = kernel.diagonal(X)
        return found

    def _kernel(self) -> Kernel:
        return self._kernel_with(self.X_fit_, self.gamma_)

    def _scores(self, X: Matrix) -> Array:
        """A column for every class, or one for two classes."""
        return np.asarray(check_predictions(self, self._sums(self._kernel(), X, self.X_fit_, self.dual_coef_), X))

    def decision_function(self, X: Any) -> Array:
        """The score of each class for the rows of `X`; a single column, of the second class, for two."""
        found = self._scores(self._read(X))
        return np.asarray(found[:, 0] if found.shape[1] == 1 else found)

    def _classify(self, X: Matrix) -> Array:
        found = self._scores(X)
        return np.asarray((found[:, 0] > 0).astype(np.int64) if found.shape[1] == 1 else np.argmax(found, axis=1))
