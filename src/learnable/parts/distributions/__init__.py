"""Univariate distributions: estimated from sufficient statistics, with log densities and samples.

A family computes its sufficient statistics (`summary`, `add`, `subtract`) and makes a distribution of them
(`from_summary`, with pseudo-counts at typical values); a distribution has `log_density`, `mean`, `variance`, `sample`.
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
