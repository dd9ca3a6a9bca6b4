"""Mutation of individuals."""

from ..engines.evolution.mutation import flip_mutation as flip_mutation
from ..engines.evolution.mutation import gaussian_mutation as gaussian_mutation
from ..engines.evolution.mutation import polynomial_mutation as polynomial_mutation
from ..engines.evolution.mutation import reset_mutation as reset_mutation
from ..engines.evolution.mutation import swap_mutation as swap_mutation
