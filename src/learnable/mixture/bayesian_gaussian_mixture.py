"""Variational Bayesian Gaussian mixtures."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core import Array, Data, Matrix, ParameterError, Trace, estimator, learned, param
from ..engines.em import run_em
from ..engines.generative.component_covariances import covariance_defect
from ..engines.generative.gaussian_components import log_joint
from ..engines.iterate import State
from ._bayesian_em import BayesianSteps, Priors, PriorType, mean_weights
from ._gaussian_em import GaussianSteps
from ._gaussian_mixture_base import GaussianMixtureBase


@estimator
class BayesianGaussianMixture(GaussianMixtureBase):
    """Variational Bayesian Gaussian mixture: priors let superfluous components lose their weight.

    maximise over q(z) q(pi, m, S)    E_q log p(X, z, pi, m, S) - E_q log q,    a lower bound of log p(X)

    Coordinate ascent: responsibilities, then posteriors of weights (Dirichlet, or stick-breaking), means and precisions
    (normal and Wishart), each optimal given the others. Missing values (NaN) are latent variables as well and are
    integrated out exactly. With full covariances the lower bound never falls, which is asserted; otherwise it is
    monotone only approximately. [Blei and Jordan, 2006; Bishop, 2006, chapter 10]

    >>> X = [[1.0], [1.2], [0.8], [5.0], [5.3], [4.7]] * 5
    >>> model = BayesianGaussianMixture(n_components=5, random_state=0, max_iter=1000).fit(X)
    >>> int((model.weights_ > 0.1).sum())
    2
    """

    n_components: int = param(1, "maximum number of components", at_least=1, tune=(1, 2, 3, 5, 8))
    covariance_type: Literal["full", "tied", "diag", "spherical"] = param("full", "type of the covariances")
    tol: float = param(1e-3, "convergence threshold: gain of the lower bound per row", at_least=0)
    weight_concentration_prior_type: PriorType = param("dirichlet_process", "type of the prior of the mixing weights")
    weight_concentration_prior: float | None = param(
        None, "concentration of the prior of the mixing weights: smaller values give fewer components", above=0
    )
    mean_precision_prior: float | None = param(None, "precision of the prior of the means, in rows; None: 1", above=0)
    mean_prior: Array | None = param(None, "prior mean; None: mean of the rows")
    degrees_of_freedom_prior: float | None = param(None, "prior degrees of freedom; None: number of columns")
    covariance_prior: Any = param(
        None, "prior covariance, of the shape of its type; None: covariance of the rows",
        accepts=lambda value: value is None or np.asarray(value).dtype.kind in "fiu", says="numbers or None",
    )  # fmt: skip
    weight_concentration_: Any = learned(
        "posterior concentration of the mixing weights: Dirichlet, or the pair of stick-breaking"
    )
    mean_precision_: Array = learned("posterior precision of each mean, in rows", shape="components")
    degrees_of_freedom_: Any = learned("posterior degrees of freedom")
    weight_concentration_prior_: float = learned("concentration of the prior of the mixing weights")
    mean_precision_prior_: float = learned("precision of the prior of the means, in rows")
    mean_prior_: Array = learned("prior mean", shape="features")
    degrees_of_freedom_prior_: float = learned("prior degrees of freedom")
    covariance_prior_: Any = learned("prior covariance")

    title = "variational Bayesian Gaussian mixture"
    reference = "Blei and Jordan, Variational inference for Dirichlet process mixtures, 2006"

    def _run_em(self, data: Data, trace: Trace) -> None:
        owner, kind, X = type(self).__name__, self.covariance_type, data.X
        normals = GaussianSteps.of(X, data.weight, kind, self.reg_covar, 1.0, owner)
        steps = BayesianSteps(normals, self._priors(normals, data))
        initial = (
            steps.m_step(*normals.summed(responsibilities))
            for responsibilities in self._initial_responsibilities(X, data.weight)
        )
        starts = [self._posterior()] if self._warm_starts and self._has_same_prior_type else initial
        top = run_em(
            steps, starts, self.max_iter, self.tol, trace, owner, exact=kind == "full", rounding=self._rounding
        )
        self._store_gaussians(top, X.dtype)
        found, process = top.parameters, self.weight_concentration_prior_type == "dirichlet_process"
        self.weight_concentration_ = (found["first"], found["second"]) if process else found["first"]
        self.weights_ = mean_weights(found, self.weight_concentration_prior_type)
        self.mean_prior_ = self.mean_prior_.astype(X.dtype)
        self.mean_precision_, self.degrees_of_freedom_ = found["mean_precision"], found["freedom"]

    @property
    def _has_same_prior_type(self) -> bool:
        """Whether the last fit had the same type of prior of the weights: stick-breaking has pairs."""
        process = self.weight_concentration_prior_type == "dirichlet_process"
        return isinstance(self.weight_concentration_, tuple) == process

    def _posterior(self) -> State:
        """The posteriors of weights, means and covariances of the last fit."""
        process = self.weight_concentration_prior_type == "dirichlet_process"
        first, second = self.weight_concentration_ if process else (self.weight_concentration_, np.zeros(0))
        return {
            "first": first,
            "second": second,
            "means": self.means_.astype(np.float64),
            "covariances": self.covariances_.astype(np.float64),
            "mean_precision": self.mean_precision_,
            "freedom": self.degrees_of_freedom_,
        }

    def _priors(self, normals: GaussianSteps, data: Data) -> Priors:
        """The given priors, or the defaults of scikit-learn by mean and covariance of the rows."""
        p = data.p
        middle, covariance = normals.of_all_rows()
        mean = middle if self.mean_prior is None else np.asarray(self.mean_prior, dtype=np.float64)
        if mean.shape != (p,):
            raise ParameterError(
                f"BayesianGaussianMixture: mean_prior must have {p} entries, one for each column; got {mean.shape}"
            )
        freedom = float(p if self.degrees_of_freedom_prior is None else self.degrees_of_freedom_prior)
        if not freedom > p - 1:
            raise ParameterError(
                f"BayesianGaussianMixture: degrees_of_freedom_prior should be greater than {p - 1}, but got {freedom!r}"
            )
        self.weight_concentration_prior_ = self.weight_concentration_prior or 1.0 / self.n_components
        self.mean_precision_prior_ = self.mean_precision_prior or 1.0
        self.mean_prior_, self.degrees_of_freedom_prior_ = mean, freedom
        self.covariance_prior_ = self._covariance_prior(covariance, float(data.total_weight))
        return Priors(
            self.weight_concentration_prior_type, self.weight_concentration_prior_, mean, self.mean_precision_prior_,
            np.asarray(self.covariance_prior_), freedom,
        )  # fmt: skip

    def _covariance_prior(self, covariance: Array, total: float) -> Any:
        if self.covariance_prior is not None:
            return self._given_prior(np.asarray(self.covariance_prior, dtype=np.float64), len(covariance))
        own = self.reg_covar * np.eye(len(covariance))
        whole = (covariance - own) * total / max(total - 1, 1.0) + own
        if self.covariance_type in ("full", "tied"):
            return whole
        variances = np.diag(whole)
        return variances if self.covariance_type == "diag" else float(variances.mean())

    def _given_prior(self, given: Array, p: int) -> Array:
        """A given prior covariance, checked."""
        whole = self.covariance_type in ("full", "tied")
        shape = (p, p) if whole else (p,) if self.covariance_type == "diag" else ()
        if given.shape != shape:
            raise ParameterError(
                f"BayesianGaussianMixture: covariance_prior must have the shape {shape} for covariance_type="
                f'"{self.covariance_type}"; got {given.shape}'
            )
        table = given if whole else np.diag(np.atleast_1d(given))
        if wrong := covariance_defect(table) if np.isfinite(table).all() else "is not finite":
            raise ParameterError(f"BayesianGaussianMixture: covariance_prior {wrong}; variances are above 0")
        return given

    def _log_joint(self, X: Matrix) -> Array:
        priors = Priors(self.weight_concentration_prior_type, 1.0, self.mean_prior_, 1.0, np.zeros(0), 1.0)
        steps = BayesianSteps(GaussianSteps(X, None, self.covariance_type, 0.0, 1.0, type(self).__name__, None), priors)
        here = self._posterior()
        return log_joint(X, {**here, **steps.expectations(here)}, self.covariance_type, 0.0, type(self).__name__)
