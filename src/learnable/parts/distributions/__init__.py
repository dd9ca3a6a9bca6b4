"""Distributions of one variable: estimated from sums of weighted values, asked for log densities and samples.

A family says which sums it needs (`summary`, `joined`, `parted`), makes a distribution of them (`from_summary`, with
made-up observations at what is typical), and a distribution answers `log_density`, `mean`, `variance` and `sample`.
"""

from .bernoulli import Bernoulli as Bernoulli
from .categorical import Categorical as Categorical
from .distribution import Distribution as Distribution
from .distribution import Sums as Sums
from .exponential import Exponential as Exponential
from .kernel_density import KernelSum as KernelSum
from .normal import Normal as Normal
from .poisson import Poisson as Poisson

FAMILIES: dict[str, type[Distribution]] = {
    "gaussian": Normal,
    "bernoulli": Bernoulli,
    "categorical": Categorical,
    "poisson": Poisson,
    "exponential": Exponential,
    "kde": KernelSum,
}
