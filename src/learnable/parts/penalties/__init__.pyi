from ._soft_threshold import soft_threshold as soft_threshold
from .elastic_net import ElasticNet as ElasticNet
from .group_l2 import GroupL2 as GroupL2
from .l1 import L1 as L1
from .l2 import L2 as L2
from .no_penalty import Free as Free
from .penalty import Penalty as Penalty
