"""Kinds of genes."""

from ..engines.evolution.genes import Bits as Bits
from ..engines.evolution.genes import Integers as Integers
from ..engines.evolution.genes import Permutation as Permutation
from ..engines.evolution.genes import Reals as Reals
