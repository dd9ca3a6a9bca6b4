from .additive_chi2_sampler import AdditiveChi2Sampler as AdditiveChi2Sampler
from .nystroem import Nystroem as Nystroem
from .polynomial_count_sketch import PolynomialCountSketch as PolynomialCountSketch
from .rbf_sampler import RBFSampler as RBFSampler
from .skewed_chi2_sampler import SkewedChi2Sampler as SkewedChi2Sampler
