"""Parameters of linear models by stochastic gradient descent."""

from __future__ import annotations

from abc import abstractmethod
from typing import Literal

from ...core import Estimator, Traits, declaring, learned, param
from ...core.runtime.random import RandomState
from ...engines.sparse_coefficients import SparseCoefficients
from .sgd_base import SGDConfig

RateName = Literal["constant", "optimal", "invscaling", "adaptive", "pa1", "pa2"]


@declaring
class SGDEstimator(SparseCoefficients, Estimator):
    """Base class of linear models by stochastic gradient descent; `_sgd_config` configures the steps."""

    fit_intercept: bool = param(True, "whether to fit an intercept")
    max_iter: int = param(1000, "maximum number of epochs", at_least=1)
    tol: float | None = param(1e-3, "improvement per epoch below which the fit ends (None: after max_iter)", at_least=0)
    shuffle: bool = param(True, "whether to shuffle the rows in every epoch")
    verbose: int = param(0, "accepted for compatibility; use learnable.progress()")
    random_state: RandomState = param(None, "seed of the row order and of the validation split")
    early_stopping: bool = param(False, "whether to stop by the score of a validation set instead of the objective")
    validation_fraction: float = param(0.1, "fraction of the rows in the validation set", above=0, below=1)
    n_iter_no_change: int = param(5, "epochs without improvement before the fit ends", at_least=1)
    warm_start: bool = param(False, "whether fit starts from the previous coefficients")
    n_iter_: int = learned("number of epochs")
    t_: float = learned("number of the next step", least=0)

    traits = Traits(sparse=True, storage="csr", stochastic=True)

    @abstractmethod
    def _sgd_config(self) -> SGDConfig:
        """Loss, penalty and learning rate."""


@declaring
class GradientDescentParams(SGDEstimator):
    """Parameters of SGD with a loss and a penalty."""

    penalty: Literal["l2", "l1", "elasticnet"] | None = param("l2", "penalty of the coefficients")
    alpha: float = param(
        0.0001, "regularisation strength", at_least=0, tune=(1e-6, 1e-5, 1e-4, 1e-3, 1e-2), simpler="larger"
    )
    l1_ratio: float | None = param(0.15, "fraction of the l1 part in an elastic net", between=(0, 1))
    epsilon: float = param(0.1, "threshold of the Huber and epsilon-insensitive losses", at_least=0)
    eta0: float = param(0.01, "initial learning rate, or the aggressiveness C of pa1 and pa2", above=0)


@declaring
class PassiveAggressiveParams(SGDEstimator):
    """Parameters of passive-aggressive models."""

    C: float = param(
        1.0,
        "aggressiveness: upper bound of the step",
        above=0,
        infinite=True,
        tune=(0.01, 0.1, 1.0, 10.0, 100.0),
        simpler="smaller",
    )
