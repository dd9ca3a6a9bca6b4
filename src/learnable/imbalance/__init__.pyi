from .class_weight import compute_class_weight as compute_class_weight
from .class_weight import compute_sample_weight as compute_sample_weight
from .near_duplicate_under_sampler import NearDuplicateUnderSampler as NearDuplicateUnderSampler
from .random_over_sampler import RandomOverSampler as RandomOverSampler
from .random_under_sampler import RandomUnderSampler as RandomUnderSampler
from .smote import SMOTE as SMOTE
from .smotenc import SMOTENC as SMOTENC
