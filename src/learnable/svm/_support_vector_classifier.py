"""What support vector classifiers share: one machine for each pair of classes, votes, probabilities."""

from __future__ import annotations

from abc import abstractmethod
from itertools import combinations
from math import comb
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from ..core import Array, Classifier, Data, Matrix, Trace, learned, param
from ..core.declare.params import declaring
from ..core.errors import NotFittedError, ParameterError, compatible
from ..core.runtime.context import reason_to_stop
from ..core.runtime.native import kernels
from ..core.runtime.random import RandomState, generator, seed_of
from ..core.runtime.trace import Stopped
from ..core.sklearn_api.conditional_methods import available_if
from ..engines.kernel_machines.smo import DualSolution
from ..engines.sparse_coefficients import dense
from ..parts.class_weights import check_classes, class_weights
from ..parts.kernels import Kernel
from ..parts.platt import SigmoidMap, fit_sigmoid
from ._one_vs_one import class_scores, coupled_probabilities, from_libsvm_layout, libsvm_layout, votes_of
from ._svm_base import CountingRows, KernelMachine, certify

FOLDS = 5  # of the cross-fitting behind probabilities


class FitEnd(NamedTuple):
    """How the fit of one machine ended."""

    stopped: Stopped
    violation: float


def _learns_probabilities(model: Any) -> bool:
    if model.probability in (False, "deprecated"):
        raise AttributeError("predict_proba needs a fit with probability=True")
    return True


