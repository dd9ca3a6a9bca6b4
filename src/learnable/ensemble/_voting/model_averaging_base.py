"""Base class of Bayesian model averaging: models weighted by their posterior probability."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from ...core import Array, Trace, declaring, learned, param
from ...core.errors import ParameterError
from ...engines.sparse_coefficients import dense
from .voting_base import NO_ARGUMENTS, VotingBase, is_list


@declaring
class ModelAveragingBase(VotingBase):
    """Base class of model averaging by posterior model probabilities, approximated by BIC."""

    prior: Any = param(
        None, "prior probability of each model; None for a uniform prior", accepts=is_list,
        says="a list of numbers or None",
    )  # fmt: skip
    count_parameters: Callable[..., Any] | None = param(
        None, "function that returns the number of parameters of a fitted model; None to count"
    )
    probability_: Array = learned("posterior probability of each model", shape="models", probabilities=True)
    bic_: Array = learned("Bayesian information criterion of each model", shape="models")

    def _fit_all(
        self, X: Any, target: Array, weight: Array | None, trace: Trace, metadata: dict[str, Any] = NO_ARGUMENTS
    ) -> None:
        super()._fit_all(X, target, weight, trace, metadata)
        weights = np.ones(len(target)) if weight is None else weight
        likelihood = [self._log_likelihood(model, X, target, weights) for model in self.estimators_]
        counts = [self._parameter_count(model) for model in self.estimators_]
        self.bic_ = np.log(weights.sum()) * np.array(counts) - 2 * np.array(likelihood)
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

    def _parameter_count(self, model: Any) -> float:
        """Coefficients and intercepts of a linear model, leaves of a tree, or the result of `count_parameters`."""
        if self.count_parameters is not None:
            return float(self.count_parameters(model))
        if hasattr(model, "coef_"):
            intercepts = np.size(model.intercept_) if getattr(model, "fit_intercept", True) else 0
            return float(np.count_nonzero(dense(model.coef_)) + intercepts)
        if hasattr(model, "get_n_leaves"):
            return float(model.get_n_leaves())
        raise ParameterError(
            f"{type(self).__name__}: cannot count the parameters of {type(model).__name__}; pass count_parameters"
        )

    @abstractmethod
    def _log_likelihood(self, model: Any, X: Any, target: Array, weight: Array) -> float: ...
