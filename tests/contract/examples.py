"""Parameters for classes that cannot be made without any, such as those built of other estimators, or only wide.

Others have fewer rounds than by default, of which each does the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn.experimental import enable_halving_search_cv, enable_iterative_imputer  # noqa: F401  else hidden

import learnable
from tests.toys import ToyMeans, ToyRidge, ToyScaler


def _tuned() -> dict[str, Any]:
    return {"estimator": learnable.Ridge(), "cv": 2, "error_score": "raise", "scoring": "explained_variance"}


_SEQUENCES = {"learning_rate_init": 0.05, "max_iter": 30, "precision": "float64"}

EXAMPLES: dict[str, Callable[[], dict[str, Any]]] = {
    "LogisticRegressionCV": lambda: {
        "l1_ratios": (0,),
        "scoring": "neg_log_loss",
        "use_legacy_attributes": False,
        "cv": 2,
        "Cs": 3,
    },
    "ColumnTransformer": lambda: {"transformers": [("all", ToyScaler(), slice(0, None))]},
    "FeatureUnion": lambda: {"transformer_list": [("scaled", ToyScaler()), ("other", ToyScaler(floor=2.0))]},
    "GaussianProcessRegressor": lambda: {"alpha": 0.01},  # which copies of a row can share
    "SelfTrainingClassifier": lambda: {"estimator": ToyMeans()},
    "CoTrainingClassifier": lambda: {"estimator": learnable.BernoulliNB()},
    "SemiSupervisedEM": lambda: {"estimator": learnable.BernoulliNB()},
    "HMMClassifier": lambda: {"estimator": learnable.GaussianHMM(n_components=2, n_iter=100, random_state=0)},
    "LinearSVR": lambda: {"max_iter": 100_000},
    "Pocket": lambda: {"max_iter": 100},
    "GradientBoostingClassifier": lambda: {"n_estimators": 20},
    "GradientBoostingRegressor": lambda: {"n_estimators": 20},
    "AdaBoostClassifier": lambda: {"n_estimators": 10},
    "AdaBoostRegressor": lambda: {"n_estimators": 10},
    "IsolationForest": lambda: {"n_estimators": 20},
    "FunctionTransformer": lambda: {"validate": True},
    "OneHotEncoder": lambda: {"handle_unknown": "ignore"},
    "OrdinalEncoder": lambda: {"handle_unknown": "use_encoded_value", "unknown_value": -1},
    "BasisExpansion": lambda: {"functions": ["identity", "sin", ("power", 1)]},
    "FeatureCrosser": lambda: {"n_bins": 3},
    "OneVsRestClassifier": lambda: {"estimator": ToyMeans()},
    "OneVsOneClassifier": lambda: {"estimator": ToyMeans()},
    "OutputCodeClassifier": lambda: {"estimator": ToyMeans(), "code_size": 8},
    "CalibratedClassifierCV": lambda: {"estimator": ToyMeans(), "cv": 2},
    "MultiOutputClassifier": lambda: {"estimator": ToyMeans()},
    "MultiOutputRegressor": lambda: {"estimator": ToyRidge()},
    "ClassifierChain": lambda: {"estimator": ToyMeans()},
    "RegressorChain": lambda: {"estimator": ToyRidge()},
    "VotingClassifier": lambda: {"estimators": [("a", ToyMeans()), ("b", ToyMeans())]},
    "VotingRegressor": lambda: {"estimators": [("a", ToyRidge()), ("b", ToyRidge(alpha=2.0))]},
    "StackingClassifier": lambda: {"estimators": [("a", ToyMeans())], "final_estimator": ToyMeans(), "cv": 2},
    "StackingRegressor": lambda: {"estimators": [("a", ToyRidge())], "final_estimator": ToyRidge(), "cv": 2},
    "BayesianModelAveragingClassifier": lambda: {"estimators": [("a", learnable.LinearDiscriminantAnalysis())]},
    "BayesianModelAveragingRegressor": lambda: {"estimators": [("a", ToyRidge()), ("b", ToyRidge(alpha=2.0))]},
    "GaussianRandomProjection": lambda: {"n_components": 2},
    "SparseRandomProjection": lambda: {"n_components": 2},
    "PLSRegression": lambda: {"n_components": 1},
    "PLSCanonical": lambda: {"n_components": 1},
    "PLSSVD": lambda: {"n_components": 1},
    "CCA": lambda: {"n_components": 1},
    "TSNE": lambda: {"perplexity": 3.0},
    "SparseCoder": lambda: {"dictionary": None},
    "MiniBatchNMF": lambda: {"tol": 1e-3},
    "MDS": lambda: {"init": "classical_mds", "eps": 1e-4},
    "Isomap": lambda: {"n_neighbors": 40},
    "SpectralClustering": lambda: {"n_clusters": 2, "affinity": "nearest_neighbors"},
    "SpectralBiclustering": lambda: {"n_clusters": 1, "n_components": 1, "n_best": 1},
    "SpectralCoclustering": lambda: {"n_clusters": 2},
    "AffinityPropagation": lambda: {"max_iter": 500},
    "HDBSCAN": lambda: {"min_cluster_size": 3, "min_samples": 1, "copy": True},
    "OPTICS": lambda: {"min_samples": 3},
    "SkewedChi2Sampler": lambda: {"skewedness": 1e3},
    "MLPClassifier": lambda: {
        "hidden_layer_sizes": (8,),
        "learning_rate_init": 0.05,
        "n_iter_no_change": 3,
        "tol": 0.01,
    },
    "Autoencoder": lambda: {"encoder": [learnable.Dense(4, "tanh")], "max_iter": 8, "precision": "float64"},
    "DenoisingAutoencoder": lambda: {"encoder": [learnable.Dense(4, "tanh")], "max_iter": 8, "precision": "float64"},
    "VariationalAutoencoder": lambda: {"encoder": [learnable.Dense(4, "tanh")], "max_iter": 8, "precision": "float64"},
    "SharedAutoencoder": lambda: {"encoder": [learnable.Dense(4, "tanh")], "max_iter": 8, "precision": "float64"},
    "SparseAutoencoder": lambda: {"code": 4, "max_iter": 8, "precision": "float64"},
    "ContrastiveEncoder": lambda: {"code": 3, "encoder": [], "max_iter": 8, "precision": "float64"},
    "BernoulliRBM": lambda: {"n_components": 4},
    "NetworkFeatures": lambda: {
        "network": learnable.NetworkRegressor(
            [learnable.Dense(4, "tanh")], max_iter=3, schedule="cosine", random_state=0
        )
    },
    "NetworkClassifier": lambda: {
        "layers": [learnable.Dense(8, "relu")],
        "learning_rate_init": 0.05,
        "n_iter_no_change": 3,
        "tol": 0.01,
        "precision": "float64",
    },
    "SequenceClassifier": lambda: {"layers": [learnable.GRU(4)], **_SEQUENCES},
    "SequenceRegressor": lambda: {"layers": [learnable.RNN(8)], **_SEQUENCES},
    "SequenceGenerator": lambda: {"layers": [learnable.RNN(4)], "context": 8, "max_iter": 3, "precision": "float64"},
    "TabularNetworkClassifier": lambda: {"members": 2, "hidden_layer_sizes": (32,), "max_iter": 20},
    "TabularNetworkRegressor": lambda: {"members": 2, "hidden_layer_sizes": (32,), "max_iter": 20},
    "NetworkRegressor": lambda: {
        "layers": [learnable.Dense(8, "relu")],
        "learning_rate_init": 0.05,
        "n_iter_no_change": 3,
        "tol": 0.01,
        "precision": "float64",
    },
    "MLPRegressor": lambda: {
        "hidden_layer_sizes": (8,),
        "learning_rate_init": 0.05,
        "n_iter_no_change": 3,
        "tol": 0.01,
    },
    "Nystroem": lambda: {"n_components": 1},
    "LocalOutlierFactor": lambda: {"novelty": True, "n_neighbors": 5},
    "RadiusNeighborsClassifier": lambda: {"outlier_label": "most_frequent"},
    "RadiusNeighborsRegressor": lambda: {"radius": 5.0, "weights": "distance"},
    "LandmarkFeatures": lambda: {"n_landmarks": 5},
    "KernelPCA": lambda: {"fit_inverse_transform": True},
    "KBinsDiscretizer": lambda: {"encode": "ordinal"},
    "QuadraticDiscriminantAnalysis": lambda: {"reg_param": 0.1},
    "QuantileTransformer": lambda: {"n_quantiles": 10},
    "MissingIndicator": lambda: {"features": "all"},
    "SimpleImputer": lambda: {"add_indicator": True},
    "Pipeline": lambda: {"steps": [("scale", ToyScaler()), ("ridge", ToyRidge())]},
    "FeatureHasher": lambda: {"n_features": 64},
    "HashingVectorizer": lambda: {"n_features": 64},
    "GenericUnivariateSelect": lambda: {"score_func": learnable.f_regression, "mode": "k_best", "param": 2},
    "GeneticSelection": lambda: {"estimator": ToyRidge(), "population_size": 4, "n_generations": 2, "cv": 2},
    "EvolutionSearchCV": lambda: {
        **_tuned(),
        "param_distributions": {"alpha": [0.1, 1.0, 2.0]},
        "population_size": 2,
        "n_generations": 2,
    },
    "ExhaustiveFeatureSelector": lambda: {"estimator": ToyRidge(), "max_features": 1, "cv": 2},
    "RFE": lambda: {"estimator": ToyRidge()},
    "RFECV": lambda: {"estimator": ToyRidge(), "step": 0.5, "cv": 2},
    "SelectFromModel": lambda: {"estimator": ToyRidge()},
    "SequentialFeatureSelector": lambda: {"estimator": ToyRidge(), "n_features_to_select": 1, "cv": 2},
    "SMOTE": lambda: {"k_neighbors": 1},
    "SMOTENC": lambda: {"categorical_features": [0], "k_neighbors": 1},
    "SelectFdr": lambda: {"score_func": learnable.f_regression, "alpha": 0.5},
    "SelectFpr": lambda: {"score_func": learnable.f_regression, "alpha": 0.5},
    "SelectFwe": lambda: {"score_func": learnable.f_regression, "alpha": 0.5},
    "SelectKBest": lambda: {"score_func": learnable.f_regression, "k": 1},
    "SelectPercentile": lambda: {"score_func": learnable.f_regression, "percentile": 50},
    "PatchExtractor": lambda: {"patch_size": (3, 2), "max_patches": 5},
    "FixedThresholdClassifier": lambda: {"estimator": ToyMeans()},
    "TunedThresholdClassifierCV": lambda: {"estimator": ToyMeans(), "cv": 2, "thresholds": [0.4999, 0.5]},
    "TransformedTargetRegressor": lambda: {"regressor": learnable.LinearRegression()},
    "GridSearchCV": lambda: {**_tuned(), "param_grid": {"alpha": [0.1, 1.0]}},
    "HalvingGridSearchCV": lambda: {**_tuned(), "param_grid": {"alpha": [0.1, 1.0]}, "min_resources": "smallest"},
    "HalvingRandomSearchCV": lambda: {**_tuned(), "param_distributions": {"alpha": [0.1, 1.0]}, "n_candidates": 2},
    "RandomizedSearchCV": lambda: {**_tuned(), "param_distributions": {"alpha": [0.1, 1.0, 2.0]}, "n_iter": 2},
}
