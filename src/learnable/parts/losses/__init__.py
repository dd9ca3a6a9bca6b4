"""Losses: what a score costs when the target is known."""

from .absolute import Absolute
from .epsilon_insensitive import EpsilonInsensitive
from .gamma import Gamma
from .huber import Huber
from .log_cosh import LogCosh
from .loss import Loss
from .poisson import Poisson
from .quantile import Quantile
from .squared import Squared
from .squared_epsilon_insensitive import SquaredEpsilonInsensitive
from .student_t import StudentT
from .tweedie import Tweedie

__all__ = [
    "Absolute",
    "EpsilonInsensitive",
    "Gamma",
    "Huber",
    "LogCosh",
    "Loss",
    "Poisson",
    "Quantile",
    "Squared",
    "SquaredEpsilonInsensitive",
    "StudentT",
    "Tweedie",
]
