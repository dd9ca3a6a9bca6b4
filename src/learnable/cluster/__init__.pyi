from .functions import k_means as k_means
from .functions import kmeans_plusplus as kmeans_plusplus
from .k_medoids import KMedoids as KMedoids
from .kmeans import KMeans as KMeans
from .mini_batch_kmeans import MiniBatchKMeans as MiniBatchKMeans
