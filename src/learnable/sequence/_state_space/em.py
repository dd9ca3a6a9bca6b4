"""EM for linear Gaussian state-space models: the Kalman smoother, then regressions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...core import Array, DataError
from ...engines.chain import offsets
from ...engines.iterate import State
from ...engines.kalman import SmoothedStates, StateSpace
from .._sequence_input import Sequences
from .expected_rows import RowSums, expected_sums, extended_products

NAMES = (
    "transition_matrix", "transition_offset", "transition_covariance", "observation_matrix", "observation_offset",
    "observation_covariance", "initial_mean", "initial_covariance",
)  # fmt: skip


@dataclass(frozen=True)
class StateSpaceEM:
    """EM for sequences with weights; `update` holds the names of the parameters that are estimated.

    `scatter` is added to the scatter of the residuals of the rows, as a prior of their covariance.
    """

    data: Sequences
    weight: Array
    update: frozenset[str]
    diagonal: bool
    scatter: Array
    owner: str

    @property
    def rows(self) -> float:
        """The number of rows, each as often as its sequence counts."""
        return float(self.weight @ self.data.lengths)

    def improve(self, parameters: State) -> tuple[State, float]:
        """Parameters after an E-step and an M-step, and the log posterior density per row of those given."""
        model = StateSpace(*(parameters[name] for name in NAMES))
        smoothed = model.smooth(self.data.X, offsets(self.data.lengths))
        refuse_singular(self.owner, smoothed.log_likelihood)
        better, heavy = dict(parameters), self.data.per_row(self.weight)
        self._initial(better, smoothed)
        self._transitions(better, smoothed, heavy)
        self._observations(better, expected_sums(self.data.X, model, smoothed, heavy), heavy.sum())
        precision = np.linalg.inv(model.R).diagonal() if self.scatter.any() else np.zeros(len(model.R))
        log_prior = -0.5 * float(precision @ self.scatter)
        return better, (float(self.weight @ smoothed.log_likelihood) + log_prior) / self.rows

    def _initial(self, better: State, smoothed: SmoothedStates) -> None:
        first = np.cumsum(self.data.lengths) - self.data.lengths
        means, share = smoothed.means[first], self.weight / self.weight.sum()
        if "initial_mean" in self.update:
            better["initial_mean"] = share @ means
        if "initial_covariance" in self.update:
            off = means - better["initial_mean"]
            better["initial_covariance"] = (share[:, None] * off).T @ off + np.tensordot(
                share, smoothed.covariances[first], axes=1
            )

    def _transitions(self, better: State, smoothed: SmoothedStates, heavy: Array) -> None:
        going_on = np.ones(len(heavy), dtype=bool)
        going_on[np.cumsum(self.data.lengths) - 1] = False
        now = np.flatnonzero(going_on)
        total = heavy[now].sum()
        if not total > 0:
            return
        before = extended_products(smoothed.means[now], smoothed.covariances[now], heavy[now])
        after = extended_products(smoothed.means[now + 1], smoothed.covariances[now + 1], heavy[now])[:-1, :-1]
        whole = np.column_stack([smoothed.means[now], np.ones(len(now))])
        both = (heavy[now, None] * smoothed.means[now + 1]).T @ whole
        both[:, :-1] += np.tensordot(heavy[now], smoothed.cross[now], axes=1).T
        residual = self._regress(better, "transition", RowSums(after, both, before))
        if "transition_covariance" in self.update:
            better["transition_covariance"] = residual / total

    def _observations(self, better: State, sums: RowSums, total: float) -> None:
        residual = self._regress(better, "observation", sums) + np.diag(self.scatter)
        if "observation_covariance" in self.update:
            found = residual / total
            better["observation_covariance"] = np.diag(found.diagonal()) if self.diagonal else found

    def _regress(self, better: State, kind: str, sums: RowSums) -> Array:
        """Estimates the matrix and the offset of one regression; returns the scatter of its residuals."""
        matrix, offset = f"{kind}_matrix", f"{kind}_offset"
        coef = np.column_stack([better[matrix], better[offset]])
        free = np.zeros(coef.shape[1], dtype=bool)
        free[:-1], free[-1] = matrix in self.update, offset in self.update
        if free.any():
            fixed = sums.products[:, free] - coef[:, ~free] @ sums.states[np.ix_(~free, free)]
            coef[:, free] = np.linalg.lstsq(sums.states[np.ix_(free, free)], fixed.T, rcond=None)[0].T
            better[matrix], better[offset] = coef[:, :-1].copy(), coef[:, -1].copy()
        mixed = sums.products @ coef.T
        scatter = sums.rows - mixed - mixed.T + coef @ sums.states @ coef.T
        return np.asarray((scatter + scatter.T) / 2)


def refuse_singular(owner: str, log_likelihood: Array) -> None:
    """Raise a `DataError` if the covariance of a row is not positive definite."""
    if np.isnan(log_likelihood).any():
        s = int(np.argmax(np.isnan(log_likelihood)))
        raise DataError(
            f"{owner}: the covariance of a row of sequence {s} is not positive definite; make "
            "observation_covariance larger, or scale the columns of X"
        )
