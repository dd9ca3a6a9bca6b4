"""Mixtures of normal distributions."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..core import Array, Data, Matrix, ParameterError, Trace, estimator, param
from ..engines.em import run_em
from ..engines.iterate import State
from ._covariances import covariance_shape, inverse_of
from ._gaussian_em import GaussianSteps, log_joint
from ._gaussian_mixture_base import NormalMixture


@estimator
class GaussianMixture(NormalMixture):
    """Rows from several normal distributions, learned by expectation and maximisation.

    maximise over pi, m, S    sum_i s_i log sum_k pi_k N(x_i; m_k, S_k)

    Posteriors r_ik of the components, then weights, means and covariances weighted by them; a step never lowers the
    likelihood, which is asserted. `reg_covar` is a variance that every row has of its own, and keeps components from
    collapsing onto single rows. Gaps (NaN) are integrated out, exactly. Rows with full covariances take one compiled
    pass a step, about p^2 products for each row and component. [Dempster, Laird and Rubin, 1977]

    >>> X = [[1.0], [1.2], [0.8], [5.0], [5.3], [4.7]]
    >>> sorted(GaussianMixture(n_components=2, random_state=0).fit(X).means_.ravel().round(1).tolist())
    [1.0, 5.0]
    """

    weights_init: Array | None = param(None, "weights to begin with")
    means_init: Array | None = param(None, "means to begin with")
    precisions_init: Array | None = param(None, "inverse covariances to begin with")
    variance: float = param(1.0, "variance of all columns of identity covariances", above=0)

    reference = "Dempster, Laird and Rubin, Maximum likelihood from incomplete data via the EM algorithm, 1977"

    def _climb(self, data: Data, trace: Trace) -> None:
        owner = type(self).__name__
        steps = GaussianSteps.of(data.X, data.weight, self.covariance_type, self.reg_covar, self.variance, owner)
        top = run_em(steps, self._starts(steps, data), self.max_iter, self.tol, trace, owner, rounding=self._rounding)
        self._keep_normals(top, data.X.dtype)
        self.weights_ = top.parameters["weights"].astype(data.X.dtype)

    def _starts(self, steps: GaussianSteps, data: Data) -> Iterable[State]:
        """Parameters to begin from: those of the last fit, or of as many beginnings as asked for."""
        if self._goes_on:
            return [self._parameters()]
        given = self._given(data.p)
        return ({**steps.begin(posterior), **given} for posterior in self._beginnings(data.X, data.weight))

    def _given(self, p: int) -> State:
        """What was given to begin with, checked."""
        count = self.n_components
        given: State = {}
        requested = {
            "weights": (self.weights_init, (count,)),
            "means": (self.means_init, (count, p)),
            "covariances": (self.precisions_init, covariance_shape(self.covariance_type, count, p)),
        }
        for name, (value, shape) in requested.items():
            if value is None:
                continue
            array = np.array(value, dtype=np.float64)
            said = {"covariances": "precisions"}.get(name, name)
            if array.shape != shape:
                raise ParameterError(f"GaussianMixture: {said}_init must have the shape {shape}; got {array.shape}")
            given[name] = array
        if "weights" in given and not (np.isclose(given["weights"].sum(), 1) and (given["weights"] >= 0).all()):
            raise ParameterError("GaussianMixture: weights_init must not be negative and must add up to 1")
        if "covariances" in given:
            given["covariances"] = inverse_of(given["covariances"], self.covariance_type)
        return given

    def _parameters(self) -> State:
        known = {"weights": self.weights_, "means": self.means_, "covariances": self.covariances_}
        return {name: value.astype(np.float64) for name, value in known.items()}

    def _log_joint(self, X: Matrix) -> Array:
        return log_joint(X, self._parameters(), self.covariance_type, 0.0, type(self).__name__)
