"""Evolutionary computation: what a generation costs besides the function, and evaluations to a target."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.contenders import attribute, package
from benchmarks.task import AtMost, Contender, Data, Near, Output, Quality, Task


def settings(**sizes: int) -> Data:
    return sizes


def first_variable(x: Any) -> float:
    """A function that costs nothing."""
    return float(x[0])


def ellipsoid(x: Any) -> float:
    return float((10 ** (6 * np.arange(len(x)) / (len(x) - 1)) * np.asarray(x) ** 2).sum())


def differential(name: str, where: str, kind: Any = "peer") -> Contender:
    def prepare(data: Data) -> Callable[[], Any]:
        call = attribute(where)
        box = [(-5.0, 5.0)] * data["d"]
        return lambda: call(first_variable, box, maxiter=data["generations"], tol=0, polish=False, rng=0)

    return Contender(name, prepare, lambda found: {"value": found.fun}, needs=(package(where),), kind=kind)


def ones_by_ours(data: Data) -> Callable[[], Any]:
    from learnable.evolution import Bits, GeneticAlgorithm

    search = GeneticAlgorithm(
        Bits(data["bits"]), population_size=data["n"], max_generations=data["generations"], vectorized=True,
        mutation_rate=0.01, crossover_rate=0.8, random_state=0,
    )  # fmt: skip
    return lambda: search.maximize(lambda rows: rows.sum(axis=1)).best_fitness_


def ones_by_deap(data: Data) -> Callable[[], Any]:
    import random

    from deap import algorithms, base, creator, tools

    if not hasattr(creator, "Most"):
        creator.create("Most", base.Fitness, weights=(1.0,))
        creator.create("Ones", list, fitness=creator.Most)
    box = base.Toolbox()
    box.register("bit", random.randint, 0, 1)
    box.register("individual", tools.initRepeat, creator.Ones, box.bit, data["bits"])
    box.register("population", tools.initRepeat, list, box.individual)
    box.register("evaluate", lambda bits: (sum(bits),))
    box.register("mate", tools.cxTwoPoint)
    box.register("mutate", tools.mutFlipBit, indpb=0.01)
    box.register("select", tools.selTournament, tournsize=3)

    def call() -> float:
        random.seed(0)
        population, _ = algorithms.eaSimple(
            box.population(data["n"]), box, 0.8, 1.0, data["generations"], verbose=False
        )
        return float(max(sum(bits) for bits in population))

    return call


def cma_by_ours(data: Data) -> Callable[[], Any]:
    from learnable.evolution import cma_es

    return lambda: cma_es(ellipsoid, np.full(data["d"], 2.0), 0.5, ftarget=1e-9, rng=0).fun


def cma_by_pycma(data: Data) -> Callable[[], Any]:
    import cma

    options = {"verbose": -9, "ftarget": 1e-9, "seed": 1}
    return lambda: cma.fmin2(ellipsoid, np.full(data["d"], 2.0), 0.5, options)[1].result.fbest


def read_value(value: Any) -> Output:
    return {"value": float(value)}


def value_of(data: Data, output: Output) -> float:
    return float(output["value"])


def missing_ones(data: Data, output: Output) -> float:
    return float(data["bits"] - output["value"])


TASKS = (
    Task(
        "differential_evolution", __name__, "{generations} generations of {d} variables, a function that costs nothing",
        settings, {"generations": 100, "d": 10}, {"generations": 3, "d": 2},
        (
            differential("learnable", "learnable.evolution:differential_evolution", "ours"),
            differential("SciPy", "scipy.optimize:differential_evolution"),
        ),
        Quality("value", value_of, Near(1e-2)),
    ),
    Task(
        "genetic_algorithm", __name__, "{generations} generations of {n} strings of {bits} bits", settings,
        {"generations": 60, "n": 300, "bits": 100}, {"generations": 2, "n": 10, "bits": 5},
        (
            Contender("learnable", ones_by_ours, read_value, kind="ours"),
            Contender("DEAP", ones_by_deap, read_value, needs=("deap",)),
        ),
        Quality("missing ones", missing_ones, AtMost(5)),
    ),
    Task(
        "cma_es", __name__, "an ellipsoid of {d} variables to 1e-9", settings, {"d": 20}, {"d": 2},
        (
            Contender("learnable", cma_by_ours, read_value, kind="ours"),
            Contender("pycma", cma_by_pycma, read_value, needs=("cma",)),
        ),
        Quality("value", value_of, AtMost(1e-9)),
    ),
)  # fmt: skip
