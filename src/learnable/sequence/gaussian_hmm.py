"""Hidden Markov models with normal emissions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import numpy as np

from ..core import Array, DataError, estimator, learned, param
from ..engines.generative.component_covariances import as_full, covariance_defect, covariance_shape, rounding
from ..engines.iterate import State
from ._emissions.gaussian import GaussianEmissions
from ._hmm.online_em import OnlineHMM

LETTERS = {"m": "means", "c": "covariances"}
CovarianceType = Literal["spherical", "diag", "full", "tied"]


@estimator
class GaussianHMM(OnlineHMM):
    """Gaussian hidden Markov model: each hidden state emits rows from a normal distribution of its own.

    maximise over pi, A, m, S    log sum over paths z of  pi_z1 N(x_1; m_z1, S_z1) prod_t A_zt-1,zt N(x_t; m_zt, S_zt)

    The Baum-Welch algorithm (EM) maximises this plus the log priors; no iteration lowers it, which is asserted. Missing
    entries (NaN) are integrated out. An iteration takes K^2 products for each step and K^2 states. [Rabiner, 1989]

    >>> X = [[0.1], [-0.2], [0.0], [5.1], [4.9], [5.0], [0.2], [-0.1]]
    >>> model = GaussianHMM(n_components=2, n_iter=100, random_state=0).fit(X)
    >>> states = model.predict(X)
    >>> bool(states[0] == states[1] == states[7] != states[4])
    True
    >>> model.means_.ravel().round(1)[states].tolist()
    [0.0, 0.0, 0.0, 5.0, 5.0, 5.0, 0.0, 0.0]
    """

    covariance_type: CovarianceType = param("diag", "form of the covariances", kw_only=False)
    min_covar: float = param(1e-3, "variance added to the initial covariances", at_least=0)
    means_prior: float | Array = param(0, "prior mean of the means")
    means_weight: float | Array = param(0, "number of observations that means_prior stands for", at_least=0)
    covars_prior: float | Array = param(1e-2, "scatter added to that of the rows of each state")
    covars_weight: float | Array = param(1, "prior weight of covariances; 1 (full, tied: columns) is none", at_least=0)
    params: str = param("stmc", "parameters to estimate: s(tart), t(ransitions), m(eans), c(ovariances)")
    init_params: str = param("stmc", "parameters to initialise; others keep the values they were set to")
    means_: Array = learned("means of the states", shape="states features")
    covariances_: Array = learned("covariances of the states, of the shape of covariance_type")

    title = "Gaussian hidden Markov model"
    reference = "Rabiner, A tutorial on hidden Markov models and selected applications in speech recognition, 1989"
    letters = LETTERS

    @property
    def covars_(self) -> Array:
        """The covariances as a full matrix for each state; they are set in the shape of covariance_type."""
        self._require_fit()
        return np.array(as_full(self.covariances_, self.covariance_type, *self.means_.shape))

    @covars_.setter
    def covars_(self, covars: Any) -> None:
        found = np.array(covars, dtype=np.float64)
        if self.covariance_type == "spherical" and found.ndim == 2:
            found = found.mean(axis=1)
        if wrong := _covariances_defect(found, self.covariance_type, self.n_components):
            raise DataError(f"GaussianHMM: covars_ {wrong}")
        self.covariances_ = found

    def _unsound(self) -> str:
        shape = covariance_shape(self.covariance_type, *self.means_.shape)
        sound = isinstance(self.covariances_, np.ndarray) and self.covariances_.shape == shape
        return "" if sound else f"covariances_ must be numbers of the shape {shape}"

    def _emissions(self, X: Array | None = None) -> GaussianEmissions:
        given = self.means_prior, self.means_weight, self.covars_prior, self.covars_weight
        mean, mean_weight, scatter, scatter_weight = (np.asarray(value, dtype=np.float64) for value in given)
        return GaussianEmissions(
            type(self).__name__, self.covariance_type, self.min_covar, mean, mean_weight, scatter, scatter_weight
        )

    def _online_emissions(self, X: Array | None) -> GaussianEmissions:
        return replace(self._emissions(X), centre=self.online_centre_)

    def _rounding(self, parameters: State) -> float:
        return rounding(parameters) if self.covariance_type in ("full", "tied") else 0.0

    def _width(self) -> int:
        return int(self.means_.shape[1])


def _covariances_defect(found: Array, kind: CovarianceType, states: int) -> str:
    """Why these are not covariances of that kind; empty if they are."""
    if found.ndim != {"spherical": 1, "diag": 2, "tied": 2, "full": 3}[kind]:
        return f"of type {kind} for {states} states cannot have the shape {found.shape}"
    p = found.shape[-1] if kind != "spherical" else 1
    if found.shape != covariance_shape(kind, states, p):
        return f"of type {kind} must have the shape {covariance_shape(kind, states, p)}; it has {found.shape}"
    if kind in ("full", "tied"):
        wrong = [covariance_defect(matrix) for matrix in found.reshape(-1, p, p)]
        return next((text for text in wrong if text), "")
    return "" if (found > 0).all() else "must be above 0"
