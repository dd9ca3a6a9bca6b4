"""Gaussian mixture models."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import numpy as np

from ..core import Array, Data, Matrix, ParameterError, Trace, estimator, param
from ..engines.em import run_em
from ..engines.generative.component_covariances import covariance_shape, inverse_of
from ..engines.generative.gaussian_components import log_joint
from ..engines.iterate import State
from ..engines.passes import TrainingRows
from ..engines.sampled_rows import SAMPLE_ROWS, SampledRows
from ._gaussian_em import BlockSteps, GaussianSteps, ParameterChange
from ._gaussian_mixture_base import GaussianMixtureBase


@estimator
class GaussianMixture(GaussianMixtureBase):
    """Gaussian mixture model: a weighted sum of normal distributions, fitted by the EM algorithm.

    maximise over pi, m, S    sum_i s_i log sum_k pi_k N(x_i; m_k, S_k)

    E-step: responsibilities r_ik of the components; M-step: weights, means and covariances weighted by them. No
    iteration lowers the likelihood, which is asserted. `reg_covar` is a variance added to every row, and keeps
    components from collapsing onto single rows. It stops at a small gain of the likelihood, or with
    `stop="parameters"` at a small change of the parameters of standardised columns. Missing values (NaN) are integrated
    out exactly. With full covariances an iteration is one compiled pass, about p^2 products for each row and component.
    [Dempster, Laird and Rubin, 1977]

    >>> X = [[1.0], [1.2], [0.8], [5.0], [5.3], [4.7]]
    >>> sorted(GaussianMixture(n_components=2, random_state=0).fit(X).means_.ravel().round(1).tolist())
    [1.0, 5.0]
    """

    weights_init: Array | None = param(None, "initial mixing weights")
    means_init: Array | None = param(None, "initial means")
    precisions_init: Array | None = param(None, "initial precisions: inverse covariances")
    variance: float = param(1.0, "fixed variance of identity covariances", above=0)

    stop: Literal["likelihood", "parameters"] = param(
        "likelihood", "what tol bounds: the gain of the log likelihood per row, or the change of the parameters"
    )

    title = "Gaussian mixture model"
    reference = "Dempster, Laird and Rubin, Maximum likelihood from incomplete data via the EM algorithm, 1977"

    def _run_em(self, data: Data, trace: Trace) -> None:
        owner = type(self).__name__
        steps = GaussianSteps.of(data.X, data.weight, self.covariance_type, self.reg_covar, self.variance, owner)
        change = ParameterChange.of(steps) if self.stop == "parameters" else None
        starts = self._starts(steps, data)
        top = run_em(
            steps, starts, self.max_iter, self.tol, trace, owner, rounding=self._rounding, change=change
        )  # fmt: skip
        self._store_gaussians(top, data.X.dtype)
        self.weights_ = top.parameters["weights"].astype(data.X.dtype)

    def _fit_blocks(self, rows: TrainingRows, trace: Trace) -> None:
        """EM with a pass for each iteration, from parameters that are initialised on a sample of the rows."""
        sample: SampledRows = rows.total(SampledRows.of, SAMPLE_ROWS)
        data, owner = sample.data, type(self).__name__
        self._check_row_count(len(data.X))
        first = GaussianSteps.of(data.X, data.weight, self.covariance_type, self.reg_covar, self.variance, owner)
        change = ParameterChange.of(first) if self.stop == "parameters" else None
        steps = BlockSteps(rows, self.covariance_type, self.reg_covar, self.variance, owner)
        starts = self._starts(first, data)
        top = run_em(
            steps, starts, self.max_iter, self.tol, trace, owner, rounding=self._rounding, change=change
        )  # fmt: skip
        self._store_gaussians(top, data.X.dtype)
        self.weights_ = top.parameters["weights"].astype(data.X.dtype)

    def _starts(self, steps: GaussianSteps, data: Data) -> Iterable[State]:
        """Initial parameters: those of the last fit, or of n_init initialisations."""
        if self._warm_starts:
            return [self._parameters()]
        given = self._given(data.p)
        return (
            {**steps.initial(responsibilities), **given}
            for responsibilities in self._initial_responsibilities(data.X, data.weight)
        )

    def _given(self, p: int) -> State:
        """The given initial parameters, checked."""
        count = self.n_components
        given: State = {}
        expected = {
            "weights": (self.weights_init, (count,)),
            "means": (self.means_init, (count, p)),
            "covariances": (self.precisions_init, covariance_shape(self.covariance_type, count, p)),
        }
        for name, (value, shape) in expected.items():
            if value is None:
                continue
            array = np.array(value, dtype=np.float64)
            said = {"covariances": "precisions"}.get(name, name)
            if array.shape != shape:
                raise ParameterError(f"GaussianMixture: {said}_init must have the shape {shape}; got {array.shape}")
            given[name] = array
        if "weights" in given and not (np.isclose(given["weights"].sum(), 1) and (given["weights"] >= 0).all()):
            raise ParameterError("GaussianMixture: weights_init must be non-negative and sum to 1")
        if "covariances" in given:
            given["covariances"] = inverse_of(given["covariances"], self.covariance_type)
        return given

    def _parameters(self) -> State:
        known = {"weights": self.weights_, "means": self.means_, "covariances": self.covariances_}
        return {name: value.astype(np.float64) for name, value in known.items()}

    def _log_joint(self, X: Matrix) -> Array:
        return log_joint(X, self._parameters(), self.covariance_type, 0.0, type(self).__name__)
