"""Which certificates are computed again, and how; every estimator stands in one of these tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.certificates import (
    chains,
    clusters,
    dictionaries,
    gradients,
    latent,
    least_squares,
    maps,
    margins,
    markov_chains,
    networks,
    ratings,
    rounds,
    smooth,
    spectra,
    trained_networks,
)

Case = Callable[[str, int], Any]
"""From the name of a class and a seed: the findings, or one."""

CASES: dict[Case, tuple[str, ...]] = {
    least_squares.elastic_net_gap: ("Lasso", "ElasticNet", "LassoCV", "ElasticNetCV"),
    least_squares.group_gap: ("MultiTaskLasso", "MultiTaskElasticNet", "MultiTaskLassoCV", "MultiTaskElasticNetCV"),
    least_squares.ridge_gap: ("Ridge", "RidgeCV", "RidgeClassifier", "RidgeClassifierCV"),
    least_squares.quantile_gap: ("QuantileRegressor",),
    least_squares.backward_error: (
        "LinearRegression", "WeightedLeastSquares", "LeastSquaresClassifier", "TransformedTargetRegressor",
    ),
    least_squares.path_optimality: ("Lars", "LarsCV", "LassoLars", "LassoLarsCV", "LassoLarsIC"),
    least_squares.orthogonality: ("OrthogonalMatchingPursuit", "OrthogonalMatchingPursuitCV"),
    smooth.logistic: ("LogisticRegression", "LogisticRegressionCV"),
    smooth.generalised: ("PoissonRegressor", "GammaRegressor", "TweedieRegressor"),
    smooth.robust: ("HuberRegressor", "LogCoshRegressor"),
    smooth.student: ("StudentTRegressor",),
    smooth.kernel_logistic: ("KernelLogisticRegression",),
    margins.violation: ("SVC", "SVR", "NuSVC", "NuSVR", "OneClassSVM"),
    margins.linear_gap: ("LinearSVC", "LinearSVR"),
    margins.kernel_ridge: ("KernelRidge",),
    latent.likelihood_gain: (
        "GaussianMixture", "BernoulliMixture", "CategoricalMixture", "GaussianHMM", "BernoulliHMM", "CategoricalHMM",
        "PoissonHMM", "MultinomialHMM",
    ),
    chains.emission_gain: tuple(chains.FAMILIES),
    chains.weakest_class: ("HMMClassifier",),
    chains.segment_gain: ("HiddenSemiMarkovModel",),
    chains.state_space_gain: ("LinearGaussianSSM",),
    chains.bound_gain: ("VariationalGaussianHMM", "VariationalCategoricalHMM"),
    spectra.components: ("PCA", "TruncatedSVD", "LatentSemanticAnalysis"),
    spectra.kernel_components: ("KernelPCA", "Isomap", "ClassicalMDS"),
    spectra.alignment: ("LocallyLinearEmbedding",),
    spectra.graph_vectors: ("DiffusionMap", "SpectralEmbedding", "SpectralClustering"),
    clusters.centroids: ("KMeans", "MiniBatchKMeans"),
    clusters.fuzzy: ("FuzzyCMeans",),
    clusters.radius: ("Birch",),
    clusters.singular_vectors: ("SpectralCoclustering", "SpectralBiclustering"),
    clusters.swaps: ("KMedoids",),
    clusters.medians: ("TheilSenRegressor",),
    clusters.modes: ("KModes",),
    clusters.kernel_means: ("KernelKMeans",),
    gradients.evidence: ("BayesianRidge", "ARDRegression"),
    gradients.network: ("MLPRegressor", "MLPClassifier"),
    trained_networks.trained: (
        "Autoencoder", "DenoisingAutoencoder", "SparseAutoencoder", "VariationalAutoencoder", "SharedAutoencoder",
        "ContrastiveEncoder", "SequenceClassifier", "SequenceRegressor",
    ),
    trained_networks.generator: ("SequenceGenerator",),
    trained_networks.passes: ("BernoulliRBM",),
    gradients.trained: ("NetworkRegressor", "NetworkClassifier"),
    gradients.stochastic: (
        "SGDRegressor", "SGDClassifier", "SGDOneClassSVM", "PassiveAggressiveClassifier", "PassiveAggressiveRegressor",
        "Perceptron",
    ),
    gradients.correlation: ("GradientDescentRegressor",),
    gradients.component_weights: ("PrincipalComponentRegression",),
    gradients.stages: ("StagewiseRegressor",),
    gradients.factorisation: ("FactorizationMachineRegressor", "FactorizationMachineClassifier"),
    rounds.boosting: (
        "AdditiveModel", "GradientBoostingRegressor", "GradientBoostingClassifier", "HistGradientBoostingRegressor",
        "HistGradientBoostingClassifier", "RegularizedBoostingRegressor", "RegularizedBoostingClassifier",
    ),
    rounds.ada_boost: ("AdaBoostClassifier", "AdaBoostRegressor"),
    rounds.mistakes: ("KernelPerceptron",),
    rounds.pocket: ("Pocket",),
    rounds.clean_sample: ("RANSACRegressor",),
    rounds.balanced: ("BalancedKMeans",),
    rounds.links: ("ConstrainedKMeans",),
    rounds.agreement: ("KPrototypes", "BisectingKMeans"),
    rounds.modes_move: ("MeanShift",),
    rounds.exemplars: ("AffinityPropagation",),
    rounds.loadings: ("FactorAnalysis",),
    rounds.missing_normal: ("GaussianImputer",),
    rounds.imputation: ("IterativeImputer",),
    rounds.directions: ("FastICA",),
    rounds.last_gain: ("PrincipalCurve", "BayesianGaussianMixture"),
    rounds.reconstruction: ("RobustPCA",),
    maps.divergence: ("TSNE",),
    maps.epochs: ("UMAP",),
    rounds.heavy_tails: ("StudentTMixture",),
    rounds.mixed_states: ("GMMHMM",),
    maps.stress: ("MDS",),
    maps.neighbour_accuracy: ("NeighborhoodComponentsAnalysis",),
    networks.single_arcs: ("BayesianNetwork",),
    rounds.atoms: ("DictionaryLearning",),
    rounds.nonnegative: ("NMF", "MiniBatchNMF"),
    rounds.sentences: ("CRF", "MaximumEntropyMarkovModel"),
    rounds.tags: ("StructuredPerceptron",),
    rounds.expectations: ("MaximumEntropyClassifier",),
    markov_chains.converged: (
        "BayesianLinearRegression", "BayesianLogisticRegression", "BayesianPoissonRegression", "HierarchicalRegression",
    ),
    ratings.biases: ("BaselineOnly",),
    ratings.confidences: ("AlternatingLeastSquares",),
    ratings.factors: ("MatrixFactorization",),
    dictionaries.pursuits: ("KSVD",),
    dictionaries.sparse_loadings: ("SparsePCA",),
    dictionaries.batches: ("MiniBatchDictionaryLearning", "MiniBatchSparsePCA"),
    rounds.left_out: ("GridSearchCV", "RandomizedSearchCV", "HalvingGridSearchCV", "HalvingRandomSearchCV"),
}  # fmt: skip
"""Certificates with a value, and what computes it again."""

ADOPTED = frozenset((
    "BayesianModelAveragingClassifier", "BayesianModelAveragingRegressor", "CalibratedClassifierCV", "ClassifierChain",
    "FixedThresholdClassifier", "MultiOutputClassifier", "MultiOutputRegressor", "NetworkFeatures",
    "OneVsOneClassifier",
    "OneVsRestClassifier", "OutputCodeClassifier", "Pipeline", "RegressorChain", "SelectFromModel",
    "StackingClassifier", "StackingRegressor", "TunedThresholdClassifierCV", "VotingClassifier", "VotingRegressor",
))  # fmt: skip
"""Composites whose certificate is that of a part, or of the weakest."""

NOT_TESTED = frozenset(("BayesianPersonalizedRanking", "LatentDirichletAllocation", "SVDpp"))
"""Methods of a given number of epochs, which say that how near an optimum is was not tested."""

EXACT = frozenset((
    "AdditiveChi2Sampler", "AgglomerativeClustering", "BaggingClassifier", "BaggingRegressor", "BasisExpansion",
    "BayesianNetworkClassifier", "BernoulliNB", "Binarizer", "C45Classifier", "CCA", "CategoricalNB",
    "ColumnTransformer", "ComplementNB",
    "ConditionalDensityFilter", "ContentRecommender", "CorrelationFilter", "CountVectorizer", "DBSCAN", "DateParts",
    "DecisionTreeClassifier", "DecisionTreeRegressor", "DensityAnomalyDetector", "DictVectorizer", "DropMissing",
    "DropMissingRows", "DummyClassifier", "DummyRegressor", "EASE", "ExhaustiveFeatureSelector",
    "ExtraTreeClassifier", "ExtraTreeRegressor", "ExtraTreesClassifier", "ExtraTreesRegressor",
    "FeatureAgglomeration", "FeatureCrosser", "FeatureHasher", "FeatureUnion", "FisherDiscriminant",
    "FunctionTransformer", "GaussianDensity", "GaussianNB", "GaussianRandomProjection", "GenerativeClassifier",
    "GenericUnivariateSelect", "HDBSCAN", "HMMTagger", "HashingVectorizer", "HistogramDensity", "ID3Classifier",
    "IncrementalPCA", "IsolationForest", "IsotonicRegression", "ItemKNN", "KBinsDiscretizer", "KNNImputer",
    "KNeighborsClassifier", "KNeighborsRegressor", "KNeighborsTransformer", "KernelCenterer", "KernelDensity",
    "LabelBinarizer", "LabelEncoder", "LandmarkFeatures", "LinearDiscriminantAnalysis", "LocalOutlierFactor",
    "LocallyWeightedRegressor", "MarkovChain", "MaxAbsScaler", "MinMaxScaler", "MissingIndicator", "MixedNB",
    "MultiLabelBinarizer", "MultinomialNB", "NearDuplicateUnderSampler", "NearestCentroid", "NearestNeighbors",
    "Normalizer", "Nystroem", "OPTICS", "ObliqueTreeClassifier", "OneHotEncoder", "OrdinalEncoder", "OutlierClipper",
    "OutlierRemover", "PLSCanonical", "PLSRegression", "PLSSVD", "PatchExtractor", "PolynomialCountSketch",
    "PolynomialFeatures", "Popularity", "PowerTransformer", "ProbabilisticPCA", "QuadraticDiscriminantAnalysis",
    "QuantileTransformer", "RBFSampler", "RFE", "RFECV", "RadiusNeighborsClassifier", "RadiusNeighborsRegressor",
    "RadiusNeighborsTransformer", "RandomForestClassifier", "RandomForestRegressor", "RandomOverSampler",
    "RandomTreesEmbedding", "RandomUnderSampler", "RobustScaler", "SMOTE", "SMOTENC", "SelectFdr", "SelectFpr",
    "SelectFwe", "SelectKBest", "SelectPercentile", "SequentialFeatureSelector", "SimpleImputer", "SkewedChi2Sampler",
    "SlopeOne", "SparseCoder", "SparseRandomProjection",
    "SplineTransformer", "StandardScaler", "TableVectorizer", "TargetEncoder", "TfidfTransformer", "TfidfVectorizer",
    "TimeSeriesFeatures", "UserKNN", "VarianceThreshold",
))  # fmt: skip
"""Closed forms, whose results have tests of their own; nothing else is said of them."""
