"""Mixtures of normal distributions with priors: as many components as the rows ask for."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..core import Array, Data, Matrix, ParameterError, Trace, estimator, learned, param
from ..engines.em import run_em
from ..engines.iterate import State
from ._bayesian_em import BayesianSteps, Priors, PriorType, mean_weights
from ._covariances import what_is_wrong
from ._gaussian_em import GaussianSteps, log_joint
from ._gaussian_mixture_base import NormalMixture


@estimator
class BayesianGaussianMixture(NormalMixture):
    """A mixture of normal distributions with priors: components that are not needed lose their weight.

    maximise over q(z) q(pi, m, S)    E_q log p(X, z, pi, m, S) - E_q log q,    a lower bound of log p(X)

    Variational steps: posteriors of the rows, then of weights (Dirichlet, or a stick broken again and again), means and
    precisions (normal and Wishart), each the best for the others. Gaps (NaN) are unseen as components are, and so are
    integrated out, exactly. With full covariances the bound never falls, which is asserted; for the others a step is
    nearly so. [Blei and Jordan, 2006; Bishop, 2006, chapter 10]

    >>> X = [[1.0], [1.2], [0.8], [5.0], [5.3], [4.7]] * 5
    >>> model = BayesianGaussianMixture(n_components=5, random_state=0, max_iter=1000).fit(X)
    >>> int((model.weights_ > 0.1).sum())
    2
    """

    n_components: int = param(1, "largest number of components", at_least=1, tune=(1, 2, 3, 5, 8))
    covariance_type: Literal["full", "tied", "diag", "spherical"] = param("full", "form of the covariances")
    tol: float = param(1e-3, "gain of the bound that ends a run", at_least=0)
    weight_concentration_prior_type: PriorType = param("dirichlet_process", "kind of the prior of the weights")
    weight_concentration_prior: float | None = param(None, "its strength: small for few components", above=0)
    mean_precision_prior: float | None = param(None, "how many rows the prior mean counts for; None is 1", above=0)
    mean_prior: Array | None = param(None, "prior mean; None is that of the rows")
    degrees_of_freedom_prior: float | None = param(None, "prior degrees of freedom; None is the number of columns")
    covariance_prior: Any = param(
        None, "prior covariance, in the form of its type; None is that of the rows",
        accepts=lambda value: value is None or np.asarray(value).dtype.kind in "fiu", says="numbers or None",
    )  # fmt: skip
    weight_concentration_: Any = learned("posterior of the weights: Dirichlet, or a pair for a broken stick")
    mean_precision_: Array = learned("rows that each mean rests on", shape="components")
    degrees_of_freedom_: Any = learned("posterior degrees of freedom")
    weight_concentration_prior_: float = learned("strength of the prior of the weights")
    mean_precision_prior_: float = learned("rows that the prior mean counts for")
    mean_prior_: Array = learned("prior mean", shape="features")
    degrees_of_freedom_prior_: float = learned("prior degrees of freedom")
    covariance_prior_: Any = learned("prior covariance")

    reference = "Blei and Jordan, Variational inference for Dirichlet process mixtures, 2006"

    def _climb(self, data: Data, trace: Trace) -> None:
        owner, kind, X = type(self).__name__, self.covariance_type, data.X
        normals = GaussianSteps.of(X, data.weight, kind, self.reg_covar, 1.0, owner)
        steps = BayesianSteps(normals, self._priors(normals, data))
        begun = (steps.learned(*normals.summed(posterior)) for posterior in self._beginnings(X, data.weight))
        starts = [self._posterior()] if self._goes_on and self._has_prior_of_before else begun
        top = run_em(
            steps, starts, self.max_iter, self.tol, trace, owner, exact=kind == "full", rounding=self._rounding
        )
        self._keep_normals(top, X.dtype)
        found, process = top.parameters, self.weight_concentration_prior_type == "dirichlet_process"
        self.weight_concentration_ = (found["first"], found["second"]) if process else found["first"]
        self.weights_ = mean_weights(found, self.weight_concentration_prior_type)
        self.mean_prior_ = self.mean_prior_.astype(X.dtype)
        self.mean_precision_, self.degrees_of_freedom_ = found["mean_precision"], found["freedom"]

    @property
    def _has_prior_of_before(self) -> bool:
        """Whether the weights of the last fit had the same kind of prior: those of a broken stick are pairs."""
        process = self.weight_concentration_prior_type == "dirichlet_process"
        return isinstance(self.weight_concentration_, tuple) == process

    def _posterior(self) -> State:
        """What was learned of weights, means and covariances."""
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
        """What was given, or what scikit-learn takes: the mean and covariance of the rows, and one row's worth."""
        p = data.p
        middle, covariance = normals.of_all_rows()
        mean = middle if self.mean_prior is None else np.asarray(self.mean_prior, dtype=np.float64)
        if mean.shape != (p,):
            raise ParameterError(
                f"BayesianGaussianMixture: mean_prior holds a number for each of the {p} columns; got {mean.shape}"
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
        """A prior covariance that was given, which must be one."""
        whole = self.covariance_type in ("full", "tied")
        shape = (p, p) if whole else (p,) if self.covariance_type == "diag" else ()
        if given.shape != shape:
            raise ParameterError(
                f"BayesianGaussianMixture: covariance_prior must have the shape {shape} for covariance_type="
                f'"{self.covariance_type}"; got {given.shape}'
            )
        table = given if whole else np.diag(np.atleast_1d(given))
        if wrong := what_is_wrong(table) if np.isfinite(table).all() else "is not finite":
            raise ParameterError(f"BayesianGaussianMixture: covariance_prior {wrong}; variances are above 0")
        return given

    def _log_joint(self, X: Matrix) -> Array:
        priors = Priors(self.weight_concentration_prior_type, 1.0, self.mean_prior_, 1.0, np.zeros(0), 1.0)
        steps = BayesianSteps(GaussianSteps(X, None, self.covariance_type, 0.0, 1.0, type(self).__name__, None), priors)
        here = self._posterior()
        return log_joint(X, {**here, **steps.expectations(here)}, self.covariance_type, 0.0, type(self).__name__)
