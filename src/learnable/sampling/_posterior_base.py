"""Base class of Bayesian regressions whose posteriors are sampled by NUTS."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import (
    Array,
    Data,
    DataError,
    Estimator,
    RandomState,
    Trace,
    Traits,
    declaring,
    generator,
    learned,
    param,
    seed_of,
)
from ._chains import Chains, chain_seeds, run_chains
from ._convergence import Convergence
from ._design import Scaling
from ._hamiltonian import Hamiltonian, warmup_windows
from ._layout import Layout
from .draws import Draws

ROWS_AT_ONCE = 2**21  # numbers of predictive draws in memory at once


@declaring
class SampledPosterior(Estimator):
    """A regression with draws from the posterior of its parameters, by NUTS on the compiled density.

    The columns are standardised; the prior of a coefficient is N(0, prior_scale^2) in units of the standard deviations
    of the target (1 for classes and counts) and of its column, as that of the intercept at the mean of the columns.
    """

    prior_scale: float = param(2.5, "standard deviation of the prior of standardised coefficients", above=0)
    fit_intercept: bool = param(True, "whether to fit an intercept")
    draws: int = param(1000, "number of draws of each chain that are kept", at_least=4)
    tune: int = param(1000, "number of draws of the warm-up of each chain", at_least=20)
    chains: int = param(4, "number of chains", at_least=1)
    target_accept: float = param(0.8, "mean acceptance rate that the step size is adapted to", above=0, below=1)
    random_state: RandomState = param(None, "seed of the draws")
    coef_: Array = learned("posterior mean of the coefficients", shape="features")
    coef_std_: Array = learned("posterior standard deviation of the coefficients", shape="features")
    intercept_: float = learned("posterior mean of the intercept")
    coef_draws_: Array = learned("draws of the standardised coefficients", shape="chains draws features")
    intercept_draws_: Array = learned("draws of the intercept at the column means", shape="chains draws")
    X_offset_: Array = learned("mean of each column", shape="features")
    X_scale_: Array = learned("standard deviation of each column; 0 for constants", shape="features")
    y_offset_: float = learned("mean of the target; 0 for classes and counts")
    y_scale_: float = learned("standard deviation of the target; 1 for classes and counts")

    traits = Traits(stochastic=True)

    @property
    def _scaling(self) -> Scaling:
        return Scaling(np.asarray(self.X_offset_, np.float64), np.asarray(self.X_scale_, np.float64))

    def _sample(self, density: Any, trace: Trace, starts: Array, names: list[str]) -> Draws:
        """Chains around a start, all parameters without bounds."""
        seed = seed_of(self.random_state)
        seeds = chain_seeds(seed, self.chains)
        positions = np.array([starts + generator(one, 1).uniform(-1, 1, len(starts)) for one in seeds])
        layout = Layout(dict.fromkeys(names, ()), None, True)
        transition = Hamiltonian(density, self.target_accept, 10, 0.0, "diagonal", warmup_windows(self.tune))
        return run_chains(Chains(transition, layout, positions, seeds, self.draws, self.tune), trace)

    def _keep(self, coef: Array, intercept: Array, columns: Scaling, target: tuple[float, float], dtype: Any) -> None:
        """Store standardised draws, and their moments in the units of the data."""
        (self.y_offset_, self.y_scale_), ratio = target, target[1] * columns.inverse
        self.X_offset_, self.X_scale_ = columns.offset.astype(dtype), columns.scale.astype(dtype)
        self.coef_draws_, self.intercept_draws_ = coef.astype(dtype), intercept
        mean = coef.mean(axis=(0, 1))
        with np.errstate(over="ignore"):
            self.coef_ = (mean * ratio).astype(dtype)
            self.coef_std_ = (coef.std(axis=(0, 1)) * ratio).astype(dtype)
            at_zero = float((columns.offset * columns.inverse) @ mean)
            self.intercept_ = float(self.y_offset_ + self.y_scale_ * (intercept.mean() - at_zero))

    def _certify(self, trace: Trace, quantities: dict[str, Array]) -> None:
        """R-hat and effective sizes of every quantity."""
        found = Convergence.of(np.stack(list(quantities.values()), axis=2), list(quantities)).certificate()
        trace.certify(found.kind, found.value, found.tolerance, found.claim)

    def _quantities(self) -> dict[str, Array]:
        """Draws of all parameters by name, in the units of the data."""
        columns = self._scaling
        coef = self.coef_draws_ * (self.y_scale_ * columns.inverse)
        at_zero = self.coef_draws_ @ (columns.offset * columns.inverse)
        found = {"intercept": self.y_offset_ + self.y_scale_ * (self.intercept_draws_ - at_zero)}
        names = self.__dict__.get("feature_names_in_", [f"coef[{j}]" for j in range(coef.shape[2])])
        return found | {str(name): coef[:, :, j] for j, name in enumerate(names)}

    @property
    def draws_(self) -> Draws:
        """The draws of intercept, coefficients and scales, in the units of the data."""
        self._require_fit()
        return Draws(self._quantities(), trace_=None)

    def _design(self, X: Array, columns: Scaling) -> tuple[Array, Array]:
        """Standardised columns after one of ones for the intercept, and the precisions of the prior."""
        found = columns.applied(X)
        design = np.column_stack([np.ones(len(X)), found]) if self.fit_intercept else found
        return design, np.full(design.shape[1], self.prior_scale**-2.0)

    def _split(self, coef: Array) -> tuple[Array, Array]:
        """Draws of coefficients and of the intercept, which is 0 where there is none."""
        if self.fit_intercept:
            return coef[:, :, 1:], coef[:, :, 0]
        return coef, np.zeros(coef.shape[:2])

    def _linear_draws(self, X: Array) -> Array:
        """The linear predictor of rows for every draw, (draw, row), standardised."""
        coef = self.coef_draws_.reshape(-1, self.coef_draws_.shape[2])
        return np.asarray(coef @ self._scaling.applied(X).T + self.intercept_draws_.reshape(-1, 1))

    def _in_parts(self, X: Any, function: Any) -> Any:
        """`function` of parts of the rows, so that all draws of each fit into memory; joined along the rows."""
        count = self.intercept_draws_.size
        size = max(1, ROWS_AT_ONCE // count)
        return np.concatenate([function(X[first : first + size]) for first in range(0, X.shape[0], size)])

    def _coded(self, data: Data, target: Array) -> Array:
        """The target in double precision; too few rows are refused."""
        if data.n < 1:
            raise DataError(f"{type(self).__name__}: at least one row is needed")
        return np.asarray(target, dtype=np.float64)


def checked_confidence(owner: str, confidence: float) -> tuple[float, float]:
    """The quantiles of a central interval."""
    if not 0 < confidence < 1:
        raise DataError(f"{owner}: confidence must be between 0 and 1; got {confidence!r:.40}")
    return (1 - confidence) / 2, (1 + confidence) / 2
