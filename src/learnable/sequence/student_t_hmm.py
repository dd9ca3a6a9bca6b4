"""Hidden Markov models with Student's t emissions."""

from __future__ import annotations

from ..core import Array, estimator, learned, param
from ..engines.generative.component_covariances import rounding
from ..engines.iterate import State
from ._emissions.student_t import StudentTEmissions, clip_outliers
from ._hmm.hmm_base import HiddenMarkovModel


@estimator
class StudentTHMM(HiddenMarkovModel):
    """Student's t hidden Markov model: each hidden state emits rows from a t distribution, robust to outliers.

    maximise over pi, A, m, S, v    log sum over paths z of  pi_z1 prod_t A_zt-1,zt prod_t t(x_t; m_zt, S_zt, v_zt)

    EM with a latent scale for each row, by which outliers have little weight. Degrees of freedom are estimated unless
    given; missing entries (NaN) are integrated out. [Chatzis et al., 2009]

    >>> X = [[0.0], [0.1], [-0.2], [60.0], [0.1], [8.1], [8.0], [7.9], [8.2], [7.8]]
    >>> model = StudentTHMM(n_components=2, freedom=1.0, n_iter=200, random_state=0)
    >>> model.startprob_, model.transmat_ = [1.0, 0.0], [[0.9, 0.1], [0.1, 0.9]]
    >>> model.init_params = "msv"
    >>> sorted(model.fit(X, y=[0, -1, -1, 0, -1, 1, -1, -1, -1, -1]).means_.ravel().round().tolist())
    [0.0, 8.0]
    """

    freedom: float | None = param(None, "degrees of freedom of all states; None: estimated for each", above=0)
    n_iter: int = param(1000, "maximum number of iterations of a run", at_least=1)
    min_covar: float = param(1e-6, "variance added to every row", at_least=0)
    params: str = param("stmcv", "parameters to estimate: s(tart), t(ransitions), m(eans), c (scales), v (freedom)")
    init_params: str = param("stmcv", "parameters to initialise; others keep the values they were set to")
    means_: Array = learned("location of each state", shape="states features")
    scales_: Array = learned("scale matrix of each state", shape="states features features")
    freedom_: Array = learned("degrees of freedom of each state", shape="states")

    title = "Student's t hidden Markov model"
    reference = (
        "Chatzis, Kosmopoulos and Varvarigou, Robust sequential data modeling using an outlier tolerant HMM, 2009"
    )
    letters = {"m": "means", "c": "scales", "v": "freedom"}

    def _emissions(self, X: Array | None = None) -> StudentTEmissions:
        return StudentTEmissions(self.freedom, 0.0 if X is None else self.min_covar, type(self).__name__)

    def _comparable(self, filled: Array) -> Array:
        return clip_outliers(filled)

    def _rounding(self, parameters: State) -> float:
        return rounding({"covariances": parameters["scales"]})

    def _width(self) -> int:
        return int(self.means_.shape[1])