@declaring
class SupportClassifier(KernelMachine, Classifier):
    """A classifier made of machines for two classes each."""

    probability: bool | Literal["deprecated"] = param(
        "deprecated", "whether to learn probabilities, by sigmoids of cross-fitted decision values"
    )
    class_weight: dict[Any, float] | Literal["balanced"] | None = param(
        None, "weight of each class, a factor of its cost C"
    )
    decision_function_shape: Literal["ovo", "ovr"] = param("ovr", "a score for each class, or for each pair of classes")
    break_ties: bool = param(False, "whether equal votes are broken by decision values; with ovr only")
    random_state: RandomState = param(None, "seed of the folds behind probabilities")

    classes_: Array = learned("the classes, sorted", shape="classes")
    class_weight_: Array = learned("weight of each class", shape="classes")
    n_iter_: Array = learned("number of solver iterations for each pair of classes", shape="pairs")
    sigmoids_: list[SigmoidMap] = learned(
        "sigmoids that map decision values of each pair to probabilities", optional=True
    )

    weighs_classes: ClassVar[bool] = True

    @abstractmethod
    def _solve_pair(
        self, kernel: Kernel, X: Matrix, sign: Array, weight: Array, trace: Trace
    ) -> tuple[Array, float, DualSolution]:
        """Solve the dual of two classes: signed coefficients of the rows, the constant, and what the solver found."""

    def _fit(self, data: Data, trace: Trace) -> None:
        rows = CountingRows.of(self, data)
        codes = data.y if data.weight is None else data.y[rows.kept]
        counts = None if data.weight is None else rows.weight
        self.class_weight_ = class_weights(self.class_weight, self.classes_, codes, counts, type(self).__name__)
        factors = self.class_weight_ if self.weighs_classes else np.ones(len(self.classes_))
        check_classes(type(self).__name__, self.classes_, codes, factors)
        pairs, steps, ends = list(combinations(range(len(self.classes_)), 2)), [], []
        decisions, constants = np.zeros((len(pairs), len(codes))), np.zeros(len(pairs))
        for place, pair in enumerate(pairs):
            mine = self._rows_of(codes, pair)
            decisions[place, mine], constants[place], found = self._fit_pair(rows, codes, mine, pair, trace)
            steps.append(found.steps)
            ends.append(FitEnd(trace.stopped or "converged", found.violation))
            requested = reason_to_stop()
            if requested and place + 1 < len(pairs):  # the other pairs stay undecided
                steps += [0] * (len(pairs) - place - 1)
                ends.append(FitEnd(requested, 2.0))
                break
        self.n_iter_ = np.array(steps, dtype=np.int32)
        if self.probability is True:
            self.sigmoids_ = [self._sigmoid(rows, codes, pair, place, ends) for place, pair in enumerate(pairs)]
        trace.stopped = next((end.stopped for end in ends if end.stopped != "converged"), "converged")
        self._keep_decisions(rows, codes, decisions, constants, trace)
        certify(trace, rows.kernel, float(np.maximum.reduce([end.violation for end in ends])), self.tol)

    def _rows_of(self, codes: Array, pair: tuple[int, int]) -> Array | slice:
        """The rows of a pair of classes; all rows if there are two classes."""
        if len(self.classes_) == 2:
            return slice(None)
        return np.flatnonzero((codes == pair[0]) | (codes == pair[1]))

    def _training_data(self, X: Any, y: Any, sample_weight: Any) -> tuple[Data, list[str] | None]:
        """Rows, codes of their classes and weights, as `fit` reads them; the classes are remembered."""
        matrix, names = self._enter(X)
        self.classes_, codes = self._validator.classes(y, matrix.shape[0])
        return Data(matrix, codes, self._validator.weights(sample_weight, matrix.shape[0]), names), names

    def _check(self) -> None:
        if self.break_ties and self.decision_function_shape == "ovo":
            raise ParameterError(
                f"{type(self).__name__}: ties are broken by scores of classes, not of pairs; break_ties=True needs "
                "decision_function_shape='ovr'"
            )

    def _fit_pair(
        self, rows: CountingRows, codes: Array, mine: Array | slice, pair: tuple[int, int], trace: Trace
    ) -> tuple[Array, float, DualSolution]:
        """The machine of two classes on some rows; if only one class is there, a constant decision for it."""
        own, other = (self.class_weight_[k] if self.weighs_classes else 1.0 for k in pair)
        sign, weight = kernels.class_costs(codes[mine], pair[0], rows.weight[mine], own, other)
        if abs(np.add.reduce(sign)) == len(sign):
            constant = float(sign[0]) if len(sign) else 0.0
            return np.zeros(len(sign)), constant, DualSolution(np.zeros(0), np.zeros(0), 0.0, 0.0, 0, np.zeros(1))
        return self._solve_pair(rows.kernel, rows.part(mine), sign, weight, trace)

    def _costs(self, weight: Array, codes: Array) -> Array:
        """Weights of rows times those of their classes."""
        return weight if self.class_weight is None or not self.weighs_classes else weight * self.class_weight_[codes]

    def _keep_decisions(
        self, rows: CountingRows, codes: Array, decisions: Array, constants: Array, trace: Trace
    ) -> None:
        """Store the support vectors in the order of their classes, and the coefficients in the layout of LIBSVM."""
        classes, order = len(self.classes_), np.empty(len(codes), dtype=np.int64)
        self.n_support_ = np.empty(classes, dtype=np.int32)
        support = order[: kernels.support_order(decisions, codes, self.n_support_, order)]
        flip = -1.0 if classes == 2 else 1.0  # of two classes the second one is positive
        coef = -decisions[:, support] if classes == 2 else libsvm_layout(decisions[:, support], codes[support], classes)
        self._keep(rows, support, coef + 0.0, trace)
        self.intercept_ = flip * constants + 0.0

    def _flaw_of_decisions(self, decisions: int) -> str:
        classes = len(self.classes_)
        if classes < 2 or decisions != comb(classes, 2) or self.dual_coef_.shape[0] != classes - 1:
            return f"intercept_ and dual_coef_ must have a row for each pair of {classes} classes, and one less"
        sigmoids = self.__dict__.get("sigmoids_", [None] * decisions)
        return "" if len(sigmoids) in (0, decisions) else "sigmoids_ must hold one for each pair of classes"

    def _decisions(self) -> Array:
        coef = dense(self.dual_coef_)
        return coef if len(self.classes_) == 2 else from_libsvm_layout(coef, self.n_support_)

    def decision_function(self, X: Any) -> Array:
        """Signed decision values: of the second class, if there are two; else of each class, or of each pair."""
        return self._in_shape(self._values(self._read(X)))

    def _in_shape(self, values: Array) -> Array:
        """Decision values of the pairs in the shape that `decision_function_shape` asks for."""
        if len(self.classes_) == 2:
            return values[:, 0]
        return class_scores(values, len(self.classes_)) if self.decision_function_shape == "ovr" else values

    def _classify(self, X: Matrix) -> Array:
        self._check()
        return self._winners(self._values(X))

    def _winners(self, values: Array) -> Array:
        """The class of each row as a position in `classes_`, from the decision values of the pairs."""
        classes = len(self.classes_)
        if classes == 2:
            return (values[:, 0] >= 0).astype(np.intp)
        if self.break_ties:
            return np.asarray(np.argmax(class_scores(values, classes), axis=1))
        return np.asarray(np.argmax(votes_of(values, classes), axis=1))

    @available_if(_learns_probabilities)
    def predict_proba(self, X: Any) -> Array:
        """The probability of each class for the rows of `X`; it need not agree with `predict` near a boundary."""
        return self._probabilities_of(self._values(self._read(X)))

    @available_if(_learns_probabilities)
    def predict_log_proba(self, X: Any) -> Array:
        """The logarithms of `predict_proba(X)`."""
        with np.errstate(divide="ignore"):
            return np.log(self._probabilities_of(self._values(self._read(X))))

    def _probabilities_of(self, values: Array) -> Array:
        """Probabilities of the classes from decision values of the pairs."""
        if "sigmoids_" not in self.__dict__:
            raise compatible(NotFittedError)(
                f"{type(self).__name__}: predict_proba is not available when fitted with probability=False; fit it "
                "again"
            )
        if len(self.classes_) == 2:
            second = 1 - self.sigmoids_[0](-values[:, 0])
            return np.column_stack([1 - second, second])
        first = np.column_stack([mapped(value) for mapped, value in zip(self.sigmoids_, values.T, strict=True)])
        return coupled_probabilities(first, len(self.classes_))

    @property
    def probA_(self) -> Array:
        """The coefficient probA of each sigmoid 1 / (1 + exp(probA f + probB))."""
        return np.array([mapped.slope for mapped in self.__dict__.get("sigmoids_", [])])

    @property
    def probB_(self) -> Array:
        """The constant of each sigmoid."""
        return np.array([mapped.intercept for mapped in self.__dict__.get("sigmoids_", [])])

    def _sigmoid(
        self, rows: CountingRows, codes: Array, pair: tuple[int, int], place: int, ends: list[FitEnd]
    ) -> SigmoidMap:
        """The sigmoid fitted to cross-fitted decision values of a pair; how those fits end is added to `ends`."""
        mine = np.arange(len(codes))[self._rows_of(codes, pair)]
        fold, values = folds_of(codes[mine], seed_of(self.random_state), place), np.zeros(len(mine))
        for part in range(FOLDS):
            train, test = mine[fold != part], np.flatnonzero(fold == part)
            if len(test) == 0:
                continue
            inner = Trace(stopped="converged")
            coef, constant, found = self._fit_pair(rows, codes, train, pair, inner)
            ends.append(FitEnd(inner.stopped, found.violation))
            values[test] = constant + rows.sums(mine[test], train, coef)
        return fit_sigmoid(values, codes[mine] == pair[0], rows.weight[mine])


def folds_of(codes: Array, seed: int, place: int) -> Array:
    """A fold for each row, every class spread evenly; `seed` and `place` decide how."""
    order = generator(seed, place).permutation(len(codes))
    order = order[np.argsort(codes[order], kind="stable")]
    fold = np.empty(len(codes), dtype=np.int64)
    fold[order] = np.arange(len(codes)) % FOLDS
    return fold
