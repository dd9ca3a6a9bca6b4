"""The grown tree itself."""

from ..engines.trees import Tree as Tree
