"""Selection of parents."""

from ..engines.evolution.selection import rank_selection as rank_selection
from ..engines.evolution.selection import roulette_selection as roulette_selection
from ..engines.evolution.selection import stochastic_universal_sampling as stochastic_universal_sampling
from ..engines.evolution.selection import tournament_selection as tournament_selection
