"""Grown trees as arrays, as engines know them."""

from ..engines.branching import BranchingTree as BranchingTree
from ..engines.planes import PlaneTree as PlaneTree
from ..engines.trees import Tree as Tree
