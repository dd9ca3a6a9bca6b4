"""Fitted trees as arrays."""

from ..engines.trees.multiway_tree import BranchingTree as BranchingTree
from ..engines.trees.oblique_tree import PlaneTree as PlaneTree
from ..engines.trees.tree import Tree as Tree
