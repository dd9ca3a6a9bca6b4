"""Generative classifiers by density estimation."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from ..core import Array, Data, DataError, Matrix, ParameterError, Trace, cloned, estimator, learned, param
from ..core.files.learned_limits import flaw_of_probabilities
from ..core.runtime.random import requested_samples, stream
from ..density.gaussian_density import GaussianDensity
from ..engines.generative.posterior import checked_priors, class_frequencies
from ..engines.matrix_products import counting_rows
from ._naive_bayes_base import BayesRule


@estimator
class GenerativeClassifier(BayesRule):
    """Generative classifier: a density estimate for each class, and Bayes' rule.

    P(k | x) = pi_k p_k(x) / sum over classes of pi_l p_l(x)

    `density` is any estimator with fit(X) and score_samples(X), the logarithm of the density at each row: a Gaussian
    (None), a kernel density, a mixture. A copy is fitted to the rows of each class. `sample` draws new rows of a class,
    if the density can. [Fix and Hodges, 1951]

    >>> X = [[-1.0], [-2.0], [-1.5], [1.0], [2.0], [1.5]]
    >>> GenerativeClassifier().fit(X, ["a", "a", "a", "b", "b", "b"]).predict([[-0.5], [0.5]])
    array(['a', 'b'], dtype='<U1')
    """

    density: Any = param(
        None,
        "density estimator with fit(X) and score_samples(X); None: a Gaussian",
        kw_only=False,
        accepts=lambda value: value is None or (hasattr(value, "fit") and hasattr(value, "score_samples")),
        says="an estimator with fit and score_samples, or None",
    )
    priors: Array | None = param(None, "prior probabilities of the classes; None: class frequencies", at_least=0)
    classes_: Array = learned("class labels, sorted", shape="classes")
    class_prior_: Array = learned("prior probability of each class", shape="classes")
    densities_: list[Any] = learned("the fitted density of each class", counts="classes")

    title = "generative classifier"
    reference = "Fix and Hodges, Discriminatory analysis: nonparametric discrimination, 1951"

    def _unsound(self) -> str:
        """The priors are probabilities."""
        return flaw_of_probabilities("class_prior_", self.class_prior_)

    def _fit(self, data: Data, trace: Trace) -> None:
        X, codes, weight = counting_rows(data.X, data.y, data.weight)
        owner, classes = type(self).__name__, len(self.classes_)
        size = np.bincount(codes, weights=weight, minlength=classes).astype(np.float64)
        if (size == 0).any():
            raise DataError(f"{owner}: class {self.classes_.tolist()[size.argmin()]!r} has no row with weight; drop it")
        given = self.priors is not None
        self.class_prior_ = checked_priors(owner, self.priors, classes) if given else class_frequencies(owner, size)
        self.densities_ = []
        for k in range(classes):
            chosen = codes == k
            self.densities_.append(self._fit_density(X[chosen], None if weight is None else weight[chosen]))
            trace.record(float(np.count_nonzero(chosen)), rows=float(np.count_nonzero(chosen)))
        trace.stopped = "exact"
        trace.certify("exact", 0.0, 0.0, "each class has its own fitted density; see their certificates")

    def _fit_density(self, X: Array, weight: Array | None) -> Any:
        """A clone of the density estimator, fitted to these rows."""
        density = GaussianDensity() if self.density is None else cloned(self.density)
        if weight is None:
            return density.fit(X)
        if "sample_weight" not in inspect.signature(density.fit).parameters:
            raise ParameterError(
                f"GenerativeClassifier: the fit of {type(density).__name__} takes no sample_weight; use a density that "
                "does, or repeat rows"
            )
        return density.fit(X, sample_weight=weight)

    def _joint_log_likelihood(self, X: Matrix) -> Array:
        logs = [np.asarray(density.score_samples(X), dtype=np.float64) for density in self.densities_]
        return np.column_stack(logs) + self._class_log_prior()

    def sample(self, n_samples: int = 1, label: Any = None, random_state: Any = None) -> tuple[Array, Array]:
        """New rows and their classes: of the class called `label`, or of classes drawn by their probabilities."""
        count, draws = requested_samples(self, n_samples), stream(random_state)
        if label is None:
            codes = np.sort(draws.choice(len(self.classes_), count, p=self.class_prior_))
        else:
            codes = np.full(count, self._index(label))
        rows = [self._drawn(int(k), int(np.count_nonzero(codes == k)), draws) for k in np.unique(codes)]
        return np.vstack(rows), self.classes_[codes]

    def _index(self, label: Any) -> int:
        """The index of a class label."""
        found = np.flatnonzero(self.classes_ == label)
        if len(found) == 0:
            raise ParameterError(f"GenerativeClassifier: label must be one of {self.classes_.tolist()}; got {label!r}")
        return int(found[0])

    def _drawn(self, k: int, count: int, draws: Any) -> Array:
        density = self.densities_[k]
        if not hasattr(density, "sample"):
            raise ParameterError(
                f"GenerativeClassifier: {type(density).__name__} cannot draw new rows (it has no sample)"
            )
        if "random_state" in inspect.signature(density.sample).parameters:
            drawn = density.sample(count, random_state=draws.randint(2**31 - 1))
        else:
            drawn = density.sample(count)
        return np.asarray(drawn[0] if isinstance(drawn, tuple) else drawn)
