from .constructors import make_pipeline as make_pipeline
from .constructors import make_union as make_union
from .feature_union import FeatureUnion as FeatureUnion
from .pipeline import Pipeline as Pipeline
