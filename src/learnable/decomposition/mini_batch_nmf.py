"""Nonnegative matrix factorisation in mini-batches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np

from ..core import Array, Data, Matrix, RandomState, Trace, estimator, learned, param
from ..core.declare import params
from ..core.runtime.context import give_way
from ..core.runtime.trace import EARLY
from ..core.sklearn_api.output_containers import wrapped
from ..engines.iterate import Progress, State, iterate
from ._nmf.divergence import MIN_DENOMINATOR, Observed, divergence
from ._nmf.factorise import Settings, coefficients, component_count, nonnegative
from ._nmf.init import given_factor, initial_factors
from ._nmf.solvers import FactorPenalty, MultiplicativeUpdates, update_ratio, update_terms
from .nmf import Init, Loss, NonnegativeFactorisation

EPSILON = float(np.finfo(np.float64).eps)
MIN_DECREASE = 1e-7  # decrease of the smoothed objective, relative to the first, that counts as an improvement


@estimator
class MiniBatchNMF(NonnegativeFactorisation):
    """Mini-batch nonnegative matrix factorisation: multiplicative updates of the parts from a batch of rows at a time.

    minimise over W >= 0, H >= 0    D(X, W H)  +  penalties of W and H,    D a beta divergence

    The terms of the update of H are averaged over batches, older ones with a weight that fades by `forget_factor`.
    Faster than NMF on many rows, and `partial_fit` takes rows as they come; less exact. [Lefevre, Bach and Fevotte,
    2011]

    >>> X = [[1.0, 1.0, 0.0], [2.0, 2.0, 0.0], [0.0, 0.0, 3.0]]
    >>> MiniBatchNMF(2, init="nndsvda", max_no_improvement=None).fit(X).reconstruction_err_ < 0.1
    True
    """

    init: Init | None = param(
        None, "initialisation: by singular vectors (None: nndsvda, random for many components), random or given"
    )
    batch_size: int = param(1024, "number of rows in a batch", at_least=1)
    beta_loss: float | Loss = param("frobenius", "the beta divergence, named or by its number")
    tol: float = param(1e-4, "relative change of H at which the fit ends; 0: by the other criterion only", at_least=0)
    max_no_improvement: int | None = param(
        10, "number of batches without a lower smoothed objective after which the fit ends; None: never", at_least=1
    )
    max_iter: int = param(200, "maximum number of passes over the rows", at_least=1)
    alpha_W: float = param(0.0, "regularisation strength of W, times the number of columns", at_least=0)
    alpha_H: float | Literal["same"] = param(
        "same", "regularisation strength of H, times the number of rows of a batch", at_least=0
    )
    l1_ratio: float = param(0.0, "fraction of the absolute penalty", between=(0, 1))
    forget_factor: float = param(0.7, "weight of earlier batches after a pass over the rows", between=(0, 1))
    fresh_restarts: bool = param(False, "whether W of a batch starts again in each step")
    fresh_restarts_max_iter: int = param(30, "maximum number of updates of it", at_least=1)
    transform_max_iter: int | None = param(
        None, "maximum number of updates of W in transform; None: max_iter", at_least=1
    )
    random_state: RandomState = param(None, "seed of random starts")
    verbose: int | bool = param(0, "accepted for compatibility; use learnable.progress()")
    n_steps_: int = learned("number of batches")
    numerator_: Array = learned("averaged numerator of the update of H", shape="components features")
    denominator_: Array = learned("averaged denominator of the update of H", shape="components features")

    title = "mini-batch nonnegative matrix factorisation"
    reference = "Lefevre, Bach and Fevotte, Online algorithms for NMF with the Itakura-Saito divergence, WASPAA 2011"

    def _fit(self, data: Data, trace: Trace) -> None:
        settings = self._settings()
        given = self.__dict__.get("_given", (None, None))
        table = nonnegative(settings.owner, data.X, data.names, settings.beta)
        count = component_count(self.n_components, data.p, given[1])
        if self.init == "custom":
            W = given_factor(settings.owner, "W", given[0], (data.n, count))
            H = np.ascontiguousarray(given_factor(settings.owner, "H", given[1], (count, data.p)).T)
        else:
            W, H = initial_factors(settings.owner, table, count, self.init, self.random_state)
        method = self._method(table, W, H, H.copy(), np.ones(H.shape))
        each = -(-data.n // method.size)
        state = iterate(method, self.max_iter * each, trace)
        if trace.stopped == "patience":
            trace.stopped = "converged"
        W, H = state["W"], state["H"]
        W = coefficients(settings, table, H, in_haste=trace.stopped in EARLY)
        change = trace.rows[-1]["criterion"]
        if trace.stopped == "converged" and change > self.tol:
            trace.certify(
                "decrease", 0.0, 0.0, "the smoothed objective has not improved for max_no_improvement batches"
            )
        else:
            trace.certify("relative change", change, self.tol, "H changed by this fraction in the last batch")
        self._keep(H, state, data.X.dtype)
        self.__dict__["_rows"] = W.astype(data.X.dtype)
        self.n_steps_, self.n_iter_ = len(trace.rows), -(-len(trace.rows) // each)
        self.reconstruction_err_ = float(np.sqrt(2 * max(divergence(table, W, H, settings.beta), 0.0)))

    def _keep(self, H: Array, state: State, dtype: Any) -> None:
        self.components_ = np.ascontiguousarray(H.T).astype(dtype)
        self.numerator_, self.denominator_ = state["A"].T.astype(dtype), state["B"].T.astype(dtype)
        self.n_components_ = H.shape[1]

    def _settings(self) -> Settings:
        return Settings(
            type(self).__name__, "mu", self.beta_loss, self.tol, self.transform_max_iter or self.max_iter, self.alpha_W,
            self.alpha_H, self.l1_ratio,
        )  # fmt: skip

    def _method(self, table: Observed, W: Array, H: Array, A: Array, B: Array) -> _RowBatches:
        size = min(self.batch_size, table.shape[0])
        rho = self.forget_factor ** (size / table.shape[0])
        restarts = self.fresh_restarts_max_iter if self.fresh_restarts else 0
        return _RowBatches(
            table, self._settings(), W, H, A, B, size, rho, restarts, self.tol, self.max_no_improvement or 2**62
        )

    def partial_fit(self, X: Any, y: Any = None, W: Any = None, H: Any = None) -> Self:
        """Update the components by one batch, the rows of `X`; `W` and `H` start the first one for init='custom'."""
        params.check(self)
        begun = self.__sklearn_is_fitted__()
        data = self._training_data(X, y, None)
        if begun:
            self._check_columns(data.X, data.names)
        settings = self._settings()
        with self._fitting(data.X, going_on=True) as trace:
            if not begun:
                self._remember_columns(data.X, data.names)
            table = nonnegative(settings.owner, data.X, data.names, settings.beta)
            method = self._first_batch(table, W, H) if not begun else self._next_batch(table)
            state = iterate(method, 1, trace)
            self._keep(state["H"], state, data.X.dtype)
            self.n_steps_ = self.n_steps_ + 1 if begun else 1
            self.n_iter_ = self.n_steps_
            last = divergence(table, state["W"], state["H"], settings.beta)
            self.reconstruction_err_ = float(np.sqrt(2 * max(last, 0.0)))
            trace.stopped = "exact"
            trace.certify("exact", 0.0, 0.0, "one batch was taken into account; how near the optimum is is not known")
        return self

    def _first_batch(self, table: Observed, W: Any, H: Any) -> _RowBatches:
        count = component_count(self.n_components, table.shape[1], H)
        owner = type(self).__name__
        if self.init == "custom":
            H = np.ascontiguousarray(given_factor(owner, "H", H, (count, table.shape[1])).T)
        else:
            H = initial_factors(owner, table, count, self.init, self.random_state)[1]
        return self._method(table, coefficients(self._settings(), table, H), H, H.copy(), np.ones(H.shape))

    def _next_batch(self, table: Observed) -> _RowBatches:
        H, A, B = (
            np.ascontiguousarray(factor.T, dtype=np.float64)
            for factor in (self.components_, self.numerator_, self.denominator_)
        )
        return self._method(table, coefficients(self._settings(), table, H), H, A, B)

    def transform(self, X: Any) -> Any:
        """The factor W of the rows of `X`, each by itself, for the components as they are."""
        return wrapped(self._transform(self._read(X)), X, self)

    def _transform(self, X: Matrix) -> Array:
        settings = self._settings()
        table = nonnegative(settings.owner, X, None, settings.beta)
        H = np.ascontiguousarray(self.components_.T.astype(np.float64))
        return coefficients(settings, table, H).astype(X.dtype, copy=False)


@dataclass(frozen=True)
class _RowBatches:
    """Steps over batches of rows in turn."""

    table: Observed
    settings: Settings
    W: Array
    H: Array
    A: Array
    B: Array
    size: int
    rho: float
    restarts: int
    tolerance: float
    patience: int

    def start(self) -> State:
        return {
            "W": self.W, "H": self.H, "A": self.A, "B": self.B, "step": 0, "smooth": np.inf, "least": np.inf,
            "waited": 0, "change": np.inf, "objective": np.inf, "first": 0.0,
        }  # fmt: skip

    def step(self, state: State) -> State:
        give_way()
        n, beta = self.table.shape[0], self.settings.beta
        begin = state["step"] * self.size % (-(-n // self.size) * self.size)
        rows = slice(begin, min(begin + self.size, n))
        part = Observed(self.table.X[rows], None if self.table.mask is None else self.table.mask[rows])
        penalty = self.settings.penalty(*part.shape)
        W, H = state["W"].copy(), state["H"]
        power = MultiplicativeUpdates(part, penalty, W, H, 0.0, beta=beta).exponent
        W[rows] = self._rows(part, W[rows], H, penalty, power)
        cost = (divergence(part, W[rows], H, beta) + penalty.value(W[rows], H)) / part.shape[0]
        A, B, after = self._components(part, W[rows], state, penalty, power)
        return {**state, "W": W, "H": after, "A": A, "B": B, **self._smoothed(state, cost, part.shape[0], H, after)}

    def _rows(self, part: Observed, W: Array, H: Array, penalty: FactorPenalty, power: float) -> Array:
        beta = self.settings.beta
        if not self.restarts:
            W = W * update_ratio(part, W, H, beta, penalty.l1_W, penalty.l2_W) ** power
        else:
            W = np.full(W.shape, np.sqrt(part.mean / W.shape[1]))
            for _ in range(self.restarts):
                before = W
                W = W * update_ratio(part, W, H, beta, penalty.l1_W, penalty.l2_W) ** power
                if 0 < self.tolerance >= np.linalg.norm(W - before) / max(float(np.linalg.norm(W)), MIN_DENOMINATOR):
                    break
        if beta < 1:
            W[W < EPSILON] = 0.0
        return W

    def _components(
        self, part: Observed, W: Array, state: State, penalty: FactorPenalty, power: float
    ) -> tuple[Array, Array, Array]:
        """Averaged numerator and denominator of the update of H, and H."""
        beta, H = self.settings.beta, state["H"]
        numerator, denominator = update_terms(part.flipped, H, W, beta)
        denominator = denominator + penalty.l1_H + penalty.l2_H * H
        denominator[denominator == 0] = MIN_DENOMINATOR
        A = self.rho * state["A"] + numerator * H ** (1 / power)
        B = self.rho * state["B"] + denominator
        after = (A / B) ** power
        if beta <= 1:
            after[after < EPSILON] = 0.0
        return A, B, after

    def _smoothed(self, state: State, cost: float, rows: int, before: Array, after: Array) -> State:
        """The smoothed objective, how long it has not improved, and the change of H."""
        step = state["step"] + 1
        found = {"step": step, "objective": cost, "change": np.inf}
        if step == 1:
            return found | {"first": cost}
        blend = min(rows / (self.table.shape[0] + 1), 1.0)
        smooth = cost if not np.isfinite(state["smooth"]) else state["smooth"] * (1 - blend) + cost * blend
        better = smooth < state["least"] - MIN_DECREASE * state["first"]
        found["change"] = float(np.linalg.norm(after - before) / max(float(np.linalg.norm(after)), MIN_DENOMINATOR))
        waited = 0 if better else state["waited"] + 1
        return found | {"smooth": smooth, "least": min(smooth, state["least"]), "waited": waited}

    def progress(self, state: State) -> Progress:
        tolerance = self.tolerance if self.tolerance > 0 else -1.0
        change = state["change"] if np.isfinite(state["change"]) else 1e300
        return Progress(state["objective"], change, tolerance, patience=state["waited"] >= self.patience)
