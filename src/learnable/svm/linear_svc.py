"""Linear support vector classification."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core import Array, Data, DataError, Matrix, ParameterError, Trace, Traits, estimator, learned, param
from ..core.runtime.native import kernels
from ..core.runtime.random import RandomState, generator, seed_of
from ..engines import matrix_products
from ..engines.iterate import iterate
from ..engines.linear_decision import LinearDecision
from ..engines.lockstep import Lockstep
from ..engines.minimise.duality import relative_gap
from ..engines.minimise.linear_svm import bounded_dual
from ..engines.minimise.linear_svm.crammer_singer import CrammerSinger
from ..engines.minimise.linear_svm.l1_squared_hinge import L1SquaredHinge
from ..engines.passes import TrainingRows
from ..engines.sparse_coefficients import SparseCoefficients
from ..parts.class_weights import check_classes, class_weights
from ._linear_svc_on_blocks import fit_linear_svc_on_blocks
from ._linear_svm_base import ScaledRows, certify, certify_gap, method_at_once, solve

CUT_SHORT = ("limit", "budget", "interrupted")  # how fits stop that would have gone on
IGNORED: dict[str, Any] = {"over": "ignore", "invalid": "ignore", "divide": "ignore"}


@estimator
class LinearSVC(SparseCoefficients, LinearDecision):
    """Linear support vector classification: the hyperplane with the maximum margin, with cost C for margin violations.

    minimise over w, b    |w|^2 / 2 + (b / s)^2 / 2  +  C sum_i max(0, 1 - y_i (x_i w + b))^q,    y_i in {-1, 1}

    q = 2 with loss="squared_hinge", 1 with loss="hinge"; s is `intercept_scaling`; penalty="l1" has |w|_1 + |b / s|
    instead of the squares. C = inf allows no row inside the margin, and says so if that cannot be. More classes are
    separated one from the rest, or by "crammer_singer" all at once. Newton's method on the rows that matter where
    columns are few or the data dense (an interior-point method for all classes at once), coordinate descent on the dual
    for wide sparse data; the certificate is the duality gap. Scale the columns first. [Cortes and Vapnik, 1995]

    >>> X, y = [[0.0], [1.0], [3.0], [4.0]], ["low", "low", "high", "high"]
    >>> model = LinearSVC(C=float("inf"), intercept_scaling=1e4).fit(X, y)  # high before low, so low is positive
    >>> model.coef_.round(3), model.intercept_.round(3), model.predict([[1.9]])
    (array([[-1.]]), array([2.]), array(['low'], dtype='<U4'))
    """

    penalty: Literal["l1", "l2"] = param("l2", "penalty of the coefficients", kw_only=False)
    loss: Literal["hinge", "squared_hinge"] = param("squared_hinge", "loss function of the margin", kw_only=False)
    dual: bool | Literal["auto"] = param("auto", "accepted for compatibility; see solver")
    tol: float = param(1e-4, "tolerance of the duality gap, relative to the objective", above=0)
    C: float = param(
        1.0,
        "cost of margin violations, the inverse of the regularisation strength; inf for a hard margin",
        above=0,
        infinite=True,
        tune=(0.01, 0.1, 1.0, 10.0, 100.0),
        simpler="smaller",
    )
    multi_class: Literal["ovr", "crammer_singer"] = param(
        "ovr", "multiclass strategy: one-vs-rest or Crammer and Singer's joint problem"
    )
    fit_intercept: bool = param(True, "whether to fit an intercept")
    intercept_scaling: float = param(
        1, "scale of the constant column that represents the intercept: larger values penalise it less", above=0
    )
    class_weight: dict[Any, Any] | Literal["balanced"] | None = param(None, "factors of C by class")
    verbose: int = param(0, "accepted for compatibility; use learnable.progress()")
    random_state: RandomState = param(None, "seed of the order of rows in coordinate descent")
    max_iter: int = param(1000, "maximum number of iterations", at_least=1)
    solver: Literal["auto", "newton", "dual"] = param("auto", "optimisation method")
    classes_: Array = learned("the classes, sorted", shape="classes")
    coef_: Matrix = learned(
        "weight of each column, for each class or for the second of two", shape="planes features", matrix=True
    )
    intercept_: Array = learned("intercept of each class, or of the second of two", shape="planes")
    n_iter_: int = learned("number of iterations")

    traits = Traits(sparse=True, storage="csr")
    title = "linear support vector classification"
    reference = "Hsieh et al., A dual coordinate descent method for large-scale linear SVM, ICML 2008"

    def _fit(self, data: Data, trace: Trace) -> None:
        self._check_combinations()
        X, codes, weight = matrix_products.counting_rows(data.X, data.y, data.weight)
        factors = class_weights(self.class_weight, self.classes_, codes, weight, "LinearSVC")
        check_classes("LinearSVC", self.classes_, codes, factors)
        share = np.ones(len(codes)) if weight is None else weight
        if self.multi_class == "crammer_singer":
            self._fit_at_once(X, codes, self.C * factors[codes] * share, trace)
        else:
            self._fit_planes(X, codes, factors, self.C * share, trace)
        self.n_iter_ = trace.iterations

    def _fit_blocks(self, rows: TrainingRows, trace: Trace) -> None:
        fit_linear_svc_on_blocks(self, rows, trace)

    def _fit_planes(self, X: Matrix, codes: Array, factors: Array, cost: Array, trace: Trace) -> None:
        """A plane for each class against the rest, or one for two classes."""
        indices = [1] if len(self.classes_) == 2 else list(range(len(self.classes_)))
        others = factors[0] if len(indices) == 1 else 1.0  # as LIBLINEAR has it: the rest counts as it comes
        sides = [kernels.class_costs(codes, place, cost, factors[place], others) for place in indices]
        signs, costs = [sign for sign, _ in sides], [limit for _, limit in sides]
        constant = float(self.intercept_scaling) if self.fit_intercept else 0.0
        if self.penalty == "l1":
            planes = self._few_columns(X, signs, costs, constant, trace)
        else:
            planes = self._wide_margins(X, signs, costs, constant, trace)
        self.coef_ = np.array([w for w, _ in planes]).astype(X.dtype, copy=False)
        self.intercept_ = np.array([b for _, b in planes]).astype(X.dtype, copy=False)

    def _wide_margins(
        self, X: Matrix, signs: list[Array], costs: list[Array], constant: float, trace: Trace
    ) -> list[tuple[Array, float]]:
        view = ScaledRows.of(X, constant, turn=self.solver != "dual")
        squared = self.loss == "squared_hinge"
        problems = [
            bounded_dual.classification_problem(view.X, sign, view.limits(cost, "LinearSVC"), squared, view.constant)
            for sign, cost in zip(signs, costs, strict=True)
        ]
        with np.errstate(**(IGNORED if problems[0].is_hard else {})):  # infeasible problems may diverge
            found = solve(self, problems, trace)
        weights = [state["w"] for state in found]
        if problems[0].is_hard:
            weights = [_separating(problem, w, trace) for w, problem in zip(weights, problems, strict=True)]
        certify(trace, problems, found, self.tol)
        return [view.weights(w, constant) for w in weights]

    def _few_columns(
        self, X: Matrix, signs: list[Array], costs: list[Array], constant: float, trace: Trace
    ) -> list[tuple[Array, float]]:
        if constant:
            X = matrix_products.with_column(X, constant)
        X = X.tocsc() if matrix_products.is_sparse(X) else np.asarray(X)
        methods = [L1SquaredHinge(X, sign, cost, self.tol) for sign, cost in zip(signs, costs, strict=True)]
        found = iterate(Lockstep(methods), self.max_iter, trace)["parts"]
        gap = float(np.max([relative_gap(state["gap"], state["objective"]) for state in found]))
        certify_gap(trace, gap, self.tol)
        if not constant:
            return [(state["w"], 0.0) for state in found]
        return [(state["w"][:-1], constant * float(state["w"][-1])) for state in found]

    def _fit_at_once(self, X: Matrix, codes: Array, cost: Array, trace: Trace) -> None:
        """All classes together, by the machine of Crammer and Singer."""
        if not cost.all():
            X, codes, cost = X[cost > 0], codes[cost > 0], cost[cost > 0]
        constant = float(self.intercept_scaling) if self.fit_intercept else 0.0
        view = ScaledRows.of(X, constant, turn=self.solver != "dual")
        seed = int(generator(seed_of(self.random_state)).integers(2**63))
        problem = CrammerSinger(
            view.X, codes, len(self.classes_), view.limits(cost, "LinearSVC"), view.constant, self.tol, seed
        )
        state = iterate(method_at_once(self, problem), self.max_iter, trace)
        checked = problem.evaluate(state["dual"], state["w"])
        certify_gap(trace, relative_gap(checked["gap"], checked["objective"]), self.tol)
        planes = [view.weights(w, constant) for w in checked["w"].T]
        coef, intercept = np.array([w for w, _ in planes]), np.array([b for _, b in planes])
        if len(self.classes_) == 2:
            coef, intercept = coef[1:] - coef[:1], intercept[1:] - intercept[:1]
        self.coef_, self.intercept_ = coef.astype(X.dtype, copy=False), intercept.astype(X.dtype, copy=False)

    def _check_combinations(self) -> None:
        if self.multi_class == "crammer_singer":
            if np.isinf(self.C):
                raise ParameterError('LinearSVC: C must be finite with multi_class="crammer_singer"; got inf')
            return
        if self.penalty == "l1" and (self.loss == "hinge" or self.dual is True or np.isinf(self.C)):
            raise ParameterError(
                'LinearSVC: penalty="l1" is for loss="squared_hinge", a finite C and dual=False or "auto"; '
                f"got loss={self.loss!r}, C={self.C:g} and dual={self.dual!r}, an unsupported set of arguments"
            )


def _separating(problem: bounded_dual.BoundedDual, w: Array, trace: Trace) -> Array:
    """`w` made so long that its least margin is one; as it is, where a fit that was cut short separates nothing yet."""
    if problem.separates(w):
        return w / problem.least_margin(problem.residuals(w))
    if trace.stopped in CUT_SHORT and np.isfinite(w).all():
        return w
    raise DataError(
        "LinearSVC: C=inf allows no row inside the margin, and no plane separates the classes of these data (by more "
        "than rounding); choose a finite C"
    )
