"""Penalties: what weights cost, and how they are shrunk."""

from .elastic_net import ElasticNet
from .free import Free
from .group_l2 import GroupL2
from .l1 import L1
from .l2 import L2
from .penalty import Penalty
from .soft_threshold import soft_threshold

__all__ = ["L1", "L2", "ElasticNet", "Free", "GroupL2", "Penalty", "soft_threshold"]
