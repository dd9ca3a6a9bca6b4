"""Grown trees as arrays, as engines know them."""

from ..engines.branching import BranchingTree as BranchingTree
from ..engines.trees import Tree as Tree
