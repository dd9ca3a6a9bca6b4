"""Hidden Markov models with emissions from Gaussian mixtures."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, estimator, learned, param
from ..engines.generative.component_covariances import rounding
from ..engines.iterate import State
from ._emissions.gaussian_mixture import GaussianMixtureEmissions
from ._hmm.hmm_base import HiddenMarkovModel
from .gaussian_hmm import CovarianceType


@estimator
class GMMHMM(HiddenMarkovModel):
    """Hidden Markov model with Gaussian mixture emissions: each hidden state emits rows from a mixture of its own.

    maximise over pi, A, c, m, S    log sum over paths z of  prod_t A_zt-1,zt sum_j c_ztj N(x_t; m_ztj, S_ztj)

    EM with the component as a second latent variable. `min_covar` is a variance added to every row, which keeps
    components from collapsing onto single rows without ever lowering the objective. [Rabiner, 1989]

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> centres = np.repeat([[-3, 3], [9, 15]], 50, axis=0)[np.arange(100), rng.integers(0, 2, 100)]
    >>> X = (centres + 0.3 * rng.standard_normal(100))[:, None]
    >>> model = GMMHMM(n_components=2, n_mix=2, n_iter=50, n_init=5, random_state=0).fit(X)
    >>> sorted(model.means_.ravel().round().tolist())
    [-3.0, 3.0, 9.0, 15.0]
    """

    n_mix: int = param(1, "number of components of the mixture of a state", kw_only=False, at_least=1)
    min_covar: float = param(1e-3, "variance added to every row", at_least=0)
    weights_prior: float | Array = param(1.0, "Dirichlet prior of the mixing weights: 1 plus pseudo-counts", at_least=0)
    covariance_type: CovarianceType = param("diag", "form of the covariances; tied within a state")
    params: str = param("stmcw", "parameters to estimate: s(tart), t(ransitions), m(eans), c(ovariances), w(eights)")
    init_params: str = param("stmcw", "parameters to initialise; others keep the values they were set to")
    weights_: Array = learned(
        "mixing weights of the components of each state", shape="states components", probabilities=True
    )
    means_: Array = learned("means of the components", shape="states components features")
    covariances_: Array = learned("covariances of the components, of the shape of covariance_type")

    title = "hidden Markov model with Gaussian mixture emissions"
    reference = "Rabiner, A tutorial on hidden Markov models and selected applications in speech recognition, 1989"
    letters = {"m": "means", "c": "covariances", "w": "weights"}

    @property
    def covars_(self) -> Array:
        """The covariances, of the shape of covariance_type."""
        self._require_fit()
        return self.covariances_

    @covars_.setter
    def covars_(self, covars: Any) -> None:
        self.covariances_ = np.array(covars, dtype=np.float64)

    def _unsound(self) -> str:
        states, mix, p = self.means_.shape
        shapes = {"full": (states, mix, p, p), "tied": (states, p, p), "diag": (states, mix, p)}
        shape = shapes.get(self.covariance_type, (states, mix))
        sound = isinstance(self.covariances_, np.ndarray) and self.covariances_.shape == shape
        return "" if sound else f"covariances_ must be numbers of the shape {shape}"

    def _emissions(self, X: Array | None = None) -> GaussianMixtureEmissions:
        floor = 0.0 if X is None else self.min_covar
        mix = self.n_mix if X is not None else self.weights_.shape[1]
        return GaussianMixtureEmissions(self.covariance_type, mix, floor, self.weights_prior, type(self).__name__)

    @property
    def _monotone(self) -> bool:
        return bool(np.min(self.weights_prior) >= 1)

    def _rounding(self, parameters: State) -> float:
        return rounding(parameters) if self.covariance_type in ("full", "tied") else 0.0

    def _width(self) -> int:
        return int(self.means_.shape[2])
