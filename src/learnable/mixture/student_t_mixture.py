"""Student's t mixture models, robust to outliers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core import Array, Data, Matrix, Trace, Traits, estimator, learned, param
from ..engines.em import responsibilities_and_likelihood, run_em
from ..engines.generative.component_covariances import Sums, draw_normal, per_component, rounding
from ..engines.generative.elliptical_components import Ellipsoids, best_freedom, expected_sums, log_joint
from ..engines.generative.missing_patterns import Patterns, find_missing_patterns
from ..engines.iterate import State
from ._gaussian_em import GaussianSteps
from ._mixture_base import Mixture


@estimator
class StudentTMixture(Mixture):
    """Student's t mixture model: multivariate t components, robust to outliers.

    maximise over pi, m, S, v    sum_i s_i log sum_k pi_k t(x_i; m_k, S_k, v_k)

    A t distribution is a normal one whose precision is multiplied by a latent u of mean one: outliers have a small
    E u = (v + p) / (v + d^2) and little weight. Degrees of freedom are estimated unless given; missing values (NaN) are
    integrated out. [Peel and McLachlan, 2000]

    >>> X = [[0.0], [0.1], [-0.1], [0.2], [-0.2], [30.0]]
    >>> bool(abs(StudentTMixture(freedom=2.0).fit(X).means_[0, 0]) < 0.1)
    True
    """

    freedom: float | None = param(None, "degrees of freedom of all components; None: estimated for each", above=0)
    tol: float = param(1e-5, "convergence threshold: gain of the log likelihood per row", at_least=0)
    max_iter: int = param(1000, "maximum number of iterations of a run", at_least=1)
    reg_covar: float = param(1e-6, "regularisation: variance added to the diagonal of the scale matrices", at_least=0)
    means_: Array = learned("location of each component", shape="components features")
    scales_: Array = learned("scale matrix of each component", shape="components features features")
    freedom_: Array = learned("degrees of freedom of each component", shape="components", least=5e-324)

    traits = Traits(missing="native")
    title = "Student's t mixture model"
    reference = "Peel and McLachlan, Robust mixture modelling using the t distribution, 2000"

    def _run_em(self, data: Data, trace: Trace) -> None:
        owner, X = type(self).__name__, data.X.astype(np.float64)
        weight = np.ones(data.n) if data.weight is None else data.weight
        patterns = find_missing_patterns(np.isnan(X))
        first = GaussianSteps.of(X, data.weight, "full", self.reg_covar, 1.0, owner)
        freedom = np.full(self.n_components, 10.0 if self.freedom is None else self.freedom)
        initial = self._initial_responsibilities(X, data.weight)
        starts = ({**first.initial(responsibilities), "freedom": freedom} for responsibilities in initial)
        steps = _StudentSteps(X, weight, self.reg_covar, self.freedom is None, patterns, owner)
        top = run_em(steps, starts, self.max_iter, self.tol, trace, owner, rounding=rounding)
        self._keep(top)
        found = top.parameters
        self.weights_, self.freedom_ = found["weights"], found["freedom"]
        self.means_, self.scales_ = found["means"].astype(data.X.dtype), found["covariances"].astype(data.X.dtype)

    def _log_joint(self, X: Matrix) -> Array:
        means, scales = self.means_.astype(np.float64), self.scales_.astype(np.float64)
        shapes = Ellipsoids(np.log(self.weights_), means, scales, self.freedom_, 0.0, type(self).__name__)
        return log_joint(X.astype(np.float64), shapes, find_missing_patterns(np.isnan(X)))

    def _draw(self, component: int, count: int, draws: np.random.RandomState) -> Array:
        v, mean = float(self.freedom_[component]), self.means_[component]
        normal = draw_normal(draws, np.zeros(len(mean)), self.scales_[component], count, type(self).__name__)
        return np.asarray(mean + normal / np.sqrt(draws.chisquare(v, count) / v)[:, None])

    def _free_parameters(self) -> int:
        count, p = self.means_.shape
        return int(count * (p + p * (p + 1) // 2) + count - 1 + (count if self.freedom is None else 0))


@dataclass(frozen=True)
class _StudentSteps:
    X: Array
    weight: Array
    floor: float
    free: bool
    patterns: Patterns
    owner: str

    def improve(self, parameters: State) -> tuple[State, float]:
        """Parameters after an E-step and an M-step, and the mean log likelihood of those given."""
        means, freedom = parameters["means"], parameters["freedom"]
        logs = np.log(np.maximum(parameters["weights"], 1e-300))
        shapes = Ellipsoids(logs, means, parameters["covariances"], freedom, self.floor, self.owner)
        responsibilities, densities = responsibilities_and_likelihood(log_joint(self.X, shapes, self.patterns))
        sums, tails = expected_sums(self.X, shapes, self.patterns, responsibilities * self.weight[:, None])
        total = tails[0] + 10 * np.finfo(np.float64).eps
        better = {
            "weights": total / total.sum(),
            "means": means + sums.shift / np.maximum(sums.total, 1e-300)[:, None],
            "covariances": _scatter(sums, total),
            "freedom": best_freedom(tails[1] / total) if self.free else freedom,
        }
        return better, float(self.weight @ densities / self.weight.sum())


def _scatter(sums: Sums, total: Array) -> Array:
    """Scale matrices: products about the new centres, weighted by u, over the total weight."""
    moved = sums.shift / np.maximum(sums.total, 1e-300)[:, None]
    about = sums.scatter - sums.total[:, None, None] * moved[:, :, None] * moved[:, None, :]
    return per_component(about, total)
