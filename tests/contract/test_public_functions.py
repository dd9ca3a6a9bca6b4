"""Every public function handles a senseless argument by a result, or by an error that names function and argument."""

import importlib
import inspect
import io
import re
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

import learnable
from learnable import active
from learnable.active import ActiveLearner, Committee, margin_sampling
from learnable.cluster import linkage
from learnable.evolution import Reals
from learnable.reinforcement import UCB, QLearning, RandomWalk
from learnable.theory import NoisyFunction

FAMILIES = [
    "metrics", "metrics.pairwise", "model_selection", "inference", "information", "theory", "preprocessing", "datasets",
    "feature_extraction", "feature_selection", "imbalance", "linear_model", "cluster", "decomposition", "manifold",
    "recommend", "sequence", "mixture", "neighbors", "kernels", "inspection", "calibration", "isotonic", "svm", "tree",
    "random_projection", "evolution", "reinforcement", "active",
]  # fmt: skip
RAGGED = [[1.0, 2.0], [3.0]]
BAD = [None, "text", RAGGED, [], [np.nan, 1.0], np.nan, -1, -0.5, [1.0], {"a": 1}, [[[1.0]]], [None, None], object()]
ROWS, LINE = 12, NoisyFunction(lambda X: 2 * X[:, 0], noise=0.1)
draws = np.random.default_rng(0)
X, CLASSES = draws.random((ROWS, 3)), np.arange(ROWS) % 2
PROBABILITY, IMAGE = draws.random(ROWS), draws.random((32, 32))
SQUARE = (X[:, :1] - X[:, 0]) ** 2 + (X[:, 1:2] - X[:, 1]) ** 2  # distances; symmetric, zeros on the diagonal
SIMILAR = np.exp(-SQUARE)
CHAIN = SIMILAR / SIMILAR.sum(axis=1, keepdims=True)
RATED, MERGES = np.column_stack([np.repeat(np.arange(4), 3), np.tile(np.arange(3), 4)]), linkage(X)
TAGS = [["B-a", "I-a", "O"], ["O", "B-b", "O"]]


def _sphere(x):
    return (np.asarray(x) ** 2).sum()


