from .feature_union import FeatureUnion as FeatureUnion
from .make import make_pipeline as make_pipeline
from .make import make_union as make_union
from .sequence import Pipeline as Pipeline
