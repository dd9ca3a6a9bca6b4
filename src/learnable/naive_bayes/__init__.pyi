from .bernoulli_nb import BernoulliNB as BernoulliNB
from .categorical_nb import CategoricalNB as CategoricalNB
from .complement_nb import ComplementNB as ComplementNB
from .gaussian_nb import GaussianNB as GaussianNB
from .generative_classifier import GenerativeClassifier as GenerativeClassifier
from .mixed_nb import MixedNB as MixedNB
from .multinomial_nb import MultinomialNB as MultinomialNB
