"""The kernels themselves, under their public names."""

from ..parts.kernels import AdditiveChiSquared as AdditiveChiSquared
from ..parts.kernels import ChiSquared as ChiSquared
from ..parts.kernels import Cosine as Cosine
from ..parts.kernels import Custom as Custom
from ..parts.kernels import Gaussian as Gaussian
from ..parts.kernels import Kernel as Kernel
from ..parts.kernels import Laplacian as Laplacian
from ..parts.kernels import Linear as Linear
from ..parts.kernels import Polynomial as Polynomial
from ..parts.kernels import Precomputed as Precomputed
from ..parts.kernels import Product as Product
from ..parts.kernels import Scaled as Scaled
from ..parts.kernels import Sigmoid as Sigmoid
from ..parts.kernels import Sum as Sum
