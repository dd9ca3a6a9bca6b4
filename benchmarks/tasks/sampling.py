"""Markov chain Monte Carlo: the first posterior of a process, a logistic posterior, and ensembles of walkers."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.task import AtMost, Contender, Data, Output, Quality, Task

REFERENCE = 4.41051834  # posterior mean of mu of the eight schools, posteriordb
OURS = """
import numpy as np
from learnable.sampling import sample
y, s = np.array([28., 8, -3, 7, -1, 1, 18, 12]), np.array([15., 10, 16, 11, 9, 11, 10, 18])
def log_density(mu, tau, z):
    fit = -0.5 * (((y - mu - tau * z) / s) ** 2).sum() - 0.5 * (z * z).sum()
    return fit - 0.5 * (mu / 5) ** 2 - np.log(1 + (tau / 5) ** 2)
start = {"mu": 0.0, "tau": 1.0, "z": np.zeros(8)}
print(sample(log_density, start, bounds={"tau": (0, None)}, random_state=0)["mu"].mean())
"""
NUMPYRO = """
import jax, numpy as np, numpyro, numpyro.distributions as dist
from numpyro.infer import MCMC, NUTS
y, s = np.array([28., 8, -3, 7, -1, 1, 18, 12]), np.array([15., 10, 16, 11, 9, 11, 10, 18])
def model():
    mu, tau = numpyro.sample("mu", dist.Normal(0, 5)), numpyro.sample("tau", dist.HalfCauchy(5))
    with numpyro.plate("schools", 8):
        z = numpyro.sample("z", dist.Normal(0, 1))
        numpyro.sample("y", dist.Normal(mu + tau * z, s), obs=y)
mcmc = MCMC(NUTS(model), num_warmup=1000, num_samples=1000, num_chains=4, chain_method="sequential", progress_bar=False)
mcmc.run(jax.random.PRNGKey(0))
print(float(mcmc.get_samples()["mu"].mean()))
"""


def schools(n: int) -> Data:
    return {"y": np.zeros(n)}  # the programs hold the data


def starts(n: int, p: int, steps: int) -> Data:
    return {"X": np.random.default_rng(0).standard_normal((n, p)), "steps": steps}


def cold(program: str) -> Callable[[Data], Callable[[], Any]]:
    """A program in a new process, imports and compilation included."""

    def prepare(data: Data) -> Callable[[], Any]:
        command = [sys.executable, "-W", "ignore", "-c", program]
        return lambda: float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)

    return prepare


def logistic(n: int, p: int) -> Data:
    random = np.random.default_rng(0)
    X = random.standard_normal((n, p))
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    y = (X @ random.standard_normal(p) / np.sqrt(p) * 2 + random.logistic(size=n) > 0).astype(float)
    return {"X": X, "y": y}


def logistic_by_ours(data: Data) -> Callable[[], Any]:
    from learnable.sampling import BayesianLogisticRegression

    def call() -> Any:
        model = BayesianLogisticRegression(random_state=0).fit(data["X"], data["y"])
        return np.concatenate([model.intercept_draws_[..., None], model.coef_draws_], axis=2)

    return call


def logistic_by_numpyro(data: Data) -> Callable[[], Any]:
    import jax
    import numpyro
    import numpyro.distributions as dist
    from numpyro.infer import MCMC, NUTS

    jax.config.update("jax_enable_x64", True)
    X = np.column_stack([np.ones(len(data["y"])), data["X"]])

    def model() -> None:
        coef = numpyro.sample("coef", dist.Normal(0, 2.5).expand([X.shape[1]]))
        numpyro.sample("y", dist.Bernoulli(logits=X @ coef), obs=data["y"])

    runs = MCMC(NUTS(model), num_warmup=1000, num_samples=1000, num_chains=4, chain_method="sequential",
                progress_bar=False)  # fmt: skip
    runs.run(jax.random.PRNGKey(0))  # compiles

    def call() -> Any:
        runs.run(jax.random.PRNGKey(1))
        return np.asarray(runs.get_samples(group_by_chain=True)["coef"])

    return call


def least_size(draws: Any) -> Output:
    from learnable.sampling import effective_sample_size

    return {"least": float(np.min(effective_sample_size(draws)))}


def shortfall(data: Data, output: Output) -> float:
    """By how much the smallest effective sample size falls short of 2000 of 4000 draws, relatively."""
    return max(0.0, 1 - output["least"] / 2000)


def normal_rows(X: Any) -> Any:
    return -0.5 * (X * X).sum(axis=-1)


def walkers(where: str) -> Callable[[Data], Callable[[], Any]]:
    """An ensemble of walkers on a normal density of all rows at once."""

    def prepare(data: Data) -> Callable[[], Any]:
        if where == "emcee":
            from emcee import EnsembleSampler
        else:
            from learnable.sampling import EnsembleSampler

        def call() -> Any:
            sampler = EnsembleSampler(*data["X"].shape, normal_rows, vectorize=True)
            sampler.run_mcmc(data["X"], data["steps"])
            return sampler.get_chain(discard=100, flat=True)

        return call

    return prepare


def variance_error(data: Data, output: Output) -> float:
    return abs(output["variance"] - 1)


def from_reference(data: Data, output: Output) -> float:
    return abs(output["mean"] - REFERENCE)


def read_mean(mean: float) -> Output:
    return {"mean": mean}


def read_variance(draws: Any) -> Output:
    return {"variance": float(np.asarray(draws).var())}


TASKS = (
    Task(
        "eight_schools_cold", __name__, "{n} schools in a new process, 4 chains of 1000 + 1000 draws",
        schools, {"n": 8}, {"n": 8},
        (
            Contender("learnable", cold(OURS), read_mean, kind="ours"),
            Contender("NumPyro", cold(NUMPYRO), read_mean, needs=("numpyro",)),
        ),
        Quality("distance from the reference mean", from_reference, AtMost(0.4)),
    ),
    Task(
        "logistic_posterior", __name__, "{n} x {p}, 4 chains of 1000 + 1000 draws, warm", logistic,
        {"n": 1000, "p": 50}, {"n": 100, "p": 3},
        (
            Contender("learnable", logistic_by_ours, least_size, kind="ours"),
            Contender("NumPyro", logistic_by_numpyro, least_size, needs=("numpyro",)),
        ),
        Quality("effective draws short of half of all", shortfall, AtMost(0.5)),
    ),
    Task(
        "ensemble", __name__, "{n} walkers of {p} parameters, {steps} steps, rows at once", starts,
        {"n": 32, "p": 5, "steps": 5000}, {"n": 12, "p": 2, "steps": 1000},
        (
            Contender("learnable", walkers("learnable"), read_variance, kind="ours"),
            Contender("emcee", walkers("emcee"), read_variance, needs=("emcee",)),
        ),
        Quality("error of the variance", variance_error, AtMost(0.3)),
    ),
)  # fmt: skip
