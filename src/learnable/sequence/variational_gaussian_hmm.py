"""Gaussian hidden Markov models by variational Bayes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, ParameterError, Traits, estimator, learned, param
from ..engines.generative.component_covariances import as_full, covariance_shape
from ..engines.iterate import State
from ._emissions.gaussian import GaussianEmissions
from ._emissions.variational import VariationalGaussian
from ._hmm.variational_base import VariationalHMM, hyperparameter
from .gaussian_hmm import CovarianceType


@estimator
class VariationalGaussianHMM(VariationalHMM):
    """Variational Gaussian hidden Markov model: normal-Wishart posteriors of means and precisions.

    maximise over q    E_q log p(x, z, pi, A, m, L) - E_q log q,    q(z, pi, A, m, L) = q(z) q(pi) q(A) q(m, L)

    A step over q(z) is forward-backward with mean log densities; a step over the others adds expected sums to the
    prior. No step lowers the bound, which is asserted. With small priors, states that the data do not need stay empty.
    [Gruhl and Sick, 2016]

    >>> X = [[0.1], [-0.2], [0.0], [5.1], [4.9], [5.0], [0.2], [-0.1]]
    >>> model = VariationalGaussianHMM(n_components=2, random_state=0).fit(X)
    >>> states = model.predict(X)
    >>> bool(states[0] == states[1] == states[7] != states[4])
    True
    """

    covariance_type: CovarianceType = param("full", "form of the covariances", kw_only=False)
    means_prior: Array | float | None = param(None, "prior mean of the means; None: that of the rows")
    beta_prior: Array | float | None = param(None, "number of rows that means_prior stands for; None: 1", above=0)
    dof_prior: Array | float | None = param(None, "prior degrees of freedom of precisions; None: columns", above=0)
    scale_prior: Array | float | None = param(None, "prior inverse scale of precisions; None: 1e-3 on the diagonal")
    params: str = param("stmc", "accepted for hmmlearn; all parameters are estimated")
    init_params: str = param("stmc", "accepted for hmmlearn; all parameters are initialised")
    means_: Array = learned("posterior means of the means", shape="states features")
    covariances_: Array = learned("scale over degrees of freedom, of the shape of covariance_type")
    means_prior_: Array = learned("prior of the means", shape="states features")
    means_posterior_: Array = learned("posterior means of the means", shape="states features")
    beta_prior_: Array = learned("prior precision factor of the means", shape="states")
    beta_posterior_: Array = learned("posterior precision factor of the means", shape="states")
    dof_prior_: Array = learned("prior degrees of freedom; a single one if tied")
    dof_posterior_: Array = learned("posterior degrees of freedom; a single one if tied")
    scale_prior_: Array = learned("prior inverse scales, of the shape of covariance_type")
    scale_posterior_: Array = learned("posterior inverse scales, of the shape of covariance_type")

    title = "variational Gaussian hidden Markov model"
    reference = "Gruhl and Sick, Variational Bayesian inference for hidden Markov models, 2016"
    letters = {"m": "means", "c": "covariances"}
    traits = Traits(missing="refuse")

    @property
    def covars_(self) -> Array:
        """The covariances as a full matrix for each state."""
        self._require_fit()
        return np.array(as_full(self.covariances_, self.covariance_type, *self.means_.shape))

    def _variational_emissions(self, X: Array) -> VariationalGaussian:
        owner, kind, K, p = type(self).__name__, self.covariance_type, self.n_components, X.shape[1]
        shape = covariance_shape(kind, K, p)
        scale = 1e-3 * np.eye(p) if kind in ("full", "tied") else 1e-3
        degrees: tuple[int, ...] = () if kind == "tied" else (K,)
        prior = {
            "means": hyperparameter(owner, "means_prior", self.means_prior, X.mean(axis=0), (K, p)),
            "beta": hyperparameter(owner, "beta_prior", self.beta_prior, 1.0, (K,)),
            "dof": hyperparameter(owner, "dof_prior", self.dof_prior, float(p), degrees),
            "scale": hyperparameter(owner, "scale_prior", self.scale_prior, scale, shape),
        }
        if kind in ("full", "tied") and not (prior["dof"] > p - 1).all():
            raise ParameterError(f"{owner}: dof_prior must be above {p - 1}, the number of columns minus 1")
        return VariationalGaussian(kind, prior)

    def _keep_emissions(self, emissions: Any, found: State) -> None:
        for name in ("means", "beta", "dof", "scale"):
            self.__dict__[f"{name}_prior_"] = emissions.prior[name]
            self.__dict__[f"{name}_posterior_"] = found[name]
        self.means_ = found["means"]
        axes = found["scale"].ndim - found["dof"].ndim
        self.covariances_ = found["scale"] / found["dof"].reshape(found["dof"].shape + (1,) * axes)

    def _unsound(self) -> str:
        shape = covariance_shape(self.covariance_type, *self.means_.shape)
        sound = isinstance(self.covariances_, np.ndarray) and self.covariances_.shape == shape
        return "" if sound else f"covariances_ must be numbers of the shape {shape}"

    def _emissions(self, X: Array | None = None) -> GaussianEmissions:
        nothing = np.float64(0)
        return GaussianEmissions(type(self).__name__, self.covariance_type, 0.0, nothing, nothing, nothing, nothing)

    def _width(self) -> int:
        return int(self.means_.shape[1])
