"""Kernel ridge regression: least squares in the space of a kernel."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..core import Array, Data, Matrix, ParameterError, Regressor, Trace, Traits, estimator, learned, param
from ..core.errors import warn
from ..engines.cv_path import FoldPaths, MethodOutputs
from ..engines.folds import Fold
from ..engines.kernel_machines.kernel_estimator import KernelEstimator
from ..engines.kernel_machines.kernel_matrix import ComparesObjects, precision_of
from ..parts.kernels import Kernel
from ._systems import MAX_ROWS_SHARED, DualCoefficients, left_out, path_predictions, solve

MAX_ERROR = 1e-10


@estimator
class KernelRidge(KernelEstimator, ComparesObjects, Regressor):
    """Kernel ridge regression: ridge regression in the feature space of a kernel.

    minimise over f    sum_i s_i (y_i - f(x_i))^2  +  alpha |f|^2,    f(x) = sum_i c_i k(x_i, x)

    Solves (K + alpha I) c = y by a Cholesky factor in blocks on all threads, in single precision with corrections in
    double where the matrix allows it; a matrix that is not positive definite is solved by its eigenvectors. Cost
    n^3 / 3 and n^2 numbers of memory. No intercept is fitted: centre y, or add a constant to the kernel.
    [Saunders et al., 1998]

    >>> X, y = [[0.0], [1.0], [2.0]], [0.0, 1.0, 0.0]
    >>> KernelRidge(alpha=1e-9, kernel="rbf").fit(X, y).predict([[1.0]]).round(6)
    array([1.])
    """

    alpha: float | Array = param(
        1, "regularisation strength, or one per target", kw_only=False,
        at_least=0,
        tune=(1e-3, 1e-2, 0.1, 1.0, 10.0), simpler="larger",
    )  # fmt: skip
    gamma: float | None = param(
        None, "kernel coefficient gamma; None: 1 / n_features", at_least=0, tune=(0.01, 0.1, 1.0)
    )
    leave_one_out: bool = param(False, "whether to compute leave-one-out predictions; costs twice as much")
    dual_coef_: Array = learned("dual coefficient of each training row", shape="samples targets?")
    X_fit_: Any = learned(
        "the training rows, or the kernel matrix if it was given", shape="samples features", matrix=True
    )
    kernel_: Any = learned("the kernel, None if it is a function", optional=True)
    loo_predictions_: Array = learned(
        "leave-one-out predictions of the training rows", shape="samples targets?", optional=True
    )

    traits = Traits(sparse=True, storage="csr", multi_target=True, parametric=False)
    validation_paths = ("alpha",)
    title = "kernel ridge regression"
    reference = "Saunders, Gammerman and Vovk, Ridge regression learning algorithm in dual variables, ICML 1998"

    def _fit(self, data: Data, trace: Trace) -> None:
        kernel = self._kernel(data.X)
        self.kernel_ = kernel if not callable(self.kernel) or isinstance(self.kernel, Kernel) else None
        y = data.y.reshape(data.n, -1).astype(np.float64)
        found = solve(self._gram(kernel, data.X), y, data.weight, self._alphas(y.shape[1]), self.leave_one_out)
        self.dual_coef_ = found.coef.reshape(data.y.shape).astype(precision_of(data.X))
        self.X_fit_ = data.X
        if self.leave_one_out:
            self.loo_predictions_ = left_out(found, y, data.weight).reshape(data.y.shape)
        self._certify(found, trace)

    def _certify(self, found: DualCoefficients, trace: Trace) -> None:
        """Record the certificate, with a warning for a singular system."""
        if found.rank < len(found.coef):
            warn(
                "KernelRidge: the kernel matrix plus alpha is singular; the coefficients are those of least squares. "
                "Use a larger alpha.",
                UserWarning,
            )
        trace.record(found.objective)
        trace.stopped = "exact"
        trace.certify(
            "backward error", found.error, MAX_ERROR,
            f"the dual coefficients solve exactly a system whose entries differ by {found.error:.1g} of the largest",
        )  # fmt: skip

    def _predict(self, X: Matrix) -> Array:
        found = self._sums(self._kernel(self.X_fit_), X, self.X_fit_, self.dual_coef_.astype(np.float64))
        return found.astype(precision_of(X), copy=False)

    def _kernel(self, X: Matrix) -> Kernel:
        return self._kernel_with(X, self.gamma)

    def _alphas(self, targets: int) -> Array:
        alphas = np.asarray(self.alpha, dtype=np.float64).reshape(-1)
        if len(alphas) not in (1, targets):
            raise ParameterError(
                f"KernelRidge: alpha has {len(alphas)} values for {targets} targets; give one, or one per target"
            )
        return np.broadcast_to(alphas, (targets,))

    def _validation_path(self, parameter: str, values: list[Any], data: Data, parts: list[Fold]) -> FoldPaths | None:
        alphas = np.array(values, dtype=np.float64)
        if alphas.ndim != 1 or data.n > MAX_ROWS_SHARED or self.leave_one_out:
            return None
        K = self._gram(self._kernel(data.X), data.X)
        y = data.y.reshape(data.n, -1).astype(np.float64)
        try:
            found = [path_predictions(K, y, data.weight, alphas, train) for train, _ in parts]
        except np.linalg.LinAlgError:
            return None  # the plain loop handles singular systems
        return [partial(_fold_outputs, path) for path in found]


def _fold_outputs(path: Callable[[Array], Array], rows: Array) -> list[MethodOutputs]:
    """The predictions of the model of one fold for some rows at each alpha."""
    return [{"predict": at} for at in path(rows)]
