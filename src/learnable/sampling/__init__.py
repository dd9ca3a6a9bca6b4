"""Markov chain Monte Carlo: draws from log densities, their diagnostics, and Bayesian regressions.

`sample(log_density, initial)` draws from any density, by default with NUTS, and returns `Draws`: arrays of shape
(chain, draw, ...) by name, with the statistics of the sampler, a trace and a certificate. Samplers are classes with
parameters, `NUTS(target_accept=0.9).sample(log_density, initial)`; `sample(..., method="nuts")` is short for that.

- `initial` is a vector, or a dict of numbers and arrays by name. The density is called with the vector, or with the
  entries of the dict as keyword arguments. An array with one more axis gives each chain its own start; otherwise chains
  start at random points around `initial`.
- `gradient` is a function of the same arguments; or True if the density returns (value, gradient). Without it the
  density is differentiated by `learnable.tape` if it is written in operations of tensors, else by differences.
- `bounds={"tau": (0, inf)}` limits parameters to an interval: chains move on a transformed scale without bounds.
- Each chain has its own stream of random numbers, so that threads and the number of chains never change its draws.
- `watch`, `progress`, `budget` and `checkpoint` hold for every run. A run that is stopped returns the draws so far.
- The certificate holds if R-hat is at most 1.01 and the effective sample size at least 400 for every quantity.
"""

from ..lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
