"""What the two kinds of Bayesian model averaging share: weights of models by how probable each is after the data."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from ...core import Array, Trace, declaring, learned, param
from ...core.errors import ParameterError
from ...engines.sparse_coefficients import dense
from .voting_base import Panel, is_list


@declaring
class ModelAveraging(Panel):
    """Models weighted by their posterior probability, approximated by the criterion of Schwarz."""

    prior: Any = param(
        None, "probability of each model before the data; None for all alike", accepts=is_list,
        says="a list of numbers or None",
    )  # fmt: skip
    count_parameters: Callable[..., Any] | None = param(None, "how many parameters a fitted model has; None to count")
    probability_: Array = learned("probability of each model after the data", shape="models")
    bic_: Array = learned("criterion of Schwarz of each model", shape="models")

    def _fit_all(self, X: Any, target: Array, weight: Array | None, trace: Trace) -> None:
        super()._fit_all(X, target, weight, trace)
        share = np.ones(len(target)) if weight is None else weight
        likelihood = [self._log_likelihood(part, X, target, share) for part in self.estimators_]
        numbers = [self._parameters(part) for part in self.estimators_]
        self.bic_ = np.log(share.sum()) * np.array(numbers) - 2 * np.array(likelihood)
        evidence = -self.bic_ / 2 + np.log(self._prior())
        raised = np.exp(evidence - evidence.max())
        self.probability_ = raised / raised.sum()

    def _prior(self) -> Array:
        models = len(self.estimators_)
        if self.prior is None:
            return np.full(models, 1 / models)
        prior = np.asarray(self.prior, dtype=np.float64)
        if prior.shape != (models,) or not (prior > 0).all():
            raise ParameterError(
                f"{type(self).__name__}: prior must have a probability above 0 for each of {models} models; "
                f"got {self.prior!r:.60}"
            )
        return np.asarray(prior / prior.sum())

    def _parameters(self, part: Any) -> float:
        """Weights and constants of a linear model, or leaves of a tree, or what `count_parameters` says."""
        if self.count_parameters is not None:
            return float(self.count_parameters(part))
        if hasattr(part, "coef_"):
            constants = np.size(part.intercept_) if getattr(part, "fit_intercept", True) else 0
            return float(np.count_nonzero(dense(part.coef_)) + constants)
        if hasattr(part, "get_n_leaves"):
            return float(part.get_n_leaves())
        raise ParameterError(
            f"{type(self).__name__}: cannot count the parameters of {type(part).__name__}; give count_parameters"
        )

    @abstractmethod
    def _log_likelihood(self, part: Any, X: Any, target: Array, weight: Array) -> float: ...
