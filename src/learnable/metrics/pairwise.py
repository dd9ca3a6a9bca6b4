"""Distances and kernels between all rows of two tables, at scikit-learn's import path."""

from ._row_pairs import check_paired_arrays as check_paired_arrays
from ._row_pairs import check_pairwise_arrays as check_pairwise_arrays
from .distance_functions import cosine_distances as cosine_distances
from .distance_functions import euclidean_distances as euclidean_distances
from .distance_functions import haversine_distances as haversine_distances
from .distance_functions import manhattan_distances as manhattan_distances
from .distance_functions import nan_euclidean_distances as nan_euclidean_distances
from .distance_functions import paired_cosine_distances as paired_cosine_distances
from .distance_functions import paired_euclidean_distances as paired_euclidean_distances
from .distance_functions import paired_manhattan_distances as paired_manhattan_distances
from .distances import distance_metrics as distance_metrics
from .distances import paired_distances as paired_distances
from .distances import pairwise_distances as pairwise_distances
from .distances import pairwise_distances_argmin as pairwise_distances_argmin
from .distances import pairwise_distances_argmin_min as pairwise_distances_argmin_min
from .distances import pairwise_distances_chunked as pairwise_distances_chunked
from .gower import gower_distances as gower_distances
from .kernel_functions import additive_chi2_kernel as additive_chi2_kernel
from .kernel_functions import chi2_kernel as chi2_kernel
from .kernel_functions import cosine_similarity as cosine_similarity
from .kernel_functions import kernel_metrics as kernel_metrics
from .kernel_functions import laplacian_kernel as laplacian_kernel
from .kernel_functions import linear_kernel as linear_kernel
from .kernel_functions import pairwise_kernels as pairwise_kernels
from .kernel_functions import polynomial_kernel as polynomial_kernel
from .kernel_functions import rbf_kernel as rbf_kernel
from .kernel_functions import sigmoid_kernel as sigmoid_kernel

PAIRWISE_DISTANCE_FUNCTIONS = distance_metrics()
PAIRWISE_KERNEL_FUNCTIONS = kernel_metrics()
