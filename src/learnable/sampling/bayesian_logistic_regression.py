"""Bayesian logistic regression."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, Data, DataError, Matrix, Trace, Traits, estimator, learned
from ..core.roles.classifier import ProbabilisticClassifier
from ._design import Scaling, distinct_rows
from ._glm_model import GlmModel
from ._posterior_base import SampledPosterior, checked_confidence


@estimator
class BayesianLogisticRegression(SampledPosterior, ProbabilisticClassifier):
    """Bayesian logistic regression of two classes by Markov chain Monte Carlo.

    P(y = 1) = 1 / (1 + exp(-Xw - b)),   w_j ~ N(0, (prior_scale / sd(x_j))^2)

    NUTS starts at the mode, in a basis in which the posterior there is spherical. Predicted probabilities are means
    over the draws: they are nearer to one half than those of one fit, the more so the fewer rows there are, and
    `predict_proba_interval` says how sure they are. Separable classes need no other treatment, for the prior is proper.
    [Gelman, Jakulin, Pittau and Su, 2008]

    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]], [0, 0, 1, 0, 1, 1]
    >>> model = BayesianLogisticRegression(random_state=0).fit(X, y)
    >>> model.predict_proba([[5.0]]).round(1)
    array([[0.1, 0.9]])
    """

    classes_: Array = learned("class labels", shape="classes")

    traits = Traits(many_classes=False)
    title = "Bayesian logistic regression"
    reference = (
        "Gelman, Jakulin, Pittau and Su, A weakly informative default prior, Annals of Applied Statistics 2, 2008"
    )

    def _fit(self, data: Data, trace: Trace) -> None:
        if len(self.classes_) > 2:
            raise DataError(
                "BayesianLogisticRegression: Only binary classification is supported. The type of the target is "
                f"multiclass, with {len(self.classes_)} classes; wrap it in OneVsRestClassifier"
            )
        X, y, weight = distinct_rows(data, np.asarray(data.y, dtype=np.float64))
        columns = Scaling.of(X, weight, self.fit_intercept)
        design, precision = self._design(X, columns)
        model = GlmModel(design, y, weight, precision, logistic=True)
        names = [f"z[{j}]" for j in range(len(model.start))]
        coef = model.coefficients(self._sample(model.density, trace, model.start, names).matrix())
        self._keep(*self._split(coef), columns, (0.0, 1.0), data.X.dtype)
        self._certify(trace, self._quantities())

    def _probabilities(self, X: Matrix) -> Array:
        positive = self._in_parts(np.asarray(X, np.float64), lambda rows: self._probability_draws(rows).mean(axis=0))
        if len(self.classes_) == 1:
            return np.ones((len(positive), 1))
        return np.column_stack([1 - positive, positive])

    def _probability_draws(self, X: Array) -> Array:
        with np.errstate(over="ignore"):
            return np.asarray(1 / (1 + np.exp(-self._linear_draws(X))))

    def predict_proba_interval(self, X: Any, confidence: float = 0.95) -> Array:
        """Central posterior intervals of the probability of the second class, a row (low, high) for each row of `X`."""
        quantiles = checked_confidence("BayesianLogisticRegression", confidence)
        rows = np.asarray(self._read(X), dtype=np.float64)
        found = self._in_parts(rows, lambda part: np.quantile(self._probability_draws(part), quantiles, axis=0).T)
        return np.asarray(found)
