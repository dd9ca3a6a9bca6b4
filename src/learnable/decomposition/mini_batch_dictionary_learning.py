"""Dictionary learning in mini-batches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np

from ..core import Array, Data, DataError, RandomState, Trace, Traits, estimator, learned, param
from ..core.declare import params
from ..core.declare.checked_functions import Rows, checked
from ..core.runtime.context import give_way
from ..core.runtime.random import stream
from ..core.scaling import power_of_two_near
from ..engines.algebra.interruptible_lapack import interruptibly
from ..engines.iterate import Progress, State, iterate
from ._dictionary.codes import CodeRule, encode
from ._dictionary.update import update_atoms
from .dictionary_learning import RULES
from .sparse_coder import Coder


@estimator
class MiniBatchDictionaryLearning(Coder):
    """Mini-batch dictionary learning (online): atoms improved by a batch of rows at a time.

    minimise over D, |d_k| <= 1    sum of min over y of |x - y D|^2 / 2  +  alpha |y|_1

    Each batch is coded exactly, its statistics Y'Y and X'Y are added to those of the past, which fade, and every atom
    moves to its optimum for them. Faster than DictionaryLearning on many rows. [Mairal, Bach, Ponce and Sapiro, 2009]

    >>> X = [[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [3.0, 0.0, 0.0], [0.0, 4.0, 0.0]]
    >>> np.abs(MiniBatchDictionaryLearning(2, alpha=0.1, random_state=0).fit(X).components_).round(2)
    array([[0., 1., 0.],
           [1., 0., 0.]])
    """

    n_components: int | None = param(
        None, "number of atoms; None: number of columns", kw_only=False, at_least=1, tune=(10, 50, 100)
    )
    alpha: float = param(1, "sparsity: the penalty of absolute coefficients", at_least=0)
    max_iter: int = param(1000, "maximum number of passes over the rows", at_least=1)
    fit_algorithm: Literal["lars", "cd"] = param(
        "lars", "accepted for compatibility; both algorithms reach the same solution"
    )
    batch_size: int = param(256, "number of rows in a batch", at_least=1)
    shuffle: bool = param(True, "whether the rows are shuffled")
    dict_init: Array | None = param(None, "initial atoms; None: singular vectors")
    verbose: bool | int = param(False, "accepted for compatibility; use learnable.progress()")
    random_state: RandomState = param(None, "seed of the order of the rows and of rows that replace unused atoms")
    positive_dict: bool = param(False, "whether entries of atoms are at least zero")
    callback: Callable[[dict[str, Any]], Any] | None = param(
        None, "called with the local variables of each batch; learnable.watch is for all fits"
    )
    tol: float = param(1e-3, "change of the atoms that ends the fit; 0: by the other criterion only", at_least=0)
    max_no_improvement: int | None = param(
        10, "number of batches without a lower smoothed objective after which the fit ends; None: never", at_least=1
    )
    components_: Array = learned("the atoms, one a row", shape="components features")
    gram_: Array = learned("statistics Y'Y of the batches, averaged", shape="components components")
    products_: Array = learned("statistics X'Y of the batches, averaged", shape="features components")
    n_iter_: int = learned("number of passes over the rows")
    n_steps_: int = learned("number of batches")

    traits = Traits(stochastic=True)
    title = "mini-batch dictionary learning"
    reference = "Mairal, Bach, Ponce and Sapiro, Online dictionary learning for sparse coding, ICML 2009"

    def _fit(self, data: Data, trace: Trace) -> None:
        X, unit = _scaled(data.X)
        draws = stream(self.random_state)
        count = data.p if self.n_components is None else self.n_components
        D = initial_atoms(type(self).__name__, X, count, self.dict_init)
        order = draws.permutation(len(X)) if self.shuffle else np.arange(len(X))
        method = self._method(X[order], unit, draws)
        state = iterate(method.starting_with(D), self.max_iter * method.each, trace)
        if trace.stopped == "patience":
            trace.stopped = "converged"
        change = trace.rows[-1]["criterion"]
        if trace.stopped == "converged" and change > self.tol:
            trace.certify(
                "decrease", 0.0, 0.0, "the smoothed objective has not improved for max_no_improvement batches"
            )
        else:
            trace.certify("change", change, self.tol, "the atoms changed by this in the last batch")
        self._keep(state, data.X.dtype)
        self.n_steps_, self.n_iter_ = len(trace.rows), -(-len(trace.rows) // method.each)

    def _method(self, X: Array, unit: float, draws: np.random.RandomState) -> _RowBatchUpdates:
        rule = CodeRule(
            type(self).__name__, "lasso_lars", None, self.alpha / unit, self.positive_code, self.transform_max_iter
        )
        size = min(self.batch_size, len(X))
        return _RowBatchUpdates(
            X, rule, size, self.positive_dict, draws, self.tol, self.max_no_improvement or 2**62, self.callback
        )

    def _keep(self, state: State, dtype: Any) -> None:
        self.components_ = state["D"].astype(dtype)
        self.gram_, self.products_ = state["A"].astype(dtype), state["B"].astype(dtype)

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Improve the atoms by one batch, the rows of `X`."""
        params.check(self)
        begun = self.__sklearn_is_fitted__()
        data = self._training_data(X, y, None)
        if begun:
            self._check_columns(data.X, data.names)
        with self._fitting(data.X, going_on=True) as trace:
            if not begun:
                self._remember_columns(data.X, data.names)
            rows = np.asarray(data.X, dtype=np.float64)
            method = self._method(rows, 1.0, stream(self.random_state))
            count = data.p if self.n_components is None else self.n_components
            if begun:
                first = method.start() | {
                    "D": self.components_.astype(np.float64), "A": self.gram_.astype(np.float64),
                    "B": self.products_.astype(np.float64), "step": self.n_steps_,
                }  # fmt: skip
                method = method.going_on(first)
            else:
                method = method.starting_with(initial_atoms(type(self).__name__, rows, count, self.dict_init))
            self._keep(iterate(method, 1, trace), data.X.dtype)
            self.n_steps_ = self.n_steps_ + 1 if begun else 1
            self.n_iter_ = self.n_steps_
            trace.stopped = "exact"
            trace.certify("exact", 0.0, 0.0, "one batch was taken into account; how near the optimum is is not known")
        return self

    def _atoms(self, columns: int) -> Array:
        return self.components_

    def _penalty(self) -> float | None:
        lasso = self.transform_algorithm in ("lasso_lars", "lasso_cd", "threshold")
        return self.alpha if self.transform_alpha is None and lasso else self.transform_alpha


def _scaled(X: Any) -> tuple[Array, float]:
    """Rows in double precision, divided by a power of two where squares would leave the floating-point range."""
    X = np.asarray(X, dtype=np.float64)
    unit = power_of_two_near(X)
    return X / unit, unit


def initial_atoms(owner: str, X: Array, count: int, given: Any) -> Array:
    """The first atoms: given, or singular vectors times singular values, with zeros beyond the rank."""
    if given is not None:
        D = np.array(given, dtype=np.float64)
        if D.shape != (count, X.shape[1]):
            raise DataError(f"{owner}: dict_init must have the shape {(count, X.shape[1])}; it has {D.shape}")
        return D
    U, values, V = interruptibly(np.linalg.svd, X, full_matrices=False)
    sign = np.where(U[np.abs(U).argmax(axis=0), np.arange(U.shape[1])] < 0, -1.0, 1.0)
    D = np.zeros((count, X.shape[1]))
    kept = min(count, len(V))
    D[:kept] = ((values * sign)[:, None] * V)[:kept]
    return D


@dataclass(frozen=True)
class _RowBatchUpdates:
    """Steps over batches of rows in turn."""

    X: Array
    rule: CodeRule
    size: int
    positive: bool
    draws: np.random.RandomState
    tolerance: float
    patience: int
    callback: Callable[[dict[str, Any]], Any] | None
    first: State | None = None

    @property
    def each(self) -> int:
        """The number of batches in a pass."""
        return -(-len(self.X) // self.size)

    def going_on(self, state: State) -> _RowBatchUpdates:
        """The same method from this state."""
        from dataclasses import replace

        return replace(self, first=state)

    def starting_with(self, D: Array) -> _RowBatchUpdates:
        """The same method from these atoms."""
        count = len(D)
        return self.going_on({
            "D": D, "A": np.zeros((count, count)), "B": np.zeros((self.X.shape[1], count)), "step": 0, "smooth": np.inf,
            "least": np.inf, "waited": 0, "change": np.inf, "objective": np.inf, "first": 0.0,
        })  # fmt: skip

    def start(self) -> State:
        return self.first or self.starting_with(np.zeros((0, self.X.shape[1]))).first or {}

    def step(self, state: State) -> State:
        give_way()
        step = int(state["step"])
        begin = step % self.each * self.size
        rows = self.X[begin : begin + self.size]
        codes = encode(rows, state["D"], self.rule)
        alpha = 1.0 if self.rule.alpha is None else self.rule.alpha
        cost = (0.5 * float(((rows - codes @ state["D"]) ** 2).sum()) + alpha * float(np.abs(codes).sum())) / len(rows)
        size = self.size
        seen = (step + 1) * size if step < size - 1 else size**2 + step + 1 - size
        fade = (seen + 1 - size) / (seen + 1)
        A, B = fade * state["A"] + codes.T @ codes / size, fade * state["B"] + rows.T @ codes / size
        D = state["D"].copy()
        update_atoms(D, rows, codes, A, B, self.positive, self.draws)
        if self.callback is not None:
            self.callback({"code": codes, "dictionary": D, "batch_cost": cost, "ii": step})
        return {**state, "D": D, "A": A, "B": B, **self._smoothed(state, cost, len(rows), D)}

    def _smoothed(self, state: State, cost: float, rows: int, D: Array) -> State:
        """The smoothed objective, how long it has not improved, and the change of the atoms."""
        step = int(state["step"]) + 1
        found = {"step": step, "objective": cost, "change": 1e300}
        if step <= min(100, max(len(self.X) // self.size, 1)) and step == 1:
            return found | {"first": cost}
        blend = min(rows / (len(self.X) + 1), 1.0)
        smooth = cost if not np.isfinite(state["smooth"]) else state["smooth"] * (1 - blend) + cost * blend
        better = smooth < state["least"] - 1e-9 * state["first"]
        found["change"] = float(np.linalg.norm(D - state["D"]) / len(D))
        waited = 0 if better else state["waited"] + 1
        return found | {"smooth": smooth, "least": min(smooth, state["least"]), "waited": waited}

    def progress(self, state: State) -> Progress:
        tolerance = self.tolerance if self.tolerance > 0 else -1.0
        return Progress(state["objective"], state["change"], tolerance, patience=state["waited"] >= self.patience)


@checked(**RULES)
def dict_learning_online(
    X: Rows,
    n_components: int | None = 2,
    *,
    alpha: float = 1,
    max_iter: int = 100,
    return_code: bool = True,
    dict_init: Any = None,
    callback: Any = None,
    batch_size: int = 256,
    verbose: bool | int = False,
    shuffle: bool = True,
    n_jobs: int | None = None,
    method: Literal["lars", "cd"] = "lars",
    random_state: RandomState = None,
    positive_dict: bool = False,
    positive_code: bool = False,
    method_max_iter: int = 1000,
    tol: float = 1e-3,
    max_no_improvement: int | None = 10,
) -> Any:
    """Mini-batch dictionary learning as a function: codes, unless `return_code` is False, and atoms.

    >>> atoms = dict_learning_online([[1.0, 0.0], [0.0, 2.0], [3.0, 0.0]], 2, return_code=False, random_state=0)
    >>> atoms.shape
    (2, 2)
    """
    model = MiniBatchDictionaryLearning(
        n_components=n_components, alpha=alpha, max_iter=max_iter, batch_size=batch_size, shuffle=shuffle,
        dict_init=dict_init, random_state=random_state, positive_dict=positive_dict, positive_code=positive_code,
        callback=callback, tol=tol, max_no_improvement=max_no_improvement, transform_algorithm="lasso_lars",
        transform_max_iter=method_max_iter,
    ).fit(X)  # fmt: skip
    return (model.transform(X), model.components_) if return_code else model.components_
