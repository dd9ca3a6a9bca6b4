"""State that once passed and made a method fail without a message: now the file is refused, or the method says why."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import learnable
from learnable.core import LearnableError, ModelFileError
from learnable.core.files import model_file as files
from learnable.core.files.trial_prediction import tried
from tests.fuzz.seeds import fitted


def loaded(name: str, **state: Any) -> Any:
    """The first fitted model of a class, as if read from a file in which some attributes are others."""
    seed = fitted(name, 0)
    description, tensors = seed.fresh()
    for attribute, value in state.items():
        if isinstance(value, np.ndarray):
            tensors[f"new {attribute}"] = value
            value = {"array": f"new {attribute}", "transposed": False}
        description["state"][attribute] = value
    return tried(files._decoded(description, tensors, "file"), "file"), seed


REFUSED = [
    ("HMMTagger", {"words_": 5}, "words_"),
    ("HMMTagger", {"suffixes_": -1.0}, "words_ and suffixes_"),
    ("UserKNN", {"row_means_": np.zeros(1)}, "row_means_"),
    ("ItemKNN", {"row_means_": np.zeros((4, 1))}, "row_means_"),
    ("HMMClassifier", {"estimators_": [[], []]}, "hidden Markov models"),
    ("KernelDensity", {"counts_": np.zeros(24)}, "counts_"),
    ("BernoulliRBM", {"stream_state_": np.full(627, 2.0**40)}, "stream_state_"),
    ("BernoulliRBM", {"intercept_visible_": np.zeros(4, dtype=np.int8)}, "floats of one type"),
    ("EASE", {"ratings_": np.zeros((4, 4))}, "ratings_"),
    ("LatentDirichletAllocation", {"doc_topic_prior_": -1e308}, "doc_topic_prior_"),
    ("LatentDirichletAllocation", {"n_batch_iter_": -11}, "n_batch_iter_"),
    ("MultinomialHMM", {"trials_": np.array([-1])}, "trials_"),
    ("StudentTMixture", {"freedom_": np.zeros(1)}, "freedom_"),
    ("SGDOneClassSVM", {"t_": {"float": "inf"}}, "t_"),
    ("MaxAbsScaler", {"n_samples_seen_": {"tuple": []}}, "n_samples_seen_"),
    ("OutlierRemover", {"low_": np.zeros(8), "high_": np.ones(8)}, "low_"),
    ("Pipeline", {"steps_": [{"tuple": [name, None]} for name in ("a", "b")] + [{"tuple": ["c", 5]}]}, "steps_"),
]


@pytest.mark.parametrize(("name", "state", "word"), REFUSED)
def test_state_that_does_not_fit_is_refused(name, state, word):
    with pytest.raises(ModelFileError, match=word):
        loaded(name, **state)


@pytest.mark.parametrize("change", [lambda part: part[:, 1:], lambda part: -part, lambda part: part * np.nan])
def test_statistics_of_a_network_fit_its_tables(change):
    seed = fitted("BayesianNetwork", 0)
    description, tensors = seed.fresh()
    first = description["state"]["statistics_"][0]["array"]
    with pytest.raises(ModelFileError, match="the statistics of node 0"):
        files._decoded(description, tensors | {first: change(tensors[first])}, "file")


def test_members_that_lack_a_method_are_refused():
    """What a part lacks was taken for a method that the model does not have."""
    scaler, regressor = (fitted(name, 0).fresh()[0] for name in ("StandardScaler", "ToyRidge"))
    seed = fitted("Pipeline", 0)
    description, tensors = seed.fresh()
    for name, part in (("StandardScaler", scaler), ("ToyRidge", regressor)):
        tensors |= {f"{name} {key}": value for key, value in fitted(name, 0).fresh()[1].items()}
        _rename(part, name)
    for steps in ([("a", regressor), ("b", regressor)], [("a", scaler), ("b", [regressor])]):
        description["state"]["steps_"] = [{"tuple": [name, step]} for name, step in steps]
        with pytest.raises(ModelFileError, match="steps_"):
            files._decoded(description, tensors, "file")


def _rename(node: Any, prefix: str) -> None:
    for value in node.values() if isinstance(node, dict) else node if isinstance(node, list) else []:
        _rename(value, prefix)
    if isinstance(node, dict) and isinstance(node.get("array"), str):
        node["array"] = f"{prefix} {node['array']}"


@pytest.mark.parametrize(
    ("name", "attribute", "method"),
    [
        ("GaussianMixture", "covariances_", "sample"),
        ("StudentTMixture", "scales_", "sample"),
        ("GaussianHMM", "covariances_", "sample"),
        ("GMMHMM", "covariances_", "sample"),
        ("AlternatingLeastSquares", "item_factors_", "map_2d"),
    ],
)
def test_what_cannot_be_drawn_or_mapped_says_so(name, attribute, method):
    seed = fitted(name, 0)
    shape = seed.tensors[seed.fresh()[0]["state"][attribute]["array"]].shape
    model, _ = loaded(name, **{attribute: np.full(shape, np.nan)})
    with pytest.raises(LearnableError):
        getattr(model, method)()


def test_a_poisson_rate_beyond_what_can_be_drawn():
    model, _ = loaded("PoissonHMM", lambdas_=np.full((1, 3), 1e300))
    with pytest.raises(LearnableError, match="rate"):
        model.sample()


@pytest.mark.parametrize(
    ("name", "attribute"),
    [
        ("MiniBatchDictionaryLearning", "products_"),
        ("MiniBatchNMF", "numerator_"),
        ("MiniBatchKMeans", "cluster_centers_"),
    ],
)
def test_partial_fit_cannot_go_on_from_numbers_that_are_not_finite(name, attribute):
    seed = fitted(name, 0)
    shape = seed.tensors[seed.fresh()[0]["state"][attribute]["array"]].shape
    model, _ = loaded(name, **{attribute: np.full(shape, np.inf)})
    with pytest.raises(LearnableError, match=f"{attribute} of the previous fit"):
        model.partial_fit(seed.X)


@pytest.mark.parametrize("name", ["MLPRegressor", "NetworkRegressor"])
def test_the_optimiser_goes_on_in_the_precision_of_the_weights(name):
    seed = fitted(name, 0)
    shape = seed.tensors[seed.fresh()[0]["state"]["optimiser_slots_"]["array"]].shape
    model, _ = loaded(name, optimiser_slots_=np.zeros(shape, np.int16))
    assert np.isfinite(model.partial_fit(seed.X, seed.y).predict(seed.X)).all()


def test_scores_of_another_number_of_targets():
    X, y = [[0.0], [1.0], [2.0]], [[0.0, 1.0], [1.0, 2.0], [2.0, 0.0]]
    model = learnable.MultiOutputRegressor(learnable.Ridge()).fit(X, y)
    with pytest.raises(LearnableError, match="y has 3 targets; predictions have 2"):
        model.score(X, [[0.0, 1.0, 2.0]] * 3)


def test_samples_of_more_rows_than_there_is_memory():
    model, _ = loaded("RandomTreesEmbedding", n_rows_=2**62)
    with pytest.raises(LearnableError, match="memory has no room"):
        _ = model.estimators_samples_


@pytest.mark.parametrize(
    ("name", "parameters"),
    [("BernoulliNB", {"beta_prior": np.int8}), ("DropMissingRows", {"placeholders": [np.zeros(3)]})],
)
def test_parameters_that_hold_something_else(name, parameters):
    with pytest.raises(learnable.core.ParameterError):
        learnable.__getattr__(name)(**parameters).fit([[0.0], [1.0]], [0, 1])


def test_an_encoder_without_classes_knows_none():
    with pytest.raises((ValueError, ModelFileError)):
        model, _ = loaded("LabelEncoder", classes_=np.zeros(0, dtype=np.int64))
        model.transform([1])


def test_a_file_without_a_trace_is_tried_too():
    """Leaving the trace out left the trial prediction out."""
    seed = fitted("FactorizationMachineClassifier", 0)
    description, tensors = seed.fresh()
    del description["state"]["trace_"]
    tensors[description["state"]["classes_"]["array"]] = np.zeros(1, dtype=np.int64)
    with pytest.raises(ModelFileError):
        tried(files._decoded(description, tensors, "file"), "file")
