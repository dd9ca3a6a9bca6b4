"""
A genetic algorithm packs a knapsack
====================================

A population of bit strings evolves: fitter individuals are selected as parents more often, pairs of
parents exchange genes, and a few genes mutate. The fitness is the value of what is packed, or zero
if it is too heavy.
"""

# %%
# The fitness curve
# -----------------
# Elitism keeps the best individual, so that the best fitness never falls. Mean and worst show how
# diverse the population still is.

import matplotlib.pyplot as plt
import numpy as np

from learnable.evolution import (
    Bits,
    GeneticAlgorithm,
    Permutation,
    Reals,
    cma_es,
    differential_evolution,
    hypervolume,
    nsga2,
    particle_swarm,
)
from learnable.plot import FitnessDisplay

rng = np.random.default_rng(0)
weight, value = rng.integers(5, 40, 30), rng.integers(5, 60, 30)


def packed(bits):
    return float(value @ bits) if weight @ bits <= 300 else 0.0


search = GeneticAlgorithm(Bits(30), population_size=60, max_generations=60, random_state=0)
search.maximize(packed)
FitnessDisplay.from_search(search)
plt.show()
print(f"value {search.best_fitness_:.0f}, weight {weight @ search.best_} of 300")

# %%
# Selection pressure
# ------------------
# Large tournaments let the best take over quickly; the roulette wheel hardly distinguishes values
# that are nearly equal.

fig, ax = plt.subplots()
for selection in ("tournament", "rank", "sus", "roulette"):
    search.set_params(selection=selection).maximize(packed)
    ax.plot(search.trace_["mean"], label=selection)
ax.set(xlabel="generation", ylabel="mean fitness")
ax.legend(frameon=False)
plt.show()

# %%
# Permutations: a short tour
# --------------------------
# Order crossover keeps a section of one parent, and fills up in the order of the other one.

cities = rng.random((18, 2))
apart = np.hypot(*(cities[:, None] - cities).transpose(2, 0, 1))


def length(order):
    return float(apart[order, np.roll(order, -1)].sum())


tour = GeneticAlgorithm(
    Permutation(18), population_size=150, max_generations=250, n_islands=2, random_state=0
).minimize(length)
path = cities[np.append(tour.best_, tour.best_[0])]
fig, ax = plt.subplots(figsize=(4.6, 4.6))
ax.plot(*path.T, "o-")
ax.set(aspect="equal", title=f"length {tour.best_fitness_:.2f}", xticks=[], yticks=[])
plt.show()

# %%
# Real numbers: five methods on one valley
# ----------------------------------------
# The curved valley of Rosenbrock in four dimensions: best value against the number of evaluations.
# CMA-ES adapts the shape of its search distribution to the valley.


def valley(x):
    return float((100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum())


box = [(-5, 5)] * 4
traces = {
    "genetic algorithm": GeneticAlgorithm(Reals(-5, 5, 4), max_generations=150, random_state=0)
    .minimize(valley)
    .trace_,
    "differential evolution": differential_evolution(valley, box, polish=False, rng=0).trace,
    "particle swarm": particle_swarm(valley, box, rng=0).trace,
    "CMA-ES": cma_es(valley, np.zeros(4), 1.0, rng=0).trace,
}
fig, ax = plt.subplots()
for name, trace in traces.items():
    ax.semilogy(trace["evaluations"], np.maximum(trace["objective"], 1e-15), label=name)
ax.set(xlabel="evaluations", ylabel="best value", xlim=(0, 15_000))
ax.legend(frameon=False)
plt.show()

# %%
# Two objectives: a front
# -----------------------
# NSGA-II returns individuals of which none is worse than another in both objectives.


def objectives(x):
    return (x[0] ** 2 + x[1] ** 2, (x[0] - 1) ** 2 + (x[1] - 1) ** 2)


front = nsga2(objectives, Reals(-2, 2, 2), population_size=60, maxiter=60, rng=0)
fig, ax = plt.subplots(figsize=(4.6, 4.6))
ax.plot(*front.fun.T, "o", markersize=3)
ax.set(xlabel="distance to (0, 0), squared", ylabel="distance to (1, 1), squared")
plt.show()
print(f"hypervolume below (3, 3): {hypervolume(front.fun, [3.0, 3.0]):.3f}")
