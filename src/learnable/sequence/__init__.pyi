from .bernoulli_hmm import BernoulliHMM as BernoulliHMM
from .categorical_hmm import CategoricalHMM as CategoricalHMM
from .gaussian_hmm import GaussianHMM as GaussianHMM
from .gmm_hmm import GMMHMM as GMMHMM
from .multinomial_hmm import MultinomialHMM as MultinomialHMM
from .poisson_hmm import PoissonHMM as PoissonHMM
