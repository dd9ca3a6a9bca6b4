"""What linear models that learn from one row at a time declare alike."""

from __future__ import annotations

from abc import abstractmethod
from typing import Literal

from ...core import Estimator, declaring, learned, param
from ...core.runtime.random import RandomState
from ...engines.sparse_coefficients import SparseCoefficients
from .sgd_base import Course

RateName = Literal["constant", "optimal", "invscaling", "adaptive", "pa1", "pa2"]


@declaring
class Stochastic(SparseCoefficients, Estimator):
    """A linear model that goes through the rows in epochs; `_course` says which steps it takes."""

    fit_intercept: bool = param(True, "whether to learn a constant term")
    max_iter: int = param(1000, "most epochs", at_least=1)
    tol: float | None = param(1e-3, "gain per epoch below which the fit ends (None: after max_iter)", at_least=0)
    shuffle: bool = param(True, "whether every epoch draws a new order of the rows")
    verbose: int = param(0, "accepted for compatibility; use learnable.progress()")
    random_state: RandomState = param(None, "seed of the orders and of the validation rows")
    early_stopping: bool = param(False, "whether the score of validation rows, not the objective, ends the fit")
    validation_fraction: float = param(0.1, "share of the rows kept for validation", above=0, below=1)
    n_iter_no_change: int = param(5, "epochs without gain that end the fit", at_least=1)
    warm_start: bool = param(False, "whether fit starts from the last weights")
    n_iter_: int = learned("epochs done")
    t_: float = learned("number of the next step")

    sparse = True
    storage = "csr"
    stochastic = True

    @abstractmethod
    def _course(self) -> Course:
        """Loss, penalty and rate of the steps."""


@declaring
class Descent(Stochastic):
    """One whose steps go down the slope of a loss and a penalty."""

    penalty: Literal["l2", "l1", "elasticnet"] | None = param("l2", "what weights cost")
    alpha: float = param(
        0.0001, "strength of the penalty", at_least=0, tune=(1e-6, 1e-5, 1e-4, 1e-3, 1e-2), simpler="larger"
    )
    l1_ratio: float | None = param(0.15, "share of the absolute part of an elastic net", between=(0, 1))
    epsilon: float = param(0.1, "where the losses of numbers with a tube or a bend have it", at_least=0)
    eta0: float = param(0.01, "rate of the first step, or aggressiveness of pa1 and pa2", above=0)


@declaring
class Aggressive(Stochastic):
    """One whose steps are as long as a row needs, up to `C`."""

    C: float = param(1.0, "longest step", above=0, infinite=True, tune=(0.01, 0.1, 1.0, 10.0, 100.0), simpler="smaller")
