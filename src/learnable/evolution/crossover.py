"""Crossover of the genes of two parents."""

from ..engines.evolution.crossover import blend_crossover as blend_crossover
from ..engines.evolution.crossover import one_point_crossover as one_point_crossover
from ..engines.evolution.crossover import order_crossover as order_crossover
from ..engines.evolution.crossover import partially_mapped_crossover as partially_mapped_crossover
from ..engines.evolution.crossover import simulated_binary_crossover as simulated_binary_crossover
from ..engines.evolution.crossover import two_point_crossover as two_point_crossover
from ..engines.evolution.crossover import uniform_crossover as uniform_crossover
