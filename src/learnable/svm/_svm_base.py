"""What support vector machines share: parameters, the kernel, the solver's result, decision values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np

from ..core import Array, Data, Matrix, Trace, Traits, learned, param
from ..core.declare.params import declaring
from ..core.errors import DataError, warn
from ..core.runtime.native import kernels
from ..core.validate.features import column_name
from ..core.validate.range_errors import check_predictions
from ..core.validate.targets import is_sparse
from ..engines import matrix_products
from ..engines.kernel_machines.kernel_matrix import ComparesObjects, kernel_sums, precision_of, table_of
from ..engines.kernel_machines.smo import DualProblem, DualSolution, SmoSettings, Start, solve
from ..engines.sparse_coefficients import dense
from ..parts.kernels import Kernel, Linear, resolve_kernel

NAMES = ("linear", "poly", "rbf", "sigmoid", "cosine", "laplacian", "chi2", "precomputed")
LOUD = 0.99  # share of the variance of all columns in one of them, beside which the others are hardly heard
WORDS = f"one of {', '.join(NAMES)}, a function or a kernel"


def is_kernel(value: Any) -> bool:
    """Whether it names a kernel or is one."""
    return callable(value) or value in NAMES


@declaring
class KernelMachine(ComparesObjects):
    """Base class of support vector machines: decision functions from kernel values with the support vectors."""

    kernel: str | Callable[..., Any] = param(
        "rbf", "kernel: its name, a function of two matrices, or a kernel object", accepts=is_kernel, says=WORDS
    )
    degree: int = param(3, "degree of the polynomial kernel", at_least=0)
    gamma: float | Literal["scale", "auto"] = param("scale", "kernel coefficient of rbf, poly and sigmoid", at_least=0)
    coef0: float = param(0.0, "independent term of the kernels poly and sigmoid")
    shrinking: bool = param(True, "whether to use the shrinking heuristic")
    tol: float = param(1e-3, "largest violation of the conditions of an optimum", at_least=0)
    cache_size: float = param(200, "megabytes for rows of the kernel matrix", above=0)
    verbose: bool = param(False, "accepted for compatibility; use learnable.progress()")
    max_iter: int = param(-1, "maximum number of solver iterations; -1 for no limit", at_least=-1)

    kernel_: Any = learned("the kernel with its coefficients")
    support_: Array = learned("rows of the data that are support vectors", shape="vectors", least=0)
    support_vectors_: Any = learned(
        "the support vectors; none with a precomputed kernel", shape="vectors features", matrix=True
    )
    dual_coef_: Any = learned(
        "coefficients of the support vectors in each decision", shape="levels vectors", matrix=True
    )
    intercept_: Array = learned("intercept of each decision function", shape="decisions")
    n_support_: Array = learned("number of support vectors of each class", shape="classes", least=0)
    shape_fit_: tuple[int, int] = learned("rows and columns of the training data")
    fit_status_: int = learned("0 if the fit converged, else 1")

    traits = Traits(compares_by="kernel", sparse=True, storage="csr", parametric=False)

    def _unsound(self) -> str:
        """Every decision has a constant, and a coefficient for each support vector."""
        vectors, decisions = len(self.support_), len(self.intercept_)
        if self.support_.dtype.kind != "i" or self.n_support_.dtype.kind != "i" or self.n_support_.sum() != vectors:
            return f"n_support_ must count the {vectors} support vectors"
        if not isinstance(self.kernel_, Kernel):
            return "kernel_ must be a kernel"
        pairwise, there = getattr(self.kernel_, "pairwise", False), self.support_vectors_.shape[0]
        if there != (0 if pairwise else vectors) or (pairwise and (self.support_ >= self.n_features_in_).any()):
            return f"there must be {vectors} support vectors"
        return self._flaw_of_decisions(decisions)

    def _flaw_of_decisions(self, decisions: int) -> str:
        """Why coefficients do not fit the number of decision functions; empty if they do."""
        known = decisions == self.dual_coef_.shape[0] == 1
        return "" if known else "dual_coef_ must have a row for the one constant in intercept_"

    @property
    def coef_(self) -> Any:
        """The weight of each column in each decision, with a linear kernel; sparse if the training rows were."""
        if self.kernel != "linear":
            raise AttributeError("coef_ exists only for kernel='linear': other kernels have no coefficients of columns")
        weights = weights_of_columns(self._decisions(), self.support_vectors_)
        weights.flags.writeable = False  # it is computed: a change would be lost
        return _sparse(weights) if is_sparse(self.support_vectors_) else weights

    def _decisions(self) -> Array:
        """Coefficients of each decision (decisions, support vectors)."""
        return dense(self.dual_coef_)

    def _values(self, X: Matrix) -> Array:
        """Every decision value of the rows of `X`, in float64."""
        coef = self._decisions().T
        if getattr(self.kernel_, "pairwise", False):
            sums = kernel_sums(self.kernel_, X[:, self.support_], self.support_vectors_, coef)
        elif isinstance(self.kernel_, Linear) and len(self.support_):
            return matrix_products.scores(
                X, weights_of_columns(coef.T, self.support_vectors_).astype(np.float64), self.intercept_
            )
        else:
            sums = kernel_sums(self.kernel_, X, self.support_vectors_, coef)
        return np.asarray(check_predictions(self, sums + self.intercept_, X))

    def _keep(self, rows: CountingRows, support: Array, dual_coef: Array, trace: Trace) -> None:
        """Store the support vectors; `support` holds their positions among the rows of nonzero weight."""
        warn_of_units(self, rows)
        self.kernel_ = rows.kernel
        self.support_ = rows.kept[support].astype(np.int32)
        self.support_vectors_ = rows.X[support] if not rows.pairwise else np.empty((0, 0), precision_of(rows.data.X))
        is_dense = isinstance(rows.data.X, np.ndarray) or rows.pairwise
        self.dual_coef_ = dual_coef if is_dense else _sparse(dual_coef)
        self.shape_fit_ = (int(rows.data.X.shape[0]), int(rows.data.X.shape[1]))
        self.fit_status_ = int(trace.stopped not in ("converged", "exact"))


def _sparse(values: Array) -> Any:
    from scipy.sparse import csr_array

    return csr_array(values)


def weights_of_columns(coef: Array, vectors: Any) -> Array:
    """coef @ vectors, in the precision of the vectors."""
    return np.asarray((coef @ vectors) if isinstance(vectors, np.ndarray) else (vectors.T @ coef.T).T).astype(
        vectors.dtype
    )


class CountingRows(NamedTuple):
    """The rows of nonzero weight, whose positions in the data are `kept`, with their weights and the kernel."""

    data: Data
    kept: Array
    X: Matrix
    weight: Array
    kernel: Kernel

    @property
    def pairwise(self) -> bool:
        """Whether X holds similarities."""
        return bool(self.kernel.pairwise)

    def part(self, rows: Array | slice) -> Matrix:
        """The given rows; of a precomputed kernel also the given columns. A slice stands for all rows."""
        if isinstance(rows, slice) or len(rows) == self.X.shape[0]:
            return self.X
        return self.X[np.ix_(rows, rows)] if self.pairwise else self.X[rows]

    def sums(self, some: Array, others: Array, coef: Array) -> Array:
        """sum_j k(x_i, x_j) coef_j for some rows i, over other rows j."""
        used = coef != 0
        others, coef = others[used], coef[used, None]
        if self.pairwise:
            return kernel_sums(self.kernel, self.X[np.ix_(some, others)], None, coef)[:, 0]
        return (
            kernel_sums(self.kernel, self.X[some], self.X[others], coef)[:, 0] if len(others) else np.zeros(len(some))
        )

    @classmethod
    def of(cls, model: Any, data: Data) -> CountingRows:
        """Leave out rows of weight zero, and give the kernel its coefficients."""
        kept = np.arange(data.n) if data.weight is None else np.flatnonzero(data.weight)
        weight = np.ones(data.n) if data.weight is None else data.weight[kept]
        if model.pairwise:
            if data.n != data.p:
                raise DataError(
                    f"{type(model).__name__}: a precomputed kernel has one row and one column for each row of the "
                    f"data; got {data.n} x {data.p}"
                )
            X = np.ascontiguousarray(dense(data.X)[np.ix_(kept, kept)], dtype=np.float64)
        else:
            X = data.X if len(kept) == data.n else data.X[kept]
        counts = None if data.weight is None else weight
        kernel = resolve_kernel(model.kernel, X, model.gamma, model.degree, model.coef0, weight=counts)
        return cls(data, kept, X, weight, kernel)


def warn_of_units(model: Any, rows: CountingRows) -> None:
    """Warn if the unit of one column is so small that the default kernel depends on little else, though others vary.

    With gamma="scale" all others together then change a kernel value by a few hundredths at most.
    """
    if model.kernel != "rbf" or model.gamma != "scale" or not isinstance(rows.X, np.ndarray) or rows.X.shape[1] < 2:
        return
    squares = kernels.column_summary(rows.X, None if rows.data.weight is None else rows.weight)[2].tolist()
    largest, total = max(squares), sum(squares)
    if LOUD * total < largest < total:
        where = column_name(rows.data.names, squares.index(largest))
        warn(
            f"{type(model).__name__}: {where} has more than {LOUD:.0%} of the variance of X and dominates the kernel; "
            "scale the columns first, for example with StandardScaler",
            UserWarning,
        )


def solver_settings(model: Any) -> SmoSettings:
    """When the solver stops and what memory it may use, from the parameters of a machine."""
    return SmoSettings(model.tol, model.max_iter, model.cache_size, model.shrinking)


def dual_bounds(low: Array, high: Array, q: Array, group: Array | None = None) -> dict[str, Any]:
    """Bounds, linear terms and groups of the dual variables, in the types that the solver takes."""
    groups = np.zeros(len(q), dtype=np.int8) if group is None else group.astype(np.int8)
    return {
        "low": np.ascontiguousarray(low, dtype=np.float64), "high": np.ascontiguousarray(high, dtype=np.float64),
        "q": np.ascontiguousarray(q, dtype=np.float64), "group": groups,
    }  # fmt: skip


def hinge_bounds(sign: Array, weight: Array, cost: float) -> dict[str, Any]:
    """The same for the hinge loss of two classes: each variable is bounded by `cost` times the weight of its row."""
    low, high, q = kernels.svc_bounds(sign, weight, cost)
    return {"low": low, "high": high, "q": q, "group": np.zeros(len(q), dtype=np.int8)}


def solve_dual(
    model: Any, kernel: Kernel, X: Matrix, bounds: dict[str, Any], trace: Trace, start: Array | None = None
) -> DualSolution:
    """Solve one dual problem on the rows of `X`."""
    table = table_of(kernel, X)
    return solve(DualProblem(table, **bounds), solver_settings(model), trace, None if start is None else Start(start))


def certify(trace: Trace, kernel: Kernel, violation: float, tol: float) -> None:
    """State the violation of the conditions of Karush, Kuhn and Tucker, and whether they suffice."""
    sentence = (
        "free support vectors agree on the constant, and all other rows lie on their right side of it, up to this"
    )
    if not kernel.definite:
        sentence += (
            "; this is necessary for an optimum, but sufficient only if the kernel is positive semi-definite, which is "
            "not known of it"
        )
    trace.certify("violation of the optimality conditions", max(violation, 0.0), tol, sentence)


def filled(high: Array, total: float) -> Array:
    """Variables between zero and `high` that sum to `total`: the first ones at their bounds."""
    before = np.concatenate([[0.0], np.cumsum(high)[:-1]])
    return np.clip(total - before, 0.0, high)


def scaled_cost(C: float, weight: Array) -> Array:
    """C times the weights, where zero stays zero also for an infinite C."""
    return np.multiply(C, weight, where=weight > 0, out=np.zeros(len(weight)))
