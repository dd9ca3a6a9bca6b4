"""Categorical mixture models: latent class analysis."""

from __future__ import annotations

import numpy as np

from ..core import Array, Data, DataError, Matrix, Trace, Traits, estimator, learned, param
from ..core.files.learned_limits import flaw_of_categories
from ..core.runtime.context import give_way
from ..core.validate.features import column_name
from ..engines.columns.table_encoding import coded, learned_categories
from ..engines.em import run_em
from ._discrete_em import IndicatorSteps, log_joint
from ._mixture_base import Mixture

BLOCK = 1024  # rows between two checks of the time budget


@estimator
class CategoricalMixture(Mixture):
    """Latent class analysis: a mixture model of categorical columns that are independent given the latent class.

    maximise over pi, q    sum_i s_i log sum_k pi_k prod_j q_kj(x_ij)  +  alpha sum log q

    Categories are texts or numbers. An unseen category has the probability of a known one that is absent in a
    component: alpha over the smoothed count of the component. Missing values (None or NaN) are integrated out.
    [Lazarsfeld, 1950; Goodman, 1974]

    >>> X = [["red", "large"], ["red", "large"], ["blue", "small"], ["blue", "tiny"]]
    >>> CategoricalMixture(n_components=2, random_state=0).fit(X).weights_.round(2)
    array([0.5, 0.5])
    """

    alpha: float = param(0.01, "additive smoothing: pseudo-count of each category", at_least=0)
    tol: float = param(1e-6, "convergence threshold: gain of the log likelihood per row", at_least=0)
    max_iter: int = param(1000, "maximum number of iterations of a run", at_least=1)
    categories_: list[Array] = learned("categories of each column, sorted", counts="features")
    probabilities_: list[Array] = learned(
        "probabilities of the categories of each column, a row for each component",
        counts="features",
        each="components levels*",
    )
    rare_: Array = learned("probability of an unseen category", shape="components features")

    traits = Traits(takes="table", missing="native", categorical=True)
    title = "latent class analysis"
    reference = "Goodman, Exploratory latent structure analysis using both identifiable and unidentifiable models, 1974"

    def _run_em(self, data: Data, trace: Trace) -> None:
        found = learned_categories(data.X, np.ones(data.p, dtype=bool), with_missing=False, owner=type(self).__name__)
        self.categories_ = [known for known in found if known is not None]
        for j, known in enumerate(self.categories_):
            if not len(known):
                raise DataError(
                    f"CategoricalMixture: {column_name(data.names, j)} of X has only missing values; drop it"
                )
        sizes = [len(known) for known in self.categories_]
        indicators = self._indicators(data.X, sum(sizes))
        weight = np.ones(data.n) if data.weight is None else data.weight
        steps = IndicatorSteps(indicators, np.repeat(np.arange(data.p), sizes), weight, self.alpha)
        starts = (
            steps.m_step(responsibilities)
            for responsibilities in self._initial_responsibilities(indicators, data.weight)
        )
        top = run_em(steps, starts, self.max_iter, self.tol, trace, type(self).__name__)
        self._keep(top)
        self.weights_, self.rare_ = top.parameters["weights"], top.parameters["rare"].astype(data.X.dtype)
        self.probabilities_ = np.split(top.parameters["values"], np.cumsum(sizes)[:-1], axis=1)

    def _indicators(self, X: Matrix, width: int) -> Array:
        """The first `width` of a column for each category and one for the unseen ones of each column of `X`.

        No indicator is set where a value is missing.
        """
        sizes = [len(known) for known in self.categories_]
        codes = coded(X, list(self.categories_), type(self).__name__, unseen=-1.0)
        columns = np.where(codes < 0, sum(sizes) + np.arange(len(sizes)), codes + np.cumsum([0, *sizes[:-1]]))
        found = np.zeros((len(codes), width))
        for start in range(0, len(codes), BLOCK):
            give_way()
            block = columns[start : start + BLOCK]
            row, column = np.nonzero(block < width)  # not set where it is missing
            found[start + row, block[row, column].astype(np.intp)] = 1.0
        return found

    def _unsound(self) -> str:
        """Every category has a probability in each component."""
        wrong = super()._unsound() or flaw_of_categories(self.categories_)
        sizes = [len(values) for values in self.categories_ if np.ndim(values)]
        shapes = [np.shape(values) for values in self.probabilities_]
        sound = shapes == [(len(self.weights_), size) for size in sizes]
        known = sound and all(
            ((values >= 0) & (values <= 1)).all() and values.any(axis=1).all() for values in self.probabilities_
        )
        return wrong or ("" if known else "probabilities_ must hold one for each component and category")

    def _log_joint(self, X: Matrix) -> Array:
        probabilities = np.hstack([*self.probabilities_, self.rare_])
        return log_joint(
            self._indicators(X, probabilities.shape[1]), {"weights": self.weights_, "values": probabilities}
        )

    def _draw(self, component: int, count: int, draws: np.random.RandomState) -> Array:
        columns = [
            known[draws.choice(len(known), count, p=probabilities[component] / probabilities[component].sum())]
            for known, probabilities in zip(self.categories_, self.probabilities_, strict=True)
        ]
        plain = all(column.dtype.kind in "fiub" for column in columns)
        return np.stack(columns if plain else [column.astype(object) for column in columns], axis=1)

    def _free_parameters(self) -> int:
        count = len(self.weights_)
        return sum(count * (len(known) - 1) for known in self.categories_) + count - 1