# A sensible value for every argument without a default, by its name.
NAMED = {
    "X Y prediction": X,
    "y y_true y_pred y1 y2 labels_true labels_pred labels attribute": CLASSES,
    "y_score y_proba pred_decision log_density x first second series": PROBABILITY,
    "image img before after": IMAGE,
    "probability test_share error inlier_share confidence correlation p": 0.3,
    "n n_x n_y n_samples n_features n_points n_dim n_packs batch_size": 6,
    "n_components n_clusters n_nonzero_coefs sample_size dimension": 2,
    "mean scale beta high target_error alpha degrees_of_freedom": 1.0,
    "low train_error test_error": 0.0,
    "density f g": lambda x: np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi),
    "texts words": ["one two", "two three"],
    "folds counts sizes widths dimensions train": [2, 3],
    "generate problem": LINE,
    "a b": (np.eye(2, dtype=bool), np.eye(2, dtype=bool)),
    "covariance other_covariance": np.eye(2),
    "estimator": learnable.Ridge(),
    "param_grid": {"alpha": [0.1, 1.0]},
    "train_errors test_errors": [0.3, 0.2, 0.1],
    "class_weight": "balanced",
    "classes": [0, 1],
    "arrays ys args": [CLASSES, CLASSES],
    "prototypes": draws.random((2, 3)),
    "table": np.array([[0.2, 0.3], [0.1, 0.4]]),
    "values": [0.5, 0.5],
    "function": np.sin,
    "points": [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]],
    "models": {"line": learnable.Ridge()},
    "estimators": {1: learnable.Ridge()},
    "patch_size": (4, 4),
    "patches": np.zeros((841, 4, 4)),
    "image_size": (32, 32),
    "images": IMAGE[None],
    "p_values": [0.01, 0.2],
    "scores": [[0.1, 0.3], [0.5, 0.7]],
    "complexity": [1.0, 2.0],
    "param_name": "alpha",
    "param_range": [0.1, 1.0],
    "scoring": "accuracy",
    "metric_func score_func": learnable.accuracy_score,
    "learner": lambda X, y, points: np.zeros(len(points)),
    "search": learnable.GridSearchCV(learnable.Ridge(), {"alpha": [0.1, 1.0]}, cv=2),
    "s": "text",
    "shape": (6, 6),
    "Gram": X.T @ X,
    "Xy": X.T @ CLASSES,
    "coef": [1.0, 2.0, 3.0],
    "A M": X,
    "S affinity adjacency K": SIMILAR,
    "dissimilarities": SQUARE,
    "P": CHAIN,
    "merges": MERGES,
    "reachability core_distances": np.r_[np.inf, PROBABILITY[1:]],
    "predecessor": np.arange(ROWS) - 1,
    "ordering": np.arange(ROWS),
    "eps max_eps bin_size radius": 0.5,
    "min_samples n_codes n_neighbors rank": 2,
    "length": 4,
    "dictionary X_embedded": X,
    "topics": X.T,
    "time": np.arange(ROWS),
    "graph": csr_array(SIMILAR),
    "counts": [3, 2],
    "columns degree features": 2,
    "y_prob": PROBABILITY,
    "similar": SIMILAR[:2],
    "tags": TAGS,
    "scheme": "IOBES",
    "decision_tree": learnable.DecisionTreeClassifier(max_depth=2).fit(X, CLASSES),
    "model": learnable.DecisionTreeClassifier(max_depth=2).fit(X, CLASSES),
    "mixture": learnable.GaussianMixture(random_state=0),
    "n_models n_data_sets": 4,
    "data_sets": {"one": (X, CLASSES), "two": (X, CLASSES)},
    "task": lambda size: lambda: size,
    "costs": [1.0, 2.0, 4.0],
    "environment": RandomWalk(),
    "bandit": UCB(10),
    "fitness": PROBABILITY,
    "count": 4,
    "population": CLASSES[:, None] * np.ones((1, 3)),
    "func": _sphere,
    "bounds": [(-1.0, 1.0), (-1.0, 1.0)],
    "x0": [0.5, 0.5],
    "sigma0": 0.5,
    "F": X,
    "reference": [2.0, 2.0, 2.0],
    "genes": Reals(-1.0, 1.0, 2),
    "log_joint posterior": np.full((ROWS, 2), 0.5),
}
LEARNER = ActiveLearner(learnable.GaussianNB(), X_training=X, y_training=CLASSES)
QUERIES = [name for name in dir(active) if name.endswith("_sampling") and name != "vote_entropy_sampling"]
ORDERS = np.array([[0, 1, 2], [2, 0, 1]])
CROSSOVERS = [
    "one_point_crossover", "two_point_crossover", "uniform_crossover", "blend_crossover", "simulated_binary_crossover",
]  # fmt: skip
SENSIBLE = {name: value for names, value in NAMED.items() for name in names.split()}
ABOVE_ONE = {"y_true": PROBABILITY + 1, "y_pred": PROBABILITY + 1}
MARKED = {"y_true": np.eye(3), "y_score": X[:3]}
OF_ONE: dict[str, dict[str, Any]] = {  # what single functions need instead
    **{name: {"first": CLASSES[:, None] * np.ones((1, 3)), "second": X} for name in CROSSOVERS},
    **{name: {"first": ORDERS, "second": ORDERS[::-1]} for name in ("order_crossover", "partially_mapped_crossover")},
    "swap_mutation": {"population": ORDERS},
    "reset_mutation": {"low": 0, "high": 3},
    "polynomial_mutation": {"low": 0.0, "high": 1.0},
    "bbob_function": {"number": 1},
    **{name: {"learner": LEARNER} for name in QUERIES},
    "vote_entropy_sampling": {"learner": Committee([LEARNER])},
    "active_learning_curves": {"strategies": {"margin": margin_sampling}, "estimator": learnable.GaussianNB()},
    "find_label_errors": {"estimator": learnable.GaussianNB()},
    "classifier_two_sample_test": {"first": X, "second": X, "estimator": learnable.GaussianNB()},
    "growth_order": {"sizes": [1.0, 2.0, 4.0]},
    "measure_growth": {"sizes": [1, 2, 4]},
    "compare_on_data_sets": {"models": {"a": learnable.DummyClassifier(), "b": learnable.DummyClassifier()}},
    "evaluate_policy": {"policy": np.zeros(5, dtype=int)},
    "return_curves": {"learner": QLearning(n_episodes=2)},
    "simulated_annealing": {"bounds": [(-1.0, 1.0), (-1.0, 1.0)]},
    "choose_clusters": {"model": learnable.KMeans(random_state=0), "counts": [2, 3]},
    "choose_rank": {"model": learnable.NMF(init="nndsvda", max_iter=2000), "X": np.abs(X), "ranks": [1, 2]},
    "choose_states": {"model": learnable.sequence.GaussianHMM(random_state=0), "X": X, "tried": [1, 2]},
    "chunk_score": {"y_true": TAGS, "y_pred": TAGS},
    "combination_norm": {"coef": PROBABILITY},
    "compare_taggers": {"y_true": TAGS, "first": TAGS, "second": TAGS},
    "contributions": {"background": X},
    "cut_linkage": {"n_clusters": 2},
    "gaussian_map": {"X": X[:, :1]},
    "prune": {"X": X, "y": CLASSES},
    "score_every_k": {"most": 3},
    "topic_coherence": {"topics": [[0, 1], [1, 2]]},
    "faithfulness": {"n_neighbors": 3},
    "future_leakage": {"train": np.arange(8), "test": np.arange(8, 12)},
    "intrinsic_dimension": {"n_neighbors": 5},
    "leave_k_out": {"X": RATED, "k": 1},
    "linkage": {"y": X},
    "unscaled_coefficients": {"model": learnable.Ridge().fit(X, PROBABILITY)},
    "ranking_report": {"model": learnable.recommend.Popularity().fit(RATED, PROBABILITY), "X": RATED},
    "partial_dependence": {"estimator": learnable.Ridge().fit(X, PROBABILITY), "features": [0]},
    "permutation_importance": {"estimator": learnable.Ridge().fit(X, PROBABILITY), "y": PROBABILITY},
    "impurity": {"counts": [3.0, 2.0]},
    "auc": {"x": np.arange(ROWS)},
    "check_scoring": {"estimator": learnable.Ridge()},
    "choice_of_folds": {"n": ROWS},
    "coverage_error": MARKED,
    "cross_entropy": {"p": [0.5, 0.5], "q": [0.3, 0.7]},
    "d2_log_loss_score": {"y_proba": PROBABILITY},
    "dcg_score": {"y_true": X, "y_score": X},
    "dump_svmlight_file": {"f": io.BytesIO()},
    "f_oneway": {"args": [X, X]},
    "gaussian_divergence": {"mean": [0.0, 0.0], "other_mean": [1.0, 0.0]},
    "generalisation_error_at": {"x": [0.5], "y": 1.0},
    "glove": {"counts": np.array([[4.0, 1.0], [1.0, 2.0]]), "words": ["a", "b"]},
    "haversine_distances": {"X": X[:, :2]},
    "information_criterion": {"prediction": PROBABILITY},
    "kl_divergence": {"p": [0.5, 0.5], "q": [0.3, 0.7]},
    "label_ranking_average_precision_score": MARKED,
    "label_ranking_loss": MARKED,
    "log_loss": {"y_proba": PROBABILITY},
    "mean_fractional_error": ABOVE_ONE,
    "mean_gamma_deviance": ABOVE_ONE,
    "mean_poisson_deviance": ABOVE_ONE,
    "mutual_info_score": {"labels_true": CLASSES, "labels_pred": CLASSES},
    "ndcg_score": {"y_true": X, "y_score": X},
    "no_free_lunch": {"n_points": 3, "train": [0, 1]},
    "pmi_matrix": {"counts": np.array([[4.0, 1.0], [1.0, 2.0]])},
    "prototype_margin": {"prediction": [0.1, 0.2, 0.3], "own": [0.0, 0.0, 0.0], "other": [1.0, 1.0, 1.0]},
    "rotating_cross_validate": {"cv": 3},
    "separable": {"labels": [0, 1, 0]},
    "svd_word_vectors": {"matrix": np.array([[4.0, 1.0], [1.0, 2.0]]), "words": ["a", "b"]},
}
QUICK = {
    "n_initial": 2,
    "n_queries": 1,
    "n_candidates": 3,
    "n_episodes": 2,
    "n_runs": 2,
    "n_steps": 3,
    "maxiter": 2,
    "n_temperatures": 2,
    "maxfevals": 20,
    "population_size": 6,
    "repeats": 2,
    "n_test": 4,
    "n_permutations": 2,
    "cv": 2,
    "draws": 9,
}
WRITTEN = {"f", "path", "out_file"}  # files, which are the system's business
FILES = {
    "load_files", "load_svmlight_file", "load_svmlight_files", "read_images", "read_table", "read_texts",
    "read_word2vec", "read_conll", "write_conll", "read_ratings", "read_lightgbm", "read_xgboost", "em",
}  # fmt: skip


