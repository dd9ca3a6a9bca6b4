"""Scores of clusters, under the path where people look for them."""

from .biclusters import consensus_score as consensus_score
from .cluster_shape import calinski_harabasz_score as calinski_harabasz_score
from .cluster_shape import davies_bouldin_score as davies_bouldin_score
from .cluster_shape import silhouette_samples as silhouette_samples
from .cluster_shape import silhouette_score as silhouette_score
from .clustering_agreement import adjusted_mutual_info_score as adjusted_mutual_info_score
from .clustering_agreement import adjusted_rand_score as adjusted_rand_score
from .clustering_agreement import completeness_score as completeness_score
from .clustering_agreement import contingency_matrix as contingency_matrix
from .clustering_agreement import fowlkes_mallows_score as fowlkes_mallows_score
from .clustering_agreement import homogeneity_completeness_v_measure as homogeneity_completeness_v_measure
from .clustering_agreement import homogeneity_score as homogeneity_score
from .clustering_agreement import mutual_info_score as mutual_info_score
from .clustering_agreement import normalized_mutual_info_score as normalized_mutual_info_score
from .clustering_agreement import pair_confusion_matrix as pair_confusion_matrix
from .clustering_agreement import rand_score as rand_score
from .clustering_agreement import v_measure_score as v_measure_score