def public_functions() -> Iterator[tuple[str, Callable[..., Any]]]:
    for family in FAMILIES:
        package = importlib.import_module(f"learnable.{family}")
        for name in dir(package):
            value = getattr(package, name)
            if inspect.isfunction(value) and not name.startswith("_") and name not in FILES:
                yield name, value


FUNCTIONS = dict(public_functions())


def arguments_of(name: str) -> list[inspect.Parameter]:
    parameters = inspect.signature(FUNCTIONS[name]).parameters.values()
    return [parameter for parameter in parameters if parameter.kind is not parameter.VAR_KEYWORD]


def data_parameters(name: str) -> list[inspect.Parameter]:
    """The arguments that the function itself checks: options for another function are checked there."""
    return [p for p in arguments_of(name) if not p.name.endswith(("params", "kwargs")) and p.name not in WRITTEN]


def sensible_call(name: str) -> dict[str, Any]:
    """Arguments with which the function works."""
    own = OF_ONE.get(name, {})
    values = {**SENSIBLE, **own}
    needed = {p.name for p in arguments_of(name) if p.default is p.empty or p.name in own or p.name == "y"}
    return {p.name: values[p.name] if p.name in needed else QUICK.get(p.name, p.default) for p in arguments_of(name)}


def output(name: str, call: dict[str, Any]) -> Any:
    gathered = [p.name for p in arguments_of(name) if p.kind is p.VAR_POSITIONAL]
    several = [table for group in gathered for table in call[group]]
    found = FUNCTIONS[name](*several, **{key: value for key, value in call.items() if key not in gathered})
    return list(found) if inspect.isgenerator(found) else found


def complaint(name: str, call: dict[str, Any], argument: str) -> str:
    """What is wrong with how the function takes the call; nothing where it returns a result or a clear error."""
    try:
        output(name, call)
    except (learnable.DataError, learnable.ParameterError, TypeError) as error:
        named = re.search(rf"\b({name}|{argument})\b", str(error))
        return "" if named else f"{argument}={call[argument]!r}: {type(error).__name__}: {error}"
    except Exception as error:
        return f"{argument}={call[argument]!r}: {type(error).__name__}: {error}"
    return ""


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_a_senseless_argument_is_explained(name):
    call = sensible_call(name)
    tried = [(p.name, (bad,) if p.kind is p.VAR_POSITIONAL else bad) for p in data_parameters(name) for bad in BAD]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        output(name, call)
        found = [complaint(name, {**call, argument: bad}, argument) for argument, bad in tried]
    assert not [line for line in found if line]
